#!/bin/sh
# Tests the command: sh run.sh PATH_TO_ORDO [FOLDER | FOLDER/CASE.sh]...
#
# A case is FOLDER/NAME.sh. sh runs it in an empty folder, with the command first in PATH. The
# files beside it say what it must print:
#   NAME.out        its stdout, exactly           NAME.err        its stderr, exactly
#   NAME.out.match  or: line i of stdout matches  NAME.err.match  or: the same for stderr
#                   the extended regular
#                   expression in line i
#   NAME.code       its exit code, if not 0
# @types@, @ties@ and @methods@ in NAME.err are the names of these lists (lib/core/*.def). $TYPES and
# $TIES have them, too; $DISTS is the list of the distributions.
# A missing file means that nothing is printed. A case that cannot run prints the reason and exits
# with 77: it is skipped. $CASES is the folder of the case; *.inc files hold
# functions that several cases use. TEST_PLAYING is the folder of the simulated GPU
# (tests/plugins/playing.c), TEST_COST the program that measures a command (cost.c); default: those of
# the build folder of the command. TEST_WEIGHS_ALL=1
# means that the command was built with the shrunk thresholds of the tests.
set -u

if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: sh run.sh PATH_TO_ORDO [FOLDER | FOLDER/CASE.sh]..." >&2
    exit 2
fi
command_path=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
root=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM HUP

unset ORDO_THREADS ORDO_ISA ORDO_DEVICE BZIP2 BZIP
TEST_PLAYING=${TEST_PLAYING:-$(dirname "$command_path")/tests/plugins/playing}
TEST_COST=${TEST_COST:-$(dirname "$command_path")/tests/cost}
export TEST_PLAYING TEST_COST
LC_ALL=C
ORDO_TUNE_FILE=
export LC_ALL ORDO_TUNE_FILE
mkdir "$work/bin"
ln -s "$command_path" "$work/bin/ordo"
PATH=$work/bin:$PATH
export PATH

# names LIST: the names of lib/core/LIST.def, in one line
names() {
    sed -n 's/^ORDO_[A-Z_]*([A-Z0-9_]*, \([a-z0-9_]*\),.*/\1/p' "$root/../../lib/core/$1.def" |
        paste -s -d ' ' -
}
TIES=$(names ties)
TYPES=$(names types)
DISTS=$root/../../lib/gen/dists.def
export TIES TYPES DISTS
for list in types ties methods; do
    echo "s/@$list@/$(names $list | sed 's/ /, /g')/"
done >"$work/lists"

# all_match PATTERNS FILE: both have the same number of lines, and each line matches its pattern
all_match() {
    [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ] || return 1
    while IFS= read -r pattern <&3 && IFS= read -r line <&4; do
        printf '%s\n' "$line" | grep -Eqx -e "$pattern" || return 1
    done 3<"$1" 4<"$2"
}

# compare STREAM FILE: compares what the case printed with what it must print
compare() {
    if [ -f "$CASES/$name.$1.match" ]; then
        all_match "$CASES/$name.$1.match" "$2" && return 0
        diff -u "$CASES/$name.$1.match" "$2"
        return 1
    fi
    expected=$CASES/$name.$1
    [ -f "$expected" ] || expected=/dev/null
    if grep -q '@[a-z]*@' "$expected"; then
        sed -f "$work/lists" "$expected" >"$work/expected"
        expected=$work/expected
    fi
    diff -u "$expected" "$2"
}

passed=0
failed=0
skipped=0
if [ $# -eq 0 ]; then
    for group in "$root"/*/; do
        set -- "$@" "$(basename "$group")"
    done
fi
for group in "$@"; do
    if [ -d "$root/$group" ]; then
        set -- "$@" "$root/${group%/}"/*.sh
    else
        set -- "$@" "$root/$group"
    fi
    shift
done
for script in "$@"; do
    name=$(basename "$script" .sh)
    CASES=$(dirname "$script")
    export CASES
    rm -rf "$work/dir"
    mkdir "$work/dir"
    (cd "$work/dir" && sh "$CASES/$name.sh") >"$work/out" 2>"$work/err" </dev/null
    code=$?
    if [ "$code" -eq 77 ]; then
        skipped=$((skipped + 1))
        echo "skipped ${CASES##*/}/$name: $(cat "$work/out")"
        continue
    fi
    expected_code=0
    [ -f "$CASES/$name.code" ] && expected_code=$(cat "$CASES/$name.code")
    ok=yes
    compare out "$work/out" >"$work/diff" || ok=no
    compare err "$work/err" >>"$work/diff" || ok=no
    if [ "$code" != "$expected_code" ]; then
        echo "exit code $code, expected $expected_code" >>"$work/diff"
        ok=no
    fi
    if [ "$ok" = yes ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED ${CASES##*/}/$name"
        cat "$work/diff"
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
