# Every subject of `ordo bench` runs all its sections on few keys. Each line names the sections
# that gave rows.
measure() {
    ORDO_PEERS=/none ordo bench "$@" --quick --repeat 1 --threads 2 --json rows.json >table 2>err
    echo "$1 $?: $(sed -n 's/.*"section": "\([a-z]*\)".*/\1/p' rows.json | uniq | tr '\n' ' ')"
    grep -q copy table || cat table err
    rm -f rows.json
}
for subject in sort argsort rank select radius strings scan hybrid; do
    measure $subject -n 1000
done
measure hybrid -n 2^20 --only n # begins at 2^20 keys
