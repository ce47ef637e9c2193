# -S keeps its promise: the peak of the resident memory of a command, less that of `ordo version`, is at most S, and the results
# are those without -S, from plain and from compressed files. A command that cannot keep the limit refuses with the reason.
# The table is limits x formats x numbers, lines and rows x commands; a larger limit has more data. With ORDO_TORTURE=1 all of it is
# tried. Otherwise the limit of 32 MiB, all formats with `sort`, and by turns a plain or a compressed file with the other commands;
# the other limits with `sort` only.
torture=${ORDO_TORTURE-}
"$TEST_COST" cost ordo version >/dev/null
base=$(sed 's/ .*//' cost)

# run ARGUMENTS: out, err and code of the command; says if its memory exceeds the limit, in MiB.
run() {
    "$TEST_COST" cost ordo "$@" -S "${limit}Mi" >out 2>err
    code=$?
    peak=$((($(sed 's/ .*//' cost) - base) / 1024))
    [ "$peak" -le "$limit" ] || echo "-S ${limit}Mi: $peak MiB: $*"
}

# same FILE ENDS ARGUMENTS: with each of these ends of its name, the file gives the results of the plain file without -S. Commands
# that hold all data in memory (held=yes) may refuse.
held=
same() {
    file=$1 ends=$2
    shift 2
    rm -f expected
    for end in $ends; do
        run "$@" "$file${end#plain}"
        if [ "$code" -ne 0 ] && [ -n "$held" ] && grep -q 'memory limit' err; then
            continue
        fi
        [ -f expected ] || ordo "$@" "$file" >expected
        [ "$code" -eq 0 ] && cmp -s out expected && continue
        echo "-S ${limit}Mi: ordo $* $file${end#plain}: $code, or other results"
        cat err
    done
}

# each FILE COMMAND...: the same for these commands.
each() {
    file=$1
    shift
    for command in "$@"; do
        if [ -n "$torture" ]; then turn=$all; elif [ "$turn" = plain ]; then turn=.gz; else turn=plain; fi
        # shellcheck disable=SC2086 # several words
        same "$file" "$turn" $command
    done
}

# pack FILE TOOL...: compresses the file; `all` becomes the ends of the names.
pack() {
    file=$1 all=plain turn=plain
    shift
    for tool in "$@"; do
        command -v "${tool%:*}" >/dev/null || continue
        "${tool%:*}" -1 -c "$file" >"$file${tool#*:}" && all="$all ${tool#*:}"
    done
}
# Whether all commands are tried with the limit, and not only `sort`.
full() { [ -n "$torture" ] || [ "$limit" = 32 ]; }
tools='gzip:.gz bzip2:.bz2 xz:.xz zstd:.zst'
[ -n "$torture" ] && quick=$tools || quick=gzip:.gz

check_numbers() {
    ordo gen uniform -n $n --dtype u64 --seed 1 --format text -o numbers
    # shellcheck disable=SC2086
    pack numbers $packers
    same numbers "$all" sort
    full || return 0
    each numbers argsort rank median 'select -k 1000' 'quantile -q 0.1,0.9' 'percentile -p 10,90' 'topk -k 10' \
        'topk -k 10 --index' 'unique --counts' sum min max count describe
    held=yes
    ordo gen uniform -n $n --dtype u8 --seed 4 -o flags.npy
    ordo gen uniform -n $n --dtype f64 --seed 5 -o weights.npy
    each numbers scan 'shuffle --seed 3' 'sample -k 100000 --seed 3' radius 'moving --window 9' 'partition --flags flags.npy' \
        'sort --algorithm radix' 'argsort --then weights.npy' 'topk -k 3 --groups flags.npy' 'median --weights weights.npy'
    held=
    ordo sort numbers -o sorted
    rm numbers* flags.npy weights.npy
    # shellcheck disable=SC2086
    pack sorted $quick
    each sorted 'merge sorted' check 'sort -c'
    head -c 3000000 sorted >some
    rm sorted*
}

