# Raw input: by the file name, from stdin with --from raw, and invalid raw input.
printf '\001\000\002\000\003\000' >keys.bin
cp keys.bin keys.raw
cp keys.bin keys
ordo scan keys.bin --dtype u16 --format text
ordo scan keys.raw --dtype u16 | od -An -tu2
ordo scan keys --from raw --dtype u16 --format text
ordo scan --from raw --dtype i16 --format text <keys
ordo scan - --from raw --dtype i16 --format text <keys
ordo scan keys.bin
echo $?
ordo scan keys.bin --dtype u32
echo $?
ordo scan keys.bin --dtype complex
echo $?
: >empty.bin
ordo scan empty.bin --dtype f64 --format npy | wc -c | tr -d ' '
