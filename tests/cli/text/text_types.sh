# The type of numbers in text: i64 if all are integers, u64 if i64 is too small, otherwise f64.
type_of() {
    ordo scan --op max --format npy | head -c 24 | tail -c 3
    echo
}
printf '1\n-2\n' | type_of
printf '9223372036854775807\n' | type_of
printf '1\n9223372036854775808\n' | type_of
printf '18446744073709551615\n0\n' | type_of
printf -- '-1\n9223372036854775808\n' | type_of
printf '9223372036854775808\n-1\n' | type_of
printf '18446744073709551616\n' | type_of
printf '1\n2\n0.5\n' | type_of
printf '1\n2\nnan\n' | type_of
printf '1e3\n' | type_of
printf '' | type_of
