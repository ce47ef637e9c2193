# The same ranks for every algorithm, number of threads and instruction set, sorted or not.
ordo gen recur -n 300000 --dtype f32 -p 0.7 --seed 3 -o keys.npy || exit
for ties in $TIES; do
    ordo rank keys.npy --sorted --ties $ties --algorithm sequential -o expected.npy || exit
    for algorithm in auto threads; do
        for threads in 1 2 3 8; do
            ordo rank keys.npy --sorted --ties $ties --algorithm $algorithm --threads $threads \
                -o ranks.npy && cmp expected.npy ranks.npy
        done
    done
    ORDO_ISA=generic ordo rank keys.npy --sorted --ties $ties -o ranks.npy &&
        cmp expected.npy ranks.npy
    for threads in 1 2 3; do
        ordo rank keys.npy --ties $ties --threads $threads -o ranks.npy &&
            cmp expected.npy ranks.npy
    done
done
echo "all the same"
