# shot.sh REV: build, hybrid paper, GPU tests, times of jobs
REV=$1; end=${2:-430}
say() { echo "[$SECONDS s] $*"; }
tests=$(ls tests/cuda/test_cuda_*.c tests/cuda/many/test_cuda_*.c | xargs -n1 basename | sed 's/\.c$//')
scripts/gpu-build $tests || exit 1
say built
timeout 60 build-gpu/tests/cuda/test_cuda_sample > $OUT/t_sample.log 2>&1; say "sample rc $?"
if [ -z "$SKIP_PAPER" ]; then
scripts/measure --paper hybrid -B build-gpu -r $REV -p /tmp/parts $OUT > $OUT/measure.log 2>&1; say "measure rc $?"
grep -h "gain" /tmp/parts/*gain* 2>/dev/null | head -60
tail -5 $OUT/measure.log
fi
mkdir -p /tmp/logs
left=$((end - SECONDS - 60)); [ $left -gt 30 ] || left=30
for t in $tests; do case $t in test_cuda_big|test_cuda_memory|test_cuda_sample) ;; *) echo $t ;; esac; done |
    ORDO_BACKEND_DIR=$PWD/build-gpu timeout $left xargs -P 10 -I{} sh -c 'b=$(date +%s); build-gpu/tests/cuda/{} >/tmp/logs/{}.log 2>&1; r=$?; echo "{} rc $r $(($(date +%s)-b)) s"; [ $r -eq 0 ] || tail -4 /tmp/logs/{}.log'
say tests done
[ -e build ] || ln -s build-gpu build
left=$((end - SECONDS)); 
[ $left -lt 15 ] || PRUNE_SECONDS=$((left - 12)) timeout $left sh labdev/now.sh > $OUT/now.txt 2>&1
say end
tail -2 $OUT/now.txt
