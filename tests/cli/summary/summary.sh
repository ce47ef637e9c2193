# One line each, from text; what a newcomer tries first.
numbers() { printf '30\n10\n20\n20\n'; }
for command in min max sum count describe unique 'unique --count' 'unique --counts' \
    'percentile -p 0,50,99' 'shuffle --seed 1' 'shuffle --seed 2' 'sample -k 2 --seed 2' \
    'topk -k 2 --text' 'topk -k 1 --text --smallest --index' 'topk -k 2 --text --with-index --one-based'; do
    echo "$command: $(numbers | ordo $command | tr '\n' ' ')"
done
printf '0.1\n0.2\n0.3\n-0.6\n' | ordo sum
printf '0\n-0.0\n' | ordo min
printf 'nan\n1\n' | ordo max
printf 'nan\n1\n' | ordo max --nans omit
printf '9223372036854775807\n1\n' | ordo sum
printf -- '-9223372036854775808\n-1\n' | ordo sum
printf 'b\na\n' | ordo count --text
seq 800000 >lines # more than half of the limit
printf 'last' | ordo count --text -S 8Mi lines - lines
printf 'b\na\n' | ordo shuffle --text --seed 5 | ordo sort --text
printf '1\n2\n' >a
printf '1.0\n3\n' >b
ordo merge a b
ordo merge a b --unique
ordo merge b a --descending || echo $?
ordo sum a b
ordo check a && echo sorted
numbers | ordo check || echo $?
numbers | ordo check --quiet || echo $?
ordo min a --explain
