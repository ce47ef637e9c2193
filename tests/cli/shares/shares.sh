# Shares of a hybrid sort are used, or refused with the reason. The GPU is simulated.
ORDO_BACKEND_DIR=$TEST_PLAYING
export ORDO_BACKEND_DIR
ordo gen uniform -n 70000 --dtype u32 --seed 1 -o keys.npy
seq 70000 >lines
for share in -1 -0.1 1.5 nan half 0.1,0.2; do
    ordo sort keys.npy --device hybrid --cpu-share="$share" -o out.npy
    echo "share $share: $?"
done
for device in auto cpu cuda; do
    ordo sort keys.npy --device $device --cpu-share 0.3 -o out.npy
    echo "device $device: $?"
done

# --cpu-share 0 means no share. The profile of the sample sort has one table of idle times.
ordo sort keys.npy --device cpu -o cpu.npy
ordo sort keys.npy --device hybrid --cpu-share 0 --algorithm sample --json -o none.npy 2>json
grep -c '"cpu_share"' json
ordo sort keys.npy --device hybrid --cpu-share 0.3 --algorithm sample --profile -o some.npy 2>profile
grep -c 'idle %' profile
ordo sort keys.npy --device hybrid --cpu-share 0.3 --profile -o stream.npy 2>profile
grep -c 'idle %' profile
# A trace viewer shows phases, both ways of the link and the GPU in rows.
ordo sort keys.npy --device hybrid --cpu-share 0.3 --algorithm sample --profile-json trace -o out.npy
grep -o '"traceEvents"\|"name": "[a-zIV ]*", "ph": "X", "pid": 1, "tid": [0-3],' trace | sort -u
cmp cpu.npy none.npy && cmp cpu.npy some.npy && cmp cpu.npy stream.npy

ordo sort keys.npy --device hybrid --gpu-share 0.3,0.3 -o out.npy
echo "shares of GPUs without sample: $?"
ordo sort --text lines --device hybrid --cpu-share 0.3 >out
echo "lines without sample: $?"
ordo sort --text lines --device hybrid --cpu-share 0.3 --algorithm sample --json 2>json | cksum
grep -c '"cpu_share": 0.3' json
ordo sort --text lines --device cpu | cksum

ordo rank keys.npy --device cpu -o cpu.npy
ordo rank keys.npy --device hybrid --cpu-share 0.3 --algorithm sample -o ranks.npy
cmp cpu.npy ranks.npy
ordo median keys.npy --device hybrid --cpu-share 0.3 --explain 2>&1 |
    grep -o 'the shares of the context are not used'
