# What scripts for GNU sort use: abbreviated options, keys of the old form, --debug of control
# characters and NULs, and merges of more files than can be open.
sort --version 2>/dev/null | grep -q 'GNU coreutils' || {
    echo "sort is not GNU sort"
    exit 77
}
unset POSIXLY_CORRECT _POSIX2_VERSION

make_lines() { # make_lines SEED LETTERS
    awk -v seed="$1" -v letters="$2" 'BEGIN {
        x = seed
        for (i = 0; i < 400; i++) {
            line = ""
            x = (x * 16807) % 2147483647
            for (left = x % 12; left > 0; left--) {
                x = (x * 16807) % 2147483647
                line = line substr(letters, x % length(letters) + 1, 1)
            }
            print line
        }
    }'
}

same() { # same OPTION...: stdout and exit code are those of sort(1)
    sort "$@" >expected 2>/dev/null
    expected_code=$?
    [ ! -f out ] || mv out expected_out
    ordo sort --text "$@" >printed 2>/dev/null
    code=$?
    [ $code -eq $expected_code ] || echo "$*: exit code $code, expected $expected_code"
    cmp -s expected printed || echo "$*: other bytes"
    [ ! -f out ] || { cmp out expected_out && rm out expected_out; }
}

make_lines 5 'abAB12-7  ' >lines
# shellcheck disable=SC2086
for options in +0 +1 '+1 -2' '+1.1 -2.2' '+0.1 -0.2' '+0 -0' '+0 -0.0' +2n '+1n -2 +0r -1' \
    '+1b -2b' '+1.1b -2.1b' '+1nr -3' '-k2 +0 -1' '+1 -2 -k1,1r' '+1f -1.2' '+00001.0 -0002' \
    +99999999999999999999 '+1 -99999999999999999999' '+1 -1' '+3 -2' '-t1 +1 -2' '-s +1n -2n' \
    +1x + +.1 +1. '+1 -2x' '+1 -2.' +1nM '-- +1' \
    --rev --num --uniq --p=1 --par=2 --g --k=2 '--ke 2,2' --z --u --o=out '--out out' --t=. --bu=1M \
    --rand --s --v --vers --h --hu --r --che --deb --dict '--field=1 -k2' '--fie 1 -k2' \
    --ignore-c --ignore-l --stab --mer --mo --sort=n --so=num --check=q --check=d --nu=3; do
    same $options lines
done

make_lines 7 'ab1 2-.~x@%' | tr '~@%' '\000\001\177' | sed 's/x/	/g' >controls
tr '\n' '\0' <controls >zeros
# shellcheck disable=SC2086
for options in '' -k2 -k2,2n '-t. -k2,2n -k1,1' -g -M '-g -k1.2,1.3' '-b -k2.2b,3.1' '-u -k1,1' \
    -V '-d -k2'; do
    same --debug $options controls
    same --debug -z $options zeros
done

# Merges: groups of files become runs, also when few files may be open.
count=1
while [ $count -le 40 ]; do
    make_lines $count 'abc1 ' | sort -k2 >sorted$count
    count=$((count + 1))
done
for size in 2 3 7 39 40 41; do
    same -m -s -k2 --batch-size=$size sorted*
    same -m -u -k2 --batch-size=$size sorted*
done
sort -m -k2 sorted* >expected
(ulimit -n 16 && ordo sort -m -k2 sorted* -o printed)
cmp expected printed
(ulimit -n 16 && ordo sort -k2 sorted*) | cmp expected -
ordo sort -m -k2 --batch-size 40 -T none sorted* | cmp expected - # no temporary file is needed
ordo sort -m -k2 --batch-size 39 -T none sorted*
printf 'BZh91AY&SY\n' >packed.raw # a run is not taken for a compressed file
printf 'a\n' >a
ordo sort -m --text --batch-size 2 packed.raw a a | tr '\n' ' '
echo
ordo sort --version | sed 's/[0-9.]*$/VERSION/'
ordo rank --version | sed 's/[0-9.]*$/VERSION/'
echo compared
