# A million keys: sorted, none lost, the same bytes for several numbers of threads. The output
# file may be the input file.
ordo gen uniform -n 1e6 --dtype f32 -o keys.npy
ordo sort keys.npy -o sorted.npy && ordo sort sorted.npy --check && echo sorted
ordo sort keys.npy --threads 1 | cmp - sorted.npy
ordo sort keys.npy --descending | ordo sort | cmp - sorted.npy
ordo scan sorted.npy --bits >/dev/null 2>&1 || echo "f32 still"
ordo sort keys.npy -o keys.npy && cmp keys.npy sorted.npy && echo "in place"
ordo gen gaussian -n 1e6 --dtype i64 --seed 3 >keys
sort -n keys >expected
ordo sort keys -o keys && cmp keys expected && echo "as sort -n"
ordo gen fasta --lines -n 200000 >lines
sort lines >expected
ordo sort --text lines -o lines && cmp lines expected && echo "as sort"
