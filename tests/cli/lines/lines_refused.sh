# Errors name the option and what was expected; nothing is written.
printf 'b\na\n' >lines
printf '' >empty
printf 'lines\000\000' >hole
ordo gen sorted -n 3 -o keys.npy
try() {
    ordo sort "$@" -o out
    code=$?
    printf '%s: %d\n' "$*" $code
}
for key in 0 1.0 1x ',' '1,' 1,0 1. 1,2.x 1,2,3 -1 '' 1ng 2,2dM; do
    try -k "$key" lines
done
try --key name lines
try -n -g lines
try -dn lines
try -Rh lines
try --sort=month --numeric-sort lines
try --sort=size lines
try -t xy lines
try -t '' lines
try -t '\t' lines
try -n --dtype u8 lines
try -n --format npy lines
try -k1 --algorithm radix lines
try -n --fasta lines
try -n keys.npy
try -s keys.npy
try --seed 1 lines
try -R --seed 1 --random-source lines lines
try -R --random-source empty lines
try --files0-from hole
try --files0-from empty
try --files0-from missing
try --files0-from lines lines
printf -- '-' | try --files0-from -
try -k2 lines missing
try --fasta lines lines
try -rx lines
try --check=often lines
try --reverse=no lines
ls
