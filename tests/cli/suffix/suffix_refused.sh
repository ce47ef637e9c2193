# Wrong options, missing files and damaged indexes.
try() {
    "$@" >/dev/null
    [ $? -eq 2 ] || echo "$*: not 2"
}
printf 'some text' | ordo index -o index
try ordo search
try ordo search index
try ordo search index a -f list
try ordo search index a --count --locate
try ordo search missing a
try ordo index missing -o x
try ordo index --sample 5000
try ordo suffix missing
try ordo suffix --lcp -
try ordo suffix --lcp a.npy -o a.npy
try ordo suffix --algorithm fast
printf 'not an index' >other
try ordo search other a
head -c 1000 index >short
try ordo search short a
printf 'X' | dd of=index bs=1 seek=2500 conv=notrunc 2>/dev/null
ordo search index a --check 2>message && echo accepted
ordo search index some --count # a view trusts what it does not read
sed 's/is [0-9a-f]\{16\}/is S/;s/has [0-9a-f]\{16\}/has S/' message >&2
