# Sums wrap around in the type of the input. With --wide they have 64 bits.
for type in i8 u8 i16 u16 i32 u32 i64 u64; do
    echo "$type: $(printf '100\n100\n100\n' | ordo scan --dtype $type | tr '\n' ' ')"
    printf '100\n100\n100\n' | ordo scan --dtype $type --wide --format npy >wide.npy
    echo "$type wide: $(dd if=wide.npy bs=1 skip=22 count=2 2>/dev/null) $(ordo scan wide.npy \
        --op max --format text | tr '\n' ' ')"
done
printf '16777216\n1\n' | ordo scan --dtype f32
printf '16777216\n1\n' | ordo scan --dtype f32 --wide
printf '1\n' | ordo scan --wide --op min
echo $?
