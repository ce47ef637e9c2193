# An index and searches; exit codes as those of grep.
printf 'she sells sea shells' | ordo index -o index
ordo search index se
ordo search index sh lls x --count
ordo search index sh lls
ordo search --check index sells
cat index | ordo search - sells
gzip -c index >index.gz && ordo search index.gz sells
printf 'ell\nsea\n' | ordo search index -f - --count
ordo search index nothing
echo $?
ordo search index nothing --count
echo $?
ordo search index '' --count
echo $?
ordo search index a -o found && cat found
printf '' | ordo index --sample 1 -o empty && ordo search empty a
echo $?
