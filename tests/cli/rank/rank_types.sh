# Every key type and rank type. The number of bytes of the raw ranks shows their type.
for type in $TYPES; do
    for rank in u32 u64 f64; do
        printf '1\n2\n2\n100\n' | ordo rank --dtype "$type" --rank-type $rank --format raw >ranks
        echo "$rank: $(wc -c <ranks | tr -d ' ') bytes: $(ordo scan ranks --from raw \
            --dtype $rank --op max --format text | tr '\n' ' ')"
    done >"of_$type"
    cmp of_i8 "of_$type"
done
cat of_i8
printf '1\n1\n' | ordo rank --ties average --format raw | wc -c | tr -d ' '
