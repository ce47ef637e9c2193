# The order of every kind of number: -0 before 0, NaN last in both directions; 0 and 1 elements.
line() { tr '\n' ' ' && echo; }
printf '3\n10\n-1\n3\n0\n' | ordo sort | line
printf '3\n10\n-1\n3\n0\n' | ordo sort --descending | line
printf '18446744073709551615\n0\n9223372036854775808\n' | ordo sort | line
printf -- '-9223372036854775808\n9223372036854775807\n-1\n' | ordo sort --descending | line
printf 'nan\n0\ninf\n-0.0\n1e-300\nnan\n-inf\n-2.5\n' | ordo sort | line
printf 'nan\n0\ninf\n-0.0\n1e-300\nnan\n-inf\n-2.5\n' | ordo sort --descending | line
printf 'nan\n0\ninf\n-0.0\n0.1\nnan\n-inf\n-2.5\n' | ordo sort --dtype f32 --stable | line
printf -- '-128\n127\n0\n' | ordo sort --dtype i8 | line
printf '255\n0\n128\n' | ordo sort --dtype u8 --descending | line
printf '' | ordo sort
printf '7' | ordo sort
printf '2\nx\n1\n' | ordo sort --skip-bad | line
