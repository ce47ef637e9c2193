# unique and merge with -S: the bytes of the same command without it.
compare() { # compare COMMAND OPTION...
    ordo "$@" --format text >expected
    ordo "$@" --format text -S 8Mi -T . >result
    cmp expected result && echo "$*: same bytes"
}

ordo gen uniform -n 4e5 --dtype i16 >short
ordo gen uniform -n 3e5 --dtype f64 -o long.npy
{ cat short && printf '%s\n' 0.0 -0.0 nan nan 1e3; } >mixed
for file in short long.npy mixed; do
    for option in --descending --count --counts; do
        compare unique $file $option
    done
done
ordo unique long.npy -S 8Mi -o distinct.npy && ordo unique long.npy | cmp - distinct.npy

ordo sort short >a
ordo sort long.npy --format text >b
ordo sort long.npy --descending --format text >down
ordo sort long.npy -o sorted.npy
compare merge a b
compare merge -u a a b
compare merge --descending down down
compare merge sorted.npy sorted.npy
ordo merge a down -S 8Mi -T .
echo "exit $?"
ordo merge -S 8Mi - <b
echo "exit $?"
