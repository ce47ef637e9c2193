#!/bin/sh
# runpath.sh ROOT BUILD - no program or library that was built, that is installed or that goes into a
# Python wheel searches for libraries in the current folder (scripts/check-runpath).
# shellcheck disable=SC2016 # $ORIGIN is for the loader
set -eu
check=$1/scripts/check-runpath
build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The check itself must see a bad entry.
: >"$tmp/empty.c"
for path in '$ORIGIN::lib' '$ORIGIN:' 'lib' '$ORIGINAL'; do
    ${CC:-cc} -shared -o "$tmp/bad.so" "$tmp/empty.c" "-Wl,-rpath,$path" 2>/dev/null || break
    code=0
    "$check" "$tmp" >"$tmp/said" 2>&1 || code=$?
    if [ $code -eq 77 ]; then
        cat "$tmp/said"
        exit 77
    elif [ $code -ne 1 ]; then
        echo "runpath.sh: check-runpath accepts '$path'" >&2
        exit 1
    fi
done
rm -f "$tmp/bad.so"

cmake --install "$build" --prefix "$tmp/installed" >/dev/null
for component in python python_cuda; do
    cmake --install "$build" --prefix "$tmp/wheel" --component "$component" >/dev/null
done
if [ ! -x "$tmp/wheel/ordo/ordo-command" ] || [ ! -x "$tmp/installed/bin/ordo" ]; then
    echo "runpath.sh: the command is not among the installed files" >&2
    exit 1
fi
count=$("$check" "$build" "$tmp")
echo "$count"
[ "${count%% *}" -gt 4 ]
