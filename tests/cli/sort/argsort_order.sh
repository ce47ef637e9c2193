# Indices from 0 or 1. Tied elements keep their order, also with --descending. NaN is last.
line() { tr '\n' ' ' && echo; }
printf '30\n10\n20\n10\n' | ordo argsort | line
printf '30\n10\n20\n10\n' | ordo argsort --one-based | line
printf '30\n10\n20\n10\n' | ordo argsort --descending --stable | line
printf 'nan\n0\n-0.0\nnan\n-1.5\n' | ordo argsort | line
printf 'nan\n0\n-0.0\nnan\n-1.5\n' | ordo argsort --descending --dtype f32 | line
printf '' | ordo argsort
printf '7' | ordo argsort
printf '5\n4\n' | ordo argsort --format raw | od -An -tu4 | tr -s ' '
printf '5\n4\n' | ordo argsort --format raw --index-type u64 --one-based | od -An -tu8 | tr -s ' '
# Compared with sort(1) of lines that contain their line number.
ordo gen few -n 20000 -k 900 --dtype i32 --seed 8 >keys
awk '{ print NR - 1, $1 }' keys | sort -s -n -k 2 | cut -d ' ' -f 1 >expected
ordo argsort keys | cmp - expected
ordo gen few -n 20000 -k 900 --dtype i32 --seed 8 -o keys.npy
for algorithm in radix sample intervals merge bitonic split rough halving windows; do
    ordo argsort keys.npy --algorithm $algorithm --format text --threads 3 | cmp - expected &&
        echo $algorithm
done
awk '{ print NR, $1 }' keys | sort -s -r -n -k 2 | cut -d ' ' -f 1 >expected
ordo argsort keys --descending --one-based | cmp - expected
