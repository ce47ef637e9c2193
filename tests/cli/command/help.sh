# --help goes to stdout, exits 0 and begins with examples.
for command in sort argsort rank select median quantile topk radius scan moving bzip2 gen info bench tune; do
    ordo $command --help >a || echo "$command --help: $?"
    ordo $command -h </dev/null >b || echo "$command -h: $?"
    [ $command != sort ] || cp a b # sort -h sorts sizes such as 2K
    ordo help $command >c || echo "help $command: $?"
    cmp a b && cmp a c
    echo "$command: $(head -1 a) $(grep -c '^Usage: ordo ' a)"
    awk 'length($0) > 100' a
done
ordo --help >a && ordo -h >b && ordo help >c && cmp a b && cmp a c
echo "ordo: $(head -1 a) $(grep -c '^Usage: ordo ' a)"
ordo help help | cmp - a
ordo rank --sorted --help --no-such-option | head -1
