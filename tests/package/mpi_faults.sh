#!/bin/sh
# mpi_faults.sh BUILD - ordo-mpi sort --checkpoint: ranks are killed at every step of a job, and the
# job is resumed with another number of ranks. The output must have the bytes that ordo writes, and
# nothing else may be left. Damaged checkpoints and checkpoints of other jobs are detected. Skipped
# if ordo-mpi was not built or no mpirun is installed (scripts/bootstrap mpi).
set -eu
build=$1
ordo=$build/ordo
program=$build/ordo-mpi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

die() {
    echo "mpi_faults.sh: $*" >&2
    exit 1
}

if [ ! -x "$program" ] || ! command -v mpirun >/dev/null; then
    echo "mpi_faults.sh: no ordo-mpi or no mpirun (scripts/bootstrap mpi installs an MPI)"
    exit 77
fi

# More processes than cores, also as root in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export ORDO_TUNE_FILE=
cd "$tmp"

# ranks COUNT ARGUMENT...: runs ordo-mpi on COUNT processes, which sleep while they wait.
ranks() {
    count=$1
    shift
    LD_PRELOAD=${TEST_MPI_WAIT:-} timeout 120 mpirun -n "$count" "$program" "$@" --threads 1
}

# killed PHASE COUNT ARGUMENT...: the job must die in that phase.
killed() {
    phase=$1
    shift
    status=0
    ORDO_MPI_FAULT=$phase ORDO_MPI_FAULT_FILE=$tmp/reached ranks "$@" 2>errors.txt || status=$?
    rm reached || die "$phase was not reached: $(cat errors.txt)"
    case $status in
    0 | 124) die "$phase: the job ended with $status" ;; # 124: timeout
    esac
    if grep -q '^ordo-mpi: rank' errors.txt; then
        die "$phase: the job failed instead: $(cat errors.txt)"
    fi
}

# only NAME...: nothing else may be here. The names are in alphabetical order.
only() {
    [ "$(echo *)" = "$*" ] || die "$phase: these files are here: $(echo *)"
}

"$ordo" gen zipf -n 30011 --dtype f32 -o keys.npy
"$ordo" sort keys.npy -o expected.npy

# Every phase, in which one of 3 ranks dies. The job goes on with 2, 3 or 5 ranks.
next=2
for phase in start:0 read:2 cuts:1 divided:0 planned:2 range:1:0 sorted:0:0 created:1:0 saved:2:0 \
    finished:0:0 sorted:2:3 created:0:3 saved:0:3 saved:1:5 finished:1:5 output:2 written:0 \
    written:1 renamed:0 removing:0:2; do
    rm -f out.npy
    killed "$phase" 3 sort keys.npy -o out.npy --checkpoint kept --ranges 6
    case $phase in
    renamed:* | removing:*) cmp expected.npy out.npy || die "$phase: the output is wrong" ;;
    written:1) [ ! -e out.npy ] || cmp expected.npy out.npy ;; # rank 0 may have renamed it
    *) [ ! -e out.npy ] || die "$phase: an unfinished output has its name" ;;
    esac
    ranks "$next" sort keys.npy -o out.npy --checkpoint kept --resume 2>errors.txt ||
        die "$phase: $next ranks cannot resume: $(cat errors.txt)"
    cmp expected.npy out.npy || die "$phase: resumed with $next ranks, the bytes differ"
    only errors.txt expected.npy keys.npy out.npy
    next=$((next == 2 ? 3 : next == 3 ? 5 : 2))
done

