# --json, --explain and --time of every command that sorts. Small calls have no prediction.
# Builds that predict every call (TEST_WEIGHS_ALL) print one, which is removed here.
if [ -n "${TEST_WEIGHS_ALL:-}" ]; then
    unpredicted='/^predicted /d; s/, "predicted": {[^}]*}//'
else
    unpredicted=''
fi
exec 3>&2 2>reports
printf '30\n10\n20\n' >keys
ordo sort keys --json --time -o out
ordo sort keys --unique --time -o out
ordo sort keys --check --json --time 2>err
grep -v disorder err >&2
ordo argsort keys --json --time -o out
ordo rank keys --json --time -o out
ordo select keys -k 1 --json --time -o out
ordo median keys --json -o out
ordo quantile keys --json -o out
ordo topk keys -k 2 --json -o out
ordo radius keys --runs --json --time -o out
ordo sort keys --text --json --time -o out
ordo argsort keys --text --json -o out
ordo rank keys --text --json -o out
ordo select keys --text -k 1 --json -o out
ordo sort keys --dtype u16 --threads 1 --explain 2>err >/dev/null
sed "$unpredicted" err | sed 's/  *.*//' | tr '\n' ' ' >out
sed 's/facts $//' out
sed "$unpredicted" reports >&3
