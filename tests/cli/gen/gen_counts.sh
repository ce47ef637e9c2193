# Every accepted form of a count.
for n in 0 1 1000 1e3 1E3 1K 1Ki 2^10 2^0 5e0; do
    echo "$n: $(ordo gen zero -n $n | wc -l | tr -d ' ')"
done
ordo gen zero -n 2Mi --dtype u8 --format raw | wc -c | tr -d ' '
