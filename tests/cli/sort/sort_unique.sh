# --unique keeps the first of tied keys in sorted order: -0 of -0 and 0, and one NaN.
line() { tr '\n' ' ' && echo; }
printf '3\n1\n3\n2\n1\n' | ordo sort --unique | line
printf '3\n1\n3\n2\n1\n' | ordo sort --unique --descending | line
printf '0\nnan\n-0.0\n1.5\nnan\n0\n' | ordo sort --unique | line
printf '0\nnan\n-0.0\n1.5\nnan\n0\n' | ordo sort --unique --descending --dtype f32 | line
printf '' | ordo sort --unique
printf '7\n7\n' | ordo sort --unique
for type in i8 u8 i16 u16 i32 u32 i64 u64; do
    ordo gen few -n 5000 -k 100 --dtype $type >keys
    sort -nu keys >expected
    ordo sort keys --dtype $type --unique | cmp - expected
    ordo gen few -n 5000 -k 100 --dtype $type --format npy | ordo sort --unique --format text |
        cmp - expected
done
ordo gen few -n 5000 -k 100 --dtype f64 >keys
sort -gu keys >expected
ordo sort keys --unique | cmp - expected
ordo gen zero -n 1000 --dtype u8 --format npy | ordo sort --unique --descending --format text
