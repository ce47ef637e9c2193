# Ranks of lines, compared byte by byte. A line comes before longer lines that start with it.
line() { tr '\n' ' ' && echo; }
printf 'pear\napple\n\npear\nApple\napple pie\n' >names
for ties in min max dense ordinal average; do
    ordo rank names --text --ties $ties | line
done
ordo rank names --text --descending | line
ordo rank names --text --format raw | wc -c | tr -d ' '
ordo rank names --text --rank-type u64 -o ranks.npy --format npy && ordo scan ranks.npy --op max \
    --format text | tail -1
printf '' | ordo rank --text
