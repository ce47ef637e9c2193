# Keys of numbers against GNU sort: -g, -n and -h of random and hostile text. NaNs are left out: GNU
# sort 9.1 orders them by their bits.
sort --version 2>/dev/null | grep -q 'GNU coreutils' || {
    echo "sort is not GNU sort"
    exit 77
}

# -g compares by a long double of 64 bits on x86-64 and 113 on AArch64, so it is left out where the
# command is of another architecture than sort(1) and runs in an emulator.
machine() { od -An -j 18 -N 2 -t x1 "$(command -v "$1")"; }
general='-g -gs -gr -gu'
[ "$(machine ordo)" = "$(machine sort)" ] || general=

make_numbers() { # make_numbers SEED UNITS
    awk -v seed="$1" -v units="$2" '
    function below(n) { x = (x * 16807) % 2147483647; return x % n }
    function digits(n,  s) { while (n-- > 0) s = s below(10); return s }
    function zeros(n,  s) { while (n-- > 0) s = s "0"; return s }
    function exponent(  s) {
        s = substr("eE", below(2) + 1, 1) substr("+-", below(3), 1)
        return s (below(9) ? digits(below(4)) : zeros(below(12)) digits(2))
    }
    BEGIN {
        x = seed
        split("inf -inf +Infinity x - + . -. e5 .e5 0x 0x1f -0X.8p3 0x1p-300 0x1p99999 1e99999 " \
              "-1e99999 1e-99999 0e99999 1e999999999999 -0 00 +0 1e 1e+ 1.e2 1..2 1.5e280 1e30 " \
              "1.25e280 0.5e28 5.5e-300 1_000 1,5", words, " ")
        for (i = 0; i < 20000; i++) {
            if (below(12) == 0) {
                line = words[below(34) + 1]
            } else {
                whole = below(9)
                line = zeros(below(4) ? 0 : below(40)) digits(whole)
                if (below(3))
                    line = line "." zeros(below(4) ? 0 : below(60)) digits(below(9))
                if (below(2))
                    line = line exponent()
                line = substr("-+  ", below(8), 1) line
            }
            print line substr(units, below(40), 1)
        }
        # 28 places and more, and exponents that these cancel
        for (i = 0; i < 60; i++)
            print "0." zeros(i) "1e" i, "7." zeros(2 * i) "e-" i
        print "0." zeros(99998) "1e1000000"
        print "0." zeros(5000) "1e5001"
    }'
}

compare() { # compare FILE OPTION...
    file=$1
    shift
    sort "$@" "$file" >expected
    ordo sort "$@" "$file" | cmp - expected || echo "$file $*: other bytes"
}

for seed in 1 4711; do
    make_numbers $seed 'x, _' >numbers
    make_numbers $seed 'KkMGTPEZYmiB' >sizes
    for option in $general -n -ns -nu; do
        compare numbers $option
    done
    for option in -h -hs -hr -hu; do
        compare sizes $option
    done
done
[ -z "$general" ] || sort -g numbers >expected
[ -n "$general" ] || ordo sort -g numbers >expected
LC_ALL=de_DE.UTF-8 LC_NUMERIC=de_DE.UTF-8 ordo sort -g numbers | cmp - expected # a decimal comma
echo compared
