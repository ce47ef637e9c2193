#!/bin/sh
# include_direction.sh ROOT OBJECTS - scripts/check-includes accepts the tree and its object files,
# and rejects trees that break the rules of docs/architecture.md. Uses CC from the environment.
set -eu
root=$1
objects=$2
check=$root/scripts/check-includes
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

fail() {
    echo "include_direction.sh: $*" >&2
    [ ! -f "$tmp/out" ] || cat "$tmp/out" >&2
    exit 1
}

"$check" "$root" "$objects"

# Every folder of the list exists.
sed -n '/^## The order of the folders/,/^## What/s/^    \([^ ]*\)  .*/\1/p' "$root/docs/architecture.md" >"$tmp/listed"
[ "$(wc -l <"$tmp/listed")" -gt 50 ] || fail "the list of folders is not found"
while read -r folder; do
    [ -d "$root/$folder" ] || fail "docs/architecture.md lists $folder, which does not exist"
done <"$tmp/listed"

# Begins a tree with the list of folders.
plant() {
    rm -rf "$tmp/tree"
    mkdir -p "$tmp/tree/include" "$tmp/tree/docs"
    cp "$root/docs/architecture.md" "$tmp/tree/docs"
}

# put FILE LINE... - writes a file of the tree.
put() {
    mkdir -p "$tmp/tree/$(dirname "$1")"
    name=$1
    shift
    printf '%s\n' "$@" >"$tmp/tree/$name"
}

# expect_fault LINE... - the tree is refused, and the output has every LINE.
expect_fault() {
    if "$check" "$tmp/tree" >"$tmp/out" 2>&1; then
        fail "no error; expected: $1"
    fi
    for line in "$@"; do
        grep -qxF -e "$line" "$tmp/out" || fail "expected: $line"
    done
}

# expect CODE FILE LINE - a tree whose FILE contains LINE gives the exit status CODE.
expect() {
    plant
    put "$2" "$3"
    got=0
    "$check" "$tmp/tree" >"$tmp/out" 2>&1 || got=$?
    [ "$got" -eq "$1" ] || fail "$2 with '$3': exit $got, expected $1"
}
expect 0 lib/cpu/a.c '#include "backend/backend.h"'
expect 0 lib/cpu/a.c '#include <stdio.h>'
expect 0 lib/api/a.c '#include "ordo.h"'
expect 0 lib/core/a.h '#include "ordo_machine.h"'
expect 0 cli/a.c '#include "cli/base/cli.h"'
expect 0 lib/cpu/cpu_backend.c '#include "cpu/sets/sets.h"'
expect 0 lib/cuda/sort/a.cu '#include "cuda/block/block_scan.cuh"'
expect 1 lib/cuda/block/a.cuh '#include "cuda/sort/dev_sort.cuh"'
expect 1 lib/cuda/warp/a.cuh '#include "cuda/block/block_scan.cuh"'
expect 1 lib/cuda/runtime/a.cu '#include "cuda/columns/columns.cuh"'
expect 1 lib/cpu/rough/a.c '#include "cpu/sort/sort_steps.h"'
expect 1 lib/cpu/sort/a.c '#include "cpu/cpu_table.h"'
expect 1 lib/cpu/sort/a.c '#include "cpu/news/news.h"'
expect 1 lib/cpu/sort/a.c '#include "sort_steps.h"'
expect 1 lib/cpu/news/a.c '#include "core/base.h"'
expect 1 lib/cpu/a.c '#include "api/api.h"'
expect 1 lib/cpu/a.c '#define ORDO_TEMPLATE "api/a.t.h"'
expect 1 lib/cpu/a.c '#define ORDO_OUT_TEMPLATE "api/a.t.h"'
expect 1 lib/api/a.c '#include "cpu/base/cpu.h"'
expect 1 lib/plan/a.h '  #  include "cpu/base/cpu.h"'
expect 1 lib/core/a.h '#include "plan/plan.h"'
expect 1 lib/core/a.h '#include "../plan/plan.h"'
expect 0 cli/main.c '#include "cli/cmd/command.h"'
expect 0 cli/cmd/a.c '#include "cli/io/input/input.h"'
expect 0 cli/ui/a.c '#include "cli/io/number/number.h"'
expect 1 cli/ui/a.c '#include "cli/cmd/command.h"'
expect 1 cli/io/a.c '#include "cli/ui/context.h"'
expect 0 cli/lines/external/a.c '#include "cli/lines/line_sort.h"'
expect 1 cli/lines/a.c '#include "cli/lines/external/line_merge.h"'
expect 1 cli/lines/a.c '#include "cli/ui/options.h"'
expect 1 cli/ui/a.c '#include "cli/lines/line_sort.h"'
expect 1 cli/base/a.c '#include "cli/io/number/number.h"'
expect 1 cli/news/a.c '#include "cli/io/number/number.h"'
expect 1 cli/io/a.c '#include "io/number.h"'
expect 1 cli/a.c '#include "core/base.h"'
expect 1 cli/a.c '#include "../lib/core/base.h"'
expect 1 include/ordo.h '#include "core/base.h"'
expect 1 lib/core/a.h '#include <core/base.h>'
expect 0 bench/subjects/a.c '#include "bench/harness/bench_core.h"'
expect 1 bench/harness/a.c '#include "bench/subjects/bench_order.h"'
expect 1 bench/subjects/a.c '#include "core/base.h"'
expect 1 lib/news/a.c '#include "core/base.h"'
expect 0 lib/papers/median/a.c '#include "cpu/base/cpu.h"'
expect 0 lib/papers/median/a.cu '#include "cuda/sort/dev_sort.cuh"'
expect 0 lib/papers/median/a.cu '#include "papers/base/dev_compare.cuh"'
expect 0 lib/papers/median/a.c '#include "papers/median/median.h"'
expect 0 lib/papers/papers.c '#include "papers/median/median.h"'
expect 1 lib/papers/median/a.c '#include "papers/ballot/ballot.h"'
expect 1 lib/papers/median/a.c '#define ORDO_TEMPLATE "papers/ballot/split.t.h"'
expect 1 lib/papers/median/a.c '#include "api/api.h"'
for layer in core gen backend plan api cpu/sort cuda/sort hybrid external text dist; do
    expect 1 "lib/$layer/a.c" '#include "papers/median/median.h"'
    expect 1 "lib/$layer/a.c" '#include "papers/papers.h"'
