# The direction of keys of topk: their own wins; --largest (the default) and --smallest decide for
# the others.
printf 'id,price,day\na,3,1\nb,9,2\nc,9,1\nd,1,3\ne,,2\nf,3,2\n' >table
top() {
    ordo topk --csv -k 3 "$@" table | tail -n +2 | cut -d, -f1 | tr '\n' ' '
    ordo topk --csv -k 3 -S 8Mi "$@" table | tail -n +2 | cut -d, -f1 | tr '\n' ' '
    ordo topk --csv -k 1 --by day "$@" table | tail -n +2 | cut -d, -f1 | tr '\n' ' '
    echo "$*"
}
top --key price
top --key price:desc
top --key price:asc
top --key price:number:desc
top --largest --key price
top --smallest --key price
top --key price --key day
top --key price --key day:asc
top --key price:desc --key day
top --smallest --key price --key day:desc
top --smallest --key price:desc --key day
top --largest --key price:asc --key day
try() {
    ordo topk --csv -k 3 "$@" table
    echo $?
}
try --smallest --key price:desc
try --largest --key price:asc --key day:desc
try --key price:asc:desc
