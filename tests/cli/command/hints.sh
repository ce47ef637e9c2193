# A text that is no numbers: the message names the option that reads it, in every command that has
# one. A file of rows with another separator: the message names that.
printf 'b\na\n' >words
printf 'Hello, world\nagain\n' >prose
printf 'x,y\n2,b\n1,a\n' >comma
printf 'x;y\n2,5;b\n1,5;a\n' >semicolon
printf 'x\ty\n2\tb\n1\ta\n' >tab
printf 'x|y\n2|b\n1|a\n' >pipe
printf 'x,y' >header
printf '1,2\n' >one
for file in words prose comma semicolon tab pipe header one; do
    ordo sort $file
    ordo sort -S 8Mi -T . <$file
    ordo sort --check $file
done
for command in argsort rank select topk count median quantile percentile min max sum describe unique \
    check shuffle sample merge radius scan moving; do
    set -- $command
    case $command in
    select | topk | sample) set -- $command -k 1 ;;
    quantile) set -- $command -q 0.5 ;;
    percentile) set -- $command -p 50 ;;
    moving) set -- $command --window 1 ;;
    esac
    echo "$command" >&2
    ordo "$@" words
    ordo "$@" semicolon
done
# With --dtype, numbers are meant; behind the first line a bad line is a mistake.
ordo sort --dtype f64 words
printf '1\nx\n' | ordo sort
echo rows: >&2
for file in semicolon tab pipe; do
    ordo sort --csv --key y $file
    ordo sort --csv $file
    ordo median --csv $file
    ordo sum --csv --column y $file
done
ordo sort --csv --key 1 semicolon
ordo sort --csv --key z comma
ordo sort --csv --key y comma --no-header
ordo sort --tsv --key y comma
ordo sort --csv -t ';' --key x semicolon
