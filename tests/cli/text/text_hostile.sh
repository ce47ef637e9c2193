# Numbers as strtod() reads them, from plain files, CSV cells and arguments: long digits, halves,
# subnormals, exponents that places cancel. A finite number beyond the largest float is an error
# everywhere, and a comma of the locale changes nothing.
zeros() { printf "%0${1}d" 0; }
LC_ALL=de_DE.UTF-8
LC_NUMERIC=de_DE.UTF-8
export LC_ALL LC_NUMERIC

{
    printf -- '-0.%s1e401\n' "$(zeros 400)"
    printf '0.%s25e99999\n' "$(zeros 99999)"
    printf '1%se-5000\n' "$(zeros 5000)"
    printf '9007199254740993.%s\n' "$(zeros 800)"
    printf '9007199254740993.%s1\n' "$(zeros 800)"
    printf '2.4703282292062327208e-324\n2.4703282292062328e-324\n'
    printf '4.9406564584124654e-324\n2.2250738585072011e-308\n1.7976931348623158e308\n'
    printf '1e-400\n1e-999999999999\n0e999999999999\n8.41e21\n9.5e-22\n123456789012345678901e-22\n'
    printf '6929495644600919.5\n5e-1\n+.5\n5.\n'
} >numbers
while read -r number; do
    printf '%s\n' "$number" | ordo max --dtype f64
done <numbers
echo cells:
{ echo x && cat numbers; } | ordo max --csv
{ echo x && cat numbers; } | ordo sort --csv --key x:number | sed '6,$d; s/0\{9,\}/.../g'
echo arguments:
printf '1\n2\n3\n' | ordo quantile -q "0.$(zeros 400)5e400,1e-400,0.$(zeros 30)1e31"
echo refused:
for number in 1e400 -1.7976931348623159e308 "0.$(zeros 99998)1e1000000" 1e99999999999 0x1p3 1,5 \
    'nan(1)' 1e 1e+ .e1 --1 1_0; do
    printf '%s\n' "$number" | ordo max --dtype f64
    printf 'x\n"%s"\n1\n' "$number" | ordo max --csv --column x
    printf 'x\n"%s"\n1\n' "$number" | ordo sort --csv --key x:number
    printf '1\n' | ordo quantile -q "$number"
done
printf '3.4028235677973366e38\n' | ordo max --dtype f32
printf '3.4028235677973367e38\n' | ordo max --dtype f32
# The guess of a column counts a number beyond the range as a number.
printf 'x\n1e400\n1\n' | ordo sort --csv --key x
for bad in last skip text; do
    printf 'x\n1e400\n1\ny\n' | ordo sort --csv --key x:number --bad $bad | tr '\n' ' ' && echo
done