# Commands that hold a text, and numbers that are made.
check_texts() {
    held=yes
    for bytes in 900000 3000000; do
        head -c $bytes some >text
        # shellcheck disable=SC2086
        pack text $quick
        each text suffix 'suffix --lcp lcp' bwt index
        ordo bwt text -o text.bwt && same text.bwt plain unbwt
        ordo index text -o text.fm && run search text.fm 123
        [ "$code" -eq 0 ] || grep -q 'memory limit' err || cat err
    done
    for count in $((many * 6)) $((many * 25)) $((many * 125)); do
        run gen uniform -n $count --dtype u64
        [ "$code" -eq 0 ] || grep -q 'memory limit' err || cat err
    done
    held=
    rm -f some text* lcp*
}

# Lines of about 100 bytes.
check_lines() {
    ordo gen uniform -n $many --dtype u32 --seed 2 --format text |
        awk '{ printf "%s,%d,the quick brown fox jumps over the lazy dog,%s.%d and some more of it\n", $1, NR % 977, $1 * 7 % 1000003, NR }' >lines
    # shellcheck disable=SC2086
    pack lines $packers
    same lines "$all" sort --text
    full || return 0
    each lines 'unique --text -c' 'unique --text --sort count' 'sort -u --text' 'sort -t, -k2,2n -k1,1' 'sort -V' 'topk --text -k 10'
    held=yes
    each lines 'argsort --text' 'rank --text' 'select --text -k 7' 'shuffle --text --seed 3' 'sample --text -k 9 --seed 3'
    held=
}

# The lines as rows.
check_rows() {
    { echo 'key,small,text,rest' && cat lines; } >rows
    rm lines*
    # shellcheck disable=SC2086
    pack rows $packers
    same rows "$all" sort --csv --key key
    full || return 0
    each rows 'sort --csv --key rest -u' 'argsort --csv --key key' 'rank --csv --key small' 'rank --csv --key key --by small' \
        'topk --csv --key key -k 5' 'topk --csv --key key -k 2 --by small' 'select --csv --key rest -k 9' \
        'unique --csv --key small --counts' 'describe --csv' 'sum --csv --column key --by rest' 'median --csv --column key' \
        'quantile --csv --column key --by small -q 0.5' 'min --csv' 'max --csv' 'count --csv' 'percentile --csv --column key -p 5'
    held=yes
    each rows 'shuffle --csv --seed 3' 'sample --csv -k 999' 'moving --csv --column small --window 9' 'scan --csv --column key' \
        'scan --csv --column small --by small'
    held=
    ordo sort --csv --key key rows -o sorted
    rm rows*
    pack sorted gzip:.gz
    same sorted "$all" sort --csv --key key -c
    same sorted "$all" check --csv --key key
    same sorted "$all" merge --csv --key key sorted
    rm sorted*
}

# Short lines take the most memory for their bytes.
check_digits() {
    ordo gen uniform -n $((many * 6)) --dtype u8 --seed 3 --format text | sed 's/.*\(.\)$/\1/' >digits
    pack digits gzip:.gz
    each digits sort argsort 'sort --text' 'sort -n' 'topk --text -k 3' 'sort --csv --no-header --key 1' \
        'unique --csv --no-header --key 1' 'rank --csv --no-header --key 1' 'sum --csv --no-header'
    rm digits*
}

for limit in 32 50 256; do
    many=$((limit * 5000)) n=$((limit * 35000))
    [ "$limit" = 32 ] && packers=$tools || packers=$quick
    check_numbers
    check_lines
    check_rows
    full || continue
    check_texts
    check_digits
done

# What cannot be kept: a long line, an open quote, a large dictionary, a compressor.
limit=32
head -c 40000000 /dev/zero | tr '\0' 1 | gzip -1 >line.gz
for command in sort 'sort --text' 'topk --text -k 1' 'sort --csv --key 1' 'sort -c --text'; do
    # shellcheck disable=SC2086
    run $command line.gz
    [ "$code" -eq 2 ] || [ "$command" = 'sort -c --text' ] || echo "$command of a long line: $code"
done
{ printf 'a,b\n1,"' && yes 'x,y' | head -n 3000000; } | gzip -1 >quote.gz
run sort --csv --key a quote.gz
cat err
if command -v xz >/dev/null; then
    seq 1000 | xz -9 >large.xz
    for command in sort 'sort --text' 'sort --csv --no-header --key 1'; do
        # shellcheck disable=SC2086
        run $command large.xz
        grep -q 'large.xz: decompressing the xz data takes more than .* bytes of memory, 1/3 of the memory limit' err || cat err
    done
fi
seq 1000 >small
run sort small -o out.xz
cat err
