#!/bin/sh
# measure.sh SOURCE BUILD - tests scripts/measure: one result has all sections of a subject, nothing
# is measured twice, and a run that is incomplete, fails or is killed changes no result. An
# interrupted run continues. The report is made also if a section failed.
set -u
measure=$1/scripts/measure
build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
export PYTHON=false # no subject python

expect() { # expect CLAIM TEST...: the test must hold; the claim says what is wrong if not
    claim=$1
    shift
    "$@" || {
        echo "measure.sh: $claim"
        cat "$tmp/log"
        failed=1
    }
}

# run CODE WORDS OPTION...: the exit code, and words of the last lines
run() {
    code=0
    wanted=$1
    words=$2
    shift 2
    sh "$measure" "$tmp/results" -p "$tmp/parts" "$@" -- -n 1000 --repeat 1 >"$tmp/log" 2>&1 ||
        code=$?
    expect "exit code $code, not $wanted" [ "$code" -eq "$wanted" ]
    expect "not in the output: $words" grep -q "$words" "$tmp/log"
}

nothing_left_over() {
    left=$(find "$tmp/results" "$tmp/parts" -name '*.new*')
    expect "left over: $left" [ -z "$left" ]
}

sections=$("$build/ordo-bench" --list | grep -c '^radius cpu ')
run 0 "$sections sections measured" -B "$build" -d cpu -s radius
result=$(echo "$tmp"/results/radius/radius*.json) # radius_cpu.json if there is a GPU
for section in $("$build/ordo-bench" --list | sed -n 's/^radius cpu //p'); do
    expect "no rows of section $section" grep -q "\"section\": \"$section\"" "$result"
done
expect "a section has its own machine" [ "$(grep -c '"machine"' "$result")" -eq 1 ]
if command -v python3 >/dev/null; then
    expect "not JSON" python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$result"
fi
run 0 ' 0 sections measured' -B "$build" -d cpu -s radius
rm "$tmp"/parts/radius*.cpu.k.json
run 0 ' 1 sections measured' -B "$build" -d cpu -s radius
run 0 "$sections sections measured" -B "$build" -d cpu -s radius -f
cp "$result" "$tmp/before"
run 1 'run it again to continue' -B "$build" -d cpu -s radius -f -b 0
expect 'an incomplete run changed the result' cmp "$tmp/before" "$result"
nothing_left_over
run 2 'no section' -B "$build" -s nothing

# One paper: its rows, the fields of the file, the rows that need a GPU, a summary.
if command -v python3 >/dev/null; then
    run 0 '^badge: ranking: ' -B "$build" --paper ranking
    result=$tmp/results/paper-ranking/rank_cpu.json
    expect 'not stamped' grep -q '^  "paper": "ranking", "kernels": "[0-9a-f]\{16\}",$' "$result"
    for section in p n; do
        expect "no command of section $section" grep -q \
            "^    \"ordo bench rank --only $section -n 1000 --repeat 1\"" "$result"
    done
    python3 - "$tmp/results/paper-ranking" >"$tmp/log" 2>&1 <<'END'
import json, sys
folder = sys.argv[1]
rows = json.load(open(f"{folder}/rank_cpu.json"))["rows"]
assert {row["section"] for row in rows} == {"p", "n"}
for name in ("device", "share", "sub_array", "splitters", "pinned", "seed", "rounds", "arrays"):
    assert all(name in row for row in rows), name
runs = json.load(open(f"{folder}/paper.json"))["runs"]
for run in runs:
    assert bool(run["missing"]) != (run["file"] is not None), run
    assert run["why"] in (None, "this machine has no GPU"), run
    assert (run["seconds"] is not None) == (run["file"] is not None), run
assert len(runs) == 4
seconds = json.load(open(f"{folder}/paper.json"))["seconds"]
total = sum(run["seconds"] or 0 for run in runs)
assert seconds == {"sections": total, "build": None, "all papers": total}, seconds
END
    expect 'wrong rows or a wrong list of missing rows' [ $? -eq 0 ]
    run 0 ' 0 sections measured' -B "$build" --paper ranking
    echo 7 >"$tmp/parts/paper-ranking.rank_cpu.cpu.p.seconds"
    echo 5 >"$tmp/parts/paper-ranking.rank_cpu.cpu.n.seconds"
    run 0 '^time: 12 s, without a build' -B "$build" --paper ranking
    expect 'no seconds of a section' grep -q '^  7 s: `ordo bench rank --only p' "$tmp/log"
    expect 'no seconds of all sections' grep -q '"all papers": 12$' \
        "$tmp/results/paper-ranking/paper.json"
    run 0 ' 2 sections measured' -B "$build" --paper ranking -r 0123abc
    expect 'not the given revision' grep -q '"revision": "0123abc -n 1000 --repeat 1"' "$result"
    run 0 'measure: 0 sections,' -B "$build" --paper median -d cpu
    expect 'rows of no section' [ ! -e "$tmp/results/paper-median/select.json" ]
    run 2 'no paper nothing' -B "$build" --paper ranking,nothing
