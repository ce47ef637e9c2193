#!/bin/sh
# examples.sh ROOT BUILD - the examples of README.md and ordo.h compile, run and print what they claim.
#
# README.md: the ```c block prints the ```text block after it. The commands `ordo` of every ```sh block
#     run, and every `make TARGET` is a target of the Makefile. The ```python blocks are run by
#     python/tests/test_package.py. No other kind of block is allowed.
# docs/distributed.md: the ```c block prints the ```text block.
# docs/text.md, docs/bzip2.md, docs/csv.md: the commands of the first ```sh block run.
# include/ordo.h: the comment of the "First use" lines says "rank is ...".
# All documents: every relative link and every path of the tree in backquotes exists.
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
    diff -u "$tmp/$1.expected" "$tmp/$1.out" || die "$1: does not print what it claims"
    echo "$1: ok"
}

awk -v folder="$tmp" '
    /^```/ { out = out == "" ? folder "/block." substr($0, 4) : ""; next }
    out != "" { print >out }' "$root/README.md"
for language in c text sh python; do
    [ -s "$tmp/block.$language" ] || die "README.md has no \`\`\`$language block"
done
for file in "$tmp"/block.*; do
    case ${file##*.} in
    c | text | sh | python) ;;
    *) die "README.md: no test runs a block of language '${file##*.}'" ;;
    esac
done

cp "$tmp/block.c" "$tmp/readme.c"
cp "$tmp/block.text" "$tmp/readme.expected"
try readme

awk -v folder="$tmp" '
    /^```/ { out = out == "" ? folder "/many." substr($0, 4) : ""; next }
    out != "" { print >out }' "$root/docs/distributed.md"
cp "$tmp/many.text" "$tmp/many.expected"
try many

mkdir "$tmp/bin" "$tmp/files"
printf '#!/bin/sh\nexec %s "%s/ordo" "$@"\n' "${EMULATOR:-}" "$build" >"$tmp/bin/ordo"
chmod +x "$tmp/bin/ordo"
grep -v '^make ' "$tmp/block.sh" >"$tmp/commands.sh"
(cd "$tmp/files" && PATH=$tmp/bin:$PATH ORDO_TUNE_FILE='' sh -eu "$tmp/commands.sh") >"$tmp/out" 2>&1 || {
    cat "$tmp/out"
    die "README.md: a command failed"
}
echo "$(grep -c . "$tmp/commands.sh") commands: ok"

# The files that the pages name.
(
    cd "$tmp/files"
    for line in 'a banana' 'split for two' 'and a banana'; do echo "$line"; done >book.txt
    cp book.txt notes.txt
    PATH=$tmp/bin:$PATH ordo bzip2 -c book.txt >archive.tar.bz2
    printf 'city,price\nRome,3\nOslo,10\nRome,20.5\nOslo,\n' >sales.csv
    printf 'name,points,class\nAnn,3,x\nBob,5,x\nEve,5,y\n' >scores.csv
    printf 'a\tb\n1\t2\n3\t4\n' >table.tsv
)
for page in text bzip2 csv; do
    awk '/^```/ { if (on) exit; on = $0 == "```sh"; next } on' "$root/docs/$page.md" >"$tmp/commands.sh"
    grep -q '^ordo ' "$tmp/commands.sh" || die "docs/$page.md has no block of commands"
    (cd "$tmp/files" && PATH=$tmp/bin:$PATH ORDO_TUNE_FILE='' sh -eu "$tmp/commands.sh") >"$tmp/out" 2>&1 || {
        cat "$tmp/out"
        die "docs/$page.md: a command failed"
    }
    echo "docs/$page.md: $(grep -c . "$tmp/commands.sh") commands: ok"
done
cmp "$tmp/files/book.txt" "$tmp/files/copy.txt"

sed -n 's/^make \([a-z-]*\).*/\1/p' "$tmp/block.sh" | while read -r target; do
    grep -q "^$target:" "$root/Makefile" || die "README.md: make has no target '$target'"
    echo "make $target: ok"
done

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

# Links are relative to the document, paths in backquotes to the root.
cd "$root"
for document in *.md docs/*.md docs/performance/*.md bench/*.md bench/results/*.md bench/results/*/*.md; do
    grep -Eo '\]\([^):#]+[)#]' "$document" | sed 's/^](//; s/.$//' | while read -r link; do
        [ -e "$(dirname "$document")/$link" ] || die "$document: the link $link leads nowhere"
    done
    # shellcheck disable=SC2016 # backquotes of Markdown
    grep -Eo '`(bench|cli|cmake|docs|include|lib|python|scripts|tests)/[A-Za-z0-9_./*-]*`' \
        "$document" | tr -d '`' | while read -r path; do
        # shellcheck disable=SC2086 # a pattern may match several files
        ls -d $path >/dev/null 2>&1 || die "$document: there is no $path"
    done
done
echo "paths in the documents: ok"
