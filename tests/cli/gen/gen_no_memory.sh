# More than there is memory for, and more than can be counted.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}allocator_may_return_null=1
TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}allocator_may_return_null=1
export ASAN_OPTIONS TSAN_OPTIONS
ordo gen zero -n 2^59 --dtype u64 -o out 2>err
echo $?
grep '^ordo:' err
ordo gen zero -n 2^62 --dtype u64 -o out 2>err
echo $?
grep '^ordo:' err
ls
