# Generated FASTA records can be sorted. Their sequences and order are those of `gen fasta --lines`.
ordo gen fasta -n 3 --seed 5
ordo gen fasta -n 1 --seed 5 --width 100 | wc -l | tr -d ' '
ordo gen fasta -n 1000 --lines >lines
for width in 0 1 7 60 1000; do
    ordo gen fasta -n 1000 --width $width >wrapped
    awk -v w=$width '!/^>/ && w > 0 && length($0) > w { bad = 1 } END { exit bad }' wrapped || echo wide
    grep -v '^>' <wrapped | tr -d '\n' >residues && tr -d '\n' <lines | cmp - residues
    ordo argsort --fasta wrapped >order && ordo argsort --text lines | cmp - order
    ordo rank --fasta wrapped >ranks && ordo rank --text lines | cmp - ranks
    ordo sort --fasta --threads 2 wrapped >a
    # a record in one line: its header, a tab and its sequence
    awk '/^>/ { printf "%s%s\t", nl, $0; nl = "\n"; next } { printf "%s", $0 } END { print "" }' a >flat
    cut -f 2 flat | LC_ALL=C sort -c || echo disorder
    cut -f 2 flat >b && ordo sort --text lines | cmp - b
    sort wrapped >b && sort a | cmp - b
    ordo sort --fasta --by header --json a -o a 2>report
    grep -q '"operation": "argsort_strings".*"n": 1000,' report || cat report
    grep '^>' wrapped | sort >b && grep '^>' a | cmp - b
done
for wrong in 'uniform --lines' 'strings --width 5' 'fasta --lines --width 5' 'fasta --width wide'; do
    # shellcheck disable=SC2086 # several words
    ordo gen $wrong -n 5
    echo $?
done
