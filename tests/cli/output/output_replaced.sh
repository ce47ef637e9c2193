# shellcheck disable=SC2012 # the names are known
# A file is replaced as a whole. Its mode and its links stay. The output file may be the input file.
# After a failure the old file is unchanged.
printf '1\n1\n' >keys
printf 'old\n' >ranks
chmod 640 ranks
ln -s ranks link
ordo rank keys -o link
cat ranks
ls -l ranks | cut -c1-10
[ -L link ] && echo "link stays a link"
ordo rank keys -o keys
cat keys
printf 'old\n' >ranks
printf '2\n1\n' | ordo rank --sorted --check -o ranks 2>/dev/null
printf 'x\n' | ordo rank -o ranks 2>/dev/null
ordo rank missing -o ranks 2>/dev/null
ordo gen recur -n 10 -p 7 -o ranks 2>/dev/null
ordo rank keys --memory-limit 1e -o ranks 2>/dev/null
cat ranks
(umask 027 && ordo rank keys -o fresh && ls -l fresh | cut -c1-10)
ordo rank keys -o /dev/null && [ -c /dev/null ] && echo "device stays a device"
ordo rank keys -o -
ls -A
