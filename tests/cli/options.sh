# Options in every spelling, and wrong ones: what was wrong, and the nearest right one.
printf '1\n1\n' >keys
ordo rank keys --ties=max
ordo rank keys --ties max
ordo rank --ties min keys --ties dense
ordo rank keys -oout && cat out
ordo rank keys -o out --output other && cat other
for wrong in --tise --tie=max --treads -x --xyzzy --ties=least --ties --ties= --sorted=yes \
    --threads=0 --threads=many --threads=1e12 --device=gpu --algorithm=quick --rank-type=f32 \
    --format=csv --memory-limit=lots '--' '-k3'; do
    ordo rank $wrong </dev/null >/dev/null || echo "$wrong: $?"
done
ordo scan --algorithm threads </dev/null || echo $?
ordo gen --algorithm threads </dev/null || echo $?
