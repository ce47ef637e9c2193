#!/bin/sh
# example.sh ROOT BUILD CUDA_INCLUDE CUDA_LIB - compiles and runs the ```c gpu block of
# docs/gpu.md and compares its output with the first ```text block. Skipped without a GPU.
set -eu
root=$1
build=$2
include=$3
lib=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

awk -v code="$tmp/gpu.c" -v text="$tmp/expected" '
    /^```/ && out != "" { close(out); out = ""; next }
    /^```c gpu$/ && !seen_code { out = code; seen_code = 1; next }
    /^```text$/ && !seen_text { out = text; seen_text = 1; next }
    /^```/ { out = "/dev/null"; next }
    out != "" { print >out }
' "$root/docs/gpu.md"
"${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$root/include" -isystem "$include" \
    "$tmp/gpu.c" -L "$build" -lordo -L "$lib" -lcudart -Wl,-rpath,"$build:$lib" -o "$tmp/gpu"
if "$build/ordo" info | grep -q '^cuda *not usable'; then
    "$build/ordo" info | sed -n 's/^cuda */skipped: /p'
    exit 77
fi
"$tmp/gpu" >"$tmp/out"
diff -u "$tmp/expected" "$tmp/out"
echo ok
