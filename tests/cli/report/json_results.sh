# Commands that print results with names write them as JSON with --json: objects, or an array of them.
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
# j ARGUMENTS: the results in memory and with a limit, which are the same JSON; the report is JSON, too.
j() {
    cat >in
    ordo "$@" --json --threads 1 <in >one 2>report || { cat report; return; }
    ordo "$@" --json --threads 2 -S 8Mi <in >two 2>/dev/null
    cmp one two
    cat one
    for file in one report; do
        python3 -m json.tool $file >/dev/null || cat $file
    done
}
numbers() { printf '30\n10\n20\nnan\n-inf\n'; }
numbers | j median
numbers | j median --nans omit
numbers | j min --nans omit
numbers | j max
numbers | j sum --nans omit
printf '18446744073709551615\n5\n' | j sum
numbers | j count
numbers | j describe --nans omit
numbers | j quantile -q 0.1,0.50,1 --nans last
seq 9 | j percentile -p 7,50,99.9
seq 9 | j percentile
seq 9 | j radius
seq 9 | j radius --runs
numbers | j select -k 3,1
printf 'a\n"b\\\001\377\303\266\360\237\230\200\n' | j select --text -k 2,1
printf 'a\nb\n' | j count --text
numbers | j unique --count
printf 'a\nb\na\n' | j unique --text --count
printf 'k\na\nb\na\n' | j unique --csv --key k --count
# The report of a command that needs no call of the library.
numbers | j count
cat report
: | j median
: | j describe
: | j count
: | j min
printf '1\n1\n2\n2\n2\n3\n3\n3\n3\n' >groups
seq 9 | j median --groups groups
seq 9 | j quantile --groups groups -q 0,1
rows() { printf 'city,"the ""price""",n\nRome,3,007\nOslo,10,1\nRome,20.5,2\n"a, b",,+3\n'; }
rows | j median --csv
rows | j describe --csv --by city
rows | j quantile --csv --by city --by n -q 0.5 --column 2
rows | j percentile --csv -p 99.9
rows | j sum --csv
rows | j count --csv
rows | j count --csv --by city
rows | j select --csv --key 2 -k 4,1
rows | tail -n +2 | j max --csv --no-header
rows | tail -n +2 | j count --csv --no-header --by 1
rows | tail -n +2 | j select --csv --no-header --key 1 -k 1
rows | tr ',' '\t' | j min --tsv
rows | j select --csv --key n -k 9
rows | j median --csv --column city
printf 'a,b\n' | j count --csv --by a
# Other formats and commands stay as they are.
numbers | ordo median --json --format raw 2>/dev/null | od -An -tx1
numbers | ordo unique --json 2>/dev/null
