# Generated lines: the same for the same seed, and only as text.
for dist in strings "fasta --lines"; do
    # shellcheck disable=SC2086 # several words
    set -- $dist
    ordo gen "$@" -n 500 -o a && ordo gen "$@" -n 500 --threads 2 >b && cmp a b
    ordo gen "$@" -n 500 --seed 9 >b
    cmp -s a b && echo "seed does not matter"
    wc -l <a | tr -d ' '
    LC_ALL=C grep -c '^[!-~]*$' a
done
ordo gen fasta --lines -n 500 | awk 'length($0) > 120 || length($0) < 1' | wc -l | tr -d ' '
ordo gen strings -n 500 | awk 'length($0) > 500 || length($0) < 1' | wc -l | tr -d ' '
ordo gen fasta -n 0 | wc -c | tr -d ' '
ordo gen strings -n 1 --format npy
echo $?
ordo gen strings -n 1 --dtype u8
echo $?
ordo gen strings -n 1 -o strings.npy
echo $?
