# A -k that is missing or not a count: exit code 2, no output file.
printf '30\n10\n20\n' >keys
printf '1\nnan\n' >floats
ordo select keys -o out
echo $?
for k in 0 4 1,4 1,0 x 1,,2 '1,' -1 1.5 '' 99999999999999999999; do
    ordo select keys -o out -k "$k"
    echo $?
done
ordo select floats -k 2 --nans omit -o out
echo $?
ordo select floats -k 2
printf '' | ordo select -k 1
echo $?
ordo select keys -k 1 --nans never
echo $?
ordo select keys -k 1 --algorithm sample
echo $?
for sub_array in 0 1 3 1000 2^33; do
    ordo select keys -k 1 --algorithm bitonic --sub-array $sub_array -o out
    echo $?
done
ordo select keys -k 1 --sub-array 4
echo $?
ordo select keys -k 1 --text --sub-array 4
echo $?
printf '1\nx\n' | ordo select -k 1
echo $?
ls
