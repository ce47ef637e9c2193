# The first word of the command line.
ordo version
ordo --version
ordo rnak
echo $?
ordo frobnicate
echo $?
ordo --frobnicate
echo $?
ordo ''
echo $?
ordo version now
echo $?
ordo help rank scan
echo $?
ordo help frobnicate
echo $?
ordo 2>err
echo $?
head -1 err
for word in minimum kth uniq shuf stats mean so sorting xsort st; do
    ordo $word || :
done
ordo -r || :
ordo --csv || :
