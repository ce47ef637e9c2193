#!/bin/sh
# bench.sh BUILD [cuda] - runs every section of every subject of ordo-bench on few keys, on the CPU or
# on the GPU. Fails if a run ends with an error, or if a section gives no row.
#
# The list of sections comes from the program itself (--list). Exits 77 with `cuda` if there is no GPU
# or no module libordo_cuda_peers.so. Uses EMULATOR (for cross builds) from the environment.
set -u
build=$1
bench="${EMULATOR:-} $build/ordo-bench"
device=${2:-cpu}
subjects='sort argsort rank select radius strings scan hybrid'
size='-n 1000'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if [ "$device" = cuda ]; then
    subjects='sort argsort rank select radius scan'
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
for subject in $subjects; do
    # shellcheck disable=SC2086 # the command is words
    sections=$($bench --list | sed -n "s/^$subject $device //p")
    [ -n "$sections" ] || {
        echo "bench.sh: $subject has no sections"
        failed=1
    }
    code=0
    # shellcheck disable=SC2086
    $bench "$subject" --device "$device" $size --quick --repeat 1 \
        --json "$tmp/rows.json" >"$tmp/table" 2>"$tmp/err" </dev/null || code=$?
    if [ "$code" -ne 0 ]; then
        echo "bench.sh: $subject: exit code $code"
        tail -n 3 "$tmp/table"
        cat "$tmp/err"
        failed=1
        continue
    fi
    for section in $sections; do
        rows=$(grep "\"section\": \"$section\"" "$tmp/rows.json" | grep -vc '"algorithm": "copy"')
        echo "$subject $section: $rows rows"
        [ "$rows" -gt 0 ] || failed=1
    done
done
exit "$failed"
