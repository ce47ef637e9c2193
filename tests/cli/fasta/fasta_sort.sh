# Sorts of FASTA records change only their order. Records with equal keys keep their order.
line() { sed 's/\r/<CR>/' && echo --; }
printf '>b 2\nMK\nVL\n>a\nMKAAAA\n>b 1\nMKVL\n>c\nmkvl\n' >mixed
echo 'wrapped and unwrapped, by sequence; lower case after upper case'
ordo sort --fasta mixed | line
echo 'by header'
ordo sort --fasta --by header mixed | line
echo 'descending; ties still in order'
ordo sort --fasta --by sequence --descending mixed | line
ordo sort --fasta --by header --descending mixed | line
echo 'unique: the first of equal sequences'
ordo sort --fasta --unique mixed | line
printf '>b\nA\n>a\nC\n>b\nT\n' | ordo sort --fasta --unique --by header - | line
echo 'CRLF, and both ends in one record'
printf '>b\r\nTT\r\nGG\r\n>a\r\nTTA\nA\r\n' | ordo sort --fasta | line
printf '>b\r\nTT\r\n>a\r\nTTA\r\n' | ordo sort --fasta --by header | line
echo 'no newline at the end: added if another record follows'
printf '>b\nTT\n>a\nAA' | ordo sort --fasta | line
printf '>b\nTT\n>a\nAA' | ordo sort --fasta --by header | line
printf '>b\r\nTT\r\n>a\r\nAA' | ordo sort --fasta | line
printf '>b\r\nTT\r\n>a\r\nAA\r' | ordo sort --fasta | line
printf '>a\nAA\n>b\nTT' >last && ordo sort --fasta last | cmp - last
ordo sort --fasta --by header last | cmp - last
printf '>b\nAA\n>c\nAA\n>a\nAA' | ordo sort --fasta --unique | line
printf '>z\nAA\n>a' | ordo sort --fasta | line
printf '>z\nAA\n>a' | ordo sort --fasta --by header | line
echo 'blank lines: those of a record move with it, those before all records stay'
printf '\n\r\n>b\nTT\n\nGG\n\n>a\n\nTTAA\n' | ordo sort --fasta | line
printf '\n>b\nTT\n\n>a\n\nTTAA\n' | ordo sort --fasta --by header | line
echo 'records without residues come first'
printf '>b\nT\n>a\n>c\n\n>\nA\n>d' | ordo sort --fasta | line
printf '>b\nT\n>a\n>c\n\n>\nA\n>d' | ordo sort --fasta --by header | line
echo 'nothing; blank lines alone'
printf '' | ordo sort --fasta | line
printf '\n\r\n' | ordo sort --fasta | line
echo 'a prefix comes first; "." is below, "~" above letters; ">" inside a line is text'
printf '>1\nAC\n>2\nA\n>3\nA~\n>4\nA.\n>5\nA>\n>6\nB\n' | ordo sort --fasta | tr '\n' ' ' && echo
