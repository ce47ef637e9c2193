# -c names the first line out of order; -C prints nothing.
try() {
    ordo sort "$@"
    code=$?
    printf '%s: %d\n' "$*" $code
}
printf '1 b\n2 a\n10 a\n' >lines
try -c lines
try -c --text lines
try -cn lines
try -C --text lines
try -ck2 lines
try -k2 -c lines
try -k2,2r -c lines
try -k2,2r -s -c lines
try -k2,2r -u -c lines
try -k2,2r -C -u lines
try --check=silent -k2 lines
try --check=diagnose-first -k2 lines
printf 'a\000b\000\nc\000' | try -z -c
printf '1\n3\n2\n' | try -C
printf '2\n1' | try -c -r
try -c lines lines
try -c -C lines
try -c --debug lines
try -cm lines
try -c --files0-from lines
