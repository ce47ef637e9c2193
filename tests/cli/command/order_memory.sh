# A memory limit: numbers are sorted in place, lines through temporary files if they do not fit.
# Commands that need scratch fail with a message and leave no output file.
ordo gen uniform -n 100000 --seed 7 >keys
sort -n keys >expected
ordo sort keys --memory-limit 1 | cmp - expected
sort -nr keys >expected
ordo sort keys --descending --memory-limit 1 | cmp - expected
LC_ALL=C sort keys >expected
ordo sort keys --text --memory-limit 1000 | cmp - expected
ordo rank keys --algorithm sample --memory-limit 1000 -o out 2>err
echo "$? $(grep -c '^ordo: rank: .*memory limit of 1000 bytes' err)"
ls -A
