# Files that are not FASTA, and options that cannot be combined: a message with the line number,
# exit code 2, and an unchanged output file.
printf '>a\nA\n' >good
printf 'kept\n' >out
refuse() {
    ordo sort --fasta "$@" -o out
    echo $?
}
printf 'ACGT\n>a\nA\n' >text && refuse text
printf '\n\r\n  x\n>a\nA\n' >text && refuse text --by header
printf 'ACGT' >text && refuse text
printf '>a\nAC\000GT\n' >text && refuse text
printf '>a\nACGT\n>b\000\nA\n' >text && refuse text --by header
printf '\000' >text && refuse text
printf 'ACGT\n' | ordo sort --fasta
echo $?
printf 'ACGT\n' | ordo rank --fasta
echo $?
refuse missing
refuse .
refuse good --text
refuse good --algorithm radix
refuse good --dtype u8
refuse good --skip-bad
refuse good --from npy
refuse good --format raw
refuse good --by length
refuse good --check
ordo sort --fasta good -o out.npy
echo $?
ordo sort --by header good -o out
echo $?
ordo sort --fasta --check --explain good
echo $?
ordo rank --fasta --sorted good -o out
echo $?
ordo rank --fasta --algorithm radix good -o out
echo $?
cat out
ls
