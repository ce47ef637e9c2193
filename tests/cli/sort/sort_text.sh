# Lines of bytes compared with sort(1): empty and equal lines, control characters, NUL, high bytes.
against_sort() {
    sort "$1" >expected && ordo sort --text "$1" | cmp - expected
    sort -r "$1" >expected && ordo sort --text --descending "$1" | cmp - expected
    sort -u "$1" >expected && ordo sort --text --unique --threads 3 "$1" | cmp - expected
    sort -ru "$1" >expected && ordo sort --text --unique --descending "$1" | cmp - expected
    sort "$1" >expected && ordo sort --text --algorithm sample "$1" | cmp - expected
    ordo sort --text --stable --threads 1 "$1" >a && sort "$1" | cmp - a
    echo "$2: $(wc -l <a | tr -d ' ')"
}
printf 'b\na\n\nab\n' >lines && against_sort lines 'four lines'
printf 'b\na' >lines && against_sort lines 'no newline at the end'
printf '' >lines && against_sort lines 'nothing'
printf '\n' >lines && against_sort lines 'one empty line'
printf '\n\n\n' >lines && against_sort lines 'three empty lines'
printf 'x' >lines && against_sort lines 'one byte'
printf 'a\na\tb\na\001\na b\na\000\na\000b\na\n' >lines && against_sort lines 'below the newline'
printf '\377\n\200\n\177\nz\n' >lines && against_sort lines 'above ASCII'
ordo gen uniform -n 100000 --dtype u8 --format raw | tr '\200-\277' '[\n*]' >lines
against_sort lines 'short random lines' >counted
[ "$(wc -l <lines)" -gt 20000 ] && sed 's/: .*//' counted
ordo gen uniform -n 100000 --dtype u8 --format raw | tr '\000-\376' '[ab*]' | tr '\377' '\n' >lines
against_sort lines 'two letters' | sed 's/: .*//'
ordo gen strings -n 3000 >lines && against_sort lines 'strings'
ordo gen few -n 20000 -k 900 --dtype u64 |
    sed 's/^/a beginning that is longer than a few words of eight bytes /' >lines
against_sort lines 'long beginnings'
awk 'BEGIN { for (i = 0; i < 300; i++) { s = s "a"; print s }; print substr(s, 2) }' >lines
against_sort lines 'prefixes of each other'
