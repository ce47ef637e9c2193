# `ordo count --csv --by`: the number of rows of each group, beside awk, in memory and with a limit, from files and pipes.
awk 'BEGIN { print "k,v"; x = 7; for (i = 0; i < 30000; i++) { x = x * 16807 % 2147483647; print x % 977 ",x" } }' >rows
{ echo k,count; awk -F, 'NR > 1 { c[$1]++ } END { for (k in c) print k "," c[k] }' rows | sort -t, -n -k1,1; } >expected
ordo count --csv --by k rows | cmp - expected
ordo count --csv --by k -S 8Mi rows | cmp - expected
ordo count --csv --by k -S 8Mi <rows | cmp - expected
ordo count --csv --by 1 --threads 1 -o counted.csv rows
cmp counted.csv expected
printf 'c,d\na,1\nb,2\na,3\n"a,b",\n' >few
ordo count --csv --by c few
ordo count --csv --by d --by c few
tr , '\t' <few | ordo count --tsv --no-header --by 1
ordo count --csv --by c --column d few
printf 'c,d\n' | ordo count --csv --by c
printf 'c,d\na,1\nb\na,2\n' | ordo count --csv --by c --skip-bad
for words in '--by q' '--by c --as n' '--by c --bad last'; do
    ordo count --csv $words few
    echo "$words: $?"
done
