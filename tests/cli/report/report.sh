# --explain, --json and --time print on stderr, after the results.
printf '1\n2\n2\n' | ordo rank --sorted --check --dtype f32 --threads 1 --explain --json \
    --time >/dev/null
printf '1\n0\n2\n' | ordo scan --json --time
printf '1\n0\n2\n' | ordo scan --bits --json >/dev/null
ordo gen zero -n 1000 --dtype u8 --json -o out
ordo gen fasta -n 10 --json --time -o out
# Times are predicted for the backends that this machine has.
mkdir none
ordo gen uniform -n 1e6 -o keys.npy
ORDO_BACKEND_DIR=none ordo sort keys.npy --explain --json -o /dev/null 2>&1 | grep -c -e cuda -e hybrid || :
