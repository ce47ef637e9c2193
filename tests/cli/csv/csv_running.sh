# moving and scan add a column with the results of a column of numbers, in all rows or in groups.
. "$CASES/same.inc"
printf 'city,price,n\nRome,3,1\n"Os\nlo",10,2\nRome,20.5,3\n"Os\nlo",,4\nRome,1,5\n"Os\nlo",7,6\n' >a
printf 'city,price\nRome,3\nOslo\nBonn,x\nRome,5\n' >bad
printf 'city,price\n' >header
: >empty
same a moving --csv --window 2 --column price
same a moving --csv --window 2 --column 2 --by city --min-periods 1 --op max --as 'the "most"'
same a moving --csv --window 3 --column n --op quantile -q 0.25 --min-periods 2
same a moving --csv --window 3 --column n --op rank -r --by city --min-periods 1
same a moving --csv --window 3 --column n --center
same a scan --csv --column price
same a scan --csv --column n --by city --exclusive --as before
same a scan --csv --column price --op min
same a scan --csv --column price --op min --wide
same a scan --csv --column n --op product
same a scan --csv --no-header --column 3 --bad skip
same bad scan --csv --column price
same bad scan --csv --column price --bad skip
same bad moving --csv --window 1 --column price --by city --skip-bad
same bad moving --csv --window 1 --column price --bad text
same header scan --csv --column price
same header moving --csv --window 2 --column price --by city
same empty scan --csv --column price
same a scan --csv --column city
same a scan --csv --column cost
same a scan --csv
printf 'x\n1\n2\nnan\n4\n' >nan
same nan moving --csv --window 2 --column x --min-periods 1
same nan moving --csv --window 2 --column x --nans propagate
same nan scan --csv --column x
printf 'x\n9223372036854775807\n1\n18446744073709551615\n' >wide
same wide scan --csv --column x --op max
awk 'BEGIN { print "g,x,y"; x = 7
    for (i = 0; i < 300000; i++) { x = x * 16807 % 2147483647; print x % 97 "," (i % 11 ? x % 1000 : "") "," i + (i > 200000) / 2 } }' >rows
large() {
    ordo "$@" rows --threads 1 >one
    ordo "$@" rows --threads 2 | cmp - one
    ordo "$@" rows -S 40Mi | cmp - one
    ordo "$@" -S 40Mi --threads 1 <rows | cmp - one
    cat rows | ordo "$@" -S 40Mi | cmp - one
    cksum <one
}
large moving --csv --window 50 --column x
large moving --csv --window 5 --column y --by g --op min
large scan --csv --column y
large scan --csv --column x --by g
# Results are those of the column alone.
cut -d, -f2 rows | awk 'NR > 1 && $0 != ""' | ordo moving --window 50 >expected
ordo moving --csv --window 50 --column x rows | cut -d, -f4 | awk 'NR > 1 && $0 != ""' | cmp - expected
awk -F, 'NR > 1 { s[$1] += $2; print $2 == "" ? "" : s[$1] }' rows >expected
ordo scan --csv --column x --by g rows | cut -d, -f4 | tail -n +2 | cmp - expected
# A limit that is too small for the numbers of the column is refused.
ordo scan --csv --column y --by g -S 8Mi rows 2>&1 | grep -c 'memory limit'
for words in 'scan --csv --bits' 'scan --csv --column n --column price' 'scan --column n' 'moving --window 1 --as x' \
    'scan --by city' 'scan -T .' 'scan --csv --column n --dtype f32' 'scan --csv --column n --key n' \
    'moving --csv --column n' 'scan --csv --column n --format npy' 'scan --csv --tsv --column n'; do
    ordo $words a
    echo "$words: $?"
done
