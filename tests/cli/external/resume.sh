# --resume: a sort that fails keeps its sorted parts in a private directory; the same command goes on.
ordo gen uniform -n 2e6 --dtype u64 --seed 3 -o u.npy
ordo sort u.npy -o whole.npy
echo old >out.npy
# The limit of the size of files ends the sort: in the sorted parts, then in the output. The folder
# of -T is made if it does not exist; the one that it would be in is not.
ordo sort u.npy -S 8Mi -T none/spill --resume -o out.npy 2>/dev/null
echo "$?"
ls -d none 2>/dev/null
(ulimit -f 8000 && exec ordo sort u.npy -S 8Mi -T spill --resume -o out.npy) 2>err
echo "$?"
sed 's/resume-[0-9a-f]*/resume-N/g; s/[0-9][0-9]* bytes/N bytes/; s/and .*part-[0-9a-f]*/and PART/' err
cat out.npy
ls spill | sed 's/resume-[0-9a-f]*/resume-N/'
stat -c %a spill/*
ordo sort u.npy -S 8Mi -T spill --resume -o out.npy && cmp out.npy whole.npy && ls -A spill
ls -A | grep part
# The limit ends the sort while it writes the output, which has more bytes than the sorted parts. The finished part stays.
(ulimit -f 28000 && exec ordo sort u.npy -S 8Mi -T spill --resume -o out.npy) 2>/dev/null
echo "$?"
ls -A | sed 's/part-[0-9a-f]*/part-N/'
cmp out.npy whole.npy
ordo sort u.npy -S 8Mi -T spill --resume -o out.npy --explain 2>err && cmp out.npy whole.npy
sed -n 's/.*ranges \([0-9]*\)$/\1/p' err | awk '{ print $1 < 8 ? "went on" : "began again: " $1 }'
ls -A spill
ls -A | grep part
# Two bytes of the finished part change: that part is sorted again.
(ulimit -f 28000 && exec ordo sort u.npy -S 8Mi -T spill --resume -o out.npy) 2>/dev/null
printf 'xy' | dd of="$(echo .ordo-part-*)" bs=1 seek=1000 conv=notrunc 2>/dev/null
echo old >out.npy
ordo sort u.npy -S 8Mi -T spill --resume -o out.npy && cmp out.npy whole.npy
# argsort and rank go on behind their sorted parts.
for command in argsort rank 'argsort --one-based'; do
    # shellcheck disable=SC2086 # several words
    ordo $command u.npy -o whole.npy
    # shellcheck disable=SC2086
    (ulimit -f 20000 && exec ordo $command u.npy -S 24Mi -T spill --resume -o out.npy) 2>/dev/null
    echo "$?"
    ls spill | sed 's/resume-[0-9a-f]*/resume-N/'
    # shellcheck disable=SC2086
    ordo $command u.npy -S 24Mi -T spill --resume -o out.npy && cmp out.npy whole.npy
    ls -A spill
    ls -A | grep part
done
ordo sort u.npy -o whole.npy
# A file that has changed is refused, also if its size and its time are those of before.
(ulimit -f 8000 && exec ordo sort u.npy -S 8Mi -T spill --resume -o other.npy) 2>/dev/null
ordo gen uniform -n 2e6 --dtype u64 --seed 4 -o v.npy
touch -r u.npy v.npy
for command in sort argsort rank; do
    cp -p u.npy same.npy
    (ulimit -f 20000 && exec ordo $command same.npy -S 24Mi -T spill --resume -o other.npy) 2>/dev/null
    cp -p v.npy same.npy
    ordo $command same.npy -S 24Mi -T spill --resume -o other.npy 2>/dev/null
    echo "$command: $?"
done
touch u.npy
ordo sort u.npy -S 8Mi -T spill --resume -o other.npy 2>err
echo "$?"
sed 's/resume-[0-9a-f]*/resume-N/g; s/[0-9][0-9]* bytes/N bytes/' err
rm v.npy same.npy
ls
