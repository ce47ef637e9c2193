# Options that contradict each other, and near misses.
printf '1\n2\n' >a
for words in 'min --nans last' 'min -r' 'topk -r' 'unique --count --counts' \
    'unique --counts --format npy' 'count --text --nans omit' 'sample' 'sample -n 3' \
    'percentile -p 101' 'percentile -p x' 'check a b' 'check -o out' 'merge --text --skip-bad' 'sum --wide' \
    'topk -k 1 --text --groups a' 'topk -k 1 --text --format npy' 'shuffle --text --format npy'; do
    ordo $words a </dev/null
    echo "$words: $?"
done
: | ordo min
echo $?
ls
