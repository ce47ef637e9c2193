# `ordo tune` measures, stores, shows and removes costs. --device cpu ignores a GPU.
ORDO_TUNE_FILE=$PWD/costs
export ORDO_TUNE_FILE
ordo tune --show --device cpu | sed '/^no GPU/d' | tail -1 | sed "s|$PWD|HERE|"
ordo tune -n 2^14 --device cpu --json costs.json >table
echo $?
# Some costs are differences of two times. On a busy machine such a cost may be lost in noise;
# then the table has "-" for it.
sed '/^no GPU/d; s/[0-9][0-9]*/N/g; s/  */ /g; s/^\(cpu_[a-z_]*\) - /\1 N /' table | sed "s|$(pwd | sed 's/[0-9][0-9]*/N/g')|HERE|"
head -1 costs
tail -1 costs
[ "$(grep -c '"measured": true' costs.json)" -eq "$(awk '$2 ~ /^[0-9]/' table | wc -l)" ] &&
    echo every number of the table is in the file
ordo tune --show --device cpu >shown
echo "$? $(grep -c '^from ' shown)"
grep '^cpu_32' table >a
grep '^cpu_32' shown | cmp - a
# --explain shows predictions. Sorts of few keys have none.
ordo gen uniform -n 2^22 -o keys.npy
ordo sort keys.npy --device cpu --explain -o sorted.npy 2>&1 | grep -c '^predicted  cpu [0-9.e+-]* ms; took'
ordo sort keys.npy --device cpu --json -o sorted.npy 2>&1 | grep -c '"predicted": {"cpu": [0-9.e+-]*[1-9]'
small=$(printf '2\n1\n' | ordo sort --explain 2>&1 | grep -c predicted)
[ "$small" = 0 ] && echo as it should be
ordo tune --forget
echo "$?"
[ -e costs ] || echo gone
ordo tune --forget
echo $?
# A file that is not a calibration is ignored, and the command says so.
echo nonsense >costs
ordo tune --show --device cpu 2>&1 >/dev/null | sed "s|$PWD|HERE|"
ordo sort keys.npy -o sorted.npy
echo $?
# No file, and a file that cannot be written.
ORDO_TUNE_FILE='' ordo tune -n 2^12 --device cpu | tail -1
ORDO_TUNE_FILE=/dev/null/costs ordo tune -n 2^12 --device cpu 2>err >table
echo "$? $(cat err)"
ordo tune --show --forget
echo $?
ordo tune --forget --json x
echo $?
ordo tune -n 7
echo $?
ordo tune now
echo $?
