# Options that cannot be combined with --bits.
printf '1\n' >flags
ordo scan flags --bits --op min
ordo scan flags --bits --wide
ordo scan flags --count-type u64
ordo scan flags -n 1
ordo scan flags --dtype bits
printf '1.5\n' | ordo scan --bits
ordo scan flags --bits --device cpu --algorithm ballot
ordo scan flags --bits --device cpu --algorithm shared
ordo scan flags --bits --algorithm shuffle
ordo scan flags --algorithm shared
ordo scan flags --dtype u32 --device cpu --algorithm ballot
ordo scan flags --dtype u8 --algorithm ballot
ordo scan flags --dtype u32 --op max --algorithm ballot
ordo rank flags --dtype bits
