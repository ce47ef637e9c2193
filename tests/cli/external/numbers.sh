# With -S the commands give the same bytes as without: npy, raw and text files, pipes, several files.
export TMPDIR="$PWD/spill"
mkdir spill
ordo gen uniform -n 600000 --dtype u64 --seed 3 -o u.npy
ordo gen normal -n 600000 --dtype f64 --seed 4 --format raw -o f.bin
ordo gen uniform -n 300000 --dtype i64 --seed 5 -o i.txt
awk '{ x = $1 % 1000; print (x % 7 == 0 ? "-0" : x % 5 == 0 ? "0.0" : x % 11 == 0 ? "nan" : x "0.50") }' i.txt >m.txt

# same INPUT COMMAND...: the command on the file with and without a limit, and on a pipe
same() {
    input=$1
    shift
    ordo "$@" "$input" -o whole || echo "whole: $?"
    ordo "$@" "$input" -S 8Mi -o file || echo "file: $?"
    ordo "$@" -S 8Mi -o piped <"$input" || echo "stdin: $?"
    # shellcheck disable=SC2002 # a pipe, not a file
    cat "$input" | ordo "$@" -S 8Mi -o pipe || echo "pipe: $?"
    cmp whole file && cmp whole piped && cmp whole pipe && echo "$* $input"
}
for input in u.npy i.txt m.txt; do
    for verb in sort 'sort -r' 'sort -u' 'sort -r -u' argsort 'argsort --one-based --descending' \
        rank 'rank --ties average --descending' median 'median --nans omit' 'quantile --nans last' \
        'select -k 1,1000,5' 'topk -k 10' 'topk -k 10 --smallest' 'topk -k 2e5 --nans omit'; do
        # shellcheck disable=SC2086 # several words
        same $input $verb
    done
done
for verb in sort argsort rank median; do
    same f.bin $verb --from raw --dtype f64
done
ordo sort i.txt -S 8Mi --format raw -o raw && ordo sort raw --from raw --dtype i64 --check && echo raw
ordo sort u.npy u.npy -S 8Mi -o two.npy && ordo sort u.npy u.npy -o whole.npy && cmp two.npy whole.npy
ordo sort i.txt i.txt -S 8Mi -o two.txt && ordo sort i.txt i.txt -o whole.txt && cmp two.txt whole.txt
# Data that fit use no temporary files; data that do not, say what was done.
ordo sort u.npy -S 24Mi --explain -o out.npy 2>&1 | grep '^runs '
ordo sort u.npy -S 8Mi -T . -T spill --explain -o out.npy 2>&1 | sed 's/[0-9][0-9.]*/N/g; s/bound by .*/bound/'
ls -A spill
