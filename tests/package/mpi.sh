#!/bin/sh
# mpi.sh ROOT BUILD - ordo_mpi.h compiles without a warning with every MPI that is installed, and
# ordo-mpi on 2, 3 and 8 processes writes the bytes that ordo writes. Bad input ends every process
# with exit code 2 and leaves no file; so does a call that fails on one process (mpi_shim.c). Skipped without an MPI (scripts/bootstrap mpi installs two).
set -eu
root=$1
build=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

die() {
    echo "mpi.sh: $*" >&2
    exit 1
}

# More processes than cores, also as root in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export ORDO_TUNE_FILE=

ordo=$build/ordo
cd "$tmp"
"$ordo" gen zipf -n 30000 --dtype f32 -o zipf.npy
"$ordo" gen uniform -n 20011 --dtype i64 -o uniform.npy
"$ordo" gen uniform -n 5000000 --dtype u64 -o large.npy
yes 7 | head -n 5000 | "$ordo" sort --dtype u8 --format npy -o constant.npy
"$ordo" sort uniform.npy --format text -o uniform.txt
"$ordo" gen zipf -n 9000 --dtype u32 --format raw -o records.raw
printf '\000\000\000\000\000\000\000\200\000\000\200\077\000\000\000\200' >zeros.raw # +0 -0 1 -0
printf '3\n1\nx\n' >bad.txt
awk 'BEGIN { srand(3); for (i = 0; i < 6000; i++) { n = int(rand() * 900)
    print (i % 3 ? "https://www.example.org/catalogue/items/" n : substr("abacadabra", 1 + n % 9)) }
    printf "the last line has no end" }' >lines.txt

# ranks COUNT ARGUMENT...: runs ordo-mpi on COUNT processes, which sleep while they wait.
ranks() {
    count=$1
    shift
    LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}${TEST_MPI_WAIT:-} timeout 120 "$run" -n "$count" "$program" "$@" --threads 1
}

check_bytes() { # check_bytes COUNT
    for keys in zipf uniform constant; do
        "$ordo" sort "$keys.npy" -o expected.npy
        ranks "$1" sort "$keys.npy" -o got.npy || die "$run -n $1: sort $keys failed"
        cmp expected.npy got.npy || die "$run -n $1: sort $keys differs"
        "$ordo" rank "$keys.npy" --ties average -o expected.npy
        ranks "$1" rank "$keys.npy" --ties average -o got.npy || die "$run -n $1: rank failed"
        cmp expected.npy got.npy || die "$run -n $1: rank $keys differs"
        "$ordo" quantile "$keys.npy" -q 0.1,0.5,0.99 >expected.txt
        ranks "$1" quantile "$keys.npy" -q 0.1,0.5,0.99 >got.txt || die "$run -n $1: quantile failed"
        cmp expected.txt got.txt || die "$run -n $1: quantile of $keys differs"
    done
    "$ordo" sort -r uniform.txt >expected.txt
    ranks "$1" sort -r uniform.txt -o got.txt || die "$run -n $1: sort of text failed"
    cmp expected.txt got.txt || die "$run -n $1: sort of text differs"
    "$ordo" sort records.raw --record-size 12 --key-offset 3 --key-type i16 -o expected.raw
    ranks "$1" sort records.raw --record-size 12 --key-offset 3 --key-type i16 -o got.raw ||
        die "$run -n $1: sort of records failed"
    cmp expected.raw got.raw || die "$run -n $1: sort of records differs"
    "$ordo" sort zeros.raw --record-size 4 --key-type f32 -o expected.raw
    ranks "$1" sort zeros.raw --record-size 4 --key-type f32 -o got.raw ||
        die "$run -n $1: sort of records without other bytes failed"
    cmp expected.raw got.raw || die "$run -n $1: sort of records without other bytes differs"
    "$ordo" topk -k 7 uniform.npy >expected.txt
    ranks "$1" topk -k 7 -r uniform.npy >got.txt || die "$run -n $1: topk failed"
    cmp expected.txt got.txt || die "$run -n $1: topk differs"
}

