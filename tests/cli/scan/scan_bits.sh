# Running counts of flags: integers of any size, and packed bits, lowest bit first.
printf '0\n7\n0\n-1\n' | ordo scan --bits
echo --
printf '0\n256\n65536\n0\n1\n' | ordo scan --bits --exclusive --dtype u32
echo --
printf '\000\200\001' | ordo scan --from raw --dtype u8 --bits --format text
echo --
printf '\005\200' >flags.bin
ordo scan flags.bin --dtype bits --format text | tr '\n' ' '
echo
ordo scan flags.bin --dtype bits -n 10 --exclusive --format text | tr '\n' ' '
echo
ordo scan flags.bin --dtype bits -n 0 --format text
ordo scan flags.bin --dtype bits | wc -c | tr -d ' '
ordo scan flags.bin --dtype bits --count-type u64 | wc -c | tr -d ' '
ordo scan flags.bin --dtype bits -n 17
echo $?
