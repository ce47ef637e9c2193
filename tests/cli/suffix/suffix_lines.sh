# The lines of a search are those of grep -F, in the same order, with the same separators.
export LC_ALL=C
seq 1 7 20000 | tr '0-9' '3141592653' >numbers
printf 'x\n\n\nab\n\n\ncab\nabab\n\nz' >short
long=$(printf '%05000d' 7)
{ cat numbers; printf '%s\n%sab%s\nend\n' "$long" "$long" "$long"; } >text
for sample in 1 64 300; do
    for file in short text; do
        ordo index --sample $sample $file -o index
        for pattern in a ab 12 7 777 0007 end z '' absent; do
            for lines in 0 1 2 5; do
                ordo search index "$pattern" -C $lines >found
                grep -aF -C $lines -e "$pattern" $file >expected
                cmp found expected || echo "$file $pattern -C $lines"
            done
            ordo search index "$pattern" --line >found
            code=$?
            grep -aF -e "$pattern" $file >expected
            [ $code -eq $? ] || echo "$file $pattern: exit $code"
            cmp found expected || echo "$file $pattern"
        done
        printf '12\nab\n9\n' | ordo search index -f - --context 1 >found
        grep -aF -C 1 -e 12 -e ab -e 9 $file >expected
        cmp found expected || echo "$file: several patterns"
    done
done
ordo index short -o index
ordo search index ab z --line
ordo search index z -C 1
for other in --count --locate; do
    ordo search index ab --line $other
    ordo search index ab -C 2 $other
done
printf '' | ordo index -o index
ordo search index '' --line
echo $?