check_lines() { # check_lines COUNT
    "$ordo" sort --text lines.txt >expected.txt
    ranks "$1" sort --text lines.txt -o got.txt || die "$run -n $1: sort of lines failed"
    cmp expected.txt got.txt || die "$run -n $1: sort of lines differs"
    "$ordo" sort --text -r lines.txt >expected.txt
    ranks "$1" sort --lines -r lines.txt -o got.txt || die "$run -n $1: reverse sort of lines failed"
    cmp expected.txt got.txt || die "$run -n $1: reverse sort of lines differs"
    for ties in min max dense ordinal average; do
        "$ordo" rank --text lines.txt --ties "$ties" --format text >expected.txt
        ranks "$1" rank --text lines.txt --ties "$ties" -o got.txt || die "$run -n $1: rank of lines failed"
        cmp expected.txt got.txt || die "$run -n $1: rank --ties $ties of lines differs"
    done
    LC_ALL=C sort lines.txt >sorted.txt
    ranks "$1" select --text lines.txt -k 5,6000,1 >got.txt || die "$run -n $1: select of lines failed"
    sed -n -e 6p sorted.txt >expected.txt
    sed -n -e 6001p sorted.txt >>expected.txt
    sed -n -e 2p sorted.txt >>expected.txt
    cmp expected.txt got.txt || die "$run -n $1: select of lines differs"
    ranks "$1" median --text lines.txt >got.txt || die "$run -n $1: median of lines failed"
    sed -n 3001p sorted.txt | cmp - got.txt || die "$run -n $1: median of lines differs"
    ranks "$1" topk -k 9 --text lines.txt >got.txt || die "$run -n $1: topk of lines failed"
    head -n 9 sorted.txt | cmp - got.txt || die "$run -n $1: topk of lines differs"
    ranks "$1" quantile -q 1 --method lower --text lines.txt >got.txt || die "$run -n $1: quantile of lines failed"
    tail -n 1 sorted.txt | cmp - got.txt || die "$run -n $1: quantile of lines differs"
}

# A rank's part is several times as large as its memory.
check_disks() { # check_disks COUNT
    for keys in zipf uniform constant large; do
        "$ordo" sort "$keys.npy" -r -o expected.npy
        ranks "$1" sort "$keys.npy" -r -S 8Mi -T "$tmp" -o got.npy || die "$run -n $1: sort -S of $keys failed"
        cmp expected.npy got.npy || die "$run -n $1: sort -S of $keys differs"
    done
    "$ordo" sort records.raw --record-size 12 --key-offset 3 --key-type i16 -o expected.raw
    ranks "$1" sort records.raw --record-size 12 --key-offset 3 --key-type i16 -S 8Mi -o got.raw ||
        die "$run -n $1: sort -S of records failed"
    cmp expected.raw got.raw || die "$run -n $1: sort -S of records differs"
}

check_errors() {
    echo old >kept.npy
    status=0
    ranks 3 sort bad.txt -o kept.npy 2>errors.txt || status=$?
    [ "$status" -ne 0 ] || die "$run: a bad line was accepted"
    grep -q 'bad.txt: line . behind byte .* is not a number' errors.txt || die "$run: $(cat errors.txt)"
    [ "$(cat kept.npy)" = old ] || die "$run: a failed sort changed the output"
    status=0
    ranks 2 sort missing.npy -o kept.npy 2>errors.txt || status=$?
    [ "$status" -ne 0 ] || die "$run: a missing file was accepted"
    grep -q 'missing.npy: cannot open' errors.txt || die "$run: $(cat errors.txt)"
    status=0
    ranks 2 select uniform.npy -k 20011 2>errors.txt || status=$?
    [ "$status" -ne 0 ] || die "$run: a position behind the end was accepted"
    grep -q 'expected less than 20011' errors.txt || die "$run: $(cat errors.txt)"
    ! ranks 2 sort uniform.npy -S 8Mi -T "$tmp/missing" -o kept.npy 2>errors.txt || die "$run: no folder"
    grep -q 'rank 0: opening a temporary file in .*/missing failed' errors.txt || die "$run: $(cat errors.txt)"
    ! ranks 2 sort uniform.txt -S 8Mi -o kept.npy 2>errors.txt || die "$run: text with -S"
    grep -q 'uniform.txt is text; -S sorts npy' errors.txt || die "$run: $(cat errors.txt)"
    ! ranks 2 quantile --text lines.txt -q 0.5 --method linear 2>errors.txt || die "$run: a mean of lines"
    grep -q 'computes a mean' errors.txt || die "$run: $(cat errors.txt)"
    mkfifo pipe.npy
    for call in 'sort zipf.npy' 'rank zipf.npy' 'tune --keys 1000'; do
        # shellcheck disable=SC2086 # the words of a call
        ! ranks 2 $call -o pipe.npy 2>errors.txt || die "$run: $call replaced a pipe"
        grep -q '^ordo-mpi: .*pipe.npy: ' errors.txt || die "$run: $(cat errors.txt)"
        [ -p pipe.npy ] || die "$run: $call replaced a pipe"
    done
    rm pipe.npy
    mkdir -p other
    ln -s other/target.npy link.npy
    for call in 'sort zipf.npy' 'rank zipf.npy' 'tune --keys 1000'; do
        echo old >other/target.npy
        # shellcheck disable=SC2086 # the words of a call
        ranks 2 $call -o link.npy || die "$run: $call to a link"
        [ -L link.npy ] || die "$run: $call replaced a link"
        [ "$(wc -c <other/target.npy)" -gt 4 ] || die "$run: $call did not replace the file of a link"
    done
    rm -r link.npy other
    (umask 077 && ranks 2 sort zipf.npy -o private.npy) || die "$run: sort with a umask"
    [ "$(stat -c %a private.npy)" = 600 ] || die "$run: a new file has the mode $(stat -c %a private.npy)"
    rm private.npy
    for left in *.ordo-mpi-*; do
        [ ! -e "$left" ] || die "$run: $left was left behind"
    done
}

