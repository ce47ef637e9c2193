# Messages about missing memory name -S where that helps.
limit=30000 # kB of address space
(ulimit -v $limit && ordo version >/dev/null 2>&1) || {
    echo "the command does not start with little address space: a sanitizer or an emulator"
    exit 77
}
ordo gen uniform -n 5e6 --dtype f64 -o keys.npy
ordo gen uniform -n 2e6 --dtype f64 --format text -o keys.txt
try() {
    (ulimit -v $limit && ordo "$@" --threads 1 -o out 2>&1) |
        sed 's/memory.* \(bytes of input\|numbers\)/memory for .../; s/ for the [^;]*/ for .../'
}
try sort keys.npy
try argsort keys.npy
try rank keys.npy
try select -k 3 keys.npy
try median keys.npy
try topk -k 3 keys.npy
try sort keys.txt
try sort --text keys.txt
try sort -n keys.txt
try sort --csv --no-header --key 1 keys.txt
try median --csv --no-header --column 1 keys.txt
# Without temporary files there is no hint.
try scan keys.npy
try sort --algorithm radix keys.npy
try rank --text keys.txt
# If -S is given, it is named as the limit.
ordo gen uniform -n 50000 --dtype f64 -o few.npy
ordo rank -S 1000b --algorithm sample few.npy -o out 2>&1 | sed 's/[0-9][0-9]* bytes/N bytes/g'
