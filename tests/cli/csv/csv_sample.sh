# shuffle and sample choose rows and keep the header; the same rows for any number of threads and with a limit.
. "$CASES/same.inc"
printf 'city,price\nRome,3\n"Os\nlo",10\nBonn,20.5\nLyon,\nAix,1\nCork,7\n' >a
printf 'city,price\nRome,3\nOslo\nBonn,5\n' >bad
printf 'city,price\n' >header
: >empty
same a shuffle --csv --seed 3
same a sample --csv -k 3 --seed 3
same a sample --csv -k 9
same a sample --csv -k 0
same a sample --csv -k 8 --replace
same a shuffle --csv --no-header --seed 2
same bad shuffle --csv
same bad sample --csv --bad skip -k 9
same bad shuffle --csv --bad last
same header shuffle --csv
same header sample --csv -k 1 --replace
same empty shuffle --csv
tr , '\t' <a >tabs
same tabs sample --tsv -k 1
awk 'BEGIN { print "k,v"; for (i = 0; i < 250000; i++) print i "," i % 7 " some more text in a row that is longer than its key" }' >rows
same_bytes() {
    ordo "$@" rows --threads 1 >one
    ordo "$@" rows --threads 2 | cmp - one
    ordo "$@" rows -S 24Mi | cmp - one
    cat rows | ordo "$@" -S 24Mi | cmp - one
    wc -l <one
}
same_bytes shuffle --csv --seed 5
ordo sort --csv --key k one | cmp - rows
head -n 1001 one >expected
same_bytes sample --csv --seed 5 -k 1000
cmp one expected
same_bytes sample --csv --seed 5 -k 50000
same_bytes sample --csv --seed 5 -k 300000 --replace
awk 'NR > 1' rows | ordo sample --text --seed 5 -k 1000 | cmp - /dev/fd/3 3<<EOF
$(tail -n +2 expected)
EOF
# A limit that is too small for the order of the rows is refused.
ordo sample --csv -k 900000 --replace -S 8Mi rows 2>&1 | grep -c 'memory limit'
for words in 'shuffle --csv --text' 'shuffle --csv --key k' 'shuffle --csv --by k' 'shuffle --csv --dtype i32' \
    'sample --csv' 'shuffle --header' 'shuffle -t ;' 'shuffle -T .' 'shuffle --csv --format raw'; do
    ordo $words a
    echo "$words: $?"
done
