#!/bin/sh
# exports.sh LIBRARY ROOT - libordo.so exports exactly the functions listed in tests/package/exports.txt,
# and that list is exactly what the headers in include/ declare.
set -eu
export LC_ALL=C
library=$1
root=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

sort "$root/tests/package/exports.txt" >"$tmp/listed"
nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort >"$tmp/exported"

# A declaration starts with ORDO_API or ORDO_MUST; its name is the word before the first "(".
awk '/^ORDO_(API|MUST) / {
    sub(/\(.*/, "")
    sub(/.*[ *]/, "")
    print
}' "$root"/include/*.h | sort >"$tmp/declared"

status=0
for view in declared exported; do
    if ! diff -u --label exports.txt --label "$view" "$tmp/listed" "$tmp/$view"; then
        echo "exports.sh: tests/package/exports.txt and the functions $view differ" >&2
        status=1
    fi
done
echo "$(wc -l <"$tmp/exported") functions exported"
exit "$status"
