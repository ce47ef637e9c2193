#!/bin/sh
# cpp.sh ROOT BUILD - ordo.hpp compiles without a warning as C++20 and, where the compiler has it, as
# C++23; its test passes; the example of docs/cpp.md prints what it claims.
# Uses CXX (default c++), CFLAGS and EMULATOR from the environment. Skipped without a C++20 compiler.
set -eu
root=$1
build=$2
cxx=${CXX:-c++}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

die() {
    echo "cpp.sh: $*" >&2
    exit 1
}

# compile STANDARD SOURCE PROGRAM
compile() {
    # shellcheck disable=SC2086 # flags are words
    "$cxx" -std="$1" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror ${CFLAGS:-} \
        -I "$root/include" "$2" -L "$build" -lordo -Wl,-rpath,"$build" -o "$3"
}

printf '#include <concepts>\n#include <ranges>\n#include <span>\nint main() {}\n' >"$tmp/probe.cpp"
"$cxx" -std=c++20 "$tmp/probe.cpp" -o "$tmp/probe" 2>/dev/null || {
    echo "cpp.sh: $cxx does not compile C++20"
    exit 77
}
# shellcheck disable=SC2086
${EMULATOR:-} "$tmp/probe" 2>/dev/null || {
    echo "cpp.sh: programs of $cxx do not run here"
    exit 77
}

for standard in c++20 c++23; do
    if [ "$standard" = c++23 ] && ! "$cxx" -std=c++23 "$tmp/probe.cpp" -o "$tmp/probe" 2>/dev/null; then
        continue
    fi
    compile "$standard" "$root/tests/cpp/test_hpp.cpp" "$tmp/test_hpp" || die "$standard: ordo.hpp does not compile"
    # shellcheck disable=SC2086
    ${EMULATOR:-} "$tmp/test_hpp" || die "$standard: the test of ordo.hpp failed"
    echo "$standard: ok"
done

awk -v folder="$tmp" '
    /^```/ { out = out == "" ? folder "/block." substr($0, 4) : ""; next }
    out != "" { print >out }' "$root/docs/cpp.md"
compile c++20 "$tmp/block.cpp" "$tmp/example" || die "docs/cpp.md: the example does not compile"
# shellcheck disable=SC2086
${EMULATOR:-} "$tmp/example" >"$tmp/out" || die "docs/cpp.md: the example failed"
diff -u "$tmp/block.text" "$tmp/out" || die "docs/cpp.md: the example does not print what it claims"
echo "example: ok"
