# The kinds of keys, with results that are known without sort(1).
line() { tr '\n' '|' && echo; }
s() { ordo sort "$@" | line; }
printf '10\n9\n-3\n\n x\n-03.0\n1e3\n' >n && s -n n && s -rn n && s -nu n && s -ns n
printf '1e3\n-inf\nnan\nx\nNaN\n0x10\n-nan\n2\n-0\n' | s -g
printf 'nan(2)\nnan\n-nan(1)\nNAN\nnan(1)\n1\n-nan\n+nan\nx\n' | s -gs
printf '1G\n2K\n3M\n-1G\n0K\n1k\n5\n' | s -h
printf '1Q\n900Y\n-1Q\n2R\n-3R\n1Z\n7q\n' | s -h
printf 'mar\nJAN\nfoo\n dec\n' | s -M
printf 'a1.10\na1.9\na~\na\na1.9.tar.gz\n.b\n' | s -V
printf 'b\nA\na\nB\n' | s -f
printf 'b-1\na:2\nb2\n' | s -d
printf 'b\001c\nba\nbd\n' | s -i | od -c | sed 's/^[0-9]* *//' | tr -s ' '
printf '  b\n c\na\n' | s -b
printf 'a:2:x\nb:10:y\nc:2:a\n' >t
s -t: -k2,2n t
s -t: -k2,2n -k3 t
s -t: -k2,2nr -k1,1r t
s -t : -k 2,2 -s -r t
s -t: -k2,2 -u t
s -t: --key=3.1,3.1 --reverse t
s -t: -k5 -k3,2 t
s -k1.3,1.3n t
printf 'b\000a\nc\000' | ordo sort -z | od -c | sed 's/^[0-9]* *//' | tr -s ' '
printf '1 a\n3 c\n' >x
printf '2 b\n3 b\n' >y
s -m x y
s -m -k1,1n -s x y
s -m -k1,1n -u y x
s -mr -k2 y x
s --text --merge x - y </dev/null
s --sort=numeric n
s --text -o - x y
ordo sort -n x y -o x && line <x
# Options for all keys that exclude each other count only for keys without options of their own.
s -d -M -k2,2 -t: -k2,2n t 2>&1
s -d -M -t: -k2,2n t
