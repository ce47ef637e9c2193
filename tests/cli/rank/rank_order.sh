# Descending input; -0 ties with 0; NaNs tie and are last in both directions; 0 and 1 elements.
printf '30\n20\n20\n10\n' | ordo rank --descending
echo --
printf -- '-inf\n-1.5\n-0.0\n0\ninf\nnan\n-nan\n' | ordo rank
echo --
printf 'inf\n1e300\n0\n-0.0\n-inf\nnan\nnan\n' | ordo rank --descending
echo --
printf '' | ordo rank
echo --
printf '7' | ordo rank
