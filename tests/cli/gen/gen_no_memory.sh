# More numbers than fit in memory, and more than a size_t can count.
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
