#!/bin/sh
# paper_maps.sh ROOT - the map at the top of lib/papers/PAPER/PAPER.h names what exists: files of its
# folder or of lib/, functions in these files, result files, and commands of docs/papers.md, whose
# numbers of rounds may differ. It names every source file of its folder.
set -eu
cd "$1"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
: >"$tmp/faults"

fault() { echo "$map: $*" | tee -a "$tmp/faults" >&2; }

# The place of a file that a map names; fails if there is none.
find_file() {
    for place in "$folder/$1" "lib/$1" "bench/results/$1"; do
        [ ! -f "$place" ] || { echo "$place"; return 0; }
    done
    return 1
}

check_map() {
    map=$1
    folder=$(dirname "$map")
    sed '/\*\//q' "$map" >"$tmp/map"
    # Words that are file names.
    grep -oE '[A-Za-z0-9_/.-]+\.(c|h|cu|cuh|json)\b' "$tmp/map" | sort -u >"$tmp/files"
    while read -r file; do
        find_file "$file" >/dev/null || fault "no file $file"
    done <"$tmp/files"
    # "FILE: NAME, NAME": every name is a word of the file.
    sed -nE 's/.* ([A-Za-z0-9_/.]+\.(c|h|cu|cuh)): ([A-Za-z0-9_, ]+)$/\1 \3/p' "$tmp/map" |
        tr -d , >"$tmp/names"
    while read -r file names; do
        place=$(find_file "$file") || continue
        for name in $names; do
            grep -qw -e "$name" "$place" || fault "no $name in $file"
        done
    done <"$tmp/names"
    # Commands of benchmarks are those of the report.
    grep -oE 'ordo bench [^;]*' "$tmp/map" | sed -E 's/ --repeat [0-9]+//; s/ *$//' |
        sort -u >"$tmp/commands"
    [ -s "$tmp/commands" ] || fault "no command of a benchmark"
    while read -r command; do
        grep -qxF -e "$command" "$tmp/shown" || fault "docs/papers.md has no '$command'"
    done <"$tmp/commands"
    for source in "$folder"/*.c "$folder"/*.cu "$folder"/*.cuh "$folder"/*.t.h; do
        [ ! -f "$source" ] || grep -qxF -e "$(basename "$source")" "$tmp/files" ||
            fault "does not name $(basename "$source")"
    done
}

# shellcheck disable=SC2016 # Markdown, not shell
grep -oE '`ordo bench [^`]*`' docs/papers.md |
    sed -E 's/`//g; s/ --repeat [0-9]+//; s/ --json [a-z]+\.json//' | sort -u >"$tmp/shown"
maps=0
for folder in lib/papers/*/; do
    [ "$folder" != lib/papers/base/ ] || continue # what several papers use
    paper=$(basename "$folder")
    map=lib/papers/$paper/$paper.h
    if [ -f "$map" ]; then
        check_map "$map"
        maps=$((maps + 1))
    else
        fault "there is no map"
    fi
done
[ "$maps" -gt 0 ] || { echo "paper_maps.sh: no folder in lib/papers" >&2; exit 1; }
[ ! -s "$tmp/faults" ]
