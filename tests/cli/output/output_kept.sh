# shellcheck disable=SC2012 # the names are known
# A replaced file keeps its hard links, symbolic links, mode, owner and group.
printf '3\n1\n2\n' >hard
ln hard other
ordo sort hard -o hard
cat other
[ "$(ls -i hard | cut -d' ' -f1)" = "$(ls -i other | cut -d' ' -f1)" ] && echo "hard link stays"
printf '3\n1\n2\n9\n9\n9\n' >hard
ordo sort hard --unique -o other
cat hard
mkdir sub
ln -s ../made sub/dangling
ln -s sub/dangling chain
printf '2\n1\n' | ordo sort -o chain
cat made
[ -L chain ] && [ -L sub/dangling ] && echo "symbolic links stay"
ln -s loop loop
ordo sort made -o loop
echo $?
ln -s missing/file nowhere
ordo sort made -o nowhere
echo $?
printf '2\n1\n' >mode
chmod 604 mode
ordo sort mode -o mode
ls -l mode | cut -c1-10
printf '2\n1\n' >owned
if chown 1234:2345 owned 2>/dev/null; then
    ordo sort owned -o owned
    ls -ln owned | awk '{print "owner " $3 ":" $4}'
else
    echo "owner not tested: only root may give a file away"
fi
# A process that was killed while it overwrote a file with hard links has left its result.
printf 'result\n' >hard.ordo-new
ordo sort made -o hard 2>&1 | sed 's|[^ ]*/hard|hard|g'
rm hard.ordo-new
ls -A
