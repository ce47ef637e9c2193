# The middle element, or the mean of the two middle elements. By default a NaN makes the median NaN.
printf '30\n10\n20\n' | ordo median
printf '30\n10\n20\n40\n' | ordo median
printf '7' | ordo median
printf '' | ordo median
printf '2\n1\n' | ordo median --dtype u8
printf 'nan\n1\n2\n' | ordo median
printf 'nan\n1\n2\n' | ordo median --nans last
printf 'nan\n1\n2\n' | ordo median --nans omit
printf 'nan\n1\n2\n' | ordo median --nans propagate
printf 'nan\nnan\n' | ordo median --nans omit
printf -- '-inf\n5\ninf\n' | ordo median
for type in i8 u16 i32 u64 f32 f64; do
    ordo gen uniform -n 10001 --dtype $type --seed 5 -o a.npy
    middle=$(ordo sort a.npy --format text | sed -n 5001p)
    for algorithm in auto radix bitonic merge; do
        ordo median a.npy --algorithm $algorithm --threads 3
    done | awk -v middle="$middle" '{ d = $1 / middle - 1; near += d * d < 1e-12 }
        END { exit near != 4 }' && echo $type
done
# The example of the median paper, in sub-arrays of 4: its median is element n / 2, 18467.
printf '%s\n' 41 18467 6334 26500 19169 15724 11478 29358 \
    26962 24464 5705 28145 23281 16827 9961 491 >paper
for algorithm in bitonic merge; do
    ordo median paper --dtype i32 --algorithm $algorithm --sub-array 4
    ordo select paper --dtype i32 --algorithm $algorithm --sub-array 4 -k 9
    ordo quantile paper --dtype i32 --algorithm $algorithm --sub-array 2 -q 0,1 | tr '\n' ' '
    ordo median paper --dtype i32 --algorithm $algorithm --sub-array 4 --explain 2>&1 |
        grep -o 'keys per sub-array: 4'
done
ordo gen gaussian -n 1000 --dtype i16 >keys
ordo median keys >expected
sort -n keys | awk 'NR == 500 { a = $1 } NR == 501 { print (a + $1) / 2 }' | cmp - expected
