printf '1\n2\n' | ordo rank --ties average --rank-type u32
