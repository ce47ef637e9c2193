#!/bin/sh
# bench.sh BUILD [cuda] - runs every section of every subject of ordo-bench on few keys, on the CPU, or
# on the GPU and on both (subject hybrid). Fails if a run ends with an error, if a section gives no
# row, if --cpu-time does not say so, or if the subject hybrid gives no row of a GPU where there is one.
#
# The list of sections comes from the program itself (--list). Exits 77 with `cuda` if there is no GPU
# or no module libordo_cuda_peers.so. Uses EMULATOR (for cross builds) from the environment.
set -u
build=$1
bench="${EMULATOR:-} $build/ordo-bench"
device=${2:-cpu}
size='-n 1000'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if [ "$device" = cuda ]; then
    size= # the sections of the papers need more than 1000 keys
    cuda=$("$build/ordo" info | sed -n 's/^cuda  *//p')
    [ "$cuda" = usable ] || {
        echo "bench.sh: skipped: the GPU is $cuda"
        exit 77
    }
    [ -f "$build/libordo_cuda_peers.so" ] || {
        echo "bench.sh: skipped: libordo_cuda_peers.so is not built; 'make gpu-check' builds it"
        exit 77
    }
fi

failed=0

# run SUBJECT DEVICE: all its sections; the rows are left in $tmp/rows.json
run() {
    code=0
    # shellcheck disable=SC2086 # the command and the size are words
    $bench "$1" --device "$2" $size --quick --repeat 1 \
        --json "$tmp/rows.json" >"$tmp/table" 2>"$tmp/err" </dev/null || code=$?
    if [ "$code" -ne 0 ]; then
        echo "bench.sh: $1: exit code $code"
        tail -n 3 "$tmp/table"
        cat "$tmp/err"
        failed=1
        return
    fi
    sections=$(sed -n "s/^$1 $2 //p" "$tmp/list")
    for section in $sections; do
        rows=$(grep "\"section\": \"$section\"" "$tmp/rows.json" | grep -vc '"algorithm": "copy"')
        echo "$1 $section: $rows rows"
        [ "$rows" -gt 0 ] || failed=1
    done
}

$bench --list >"$tmp/list" || exit 1
subjects=$(awk -v device="$device" '$2 == device && !seen[$1]++ { print $1 }' "$tmp/list")
[ -n "$subjects" ] || failed=1
for subject in $subjects; do
    run "$subject" "$device"
done
if [ "$device" = cpu ]; then
    # shellcheck disable=SC2086 # the command is words
    $bench many --only structs -n 1000 --quick --repeat 1 --cpu-time >"$tmp/table" &&
        grep -q '^times: CPU seconds' "$tmp/table" || failed=1
    # shellcheck disable=SC2086
    $bench many --only structs -n 1000 --cpu-time --json "$tmp/no.json" >"$tmp/table" 2>"$tmp/err" &&
        failed=1
fi
if [ "$device" = cuda ]; then
    run hybrid cpu
    for algorithm in cuda hybrid; do
        grep -q "\"algorithm\": \"$algorithm" "$tmp/rows.json" || {
            echo "bench.sh: hybrid has no rows of $algorithm"
            failed=1
        }
    done
fi
exit "$failed"
