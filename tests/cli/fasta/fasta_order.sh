# Indices and ranks of FASTA records, and checks of their order.
line() { tr '\n' ' ' && echo; }
printf '>b 2\nMK\nVL\n>a\nMKAAAA\n>b 1\nMKVL\n>c\nmkvl\n' >mixed
ordo argsort --fasta mixed | line
ordo argsort --fasta --by header --one-based mixed | line
ordo argsort --fasta mixed --index-type u64 --format raw | wc -c | tr -d ' '
ordo rank --fasta mixed | line
ordo rank --fasta --ties average mixed | line
ordo rank --fasta --by header --descending --ties ordinal mixed | line
ordo sort --fasta --check mixed
echo $?
ordo sort --fasta mixed -o sorted && ordo sort --fasta --check sorted
echo $?
ordo sort --fasta --check --unique sorted
echo $?
ordo sort --fasta --check --by header sorted
echo $?
ordo sort --fasta --by header mixed | ordo sort --fasta --check --unique --by header
echo $?
ordo sort --fasta --descending mixed | ordo sort --fasta --check --descending -
echo $?
