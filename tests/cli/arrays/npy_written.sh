# The bytes of a written file: version 1.0, header padded to 64, little-endian data.
printf '1\n2\n2\n' | ordo rank --format npy -o ranks.npy
od -An -v -tx1 ranks.npy
for type in i8 u8 i16 u16 i32 u32 i64 u64 f32 f64; do
    ordo gen zero -n 1e1 --dtype $type --format npy | tail -c +11 | head -c 57
    echo
done
