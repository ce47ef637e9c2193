# Every distribution and type: the requested number of keys, and the same keys for the same seed.
for dist in uniform gaussian zero few zipf sorted reverse organpipe sawtooth dupes staggered bucket \
    signed normal loguniform outliers timestamps prices sensors; do
    for type in i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; do
        ordo gen $dist -n 300 --dtype $type --seed 5 -o a.npy &&
            ordo gen $dist -n 300 --dtype $type --seed 5 --threads 3 -o b.npy &&
            cmp a.npy b.npy || echo "$dist $type differs"
    done
    echo "$dist: $(ordo gen $dist -n 300 | wc -l | tr -d ' ')"
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
