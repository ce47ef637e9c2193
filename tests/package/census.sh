#!/bin/sh
# census.sh ROOT - scripts/census counts the parts of a made-up tree.
set -eu
root=$1
command -v python3 >/dev/null || {
    echo "census.sh: no python3"
    exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

expect() { # expect NUMBER ROW
    found=$(sed -n "s/^$2  *\([0-9,]*\)\$/\1/p" "$tmp/out")
    [ "$found" = "$1" ] || {
        echo "census.sh: $2: '$found', expected $1" >&2
        cat "$tmp/out" >&2
        exit 1
    }
}

mkdir -p "$tmp/lib/core" "$tmp/cli/base" "$tmp/docs" "$tmp/include"
cp "$root/docs/architecture.md" "$tmp/docs"
{
    echo '/* The estimate of a comment outside tuning.h does not count. enum { NO = 1 }; */'
    echo 'enum {'
    echo '    LOCAL = 3,'
    echo '    ORDO_TUNE_HERE = 4'
    echo '};'
    echo 'static int sum_of_nine(int a, int b, int c, int d, int e, int f, int g, int h,'
    echo '                       int (*each)(int, int))'
    echo '{'
    echo '    return each(a + b + c + d, e + f + g + h);'
    echo '}'
    echo
    echo 'void long_one(void)'
    echo '{'
    awk 'BEGIN { for (i = 0; i < 58; i++) print "    (void)sum_of_nine;" }'
    echo '}'
} >"$tmp/lib/core/sums.c"
{
    echo 'enum {'
    echo '    /* An estimate. */'
    echo '    ORDO_TUNE_THERE = ORDO_TUNE(1, 2)'
    echo '};'
} >"$tmp/lib/core/tuning.h"
printf 'template <int N> static __global__ void __launch_bounds__(N)\n    kernel(int a)\n{\n}\n' \
    >"$tmp/cli/base/kernel.cu"

"$root/scripts/census" -v "$tmp" >"$tmp/out"
expect 2 'files in lib\/'
expect 76 'lines in lib\/'
expect 1 'files in cli\/'
expect 0 'circles of folders'
expect 2 'named thresholds'
expect 1 'thresholds marked as estimates'
expect 1 'other numbers in enums of source files'
expect 3 'functions'
expect 1 'functions of more than 60 lines'
expect 1 'functions of more than 8 parameters'
grep -q '^lib/core/sums.c:12: long_one: 61 lines, 0 parameters$' "$tmp/out"
grep -q '^lib/core/sums.c:6: sum_of_nine: .* 9 parameters$' "$tmp/out"

# A public function may have many parameters; other functions are refused, and unused exceptions.
printf 'int ordo_nine(int a, int b, int c, int d, int e, int f, int g, int h, int i);\n' \
    >"$tmp/include/ordo.h"
printf 'int ordo_nine(int a, int b, int c, int d, int e, int f, int g, int h, int i)\n{\n}\n' \
    >"$tmp/cli/base/nine.c"
status=0
"$root/scripts/census" --limits "$tmp" >"$tmp/out" || status=$?
if [ $status -ne 1 ] || grep -q ordo_nine "$tmp/out" ||
    ! grep -q '^lib/core/sums.c:12: long_one: ' "$tmp/out" ||
    ! grep -q '^lib/core/sums.c:6: sum_of_nine: ' "$tmp/out" ||
    ! grep -q '^lib/.*: .* has no need to be an exception' "$tmp/out"; then
    echo "census.sh: --limits ended with $status and printed:" >&2
    cat "$tmp/out" >&2
    exit 1
fi

status=0
"$root/scripts/census" "$tmp/docs" 2>"$tmp/err" || status=$?
[ $status -eq 2 ] && grep -q 'no lib/' "$tmp/err"