done

# A circle of folders is named, with its includes.
plant
put lib/text/text.h '#include "text/fm/fm.h"'
put lib/text/fm/fm.h '' '#include "text/induced/induced.h"'
put lib/text/induced/induced.h '#include "text/text.h"' '#include "core/base.h"'
put lib/text/induced/induced.c '#define ORDO_TEMPLATE "text/text.h"' '#include "core/for_each_type.h"'
put lib/core/base.h '#include "ordo.h"'
expect_fault 'a circle of 3 folders: lib/text lib/text/fm lib/text/induced' \
    '    lib/text/text.h:1: includes "text/fm/fm.h"' \
    '    lib/text/fm/fm.h:2: includes "text/induced/induced.h"'
grep -q '^    lib/text/induced/induced.[ch]:1: includes "text/text.h", and 1 more$' "$tmp/out" ||
    fail 'expected: the two includes of lib/text/induced'

# A folder is in the list once, and a layer includes layers before it.
put lib/text/text.h '#include "core/base.h"'
"$check" "$tmp/tree" >"$tmp/out" 2>&1 || fail "expected no fault without the include of text.h"
put lib/news/a.c ''
expect_fault 'lib/news is not in the list of docs/architecture.md'
rm -r "$tmp/tree/lib/news"
sed 's|^lib/core:$|lib/core: lib/api|; s|^    lib/backend .*|&\n&|' "$root/docs/architecture.md" \
    >"$tmp/tree/docs/architecture.md"
expect_fault 'docs/architecture.md: lib/core may not include lib/api, which is not before it' \
    'docs/architecture.md: lib/backend is listed twice'
echo '# no list' >"$tmp/tree/docs/architecture.md"
expect_fault 'docs/architecture.md has no list of folders'

# Compiles the sources below tree/lib.
compile() {
    rm -rf "$tmp/objects"
    for source in $(cd "$tmp/tree" && find lib -name '*.c'); do
        mkdir -p "$tmp/objects/$(dirname "$source")"
        ${CC:-cc} -c "$tmp/tree/$source" -o "$tmp/objects/$source.o"
    done
}

# expect_call MESSAGE - the objects of the sources below tree/lib are refused with MESSAGE.
expect_call() {
    compile
    if "$check" "$tmp/tree" "$tmp/objects" >"$tmp/out"; then
        fail "no error; expected: $1"
    fi
    grep -q "$1" "$tmp/out" || fail "expected: $1"
}

# lib/core may not call a function of lib/api.
plant
mkdir -p "$tmp/tree/lib/core" "$tmp/tree/lib/api"
echo 'int api_f(void); int core_g(void); int core_g(void) { return api_f(); }' \
    >"$tmp/tree/lib/core/core.c"
echo 'int api_f(void); int api_f(void) { return 1; }' >"$tmp/tree/lib/api/api.c"
expect_call 'may not call api_f'

# Two files may not call each other. An object without a source is ignored.
rm "$tmp/tree/lib/api/api.c"
echo 'int api_f(void); int core_g(void); int api_f(void) { return core_g(); }' \
    >"$tmp/tree/lib/core/second.c"
expect_call 'lib/core/second.c: is in a cycle of files: calls core_g of lib/core/core.c'
rm "$tmp/tree/lib/core/second.c"
"$check" "$tmp/tree" "$tmp/objects"

# Only lib/api calls the papers, and only the function that returns their table.
rm -r "$tmp/tree/lib"
mkdir -p "$tmp/tree/lib/api" "$tmp/tree/lib/cpu" "$tmp/tree/lib/papers/median"
echo 'int paper_f(void); int paper_f(void) { return 1; }' >"$tmp/tree/lib/papers/median/median.c"
echo 'int paper_f(void); int ordo_papers_table(void); int ordo_papers_table(void) { return paper_f(); }' \
    >"$tmp/tree/lib/papers/papers.c"
echo 'int ordo_papers_table(void); int api_f(void); int api_f(void) { return ordo_papers_table(); }' \
    >"$tmp/tree/lib/api/api.c"
compile
"$check" "$tmp/tree" "$tmp/objects"
for called in paper_f ordo_papers_table; do
    echo "int $called(void); int cpu_f(void); int cpu_f(void) { return $called(); }" \
        >"$tmp/tree/lib/cpu/cpu.c"
    expect_call "lib/cpu/cpu.c: may not call $called"
done
