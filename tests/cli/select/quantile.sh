# Every definition of a quantile, for 10 20 ... 80; those of Hyndman and Fan by their formulas.
line() { tr '\n' ' ' && echo; }
printf '80\n10\n60\n30\n40\n50\n20\n70\n' >keys
for method in inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf \
    hazen weibull linear median_unbiased normal_unbiased lower higher midpoint nearest; do
    echo "$method: $(ordo quantile keys -q 0,0.25,0.65625,1 --method $method |
        awk '{ printf "%s%.6g", (NR > 1 ? " " : ""), $1 }')"
done
ordo quantile keys | line
ordo quantile keys -q 1,0.5,0.5 | line
ordo quantile keys -q .5
ordo quantile keys -q 5e-1 --algorithm radix --dtype f32
ordo quantile keys -q 0.5 --algorithm bitonic --dtype u8
printf 'nan\n1\n3\n' | ordo quantile -q 0,1 | line
printf 'nan\n1\n3\n' | ordo quantile -q 0,1 --nans last | line
printf 'nan\n1\n3\n' | ordo quantile -q 0,0.5,1 --nans omit | line
printf 'nan\n1\n3\n' | ordo quantile -q 0,0.5,1 --nans propagate | line
printf '' | ordo quantile | line
printf '4\n' | ordo quantile | line
