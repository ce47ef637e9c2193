# The first pass of a sample sort of few numbers: splitters at intervals of sqrt(n), labels, counts,
# places and bins. More than 16 numbers, and other algorithms, show none.
pass() { ordo sort "$@" --device cpu --explain 2>&1 >/dev/null | sed -n '/^keys /,$p'; }
printf '17\n4\n23\n8\n42\n15\n16\n1\n9\n' | pass --algorithm intervals
printf '2.5\n2.5\n-1e300\n2.5\n0.5\n2.5\n2.5\n2.5\n2.5\n2.5\n' | pass --algorithm intervals
printf '5\n4\n3\n' | pass --algorithm intervals
seq 17 | pass --algorithm intervals
seq 16 | pass --algorithm radix
printf '3\n2\n1\n6\n5\n4\n9\n8\n7\n' | ordo sort --device cpu --algorithm intervals --json 2>&1 >/dev/null |
    grep -o '"pass_labels".*'
# The greatest key of a type equals no splitter, although records that are missing have its bits.
printf '\3\0\0\0\1\0\0\0\377\377\377\377\2\0\0\0\4\0\0\0\5\0\0\0\6\0\0\0\7\0\0\0\10\0\0\0' >keys.bin
pass keys.bin --dtype u32 --algorithm intervals
# Both devices label: the CPU the first keys, a simulated GPU the others.
export ORDO_BACKEND_DIR="$TEST_PLAYING"
printf '17\n4\n23\n8\n42\n15\n16\n1\n9\n' |
    ordo sort --device hybrid --cpu-share 0.4 --algorithm intervals --explain 2>&1 >/dev/null |
    sed -n '/^keys /,$p'
