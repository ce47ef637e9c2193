# Called by the name of sort(1), or as `ordo sort --gnu`, the command is GNU sort. as_gnu.py compares random options and files;
# the cases here are those that need more data, or whose messages differ.
sort --version 2>/dev/null | grep -q 'GNU coreutils' || {
    echo "sort is not GNU sort"
    exit 77
}
command -v python3 >/dev/null || {
    echo "there is no python3"
    exit 77
}
unset POSIXLY_CORRECT _POSIX2_VERSION TMPDIR
gnu=$(command -v sort)
mkdir link
ln -s "$(command -v ordo)" link/sort
sort=$PWD/link/sort
python3 "$CASES/as_gnu.py" "$gnu" "$sort" 1 120

$sort --version | sed 's/[0-9.]*$/VERSION/'
ordo sort --gnu --version | sed 's/[0-9.]*$/VERSION/'
$sort --help | sed -n '1,2p'
ordo sort -n --gnu
echo "--gnu: $?"

# Files are what they are: not compressed, not arrays, not numbers.
printf 'b\na\n' >plain
gzip -n <plain >packed.gz
ordo gen sorted -n 3 -o keys.npy
for file in packed.gz keys.npy; do
    "$gnu" $file >expected
    $sort $file -o out.gz
    cmp expected out.gz
done
$sort -o - plain && cat ./-

# Temporary files really go through the program, and runs are merged in several steps.
cat >pack <<'END'
#!/bin/sh
echo "pack$*" >>used
exec gzip "$@"
END
chmod +x pack
PATH=$PWD:$PATH
awk 'BEGIN { for (i = 0; i < 60000; i++) print (i * 7919) % 60013, i % 7 }' >many
for options in -n '-k2,2 -k1,1nr' '-u -k2,2n' '-s -k2,2'; do
    # shellcheck disable=SC2086
    "$gnu" $options many >expected
    for size in 2 3 16; do
        rm -f used
        # shellcheck disable=SC2086
        $sort $options -S 64k --compress-program=pack --batch-size=$size many | cmp expected - &&
            sort -u used | tr '\n' ' '
    done
    # shellcheck disable=SC2086
    ordo sort --text $options -S 64Ki --compress-program pack - <many | cmp expected -
done
echo
"$gnu" -n many >sorted
rm -f used
$sort -m -n --batch-size=2 --compress-program=pack sorted sorted sorted | cmp - <<END
$("$gnu" -m -n sorted sorted sorted)
END
sort -u used
awk 'BEGIN { for (i = 0; i < 300000; i++) printf "%c", 97 + i % 26; print ""; print "a" }' >long
"$gnu" long | cmp - <<END
$($sort -S 64k --compress-program=pack long)
END
$sort -S 64k --compress-program=none many
echo "program missing: $?"
$sort -S 64k --compress-program=pack -T none many
echo "folder missing: $?"

# Words that no option has, and failed writes.
$sort --check=often plain
echo "word: $?"
$sort -n many >/dev/full
echo "full: $?"
$sort plain -o none/out
echo "folder: $?"
printf '1 a\n' | $sort -k1n --debug
POSIXLY_CORRECT=1 $sort plain -r
echo "posix: $?"
