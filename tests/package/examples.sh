#!/bin/sh
# examples.sh ROOT BUILD - the examples people see first compile, run and print what they claim.
#
# README.md: the first ```c block, whose output is the ```text block that follows it.
# include/ordo.h: the "First use" lines, whose comment says "rank is ...".
# Uses CC, CFLAGS and EMULATOR (for cross builds) from the environment.
set -eu
root=$1
build=$2
cc=${CC:-cc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

die() {
    echo "examples.sh: $*" >&2
    exit 1
}

# try NAME - builds and runs NAME.c and compares its output with NAME.expected.
try() {
    # shellcheck disable=SC2086 # flags are words
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror ${CFLAGS:-} -I "$root/include" \
        "$tmp/$1.c" -L "$build" -lordo -Wl,-rpath,"$build" -o "$tmp/$1" ||
        die "$1: does not compile"
    # shellcheck disable=SC2086
    ${EMULATOR:-} "$tmp/$1" >"$tmp/$1.out" || die "$1: failed when run"
    diff -u "$tmp/$1.expected" "$tmp/$1.out" || die "$1: prints something else than it claims"
    echo "$1: ok"
}

[ -f "$root/README.md" ] || die "there is no README.md"
awk -v code="$tmp/readme.c" -v text="$tmp/readme.expected" '
    /^```/ && out != "" { close(out); out = ""; next }
    /^```c$/ && !seen_code { out = code; seen_code = 1; next }
    /^```text$/ && seen_code && !seen_text { out = text; seen_text = 1; next }
    /^```/ { out = "/dev/null"; next }
    out != "" { print >out }
' "$root/README.md"
[ -s "$tmp/readme.c" ] || die "README.md has no \`\`\`c block"
[ -s "$tmp/readme.expected" ] || die "README.md has no \`\`\`text block after its \`\`\`c block"
try readme

{
    printf '#include "ordo.h"\n#include <stdio.h>\nint main(void)\n{\n'
    awk '/^ \* First use:/ { on = 1; next } /^ \*\// { exit } on { sub(/^ \*/, ""); print }' \
        "$root/include/ordo.h" >"$tmp/first_use"
    sed 's,//.*,,' "$tmp/first_use"
    # shellcheck disable=SC2016 # C, not shell
    printf '    for (size_t i = 0; i < sizeof rank / sizeof *rank; i++)\n'
    # shellcheck disable=SC1003,SC2028
    printf '        printf(i ? " %%u" : "%%u", (unsigned)rank[i]);\n'
    printf '    puts("");\n    return 0;\n}\n'
} >"$tmp/header.c"
sed -n 's,.*// rank is ,,p' "$tmp/first_use" >"$tmp/header.expected"
[ -s "$tmp/header.expected" ] || die "ordo.h has no \"First use\" lines that say what rank is"
try header
