# `ordo unique --text` against sort, uniq and awk: counts, both orders, --top, many files, NULs, compressed files, and tables
# that are full many times.
same() { # same WHAT: the files expected and out
    cmp -s expected out || echo "$1: other bytes"
}

# all FILE OPTION...: each form, with these options
all() {
    file=$1
    shift
    sort "$file" | uniq -c | sed 's/^ *//' >counts
    sed 's/^[0-9]* //' counts >expected
    ordo unique --text "$@" "$file" >out && same "$file: lines $*"
    sort -r expected >reverse && mv reverse expected
    ordo unique --text -r "$@" "$file" >out && same "$file: -r $*"
    cp counts expected
    ordo unique --text -c "$@" "$file" >out && same "$file: -c $*"
    head -n 7 counts >expected
    ordo unique --text --counts --top 7 "$@" "$file" >out && same "$file: --top $*"
    awk '{ c[$0]++ } END { for (line in c) print c[line] " " line }' "$file" | sort -k1,1nr -k2 >expected
    ordo unique --text -c --sort count "$@" "$file" >out && same "$file: --sort count $*"
    tac expected | head -n 12 >last
    ordo unique --text -c --sort count -r --top 12 "$@" "$file" | cmp -s - last || echo "$file: -r --top $*: other bytes"
    sed -n '1,10s/^[0-9]* //p' expected >top && mv top expected
    ordo unique --text --sort count --top 10 "$@" - <"$file" >out && same "$file: --sort count --top $*"
    wc -l <counts | tr -d ' ' >expected
    ordo unique --text --count "$@" "$file" >out && same "$file: --count $*"
}

: >none
printf '\n\n' >empty
awk 'BEGIN { for (i = 0; i < 3000; i++) print "page/" i * i % 97 }' >few
awk 'BEGIN { x = 7; for (i = 0; i < 400000; i++) { x = x * 16807 % 2147483647; print "/" x % 200003 } }' >many
awk 'BEGIN { line = "0123456789abcdef"; while (length(line) < 5000) line = line line
             for (i = 0; i < 600; i++) print substr(line, 1, i * 37 % 5000) }' >long
for file in none empty few many long; do
    all $file
done
all few --threads 1
all many --threads 3
all many -S 8Mi
all many -S 9Mi --threads 1 -T .

# Any bytes, with and without the last end; -z.
printf 'b\0x\n\na\n\377\nb\0x\na' | ordo unique --text -c | od -An -c
printf 'b\nx\0\0a\0b\nx' | ordo unique --text -c -z --sort count | od -An -c
printf 'a' >part
ordo unique --text -c part part none empty part

# Orders of the same count, and both directions.
printf '2\n10\n1\n10\n9\n2\n' | ordo unique --text -c --sort count | paste -s -d ';' -
printf '2\n10\n1\n10\n9\n2\n' | ordo unique --text -c --sort count -r | paste -s -d ';' -
printf '2\n10\n1\n10\n9\n2\n' | ordo unique --text -c --sort line --top 0
printf '2\n10\n1\n10\n9\n2\n' | ordo unique -rc | paste -s -d ';' -
gzip -c few >few.gz
ordo unique --text -c --sort count --top 2 few few.gz
ordo unique --text few -o out.txt && sort -u few | cmp - out.txt

for words in '--top 3' '--sort count' -z '--text --count --top 3' '--text --count --sort line' '--text --format npy' \
    '--text --csv --key 1' '--text --sort size' '--text --dtype f64' '--text -o a.npy'; do
    ordo unique $words few
    echo "$words: $?"
done
ordo unique --text -c missing
echo $?