# The unfinished output of a killed job. The next job removes it, unless a process holds its lock or
# it is of another machine, where locks may be visible to that machine only.
mkdir folder
killed written:0 2 sort keys.npy -o folder/out.npy
left=$(echo folder/*)
[ -f "$left" ] || die "written:0: no unfinished file: $left"
case $left in
folder/out.npy.ordo-mpi-????????-????????????????) ;;
*) die "written:0: left $left" ;;
esac
foreign=$(echo "$left" | sed 's/ordo-mpi-......../ordo-mpi-01234567/')
cp "$left" "$foreign"
cp "$left" "$left.more"
exec 9<>"$left"
flock -n 9 || die "a dead job holds a lock"
ranks 2 sort keys.npy -o folder/out.npy
[ -e "$left" ] || die "the file of a job that lives was removed"
exec 9>&-
ranks 2 rank keys.npy -o folder/other.npy
[ -e "$left" ] || die "the file of another output was removed"
ranks 3 sort keys.npy -o folder/out.npy
[ ! -e "$left" ] || die "the file of a dead job was not removed"
[ "$(echo folder/* | wc -w)" = 4 ] || die "only the file of a dead job should be gone: $(echo folder/*)"
[ -e "$foreign" ] || die "a file of another machine was removed"
cmp expected.npy folder/out.npy || die "beside unfinished files the bytes differ"
rm -r folder

# A job that dies of another rank, or of SIGTERM, removes it itself.
killed written:1 2 tune --keys 1000 -o model.txt
rm -f model.txt
only errors.txt expected.npy keys.npy out.npy

# A checkpoint is resumed on another machine.
killed written:0 2 sort keys.npy -o out.npy --checkpoint kept --ranges 3
for left in out.npy.ordo-mpi-*; do
    mv "$left" "$(echo "$left" | sed 's/ordo-mpi-......../ordo-mpi-01234567/')"
done
ranks 3 sort keys.npy -o out.npy --checkpoint kept --resume 2>errors.txt
cmp expected.npy out.npy || die "resumed on another machine, the bytes differ"
only errors.txt expected.npy keys.npy out.npy

# A job that is killed three times, each time with other ranks; the last run sorts only the rest.
killed finished:0:7 2 sort keys.npy -r -o out.npy --checkpoint kept --ranges 20
killed sorted:4:12 5 sort keys.npy -r -o out.npy --checkpoint kept --resume
killed written:2 3 sort keys.npy -r -o out.npy --checkpoint kept --resume
ranks 4 sort keys.npy -r -o out.npy --checkpoint kept --resume --time 2>errors.txt
grep -q '0 of 20 key ranges sorted' errors.txt || die "finished ranges were sorted again"
"$ordo" sort -r keys.npy -o expected.npy
cmp expected.npy out.npy || die "after three kills the bytes differ"

# Ties that span ranges, zeros of both signs and NaNs, in text.
i=0
while [ $i -lt 400 ]; do
    printf '0\n-0\nnan\n7\n-3.5\n-0\n'
    i=$((i + 1))
done >ties.txt
"$ordo" sort --dtype f64 ties.txt >expected.txt
killed saved:1:4 3 sort --dtype f64 ties.txt -o out.txt --checkpoint kept --ranges 9
ranks 5 sort --dtype f64 ties.txt -o out.txt --checkpoint kept --resume 2>errors.txt
cmp expected.txt out.txt || die "text with ties differs"

# Records keep the order of tied keys.
"$ordo" gen zipf -n 21000 --dtype u32 --format raw -o records.raw
"$ordo" sort records.raw --record-size 28 --key-offset 5 --key-type u16 -o expected.raw
ranks 3 sort records.raw --record-size 28 --key-offset 5 --key-type u16 -o out.raw
cmp expected.raw out.raw || die "records differ"
rm out.raw
killed sorted:1:3 3 sort records.raw --record-size 28 --key-offset 5 --key-type u16 -o out.raw \
    --checkpoint kept --ranges 7
ranks 2 sort records.raw --record-size 28 --key-offset 5 --key-type u16 -o out.raw \
    --checkpoint kept --resume 2>errors.txt
cmp expected.raw out.raw || die "resumed records differ"

# An input without keys, and fewer keys than ranges.
: >empty.raw
ranks 3 sort empty.raw --dtype u64 -o out.raw --checkpoint kept
cmp empty.raw out.raw || die "an empty input has an output"
printf '3\n1\n2\n' >few.txt
ranks 5 sort few.txt -o out.txt --checkpoint kept
[ "$(tr '\n' ' ' <out.txt)" = '1 2 3 ' ] || die "three keys on five ranks: $(cat out.txt)"

# refused TEXT ARGUMENT...: two ranks end with this message.
refused() {
    text=$1
    shift
    status=0
    ranks 2 "$@" 2>errors.txt || status=$?
    [ "$status" -ne 0 ] || die "not refused: $*"
    grep -q "$text" errors.txt || die "expected '$text': $(cat errors.txt)"
    [ "$(grep -c '^ordo-mpi:' errors.txt)" -eq 1 ] || die "more than one message: $(cat errors.txt)"
}

"$ordo" sort keys.npy -o expected.npy
rm -f out.npy
killed finished:0:4 3 sort keys.npy -o out.npy --checkpoint kept --ranges 6
refused 'pass --resume' sort keys.npy -o out.npy --checkpoint kept
refused 'descending differs' sort keys.npy -r -o out.npy --checkpoint kept --resume
refused 'ranges differs' sort keys.npy -o out.npy --checkpoint kept --resume --ranges 7
refused 'type of keys differs' sort keys.npy --dtype u32 -o out.npy --checkpoint kept --resume
cp keys.npy other.npy
touch -d '2001-02-03 04:05:06' other.npy
refused 'time of the input differs' sort other.npy -o out.npy --checkpoint kept --resume
refused 'needs --checkpoint' sort keys.npy -o out.npy --resume
refused 'is for sort' rank keys.npy -o out.npy --checkpoint kept
refused 'cannot create the folder' sort keys.npy -o out.npy --checkpoint missing/kept
refused 'does not end inside' sort records.raw --record-size 4 --key-offset 2 --key-type u32 -o out.raw
refused 'expected a multiple of 27' sort records.raw --record-size 27 --key-type u32 -o out.raw

# A changed byte in a finished range: it is sorted again.
printf 'x' | dd of=kept/range-0002 bs=1 seek=1000 conv=notrunc 2>errors.txt
ranks 2 sort keys.npy -o out.npy --checkpoint kept --resume 2>errors.txt
grep -q 'range-0002 is damaged' errors.txt || die "a damaged range was accepted"
cmp expected.npy out.npy || die "after a damaged range the bytes differ"
killed finished:0:4 3 sort keys.npy -o out.npy --checkpoint kept --ranges 6
printf 'x' | dd of=kept/manifest bs=1 seek=60 conv=notrunc 2>errors.txt
refused 'is damaged' sort keys.npy -o out.npy --checkpoint kept --resume
echo "mpi_faults.sh: passed"
