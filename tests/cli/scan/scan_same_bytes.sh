# The same scans for every number of threads and instruction set, float sums included.
for type in i32 f32 f64; do
    ordo gen uniform -n 300000 --dtype $type -o keys.npy || exit
    for op in sum min max; do
        ORDO_ISA=generic ordo scan keys.npy --op $op --threads 1 -o expected.npy || exit
        for threads in 1 2 3 8; do
            ordo scan keys.npy --op $op --threads $threads -o out.npy && cmp expected.npy out.npy
        done
    done
done
echo "all the same"
