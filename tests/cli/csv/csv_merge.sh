# merge and check take rows in the order of `sort --csv`, and lines.
. "$CASES/same.inc"
printf 'city,price\nAix,1\nBonn,2\nCork,5\n' >a
printf 'city,price\nRome,2\nOslo,3\n' >b
printf 'city,price\nRome,9\nOslo,3\n' >wrong
printf 'city,price\nLyon,\nLyon,x\n' >bad
printf 'city,price\n' >header
printf 'town,price\nRome,9\n' >other
: >empty
try() {
    ordo "$@" 2>&1
    echo "$*: $?"
}
try merge --csv --key price a b header
try merge --csv --key price -u a b --threads 1
try merge --csv -r --key price wrong wrong --threads 2
try merge --csv --key price a wrong
try merge --csv --key price a other
try merge --csv --key price:number --bad skip a bad
try merge --csv --key price:number --bad last a bad bad
try merge --csv --key price:number a bad
try merge --csv --no-header --key 1:natural --key 2:text wrong
try merge --csv --key price header
try merge --csv --key price empty
try merge --csv a b
try merge --csv --text --key price a
try merge --csv --by city --key price a
try merge --csv --key price --format npy a
same a check --csv --key price
same wrong check --csv --key price
same wrong check --csv -r --key price
same wrong check --csv --key price -q
same a check --csv --no-header --key 1 -u
same bad check --csv --key price:number --bad skip
same bad check --csv --key price:number
same header check --csv --key price
same empty check --csv --key price
try check --csv a
try check --key price a
try check -T . a
awk 'BEGIN { print "k,v"; for (i = 0; i < 400000; i++) print int(i / 3) "," i }' >long
awk 'BEGIN { print "k,v"; for (i = 0; i < 400000; i++) print int(i / 2) "," i }' >longer
ordo sort --csv --key k long longer >expected
ordo merge --csv --key k long longer --threads 1 | cmp - expected
ordo merge --csv --key k -S 8Mi long longer | cmp - expected
ordo merge --csv --key k - longer <long | cmp - expected
sed '399000s/.*/1,7/' longer >disordered
try merge --csv --key k long disordered
try merge --csv --key k -S 8Mi long disordered
same disordered check --csv --key k
cat long | try merge --csv --key k -S 8Mi - longer
printf 'a\nc\n' >x
printf 'b\nc\n' >y
try merge --text x y
try merge --text --unique x y -S 8Mi
try merge --text x empty --threads 1
try merge --text -r x y
try merge --text y x y --threads 2
try merge --text x - <y
try merge --text --format raw x
