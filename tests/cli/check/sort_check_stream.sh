# sort --check reads in pieces and stops at the first element out of order.
try() {
    ordo sort --check "$@"
    echo "$?"
}
# Endless input.
(printf 'b\na\n' && yes) 2>/dev/null | try --text
(printf '2\n1\n' && yes 3) 2>/dev/null | try
# A line longer than a piece, and pieces that end at every position of a line.
long=$(awk 'BEGIN { for (i = 0; i < 60000; i++) printf "0123456789" }')
printf '%sa\n%sb\n%sc' "$long" "$long" "$long" | try --text
printf '%sb\n%sa\n' "$long" "$long" | try --text 2>&1 | cut -c1-40
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "%07d\n", i; print "0000001" }' >lines
try lines --text
try lines
sed '$d' lines | try --text --unique
sed '$d' lines | try --unique
# A line late in the input that changes the type of the numbers.
printf '1\n9223372036854775808\n18446744073709551615\n' | try
printf -- '-5\n1\n1.5\nnan\n' | try
printf '1\n9007199254740993\n9007199254740993.5\n' | try
printf '3\n2.5\n' | try
printf '1\n\n2\n' | try
printf '1\n2\n\n \n\r\n' | try
printf '1\nx\n\n2\n1\n' | try --skip-bad
printf 'x\n' | try --skip-bad
printf '16777217\n' | try --dtype f32
# Arrays in files and in pipes; pieces of a file are 4 MiB.
ordo gen sorted -n 5000000 --dtype u8 -o keys.raw
try keys.raw --dtype u8
try keys.raw --dtype u8 --descending
try keys.raw --dtype u8 --unique
try keys.raw
head -c 4194304 keys.raw >bad.raw
printf '\000' >>bad.raw # after the last key of a piece
try bad.raw --dtype u8
try bad.raw --dtype u16
ordo sort bad.raw --dtype u8 --descending --format npy -o bad.npy
try bad.npy --descending
try bad.npy
try <bad.npy
try --descending <bad.npy
try - --dtype u8 --from raw <bad.raw
# shellcheck disable=SC2002 # a pipe is what is tested
cat bad.npy | try
printf '\223NUMPY' >short.npy
try short.npy
