# The name of the output file decides the format; --format overrides it.
ordo gen zero -n 3 --dtype u16 -o zero.npy
ordo gen zero -n 3 --dtype u16 -o zero.bin
ordo gen zero -n 3 --dtype u16 -o zero.raw
ordo gen zero -n 3 --dtype u16 -o zero.txt
ordo gen zero -n 3 --dtype u16 -o zero
ordo gen zero -n 3 --dtype u16 -o other.npy --format text
for file in zero.npy zero.bin zero.raw zero.txt zero other.npy; do
    echo "$file $(wc -c <$file | tr -d ' ')"
done
cmp zero.bin zero.raw && cmp zero.txt zero && cmp zero other.npy
