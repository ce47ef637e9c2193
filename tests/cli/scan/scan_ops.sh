# Sums, minima, maxima and products, inclusive and exclusive.
for op in sum min max product; do
    echo "$op: $(printf '3\n1\n4\n-1\n5\n' | ordo scan --op $op | tr '\n' ' ')"
    echo "$op exclusive: $(printf '3\n1\n4\n-1\n5\n' | ordo scan --op $op --exclusive --dtype i32 |
        tr '\n' ' ')"
done
echo "product wide: $(printf '100\n-100\n100\n' | ordo scan --op product --wide --dtype i8 |
    tr '\n' ' ')"
echo "default: $(printf '3\n1\n4\n' | ordo scan | tr '\n' ' ')"
echo "f64: $(printf '0.5\n0.25\n-2\n' | ordo scan | tr '\n' ' ')"
echo "f32 max: $(printf '0.1\n0.25\n-2\n' | ordo scan --dtype f32 --op max | tr '\n' ' ')"
echo "empty: $(printf '' | ordo scan)"
