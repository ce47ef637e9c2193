# Lines that are not numbers: the message has file, line, type and text; exit code 2.
try() {
    [ "$1" = -- ] && shift
    # shellcheck disable=SC2059 # it is a format
    printf -- "$1" >file
    shift
    ordo scan file -o out "$@" && echo "accepted"
    [ ! -e out ] || echo "there is output"
}
try '1\n2\nthree\n'
try '1\nthree\n' --dtype u8
try '1 2\n'
try '1,5\n'
try '0x10\n'
try '0x1p3\n' --dtype f64
try 'nan(0x1)\n'
try '1e\n'
try '1e+\n'
try '.\n'
try '+\n'
try -- '--1\n'
try 'infinit\n'
try '1\n\n2\n'
try '\n1\n'
try '1\n  \n2\n'
try '1\n2.5\n' --dtype i64
try '1\ninf\n' --dtype i32
try '256\n' --dtype u8
try -- '-1\n' --dtype u16
try '128\n' --dtype i8
try -- '-129\n' --dtype i8
try '18446744073709551616\n' --dtype u64
try '9223372036854775808\n' --dtype i64
try '1e400\n'
try '1e39\n' --dtype f32
try '1\n\001\033[31mred\377\n'
try 'a line so long that nobody wants to see the whole of it in a message on the terminal\n'
try '1\r2\n'
printf '1\nx\n' | ordo rank
