# What does not go together with flags.
printf '1\n' >flags
ordo scan flags --bits --op min
ordo scan flags --bits --wide
ordo scan flags --count-type u64
ordo scan flags -n 1
ordo scan flags --dtype bits
printf '1.5\n' | ordo scan --bits
ordo rank flags --dtype bits
