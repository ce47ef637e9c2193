# Indices of lines, in the order of sort(1). Equal lines keep their order.
line() { tr '\n' ' ' && echo; }
printf 'pear\napple\n\npear\nApple\napple pie' >names
ordo argsort names --text | line
ordo argsort names --text --one-based | line
ordo argsort names --text --descending | line
ordo argsort names --text --index-type u64 --format raw | wc -c | tr -d ' '
printf '' | ordo argsort --text
ordo gen fasta --lines -n 3000 | cut -c 1-2 >lines
awk '{ print NR - 1 "\t" $0 }' lines | sort -s -t "$(printf '\t')" -k 2 | cut -f 1 >expected
ordo argsort lines --text | cmp - expected
awk '{ print NR - 1 "\t" $0 }' lines | sort -s -r -t "$(printf '\t')" -k 2 | cut -f 1 >expected
ordo argsort lines --text --descending --threads 3 | cmp - expected
