# The accepted forms of numbers. They ascend, so that the running maximum is the number itself.
echo i64:
printf -- '-9223372036854775808\n-1\n  -0\n+7\n 8 \n\t9\n0010\n9223372036854775807\n' |
    ordo scan --op max
echo f64:
printf -- '-inf\n-1e300\n-1.5\n-.5\n1e-400\n5e-324\n.25\n0.3\n1.\n1e3\n1E+3\n+1e4\n1e22\n1e23\n1e300\nINF\n+Infinity\nNaN\n' |
    ordo scan --op max
echo f32:
printf -- '-1e38\n0.1\n0.3\n16777216\n16777217\n3.4028235e38\n' | ordo scan --op max --dtype f32
echo shortest:
printf '0.1\n0.30000000000000004\n2.5\n123456789.125\n1e15\n2251799813685249.5\n1e16\n' |
    ordo scan --op max --dtype f64
echo CRLF and a last line without newline:
printf '1\r\n2\r\n3' | ordo scan
echo blank lines at the end:
printf '1\n2\n\n  \n\r\n\n' | ordo scan
