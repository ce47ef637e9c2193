# Numbers in text are written as they were read; equal numbers keep their order.
line() { tr '\n' '|' && echo; }
printf '010\n1e1\n+5\n  7\t\n10\n0.50\n.5\n-0\n0\n007\n' >keys
ordo sort keys | line
ordo sort -r keys | line
ordo sort -u keys | line
ordo sort -ru keys | line
ordo sort --dtype f32 keys | line
ordo sort -s --dtype f64 keys | line
printf '3\r\n1\r\n2' | ordo sort | od -c | sed 's/^[0-9]* *//' | tr -s ' '
printf '2\n\n' | ordo sort - keys 2>&1 | line
printf '9\nx\n8.0\n' | ordo sort --skip-bad | line
# Several files are one input: the types of all decide, and messages name the file.
printf '3\n1' >a
printf '2\n18446744073709551615\n\n' >b
ordo sort a b | line
ordo sort a b -r | line
printf 'b\000a' >names && ordo sort --files0-from names | line
ordo sort - a - <b | line
printf '9007199254740993\n' >large
printf '1.5\n' >half
ordo sort large half
echo $?
printf '1\nx\n' >bad
ordo sort a bad
echo $?
ordo sort a bad --skip-bad | line
# Binary files are joined; the types must be equal.
ordo sort a --dtype i32 -o a.npy
ordo sort half --format npy -o half.npy
ordo sort a.npy a.npy --format text | line
ordo sort a.npy half.npy
echo $?
ordo sort a.npy a
echo $?
ordo sort a a.npy
echo $?
ordo sort a --dtype u8 --format raw -o a.raw
ordo sort a.raw a.raw --dtype u8 -r --format text | line
# The output may be one of the inputs.
ordo sort a b -o a && line <a
# Results of another format are numbers.
ordo sort keys --format npy | ordo sort --format text | line