# differ TEXT FIRST OTHER: rank 0 is called with the words FIRST and rank 1 with OTHER. Both must end
# with exit code 2, after one message with TEXT. `each` waits until both have ended, because a launcher
# kills the others when one process fails.
differ() {
    rm -f codes.txt
    status=0
    # shellcheck disable=SC2086 # the words of a call
    LD_PRELOAD=${TEST_MPI_WAIT:-} timeout 120 "$run" -n 1 ./each "$program" $2 : -n 1 ./each "$program" $3 \
        >said.txt 2>errors.txt || status=$?
    [ "$status" != 124 ] || die "$run: '$2' waits for '$3'"
    [ "$status" != 0 ] || die "$run: '$2' beside '$3' succeeds"
    [ "$(tr '\n' ' ' <codes.txt)" = '2 2 ' ] || die "$run: '$2' beside '$3': exit codes $(cat codes.txt)"
    [ "$(grep -c '^ordo-mpi:' errors.txt)" = 1 ] || die "$run: '$2' beside '$3': not one message: $(cat errors.txt)"
    grep -q "^ordo-mpi: rank 1: $1" errors.txt || die "$run: '$2' beside '$3': $(cat errors.txt)"
}

# Every process has the same command line and sees the same input.
check_agreement() {
    cat >each <<'END'
#!/bin/sh
"$@"
code=$?
echo $code >>codes.txt
while [ "$(wc -l <codes.txt)" -lt 2 ]; do
    sleep 0.02
done
exit $code
END
    chmod +x each
    sort='sort uniform.npy -o got.npy'
    rm -rf got.npy other.npy kept
    differ '-S differs' "$sort -S 8Mi" "$sort"
    differ '-S differs' "$sort" "$sort -S 8Mi"
    differ 'the input file differs' "$sort" 'sort zipf.npy -o got.npy'
    differ '--output differs' "$sort" 'sort uniform.npy -o other.npy'
    differ '--checkpoint differs' "$sort" "$sort --checkpoint kept"
    differ 'the type of keys differs' "$sort" "$sort --dtype i64"
    differ '--text differs' 'median lines.txt --text' 'median lines.txt'
    differ '-q differs' 'quantile uniform.npy -q 0.5' 'quantile uniform.npy -q 0.6'
    differ '-k differs' 'select uniform.npy -k 5' 'select uniform.npy -k 6'
    differ '--ties differs' 'rank uniform.npy -o got.npy' 'rank uniform.npy -o got.npy --ties dense'
    differ 'the command differs' "$sort" 'rank uniform.npy -o got.npy'
    differ 'the command differs' "$sort" '--help'
    differ 'the command differs' 'completion bash' "$sort"
    differ "--dtype is 'u9'; expected" "$sort" "$sort --dtype u9"
    differ 'sort: -o FILE is missing' "$sort" 'sort uniform.npy'
    differ "the command is ''; expected" "$sort" ''
    for left in got.npy other.npy kept; do
        [ ! -e "$left" ] || die "$run: ranks that do not agree made $left"
    done
    # What may differ: threads, temporary folders, bytes of memory.
    "$ordo" sort uniform.npy -o expected.npy
    mkdir temporary
    LD_PRELOAD=${TEST_MPI_WAIT:-} timeout 120 "$run" -n 1 "$program" sort uniform.npy -o got.npy --threads 1 -S 8Mi -T . : \
        -n 1 "$program" sort uniform.npy -o got.npy --threads 2 -S 9Mi -T temporary 2>errors.txt ||
        die "$run: different threads, folders and memory: $(cat errors.txt)"
    cmp expected.npy got.npy || die "$run: with different threads, folders and memory the bytes differ"
    rmdir temporary
}

