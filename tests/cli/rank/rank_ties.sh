# Every tie rule, for integers.
for ties in min max dense ordinal average; do
    echo "$ties: $(printf '10\n20\n20\n30\n30\n30\n40\n' | ordo rank --ties $ties | tr '\n' ' ')"
done
echo "default: $(printf '10\n20\n20\n30\n' | ordo rank | tr '\n' ' ')"
