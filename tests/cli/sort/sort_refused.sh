# Options that are wrong or cannot be combined: exit code 2, no output file.
printf '2\n1\n' >keys
for wrong in '--radius 3' '--radius 3 --algorithm radix' '--algorithm rough --radius many' \
    '--algorithm quick' \
    '--text --algorithm radix' '--text --format npy' '--text --dtype u8' '--text --skip-bad' \
    '--text --from raw' '--dtype u7' '--uniqe'; do
    # shellcheck disable=SC2086 # several words
    ordo sort keys -o out $wrong
    echo $?
done
printf '2\nx\n' | ordo sort -o out
echo $?
ordo sort --text missing -o out
echo $?
ordo sort keys missing
echo $?
ls