# Control characters of names do not reach the terminal.
check_escapes() {
    escape=$(printf '\033[31m')
    ranks 2 sort "no$escape.npy" -o got.npy >said.txt 2>errors.txt && die "$run: sorts a file that is not there"
    grep -qF 'rank 0: no\x1b[31m.npy: cannot open' errors.txt || die "$run: names are not escaped: $(cat -v errors.txt)"
    ranks 2 sort "--no$escape" >said.txt 2>errors.txt && die "$run: accepts an unknown option"
    grep -qF 'no\x1b[31m' errors.txt || die "$run: options are not escaped: $(cat -v errors.txt)"
}

# apart TEXT: two ranks sort keys.npy, each in a folder of its own, and end with a message with TEXT.
apart() {
    status=0
    LD_PRELOAD=${TEST_MPI_WAIT:-} timeout 120 "$run" -n 1 "$tmp/within" here "$program" sort keys.npy -o out.npy : \
        -n 1 "$tmp/within" there "$program" sort keys.npy -o out.npy 2>errors.txt || status=$?
    [ "$status" = 2 ] || die "$run: two files of one name: exit $status: $(cat errors.txt)"
    grep -q "$1" errors.txt || die "$run: $(cat errors.txt)"
    [ "$(echo here/* there/*)" = 'here/keys.npy there/keys.npy' ] || die "$run: left: $(echo here/* there/*)"
}

# One name, but two files: the first or the last bytes of the input differ, or only the place of the
# output.
check_folders() {
    cat >within <<'END'
#!/bin/sh
cd "$1" || exit 3
shift
exec "$@"
END
    chmod +x within
    mkdir here there
    cp large.npy here/keys.npy
    for place in 4000 39990000; do
        cp large.npy there/keys.npy
        printf 'x' | dd of=there/keys.npy bs=1 seek="$place" conv=notrunc 2>errors.txt
        apart 'rank 1: keys.npy has .* or other contents'
    done
    cp large.npy there/keys.npy
    apart 'rank 1: out.npy: cannot write: '
    rm -r here there
}

# A limit on the size of files is an error of a write: the message names it, and no file is left.
check_file_limit() {
    for call in 'sort large.npy -o limited.npy' 'sort large.npy -S 8Mi -o limited.npy' \
        'rank large.npy -o limited.npy' 'sort large.npy -o limited.npy --checkpoint limited'; do
        status=0
        # shellcheck disable=SC2086 # the words of a call
        (ulimit -f 20000 && ranks 2 $call) >said.txt 2>errors.txt || status=$?
        [ "$status" = 2 ] || die "$run: $call beyond the limit of a file: exit $status: $(cat errors.txt)"
        grep -q '^ordo-mpi: .*File too large' errors.txt || die "$run: $call: $(cat errors.txt)"
        rm -rf limited
        [ "$(echo limited*)" = 'limited*' ] || die "$run: $call left $(echo limited*)"
    done
}

# fails SHIM RANK TEXT ARGUMENT...: the call that SHIM names fails on that rank, and every rank ends
# with the message. 124 is the exit code of timeout: a rank waited for ever.
fails() {
    shim=$1
    rank=$2
    text=$3
    shift 3
    status=0
    LD_PRELOAD=$tmp/shim.so ORDO_SHIM=$shim ORDO_SHIM_RANK=$rank ranks 3 "$@" >said.txt 2>errors.txt || status=$?
    case $status in
    0 | 124) die "$run: $shim on rank $rank: the job ended with $status" ;;
    esac
    grep -q "$text" errors.txt || die "$run: $shim on rank $rank: expected '$text': $(cat errors.txt)"
}

