# CPU time grows with the bytes of the input, whatever their shape. cost (tests/cli/cost.c) measures CPU time, not elapsed time, so
# the limits hold on a busy machine. They are several times what is needed, and a tenth of what a look at every line or column for
# each sample or column takes.
cpu() { "$TEST_COST" cost "$@" >/dev/null && sed 's/.* //' cost; }

# One line of 87 MB beside lines of 100 bytes.
ordo gen uniform -n 8e6 --dtype u64 --format raw -o keys.raw
base64 -w 0 keys.raw >line.txt
echo >>line.txt
base64 -w 100 keys.raw >lines.txt
rm keys.raw
long=$(cpu ordo sort --text line.txt) short=$(cpu ordo sort --text lines.txt)
[ "$long" -le $((2 * short + 200)) ] || echo "one line: $long ms, lines of 100 bytes: $short ms"

# 64000 columns beside 4000 columns: 16 times as many.
columns() { seq "$1" | paste -sd, && seq "$1" | paste -sd, && seq "$1" | paste -sd,; }
columns 64000 >wide.csv
columns 4000 >narrow.csv
for command in describe sum median; do
    wide=$(cpu ordo $command --csv wide.csv) narrow=$(cpu ordo $command --csv narrow.csv)
    [ "$wide" -le $((64 * narrow + 1000)) ] || echo "$command: 64000 columns: $wide ms, 4000 columns: $narrow ms"
done

# 400000 groups of one row beside 400 groups of 1000 rows.
groups() { awk -v n="$1" 'BEGIN { print "k,v"; for (i = 0; i < 400000; i++) print "g" i % n "," i % 1000 }'; }
groups 400000 >many.csv
groups 400 >few.csv
for size in 1Gi 16Mi; do
    many=$(cpu ordo sum --csv --by k -S $size many.csv) few=$(cpu ordo sum --csv --by k -S $size few.csv)
    [ "$many" -le $((5 * few + 100)) ] || echo "sum -S $size: 400000 groups: $many ms, 400 groups: $few ms"
done
for command in sum describe; do
    ordo $command --csv --by k many.csv >inside.csv
    ordo $command --csv --by k -S 16Mi many.csv | cmp - inside.csv
done
