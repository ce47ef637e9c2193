# What the completion of bash offers; the columns of a file on the line.
command -v bash >/dev/null || {
    echo "bash is missing"
    exit 77
}
printf 'city,unit price,price,"a ""b""\nc",\303\266l\n1,2,3,4,5\n' >sales.csv
printf 'one;two\n1;2\n' >"odd \$(touch run) name's.csv"
printf 'x\ty\n1\t2\n' >tabs.tsv
printf 'only' >header.csv
printf '"open,a\n1,2\n' >open.csv
: >empty.csv
printf 'no end' >./sort # a file named as the command
mkfifo pipe.csv
{
    printf 'near,far\n'
    head -c 3000000 /dev/zero
} >large.csv
head -c 100000 /dev/zero | tr '\0' x >long.csv # no end of a row in sight
gzip -k sales.csv

ordo completion bash >ordo.bash
cat >try.bash <<'END'
. ./ordo.bash
# try WORD...: what the last word may become, in one line
try() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=(before)
    _ordo
    printf '%s:' "${*:2}"
    [ ${#COMPREPLY[@]} -eq 0 ] || printf ' <%s>' "${COMPREPLY[@]}"
    echo
}
try ordo me
try ordo help so
try ordo help --
try ordo completion ''
try ordo gen s
try ordo sort --he
try ordo sort --help = ''
try ordo rank --help =
try ordo rank --ties ''
try ordo rank --ties = m
try ordo rank --ties =
try ordo sort --check q
try ordo sort --check = q
try ordo quantile --method in
try ordo moving --op m
try ordo sort --dtype u
try ordo partition --flags-dtype f
try ordo rank --rank-type ''
try ordo rank --threads ''
try ordo rank --output ''
try ordo rank keys.np
try ordo sort --csv sales.csv --key ''
try ordo sort --csv sales.csv --key pr
try ordo sort --csv sales.csv --key = pr
try ordo sort sales.csv --csv -k c
try ordo sort --csv sales.csv --key "'unit"
try ordo sort --csv sales.csv --key 'unit\ p'
try ordo median --csv sales.csv.gz --column c
try ordo rank --csv sales.csv --key price --by u
try ordo sort --csv -o sales.csv header.csv --key ''
try ordo sort --csv --output = sales.csv header.csv --key ''
try ordo sort --csv -t '\;' 'odd\ \$\(touch\ run\)\ name\'"'"'s.csv' --key ''
try ordo sort --csv --field-separator = "';'" "\"odd \\\$(touch run) name's.csv\"" --key t
try ordo sort --tsv tabs.tsv --key ''
try ordo sort tabs.tsv --key ''
try ordo sort --csv --no-header sales.csv --key ''
try ordo sort --csv large.csv --key f
try ordo sort --csv pipe.csv --key ''
try ordo sort --csv open.csv --key ''
try ordo sort --csv empty.csv --key ''
try ordo sort --csv long.csv --key ''
try ordo sort --csv --key ''
END
bash --norc try.bash
ls run 2>/dev/null
# Other shells read their scripts.
for shell in zsh fish; do
    ordo completion $shell >script
    ! command -v $shell >/dev/null || $shell -n script || echo "$shell does not read its script"
    grep -c 'completion --columns' script
done
# What the scripts ask; with no words there is nothing to say.
ordo completion --columns sort --csv sales.csv
ordo completion --columns