check_failing_calls() {
    "$compiler" -O1 -shared -fPIC "$root/tests/package/mpi_shim.c" -o shim.so -ldl ||
        die "$compiler does not compile mpi_shim.c"
    fails 'wait 3' 1 'rank 1: an exchange of' tune --keys 2000 -o model.txt
    fails 'malloc 299008 1' 0 'no memory for a plan' sort zipf.npy -o got.npy --checkpoint kept
    fails 'malloc 65544 1' 2 'no memory for a block of a range' sort zipf.npy -o got.npy \
        --checkpoint kept --ranges 4
    rm -rf kept
}

# compile OUTPUT OPTION...
compile() {
    output=$1
    shift
    "$compiler" -std=c11 -O1 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "$@" -I "$root" \
        -I "$root/lib" -I "$root/include" "$root"/mpi/*.c "$root"/mpi/checkpoint/*.c "$root"/cli/io/npy.c "$root"/cli/io/tempfile.c \
        "$root"/cli/io/number/number*.c "$root"/cli/io/number/powers.c "$root"/cli/base/terminal.c "$root"/cli/base/progress.c \
        "$root"/cli/base/signals.c "$root"/cli/ui/completion.c "$root"/cli/ui/help_text.c "$root"/cli/ui/option_values.c \
        "$root"/lib/external/disk/crc32c.c -L "$build" -lordo -Wl,-rpath,"$build" -lpthread -lm -o "$output" ||
        die "$compiler does not compile ordo-mpi"
}

# The parts of a prediction add up to its total, which is not below the bound.
check_model() {
    ranks 3 tune --keys 20000 -o model.txt || die "$run: tune failed"
    "$program" predict --model model.txt --nodes 1000 --keys 1e12 --type u32 --taper 2 >said.txt ||
        die "predict failed"
    awk '/^  (search|merge|exchange|local)/ { sub(/\(.*/, ""); sum += $(NF - 1) }
        /^  total/ { total = $2 }
        /^  lower/ { bound = $3 }
        END { exit !(total > 0 && bound > 0 && bound <= total && (sum - total) ^ 2 < 1e-6) }' \
        said.txt || die "$run: the prediction does not add up: $(cat said.txt)"
    ! ranks 2 tune --keys 1000 -o missing/model.txt 2>errors.txt || die "$run: tune without a folder"
    grep -q 'rank 0: missing/model.txt: cannot create' errors.txt || die "$run: $(cat errors.txt)"
    grep -v '^sort ' model.txt >short.txt
    ! "$program" predict --model short.txt --nodes 10 --keys 5 2>errors.txt || die "no 'sort' in it"
    grep -q "no number for 'sort'" errors.txt || die "$run: $(cat errors.txt)"
}

# One process prints the version, which is that of `ordo`.
check_version() {
    for word in version --version; do
        timeout 120 "$run" -n 2 "$program" "$word" >said.txt || die "$run: $word failed"
        [ "$(cat said.txt)" = "ordo-mpi $("$build/ordo" version | cut -d ' ' -f 2)" ] ||
            die "$run: $word prints $(cat said.txt)"
    done
    ! timeout 120 "$run" -n 2 "$program" version now 2>errors.txt || die "$run: version takes an operand"
    grep -q "ordo-mpi: the operand of version is 'now'; expected none" errors.txt || die "$run: $(cat errors.txt)"
}

found=
for kind in mpich openmpi; do
    compiler=mpicc.$kind
    run=mpirun.$kind
    if ! command -v "$compiler" >/dev/null || ! command -v "$run" >/dev/null; then
        continue
    fi
    program=$tmp/ordo-mpi.small.$kind # pieces of the keys are many messages, as those above 2^31
    compile "$program" -DORDO_MPI_PIECE=1024
    check_bytes 3
    program=$tmp/ordo-mpi.$kind
    compile "$program"
    for count in 2 3 8; do
        check_bytes "$count"
        check_lines "$count"
        [ "$count" = 8 ] || check_disks "$count"
    done
    check_errors
    check_agreement
    check_escapes
    check_folders
    check_file_limit
    check_failing_calls
    check_model
    check_version
    found="$found $kind"
done
[ -n "$found" ] || {
    echo "mpi.sh: neither mpicc.mpich nor mpicc.openmpi is installed (scripts/bootstrap mpi)"
    exit 77
}
echo "mpi.sh: passed with$found"
