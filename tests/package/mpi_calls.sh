#!/bin/sh
# mpi_calls.sh ROOT BUILD - the calls of ordo-mpi for memory and files fail in turn, on one of 2 ranks
# (mpi_shim.c): call 1 of rank 0, call 4 of rank 1, call 7 of rank 0, and so on; with ORDO_TORTURE=1
# each call of each rank. Every rank must end with an error, one message must name the rank and no
# temporary file, and no output or temporary file may be left. Skipped if ordo-mpi was not built or no
# mpicc is installed (scripts/bootstrap mpi).
set -eu
root=$1
build=$2
program=$build/ordo-mpi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

die() {
    echo "mpi_calls.sh: $*" >&2
    exit 1
}

if [ ! -x "$program" ] || ! command -v mpirun >/dev/null || ! command -v mpicc >/dev/null; then
    echo "mpi_calls.sh: no ordo-mpi, mpirun or mpicc (scripts/bootstrap mpi installs an MPI)"
    exit 77
fi

# More processes than cores, also as root in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export ORDO_TUNE_FILE='' OMPI_MCA_mpi_yield_when_idle=1
cd "$tmp"
mpicc -O1 -Wall -Wextra -Werror -shared -fPIC "$root/tests/package/mpi_shim.c" -o shim.so -ldl ||
    die "mpicc does not compile mpi_shim.c"
"$build/ordo" gen zipf -n 3000 --dtype u32 --format raw -o keys.raw
"$build/ordo" gen zipf -n 3000 --dtype f32 -o keys.npy
"$build/ordo" sort keys.npy --format text -o keys.txt
mkdir work

# one CALL RANK ARGUMENT...: 0 if the call failed as it should, 1 if the command made fewer calls. The
# processes sleep while they wait.
one() {
    call=$1
    rank=$2
    shift 2
    status=0
    rm -rf work/* struck
    LD_PRELOAD=$tmp/shim.so${TEST_MPI_WAIT:+:$TEST_MPI_WAIT} ORDO_SHIM="call $call" ORDO_SHIM_RANK=$rank ORDO_SHIM_FILE=$tmp/struck \
        timeout 120 mpirun -n 2 "$program" "$@" --threads 1 >said.txt 2>errors.txt || status=$?
    if [ ! -e struck ]; then
        [ "$status" = 0 ] || die "$*: no call failed, exit $status: $(cat errors.txt)"
        return 1
    fi
    where="$*: call $call of rank $rank, $(cat struck)"
    case $status in
    0 | 124) die "$where: the job ended with $status" ;; # 124: a rank waited for ever
    esac
    [ "$(grep -c '^ordo-mpi:' errors.txt)" = 1 ] || die "$where: not one message: $(cat errors.txt)"
    grep -q '^ordo-mpi:.*rank' errors.txt || die "$where: no rank is named: $(cat errors.txt)"
    ! grep -q -i 'mpi_abort' errors.txt || die "$where: the job was aborted: $(cat errors.txt)"
    ! grep -q -e '\.ordo-mpi-' -e '\.new:' errors.txt || die "$where: a temporary file is named: $(cat errors.txt)"
    for left in work/out* work/*.ordo-mpi-*; do
        [ ! -e "$left" ] || die "$where: $left was left behind"
    done
}

torture=${ORDO_TORTURE:-0}
step=3
[ "$torture" = 0 ] || step=1

# some FIRST ARGUMENT...: calls of a command on the ranks FIRST, the other one, and so on, until both
# have made all of their calls.
some() {
    rank_now=$1
    shift
    number=1
    ended=0
    while [ "$ended" -lt 2 ]; do
        if one "$number" "$rank_now" "$@"; then
            ended=0
        else
            ended=$((ended + 1))
        fi
        number=$((number + step))
        rank_now=$((1 - rank_now))
    done
    [ "$number" -gt $((2 * step + 1)) ] || die "$*: no call failed"
}

every() {
    some 0 "$@"
    [ "$torture" = 0 ] || some 1 "$@"
    echo "mpi_calls.sh: $*: passed"
}

every sort keys.raw --record-size 12 --key-type u32 -o work/out.raw --checkpoint work/kept --ranges 2
every sort keys.npy -S 8Mi -T "$tmp" -o work/out.npy
every sort keys.txt -o work/out.txt
every sort --text keys.txt -o work/out.txt
every rank keys.npy -o work/out.npy
every topk keys.npy -k 5
every median --text keys.txt
echo "mpi_calls.sh: passed"
