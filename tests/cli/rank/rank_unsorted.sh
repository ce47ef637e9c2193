# Unsorted input: rank i is that of element i. NaNs are last and tie; -0 ties with 0.
line() { tr '\n' ' ' && echo; }
for ties in min max dense ordinal average; do
    echo "$ties: $(printf '30\n10\n20\n30\n20\n30\n40\n' | ordo rank --ties $ties | tr '\n' ' ')"
done
printf '30\n10\n20\n20\n' | ordo rank --descending | line
printf 'nan\n0\ninf\n-0.0\nnan\n-1.5\n-inf\n' | ordo rank | line
printf 'nan\n0\ninf\n-0.0\nnan\n-1.5\n-inf\n' | ordo rank --descending --dtype f32 | line
printf '' | ordo rank
printf '7' | ordo rank
# Compared with sort(1): the rank of a value is 1 plus the number of smaller elements.
ordo gen few -n 20000 -k 700 --dtype i32 --seed 4 >keys
sort -n keys | awk '!($1 in rank) { rank[$1] = NR } END { for (v in rank) print v, rank[v] }' >ranks
awk 'NR == FNR { rank[$1] = $2; next } { print rank[$1] }' ranks keys >expected
ordo rank keys | cmp - expected
ordo gen few -n 20000 -k 700 --dtype i32 --seed 4 -o keys.npy
for algorithm in radix sample merge bitonic split rough halving windows; do
    ordo rank keys.npy --algorithm $algorithm --format text | cmp - expected && echo $algorithm
done
head -500 keys >few && ordo rank few -o expected && ordo rank few --algorithm bubble | cmp - expected
