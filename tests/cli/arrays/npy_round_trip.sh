# The command reads what it has written: npy, raw and text hold the same numbers.
for type in $TYPES; do
    ordo gen uniform -n 1000 --dtype "$type" -o a.npy
    ordo gen uniform -n 1000 --dtype "$type" -o a.bin
    ordo gen uniform -n 1000 --dtype "$type" -o a.txt
    tail -c +129 a.npy | cmp - a.bin
    ordo scan a.npy --op max --format raw >from_npy
    ordo scan a.bin --op max --dtype "$type" >from_raw
    ordo scan a.txt --op max --dtype "$type" --format raw >from_text
    cmp from_npy from_raw && cmp from_npy from_text || echo "$type differs"
done
