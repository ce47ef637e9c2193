# ordo bzip2 beside bzip2: exit codes, files that are left, their bytes, and stdout, for every list of
# options. Only differences are printed. Without bzip2 nothing is compared.
printf 'some text, some text\n' >text
if command -v bzip2 >/dev/null; then
    other=bzip2
else
    other='ordo bzip2'
fi
$other -kc text >packed.bz2
$other -kc text >packed
head -c 30 packed >cut.bz2
printf 'BZ' >short.bz2
printf 'BZh' >three.bz2
printf 'BZh0 is no level' >zero.bz2
printf 'BZh9 and more' >level.bz2
printf 'BZx' >other.bz2
printf 'plain\n' >plain.bz2
: >empty.bz2
{
    cat packed
    echo trailing
} >trailing.bz2
good='text packed.bz2 packed other.bz2 plain.bz2'
bad='cut.bz2 short.bz2 three.bz2 zero.bz2 level.bz2 empty.bz2 none'
mkdir data && cp text packed ./*.bz2 data

# run NAME COMMAND...: in a fresh copy of the files; records everything that can be seen.
run() {
    name=$1
    shift
    rm -rf "$name" && cp -R data "$name"
    (cd "$name" && "$@" </dev/null >../"$name.stdout" 2>../"$name.stderr")
    echo "exit $?" >>"$name.stdout"
    (cd "$name" && for file in *; do
        printf '%s ' "$file" && cksum <"$file"
    done) >>"$name.stdout"
}

# compare OPTION...: with all good files, and with each of the names in $each.
compare() {
    for file in "$good" $each; do
        # shellcheck disable=SC2086
        run theirs $other "$@" $file
        # shellcheck disable=SC2086
        run ours ordo bzip2 "$@" $file
        cmp -s theirs.stdout ours.stdout || echo "differs: $* $file"
    done
}

each="$good $bad"
compare
compare -d
compare -df
compare -dkf
compare -dcf
compare -t
each='none cut.bz2'
compare -k
compare -dk
compare -dc
compare -tf
compare -z -d
compare -d -z
compare -d -t
compare -t -d
compare -t -z
compare -c -1 -9
compare -c -9 -1
compare -c --fast --best
compare -kq -3
compare -s -kv
compare --small --decompress --keep
compare --compress --stdout --force
compare -V
compare -d --license
compare --repetitive-fast -kc
compare -L -k
# Options of variables come first; files may be there, too.
export BZIP2='-k -1' BZIP='-2'
each=none
compare
compare -3
compare -d
export BZIP2='-dk' BZIP='	-f
 '
compare
compare -c -z
BZIP2='' BZIP='-c text' compare -k
unset BZIP2 BZIP
# Stdin, seekable or not.
for file in packed.bz2 cut.bz2 plain.bz2 zero.bz2 short.bz2 empty.bz2; do
    for option in -d -df -t; do
        $other $option <data/$file >theirs.stdout 2>/dev/null
        echo "exit $?" >>theirs.stdout
        ordo bzip2 $option <data/$file >ours.stdout 2>/dev/null
        echo "exit $?" >>ours.stdout
        cmp -s theirs.stdout ours.stdout || echo "differs: $option <$file"
    done
done
# bzip2 copies nothing from a pipe, repeats a file with trailing bytes, and stops at a damaged file.
for option in -df -dcf; do
    ordo bzip2 $option <data/trailing.bz2
    for name in plain packed; do
        # shellcheck disable=SC2002
        cat data/$name.bz2 | ordo bzip2 $option
    done
done
ordo bzip2 -dc data/cut.bz2 data/packed.bz2 || echo "damaged: $?"
cp data/plain.bz2 plain.bz2 && touch -d '2001-02-03 04:05:06 UTC' plain.bz2 && chmod 640 plain.bz2
ordo bzip2 -dfv plain.bz2 && cat plain && stat -c '%a %Y' plain
for option in -L -V --license --version; do
    ordo bzip2 $option 2>&1 >/dev/null | sed 1d
done
ordo bzip2 --best=3 text || echo "value: $?"
