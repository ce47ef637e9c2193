# Integers are read exactly, or a message says that they were rounded.
try() { # prints the numbers, not the lines they were read from
    ordo sort "$@" --format npy -o numbers.npy
    code=$?
    [ $code -ne 0 ] || ordo sort numbers.npy --format text
    echo $code
}
printf '9007199254740993\n1.5\n' | try
printf '1.5\n9007199254740992\n-9007199254740994\n' | try
printf '1\n9007199254740993\n' | try
printf '9007199254740993\n1.5\n' | try --dtype f64
printf '9007199254740993\nx\n1.5\n' | try --skip-bad
printf -- '-1\n18446744073709551615\n' | try
printf -- '-1\n18446744073709551616\n' | try
printf -- '-1\n+0036893488147419103232\n' | try
printf -- '-1\n36893488147419103233\n' | try
printf '16777217\n16777216\n-16777219\n0.1\n' | try --dtype f32
printf '18446744073709551616\n' | try --dtype u64
printf '9007199254740993.0\n1e23\n' | try # a fraction or an exponent: rounds as floats do
