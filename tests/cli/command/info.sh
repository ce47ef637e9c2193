ordo info --threads 1 | grep -v '^  ' # without the lines of GPUs
ORDO_ISA=generic ordo info --json --memory-limit 4Gi
ORDO_ISA=no-such-isa ordo info 2>err
echo $?
grep -c 'no-such-isa' err
# A missing device is named in the message, with the reason. A device that exists does the work.
printf '7\n' | ordo rank --device cuda >out 2>err
echo "$? $(cat out) $(cat err)"
# The paths of all calls; --explain names the one that a call took.
ordo info --paths | grep '^cpu  sort .*in place'
ordo info --paths --json | grep -c '^\[{"backend": "cpu", "verb": "sort", "name": "small", .*}\]$'
printf '2\n1\n' | ordo sort --explain 2>&1 >/dev/null | grep '^path'
