# Every type, from and to every format, compared with sort(1), with several numbers of threads.
for type in $TYPES; do
    how=n
    case $type in f*) how=g ;; esac
    ordo gen uniform -n 20000 --dtype "$type" --seed 9 >a.txt
    ordo gen uniform -n 20000 --dtype "$type" --seed 9 -o a.npy
    ordo gen uniform -n 20000 --dtype "$type" --seed 9 -o a.bin
    sort -$how a.txt >expected
    ordo sort a.txt --dtype "$type" | cmp - expected
    ordo sort a.npy --format text --threads 3 | cmp - expected
    ordo sort a.bin --dtype "$type" --format text --threads 1 | cmp - expected
    ordo sort a.npy --descending --format text >down
    sort -r$how a.txt | cmp - down
    ordo sort a.npy -o b.npy && ordo sort a.bin --dtype "$type" >b.bin
    tail -c +129 b.npy | cmp - b.bin || echo "$type differs"
done
