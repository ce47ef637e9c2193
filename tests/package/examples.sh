#!/bin/sh
# examples.sh ROOT BUILD - the examples of the user documents and of ordo.h run and print what they
# claim.
#
# User documents: README.md and docs/*.md. The blocks of a page run in turn, in one folder:
#     ```sh         commands; `sh gpu` needs a GPU, `sh mpi` ordo-mpi, `sh native` no emulator
#     ```sh make    is not run; every `make TARGET` in it is a target of the Makefile
#     ```c          a program; `c fragment` is not run, `c gpu` is run by tests/cuda/example.sh
#     ```text       what the block before it prints; `text example` is not compared
#     ```cpp        is run by cpp.sh, ```python by python/tests/test_package.py
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

# build_program NAME - compiles NAME.c.
build_program() {
    # shellcheck disable=SC2086 # flags are words
    "$cc" -std=c11 -Wall -Wextra -Wpedantic -Werror ${CFLAGS:-} -I "$root/include" \
        "$tmp/$1.c" -L "$build" -lordo -Wl,-rpath,"$build" -o "$tmp/$1" ||
        die "$1: does not compile"
}

mkdir "$tmp/bin"
for program in ordo ordo-mpi; do
    printf '#!/bin/sh\nexec %s "%s/%s" "$@"\n' "${EMULATOR:-}" "$build" "$program" \
        >"$tmp/bin/$program"
    chmod +x "$tmp/bin/$program"
done
PATH=$tmp/bin:$PATH
# More processes than cores, also as root in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export ORDO_TUNE_FILE=''

# runs INFO - whether this machine can run blocks of commands of this kind.
runs() {
    case $1 in
    sh) ;;
    'sh gpu') ! ordo info | grep -q '^cuda *not usable' ;;
    'sh mpi') [ -z "${EMULATOR:-}" ] && [ -x "$build/ordo-mpi" ] && command -v mpirun >/dev/null ;;
    'sh native') [ -z "${EMULATOR:-}" ] ;;
    *) die "$page: no test runs a block of the kind '$1'" ;;
    esac
}

# The files that the pages name, in the current folder.
inputs() {
    for line in 'a banana' 'split for two' 'and a banana'; do echo "$line"; done >book.txt
    cp book.txt notes.txt
    ordo bzip2 -c book.txt >archive.tar.bz2
    printf 'city,price\nRome,3\nOslo,10\nRome,20.5\nOslo,\n' >sales.csv
    printf 'name,points,class\nAnn,3,x\nBob,5,x\nEve,5,y\n' >scores.csv
    printf 'a\tb\n1\t2\n3\t4\n' >table.tsv
}

# run_page - runs the blocks of $page. $printed is the file that the next ```text block describes; -
# says that the block before it was not run.
run_page() {
    rm -rf "$tmp/page"
    mkdir -p "$tmp/page/files"
    (cd "$tmp/page/files" && inputs)
    awk -v folder="$tmp/page" '
        /^```/ && out != "" { close(out); out = ""; next }
        /^```/ {
            out = sprintf("%s/block%03d", folder, ++count)
            print substr($0, 4) >(out ".info")
            close(out ".info")
            printf "" >out
            next
        }
        out != "" { print >out }' "$root/$page"
    printed=
    count=0
    for info in "$tmp"/page/*.info; do
        [ -e "$info" ] || break
        block=${info%.info}
        kind=$(cat "$info")
        case $kind in
        text)
            [ -n "$printed" ] || die "$page: no block prints '$(head -n 1 "$block")'"
            [ "$printed" = - ] || diff -u "$block" "$printed" ||
                die "$page: this is not printed"
            printed=
            ;;
        c)
            cp "$block" "$tmp/program.c"
            build_program program
            # shellcheck disable=SC2086
            ${EMULATOR:-} "$tmp/program" >"$block.out" || die "$page: the program failed"
            printed=$block.out
            count=$((count + 1))
            ;;
        'c gpu' | cpp) printed=- ;;
        'sh make')
            sed -n 's/^make \([a-z][a-z-]*\).*/\1/p' "$block" | while read -r target; do
                grep -q "^$target:" "$root/Makefile" || die "$page: make has no target '$target'"
            done
            ;;
        sh*)
            printed=-
            if runs "$kind"; then
                (cd "$tmp/page/files" && sh -eu "$block") >"$block.out" 2>"$block.err" || {
                    cat "$block" "$block.err"
                    die "$page: a command failed"
                }
                printed=$block.out
                count=$((count + 1))
            fi
            ;;
        'c fragment' | 'text example' | python*) ;;
        *) die "$page: no test runs a block of the kind '$kind'" ;;
        esac
    done
    echo "$page: $count blocks ran"
}

for file in "$root/README.md" "$root"/docs/*.md; do
    page=${file#"$root/"}
    case $page in
    docs/architecture.md | docs/papers.md | docs/performance.md) ;; # for maintainers
    *) run_page ;;
    esac
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
build_program header
# shellcheck disable=SC2086
${EMULATOR:-} "$tmp/header" | diff -u "$tmp/header.expected" - ||
    die "ordo.h: rank is something else"
echo "ordo.h: ok"

# Links are relative to the document, paths in backquotes to the root.
cd "$root"
for document in *.md docs/*.md docs/*/*.md bench/*.md bench/results/*.md bench/results/*/*.md; do
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
