# Many lines: sorted by their first bytes, by all their bytes where these tie, and written to a
# mapped file where the folder is in memory. The expected bytes are those of sort(1).
make_words() { # lines of 0 to 20 letters; a few have the same first bytes
    awk -v n="$1" 'BEGIN {
        letters = "abcdefghijklmnopqrstuvwxyz"
        x = 42
        for (i = 0; i < n; i++) {
            line = ""
            x = (x * 16807) % 2147483647
            size = x % 21
            if (x % 97 == 0)
                line = "thesame" (x % 7) "prefix"
            while (size-- > 0) {
                x = (x * 16807) % 2147483647
                line = line substr(letters, x % 26 + 1, 1)
            }
            print line
        }
    }'
}

compare() { # compare NAME FILE OPTION...
    name=$1 file=$2
    shift 2
    sort "$@" "$file" >expected
    for threads in 1 2 5; do
        ordo sort --text --threads $threads "$@" "$file" -o "$folder/result"
        cmp expected "$folder/result" || echo "$name $* threads $threads: other bytes"
    done
    ordo sort --text "$@" <"$file" | cmp - expected || echo "$name $* pipe: other bytes"
}

folder=$(mktemp -d /dev/shm/ordo-XXXXXX 2>/dev/null || mktemp -d)
trap 'rm -rf "$folder"' EXIT
make_words 400000 >words
tr '\n' '\0' <words >zeros
for option in -s -r -u -ru; do
    compare words words $option
done
compare zeros zeros -z
compare zeros zeros -zr

# NULs, which are also behind the end of a short line; the last line has no end.
{ tr 'q' '\0' <words && printf 'zz'; } >nuls
compare nuls nuls -s
compare nuls nuls -ru

# Most lines tie in their first bytes; one line is longer than 16 MB.
sed 's/^/the same beginning /' words >ties
compare ties ties -u
{ cat words && head -c 17000000 /dev/zero | tr '\0' m; } >long
compare long long -s

# Numbers that are whole fields, beside others. The fields of a line touch those of the next one in
# memory.
awk 'BEGIN {
    x = 7
    for (i = 0; i < 60000; i++) {
        x = (x * 16807) % 2147483647
        a = x % 1000
        b = x % 3 == 0 ? "00" x % 77 : x
        if (x % 9973 == 0)
            b = x % 2 ? "-" b ".5" : (x % 7 ? "" : b "x")
        print a "," b "," x % 5
    }
}' >fields
tr ',' '\t' <fields >blanks
for keys in '-k1,1n -k2,2n' '-k2,2nr -k3,3n' '-k3,3n -k1,1n -s' '-k2,2n -u' '-k1n'; do
    # shellcheck disable=SC2086
    compare blanks blanks $keys
    # shellcheck disable=SC2086
    compare fields fields -t, $keys
done
echo compared
