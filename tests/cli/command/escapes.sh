# Names of files, folders and programs and the values of variables may hold control sequences of a
# terminal. Every message shows them as printable ASCII.
bad=$(printf 'a\033[31m\233m\nb\177\303\266')
printf '2\n1\n' >"$bad"
printf 'x,y\n2,z\n1,z\n' >"$bad.csv"
printf 'ordo: x\n' | ordo bzip2 -c >"$bad.bz2"

# all OPTION...: runs the command, which may fail, and shows bytes that are not printable
all() {
    ordo "$@" >printed 2>&1 </dev/null
    code=$?
    grep -q 'cannot open' printed && code="$code cannot open"
    echo "$code $(printf '%s' "$1" | tr -cd ' -~')$(tr -d '\n -~' <printed | od -An -tx1)"
}
one() { all "$@" && cat printed; }
one sort "$bad.none"
one sort --csv "$bad.csv" --key "$bad"
one sort --csv "$bad.csv" --key y:number
one sort -o "$bad.none/out" "$bad"
one bzip2 -tv "$bad.bz2"
for command in argsort rank select median quantile percentile topk min max sum count describe unique \
    merge check shuffle sample radius scan moving partition suffix bwt unbwt index search bzip2; do
    case $command in
    select | topk | sample) all $command -k 1 "$bad.none" ;;
    quantile) all $command -q 0.5 "$bad.none" ;;
    percentile) all $command -p 50 "$bad.none" ;;
    moving) all $command --window 1 "$bad.none" ;;
    partition) all $command "$bad" --flags "$bad.none" ;;
    search) all $command "$bad.none" x ;;
    *) all $command "$bad.none" ;;
    esac
done
all "$bad"
all help "$bad"
all sort "--$bad"
all sort --dtype "$bad"
all sort --key "$bad"
all rank --groups "$bad.none" "$bad"
all argsort --then "$bad.none" "$bad"
all sort --files0-from "$bad.none"
all sort -R --random-source "$bad.none" "$bad"
all sort --profile-json "$bad.none/x" "$bad"
all gen uniform -n 3 -o "$bad.none/x"
all check "$bad"
all bzip2 -vk "$bad.csv"
all sort -m --text -T "$bad.none" --batch-size 2 "$bad" "$bad" "$bad"
ordo gen uniform -n 3e6 --format raw -o large.bin
all sort -S 8Mi -T "$bad.none" --dtype f64 large.bin
TMPDIR=$bad.none
export TMPDIR
all sort -S 8Mi --dtype f64 large.bin
all sort -S 8Mi --text large.bin
unset TMPDIR
for variable in ORDO_THREADS ORDO_DEVICE ORDO_ISA; do
    export "$variable=$bad"
    all sort "$bad"
    unset $variable
done
ORDO_BACKEND_DIR=$bad ORDO_TUNE_FILE=$bad
export ORDO_BACKEND_DIR ORDO_TUNE_FILE
all info
all info --json
all tune --show
all sort --device cuda "$bad"
