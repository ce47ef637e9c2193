# Every distribution of numbers that needs no option, and every type: the requested number of keys,
# and the same keys for the same seed.
dists=$(sed -n 's/^ORDO_DIST_ROW([A-Z]*, \([a-z]*\), ordo_gen_.*, NOTHING,.*/\1/p' "$DISTS")
for dist in uniform sensors; do
    echo "$dists" | grep -x $dist
done
for dist in $dists; do
    for type in $TYPES; do
        ordo gen "$dist" -n 300 --dtype "$type" --seed 5 -o a.npy &&
            ordo gen "$dist" -n 300 --dtype "$type" --seed 5 --threads 3 -o b.npy &&
            cmp a.npy b.npy || echo "$dist $type differs"
    done
    [ "$(ordo gen "$dist" -n 300 | wc -l)" -eq 300 ] || echo "$dist has not 300 keys"
done
ordo gen uniform -n 300 --seed 6 >a
ordo gen uniform -n 300 --seed 7 >b
cmp -s a b || echo "seeds differ"
for dist in sorted 'recur -p 0.5'; do
    # shellcheck disable=SC2086 # two words
    ordo gen $dist -n 300 | ordo sort --check && echo "$dist is sorted"
done
ordo gen reverse -n 300 | ordo sort --check --descending && echo "reverse is sorted"
ordo gen recur -n 300 -p 1 | ordo rank --sorted | sort -u
ordo gen recur -n 300 -p 0 | ordo rank --sorted | tail -1
ordo gen zero -n 3 | tr '\n' ' '
ordo gen few -n 300 -k 1 | sort -u | wc -l | tr -d ' '
ordo gen ksorted -n 300 -k 0 | ordo rank --sorted --check | tail -1
ordo gen ksorted -n 300 -k 10 | ordo rank --sorted --check >/dev/null 2>&1
echo $?
