# --resume: a sort that fails keeps its sorted parts in a private directory; the same command goes on.
mkdir spill
ordo gen uniform -n 2e6 --dtype u64 --seed 3 -o u.npy
ordo sort u.npy -o whole.npy
echo old >out.npy
# The limit of the size of files ends the sort: in the sorted parts, then in the output.
(ulimit -f 8000 && exec ordo sort u.npy -S 8Mi -T spill --resume -o out.npy) 2>err
echo "$?"
sed 's/resume-[0-9a-f]*/resume-N/g; s/[0-9][0-9]* bytes/N bytes/' err
cat out.npy
ls spill | sed 's/resume-[0-9a-f]*/resume-N/'
stat -c %a spill/*
ordo sort u.npy -S 8Mi -T spill --resume -o out.npy && cmp out.npy whole.npy && ls -A spill
# A file that has changed is refused.
(ulimit -f 8000 && exec ordo sort u.npy -S 8Mi -T spill --resume -o other.npy) 2>/dev/null
touch u.npy
ordo sort u.npy -S 8Mi -T spill --resume -o other.npy 2>err
echo "$?"
sed 's/resume-[0-9a-f]*/resume-N/g; s/[0-9][0-9]* bytes/N bytes/' err
ls
