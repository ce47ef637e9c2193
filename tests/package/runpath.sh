#!/bin/sh
# runpath.sh BUILD - no program or library that was built, that is installed or that goes into a
# Python wheel searches for libraries in the current folder: every entry of its search path is
# absolute or begins with $ORIGIN. The loader takes an empty entry for the current folder.
# shellcheck disable=SC2016 # $ORIGIN is for the loader
set -eu
build=$1
command -v readelf >/dev/null || {
    echo "readelf is not installed"
    exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Prints the entries of a file's search path, one per line, an empty entry as "(empty)".
entries() {
    readelf -d "$1" 2>/dev/null | sed -n 's/.*(R\(UN\)\{0,1\}PATH).*\[\(.*\)\]$/\2/p' |
        awk '{ n = split($0, e, ":"); for (i = 1; i <= n; i++) print e[i] == "" ? "(empty)" : e[i] }'
}

# The check itself must see a bad entry.
: >"$tmp/empty.c"
if ${CC:-cc} -shared -o "$tmp/bad.so" "$tmp/empty.c" '-Wl,-rpath,$ORIGIN::lib' 2>/dev/null &&
    [ "$(entries "$tmp/bad.so" | tr '\n' ' ')" != '$ORIGIN (empty) lib ' ]; then
    echo "runpath.sh: does not understand the output of readelf" >&2
    exit 1
fi
rm -f "$tmp/bad.so"

cmake --install "$build" --prefix "$tmp/installed" >/dev/null
for component in python python_cuda; do
    cmake --install "$build" --prefix "$tmp/wheel" --component "$component" >/dev/null
done
if [ ! -x "$tmp/wheel/ordo/ordo-command" ] || [ ! -x "$tmp/installed/bin/ordo" ]; then
    echo "runpath.sh: the command is not among the installed files" >&2
    exit 1
fi

status=0
checked=0
find "$build" "$tmp" -type f \( -perm -100 -o -name '*.so*' \) ! -path '*/venv*/*' ! -path '*/CMakeFiles/*' \
    >"$tmp/files"
while read -r file; do
    [ "$(head -c 4 "$file" | tr -d '\177')" = ELF ] || continue
    checked=$((checked + 1))
    entries "$file" >"$tmp/entries"
    while read -r entry; do
        case $entry in
        /* | '$ORIGIN' | '$ORIGIN/'*) ;;
        *)
            echo "runpath.sh: $file searches for libraries in '$entry'" >&2
            status=1
            ;;
        esac
    done <"$tmp/entries"
done <"$tmp/files"
echo "$checked files"
[ "$checked" -gt 4 ] || status=1
exit "$status"
