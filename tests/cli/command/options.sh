# Options in every form, and unknown options: the message suggests the nearest one.
printf '1\n1\n' >keys
ordo rank keys --ties=max
ordo rank keys --ties max
ordo rank --ties dense keys
ordo rank keys -oout && cat out
ordo rank keys --output other && cat other
for wrong in --tise --tie=max --treads -x --xyzzy --ties=least --ties --ties= --sorted=yes \
    --threads=0 --threads=many --threads=1e12 --device=gpu --algorithm=quick --rank-type=f32 \
    --format=csv --memory-limit=lots '--' '-k3'; do
    ordo rank $wrong </dev/null >/dev/null || echo "$wrong: $?"
done
ordo scan --algorithm threads </dev/null || echo $?
ordo gen --algorithm threads </dev/null || echo $?
# An option that is given twice with different values.
for twice in '-o a -o b' '-o a --output=b' '--threads 1 --threads 2' '--ties max --ties min'; do
    # shellcheck disable=SC2086 # several words
    ordo rank keys $twice || echo "$twice: $?"
done
ordo rank keys --ties max --ties=max -o same --output same && cat same
# Options of sort(1), with one letter in a word and with several.
for habit in -r --reverse -u -c --parallel=2 -rn -ru -rS -S1G; do
    ordo sort $habit </dev/null || echo "$habit: $?"
    ordo argsort $habit </dev/null || echo "argsort $habit: $?"
    ordo topk $habit </dev/null || echo "topk $habit: $?"
done
