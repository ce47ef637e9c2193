# Records: sorted by a key at an offset, in memory and with a limit; ties keep their sequence.
export TMPDIR="$PWD"
ordo gen uniform -n 500000 --dtype u64 --seed 1 --format raw -o r.bin
# 250000 records of 16 bytes; the key is the upper half of the first word
ordo sort r.bin --record-size 16 --key-offset 4 --key-type u32 -o whole
ordo sort r.bin --record-size 16 --key-offset 4 --key-type u32 -S 8Mi -o limited
cmp whole limited && wc -c <limited
ordo sort --record-size 16 --key-offset 4 --key-type u32 -S 8Mi <r.bin | cmp - whole && echo stdin
od -An -tu4 -w16 -v limited | awk '{ if ($2 + 0 < last) bad = 1; last = $2 + 0 } END { print bad + 0 }'
ordo topk r.bin -k 3 --smallest --record-size 16 --key-offset 4 --key-type u32 >three
head -c 48 whole | cmp - three && echo topk
printf 'b1a1b2a2' | ordo sort --record-size 2 --key-type u8 && echo
printf 'b1a1b2a2' | ordo sort --record-size 2 --key-type u8 -u && echo
printf 'b1a1b' | ordo sort --record-size 2 --key-type u8 || echo $?
for wrong in '--record-size 4' '--key-type u8' '--record-size 2 --key-type u32' \
    '--record-size 8 --key-type u32 --key-offset 5' '--record-size 8 --key-type word' \
    '--record-size 8 --key-type u8 --dtype u8' '--record-size 8 --key-type u8 --format text'; do
    # shellcheck disable=SC2086 # several words
    ordo sort r.bin $wrong -o out || echo $?
done
