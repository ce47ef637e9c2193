#!/bin/sh
# race.sh BUILD - ordo-race of a build against itself on tiny sizes: every section has rows, results
# are equal, and commands leave no file. Then builds whose command is slow, or writes other bytes,
# must be reported with exit code 1.
set -u
build=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
race=$build/ordo-race

die() {
    echo "race.sh: $*" >&2
    cat "$tmp/out" "$tmp/err" >&2
    exit 1
}

mkdir "$tmp/files"
"$race" -n 16,2000 -b 1 -r 1 -l 1e9 -d "$tmp/files" "$build" "$build/libordo.so" >"$tmp/out" 2>"$tmp/err" ||
    die "exit code $?"
for section in keys rows strings groups first lines csv external; do
    for n in 16 2000; do
        grep -Eq "^$section .* $n " "$tmp/out" || die "no row of $section with n = $n"
    done
done
for text in zipf loguniform signed ksorted few uniform sorted ' by16 ' ' columns ' ' offsets ' prefix; do
    grep -q -e "$text" "$tmp/out" || die "no row with '$text'"
done
grep -Eq '^[0-9]+ rows: 0 slower, 0 above .*, 0 with results' "$tmp/out" || die "no summary"
[ -x "$build/ordo-mpi" ] || grep -q '^distributed: not run: ' "$tmp/out" || die "ordo-mpi is not named"
[ -z "$(ls "$tmp/files")" ] || die "files are left"

# A command that is much slower on one side, and one that writes other bytes.
for name in slow wrong; do
    mkdir "$tmp/$name"
    cp "$build/libordo.so" "$tmp/$name/"
done
cat >"$tmp/slow/ordo" <<END
#!/bin/sh
i=0
while [ \$i -lt 500000 ]; do i=\$((i + 1)); done
exec '$build/ordo' "\$@"
END
cat >"$tmp/wrong/ordo" <<END
#!/bin/sh
exec '$build/ordo' "\$@" -r
END
chmod +x "$tmp/slow/ordo" "$tmp/wrong/ordo"

code=0
"$race" -s csv,lines -f 'sort uniform' -n 16 -b 1 -r 1 -l 1e9 "$build" "$tmp/wrong" >"$tmp/out" 2>"$tmp/err" ||
    code=$?
[ "$code" -eq 1 ] || die "exit code $code with results that differ"
grep -Eq '^lines sort uniform .*RESULTS DIFFER' "$tmp/out" || die "the row that differs is not named"
grep -Eq '^csv sort uniform .*RESULTS DIFFER' "$tmp/out" || die "the row that differs is not named"

# CPU times, a large factor and a large limit: the load of the machine does not matter.
code=0
"$race" -s lines -f 'sort uniform' -n 16 -b 1 -r 1 -c -l 400 "$build" "$tmp/slow" >"$tmp/out" 2>"$tmp/err" ||
    code=$?
[ "$code" -eq 1 ] || die "exit code $code with a slow build"
grep -Eq '^lines sort uniform .*SLOWER' "$tmp/out" || die "the slow row is not named"
grep -Eq '^[0-9]+ rows: 1 slower' "$tmp/out" || die "the summary does not count the slow row"
code=0
"$race" -s lines -f 'sort uniform' -n 16 -b 1 -r 1 -c -l 400 "$tmp/slow" "$build" >"$tmp/out" 2>"$tmp/err" ||
    code=$?
[ "$code" -eq 0 ] || die "exit code $code with a slow old build"

# Usage.
"$race" --help >"$tmp/out" || die "no help"
for wrong in '' '-n 3' '-n x' '-r 0' '-r 102' '-l -1' '-s nothing' '-s keys,nothing'; do
    code=0
    # shellcheck disable=SC2086 # words
    "$race" $wrong ${wrong:+"$build" "$build"} >"$tmp/out" 2>"$tmp/err" || code=$?
    [ "$code" -eq 2 ] || die "exit code $code of '$wrong'"
done
code=0
"$race" -f 'no such row' "$build" "$build" >"$tmp/out" 2>"$tmp/err" || code=$?
[ "$code" -eq 2 ] || die "exit code $code of a filter without rows"