fi

# A benchmark that fails, and one that writes a part of its result and then waits.
mkdir "$tmp/fake"
printf '#!/bin/sh\necho "cuda missing"\n' >"$tmp/fake/ordo"
cat >"$tmp/fake/ordo-bench" <<'END'
#!/bin/sh
[ "$1" != --list ] || {
    printf 'radius cpu k\nradius cpu n\n'
    exit
}
while [ "$1" != --json ]; do shift; done
echo '{ "cut' >"$2"
[ ! -f "$(dirname "$0")/wait" ] || {
    touch "$(dirname "$0")/started"
    exec sleep 60
}
echo 'no such section' >&2
exit 2
END
chmod +x "$tmp/fake/ordo" "$tmp/fake/ordo-bench"
rm -rf "$tmp/results" "$tmp/parts"
run 1 'failed: radius:k radius:n' -B "$tmp/fake"
expect 'a failed run made a result' [ ! -e "$tmp/results/radius/radius.json" ]
nothing_left_over
touch "$tmp/fake/wait"
sh "$measure" "$tmp/results" -p "$tmp/parts" -B "$tmp/fake" >"$tmp/log" 2>&1 &
pid=$!
while [ ! -e "$tmp/fake/started" ] && kill -0 $pid 2>/dev/null; do sleep 0.1; done
kill -TERM $pid
for sleeper in $(ps -o pid= --ppid $pid 2>/dev/null); do kill "$sleeper"; done
wait $pid
expect 'a killed run ended well' [ $? -ne 0 ]
expect 'a killed run made a result' [ ! -e "$tmp/results/radius/radius.json" ]
nothing_left_over

# The whole run at the smallest sizes: interrupted in the second section, then with a section that
# fails, then complete.
mkdir "$tmp/some"
ln -s "$build/ordo" "$tmp/some/ordo"
cat >"$tmp/some/ordo-bench" <<END
#!/bin/sh
case "\$*" in
--list) printf 'radius cpu k\nradius cpu n\nscan cpu ops\n' && exit ;;
*'--only n '*) [ ! -f $tmp/interrupt ] || { kill -INT \$PPID && exit 130; } ;;
*'--only ops '*) [ ! -f $tmp/fail ] || exit 2 ;;
esac
exec $build/ordo-bench "\$@"
END
chmod +x "$tmp/some/ordo-bench"
rm -rf "$tmp/results" "$tmp/parts"
if command -v python3 >/dev/null; then
    results=$tmp/machines/box
    touch "$tmp/interrupt" "$tmp/fail"
    quick() { # quick CODE WORDS
        code=0
        sh "$measure" "$results" -p "$tmp/parts" -B "$tmp/some" -q >"$tmp/log" 2>&1 || code=$?
        expect "exit code $code, not $1" [ "$code" -eq "$1" ]
        expect "not in the output: $2" grep -q "$2" "$tmp/log"
    }
    quick 130 '1/3. radius cpu k'
    expect 'an interrupted run made a result' [ ! -e "$results/radius/radius.json" ]
    expect 'the first section is lost' [ -f "$tmp/parts/radius.cpu.k.json" ]
    rm "$tmp/interrupt"
    quick 1 'failed: scan:ops'
    expect 'not continued' grep -q ' 1 sections measured' "$tmp/log"
    expect 'the other subject has no result' [ -f "$results/radius/radius.json" ]
    expect 'a failed section made a result' [ ! -e "$results/scan/scan.json" ]
    expect 'no report after a failed section' [ -f "$tmp/machines/report.html" ]
    rm "$tmp/fail" "$tmp/machines/report.html"
    quick 0 ' 1 sections measured'
    expect 'no result' [ -f "$results/scan/scan.json" ]
    expect 'no report' grep -q '</html>' "$tmp/machines/report.html"
fi
exit "$failed"
