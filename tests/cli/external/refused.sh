# What is wrong with options of external work, and failures: the output stays as it was.
export TMPDIR="$PWD"
ordo gen uniform -n 500000 --dtype u64 -o u.npy
echo old >out.npy
for wrong in '-S none' '-S 101%' '-S 0' '-S 8Mi -T /no/such/folder' '-S 8Mi -T /no/such/folder --resume' '-S 8Mi --resume x' '-S'; do
    # shellcheck disable=SC2086 # several words
    ordo sort u.npy -o out.npy $wrong || echo $?
done
ordo select u.npy -k 1 --resume || echo $?
ordo rank u.npy --resume --then u.npy || echo $?
ordo sort u.npy --text --resume || echo $?
printf '1\n2\n' | ordo sort --resume || echo $?
# shellcheck disable=SC2002 # a pipe, not a file
cat u.npy | ordo sort -u -S 8Mi | cat
head -c 2000000 u.npy | ordo sort -S 8Mi -o out.npy || echo $?
head -c 2000000 u.npy >short.npy && ordo sort short.npy -S 8Mi -o out.npy || echo $?
{ yes 12 | head -n 700000 && echo bad; } | ordo sort -S 8Mi -o out.npy || echo $?
ordo select u.npy -k 500001 -S 8Mi || echo $?
ordo select u.npy -k 1 --nans propagate -S 8Mi || echo $?
cat out.npy
ls -A
