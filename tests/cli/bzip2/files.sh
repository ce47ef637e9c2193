# ordo bzip2 on files: names, keep, refusals, exit codes, times and modes.
printf 'some text, some text\n' >a
chmod 640 a
touch -d '2001-02-03 04:05:06 UTC' a
ordo bzip2 a && ls
stat -c '%a %Y' a.bz2
ordo bzip2 -d a.bz2 && ls && cat a
stat -c '%a %Y' a
ordo bzip2 -k a && ls
ordo bzip2 -k a || echo "exists: $?"
printf 'old' >a.bz2
ordo bzip2 -kf a && ordo bzip2 -dc a.bz2
ordo bzip2 a.bz2 || echo "suffix: $?"
ordo bzip2 -cf a.bz2 || echo "suffix: $?"
ordo bzip2 none a.bz2 || echo "missing: $?"
mkdir folder
ordo bzip2 folder || echo "folder: $?"
ln -s a link
ordo bzip2 link || echo "link: $?"
ln a twice
ordo bzip2 a || echo "links: $?"
rm twice link
# Names of the result.
for name in b.bz2 c.bz d.tbz2 e.tbz f; do
    cp a.bz2 $name
    ordo bzip2 -d $name || echo $?
done
ls
rm -r b c d.tar e.tar f.out folder
# Damaged and other files: nothing is left, the input stays.
head -c 30 a.bz2 >cut.bz2
ordo bzip2 -d cut.bz2 || echo "cut: $?"
ordo bzip2 -t cut.bz2 || echo "cut: $?"
echo text >text.bz2
ordo bzip2 -d text.bz2 a.bz2 || echo "text: $?"
ls -A
# Trailing bytes are a warning.
ordo bzip2 -k a 2>/dev/null
ordo bzip2 -kf a
(cat a.bz2 && echo more) >more.bz2
ordo bzip2 -dk more.bz2 && cmp a more
rm more && ordo bzip2 -dkq more.bz2 && cmp a more
ordo bzip2 -tv a.bz2
# Several streams, stdin and stdout.
cat a.bz2 a.bz2 | ordo bzip2 -d
ordo bzip2 <a | ordo bzip2 -dc - | cmp - a
ordo bzip2 </dev/null | wc -c
for level in 1 5 9 -fast -best; do
    ordo bzip2 -c "-$level" <a | head -c 4
    echo
done
# --small: blocks of at most 200 kB, also with a higher level.
for level in 1 2 5 9 -best; do
    ordo bzip2 -sc "-$level" <a | head -c 4
    echo
done
ordo bzip2 --small <a | head -c 4
echo
ordo bzip2 -s <a | ordo bzip2 -ds --threads 2 | cmp - a
ordo bzip2 -x <a || echo "option: $?"
