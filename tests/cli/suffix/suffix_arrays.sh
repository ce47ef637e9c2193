# The suffix array, the common prefixes and every algorithm.
printf banana | ordo suffix --lcp lcp.txt --verify
cat lcp.txt
for a in auto induced doubling msd; do
    printf mississippi | ordo suffix --algorithm $a | tr '\n' ' '
    echo
done
printf abc | ordo suffix --index-type u64 -o sa.npy && wc -c <sa.npy
printf '' | ordo suffix
