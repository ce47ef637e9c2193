# The k-th smallest element, counted from 1; several k, in the order given.
line() { tr '\n' ' ' && echo; }
printf '30\n10\n20\n20\n40\n' >keys
ordo select keys -k 1
ordo select keys -k 5
ordo select keys -k 3,1,3,2 | line
ordo select keys -k 1,2 --descending | line
printf 'nan\n2\n-0.0\n0\nnan\n1\n' >floats
ordo select floats -k 1,2,3,4,5,6 | line
ordo select floats -k 1,2,3,4,5,6 --descending | line
ordo select floats -k 1,4 --nans omit | line
ordo select floats -k 1,4 --nans omit --descending | line
ordo select floats -k 1,6 --nans propagate | line
ordo select keys -k 2 --nans propagate
printf '7' | ordo select -k1
# Compared with sort(1).
for type in i8 u16 i32 u64 f32 f64; do
    ordo gen gaussian -n 20001 --dtype $type --seed 6 -o a.npy
    ordo sort a.npy --format text >sorted
    sed -n '1p;2p;10001p;19999p;20001p' sorted >expected
    for algorithm in auto radix bitonic merge; do
        ordo select a.npy -k 1,2,10001,19999,20001 --algorithm $algorithm --threads 3 |
            cmp - expected
    done
done
ordo gen gaussian -n 20001 --dtype i32 --seed 6 | sort -n | sed -n '777p' >expected
ordo gen gaussian -n 20001 --dtype i32 --seed 6 | ordo select -k 777 | cmp - expected
# The example of the median paper, Figures 7 and 8: element n / 2 of 16, counted from 0.
printf '%s\n' 41 18467 6334 26500 19169 15724 11478 29358 26962 24464 5705 28145 23281 16827 9961 \
    491 | ordo select -k 9 --algorithm bitonic --sub-array 4
