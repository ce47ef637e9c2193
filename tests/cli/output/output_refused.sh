# Output that cannot be written: a message, exit code 2, no new files.
printf '1\n2\n' >keys
mkdir folder
ordo rank keys -o missing/ranks
echo $?
ordo rank keys -o folder
echo $?
ordo rank keys -o folder/
echo $?
ordo rank keys -o ''
echo $?
ordo rank keys -o keys/ranks
echo $?
ordo rank keys -o /dev/full
echo $?
ordo rank keys >/dev/full
echo $?
ordo gen zero -n 1e6 --format raw >/dev/full
echo $?
ordo rank keys >&-
echo $?
ordo version >/dev/full
echo $?
ordo rank --help >/dev/full
echo $?
ls -A . folder
