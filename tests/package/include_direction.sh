#!/bin/sh
# include_direction.sh ROOT OBJECTS - scripts/check-includes accepts the tree and its object files,
# and rejects trees that break its rules. Uses CC from the environment.
set -eu
root=$1
objects=$2
check=$root/scripts/check-includes
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$check" "$root" "$objects"

# expect CODE FILE LINE - a tree whose FILE contains LINE gives the exit status CODE.
expect() {
    rm -rf "$tmp/tree"
    mkdir -p "$tmp/tree/include" "$tmp/tree/$(dirname "$2")"
    printf '%s\n' "$3" >"$tmp/tree/$2"
    got=0
    "$check" "$tmp/tree" >"$tmp/out" 2>&1 || got=$?
    if [ "$got" -ne "$1" ]; then
        echo "include_direction.sh: $2 with '$3': exit $got, expected $1" >&2
        cat "$tmp/out" >&2
        exit 1
    fi
}
expect 0 lib/cpu/a.c '#include "backend/backend.h"'
expect 0 lib/cpu/a.c '#include <stdio.h>'
expect 0 lib/api/a.c '#include "ordo.h"'
expect 0 lib/core/a.h '#include "ordo_machine.h"'
expect 0 cli/a.c '#include "cli/base/cli.h"'
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
expect 1 cli/a.c '#include "cli/io/number/number.h"'
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
expect 0 lib/papers/median/a.cu '#include "papers/dev_compare.cuh"'
expect 0 lib/papers/median/a.c '#include "papers/median/median.h"'
expect 0 lib/papers/papers.c '#include "papers/median/median.h"'
expect 1 lib/papers/median/a.c '#include "papers/ballot/ballot.h"'
expect 1 lib/papers/median/a.c '#define ORDO_TEMPLATE "papers/ballot/split.t.h"'
expect 1 lib/papers/median/a.c '#include "api/api.h"'
for layer in core gen backend plan api cpu/sort cuda/sort hybrid external text dist; do
    expect 1 "lib/$layer/a.c" '#include "papers/median/median.h"'
    expect 1 "lib/$layer/a.c" '#include "papers/papers.h"'
done

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
        echo "include_direction.sh: no error; expected: $1" >&2
        exit 1
    fi
    grep -q "$1" "$tmp/out"
}

# lib/core may not call a function of lib/api.
rm -rf "$tmp/tree/lib" "$tmp/tree/cli" "$tmp/tree/include/ordo.h"
mkdir -p "$tmp/tree/include" "$tmp/tree/lib/core" "$tmp/tree/lib/api"
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
