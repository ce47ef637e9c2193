# The sample standard deviation of describe: 0, nan and exact sums; the same bytes for any number of threads, order, -S and groups.
std() { ordo describe "$@" | sed -n 's/^std //p'; }
: | std
echo 7 | std
printf '1\n2\n4\n' | std
printf '0.1\n0.1\n0.1\n' | std
printf '18446744073709551615\n0\n18446744073709551615\n' | std
printf '4611686018427387904\n4611686018427387905\n4611686018427387906\n' | std
printf '1000000000.1\n1000000000.2\n1000000000.3\n' | std
printf '1e308\n-1e308\n1.7e308\n' | std
printf '5e-324\n0\n' | std
printf '1\ninf\n' | std
printf '1\nnan\n3\n' | std
printf '1\nnan\n3\n' | std --nans omit
printf '1\n2\n3\n4\n' | ordo describe --dtype f32 -o numbers.npy && ordo sort --format text --dtype f64 numbers.npy
printf 'g,x\na,1\nb,5\na,4\nb,\n' | ordo describe --csv --by g
ordo gen normal -n 300000 --seed 1 -o keys.npy
ordo sort keys.npy -o sorted.npy
{ echo g,x && ordo shuffle keys.npy --format text | sed 's/^/1,/'; } >rows
std keys.npy
for words in '--threads 1 keys.npy' '--threads 2 sorted.npy'; do
    std $words
done
for words in '--threads 1' '--threads 2' '-S 8Mi'; do
    ordo describe --csv --column x $words rows | cut -d, -f4
    ordo describe --csv --column x --by g $words rows | cut -d, -f5
done | uniq -c | sed 's/^ *//'
