# shellcheck disable=SC2012 # the names are known
# A run that is ended while it writes leaves the old file, and nothing beside it if it can help it.
printf 'old\n' >data
# Starts a long run in the background and returns when its unfinished output is there.
start() {
    ordo gen uniform -n 30M --dtype f64 --format text -o data 2>err &
    run=$!
    tries=0
    while ! ls .ordo-* >/dev/null 2>&1 && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    [ $tries -lt 200 ] || echo "no unfinished output appeared"
}
for signal in TERM HUP; do
    start
    kill -s $signal $run
    wait $run 2>/dev/null
    echo "$signal: $? $(cat data) $(ls -A | tr '\n' ' ')"
done
start
kill -s KILL $run
wait $run 2>/dev/null
echo "KILL: $? $(cat data)"
rm -f .ordo-*
timeout -s INT 0.7 env --default-signal=INT ordo gen uniform -n 30M --dtype f64 --format text -o data
echo "INT: $? $(cat data) $(ls -A | tr '\n' ' ')"
