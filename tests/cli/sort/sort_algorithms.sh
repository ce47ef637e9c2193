# Every algorithm writes the same bytes for every kind of input.
for dist in uniform 'few -k 9' sorted reverse organpipe 'sawtooth -k 7' 'ksorted -k 50'; do
    # shellcheck disable=SC2086 # several words
    ordo gen $dist -n 30000 --dtype f64 --seed 2 -o keys.npy
    ordo sort keys.npy --format text -o all.txt
    # shellcheck disable=SC2086
    ordo gen $dist -n 30000 --dtype f64 --seed 2 | sort -g | cmp - all.txt
    ordo sort keys.npy -o expected.npy
    for algorithm in radix sample intervals merge bitonic split rough halving windows; do
        ordo sort keys.npy --algorithm $algorithm -o sorted.npy && cmp sorted.npy expected.npy
    done
    echo "$dist"
done
# The radius is exact, too small or too large. Bubble sort gets few keys or a small radius.
ordo gen ksorted -n 30000 -k 50 --dtype u32 -o keys.npy
ordo sort keys.npy -o expected.npy
for k in 0 1 50 51 29999; do
    for algorithm in rough halving windows; do
        ordo sort keys.npy --algorithm $algorithm --radius $k | cmp - expected.npy
    done
done
ordo sort keys.npy --algorithm bubble | cmp - expected.npy && echo bubble
