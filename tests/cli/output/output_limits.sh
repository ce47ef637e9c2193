# No space for the result: exit code 2, the old file is unchanged, and the message says what to do.
printf 'old\n' >data
(
    ulimit -f 1
    ordo gen zero -n 1e6 -o data
    echo $?
    ordo gen zero -n 1e6 -o fresh
    echo $?
    ordo gen zero -n 1e6 >stdout
    echo $?
)
cat data
ls -A
mkdir closed
printf 'old\n' >closed/data
chmod 555 closed
if touch closed/probe 2>/dev/null; then
    echo "read-only folder not tested: this user may write everywhere"
else
    ordo gen zero -n 1 -o closed/data 2>err
    echo "$? $(cat closed/data) $(cat err)"
fi
chmod 755 closed
printf 'old\n' >fixed
chmod 444 fixed
if [ -w fixed ]; then
    echo "read-only file not tested: this user may write everywhere"
else
    ordo gen zero -n 1 -o fixed 2>err
    echo "$? $(cat fixed) $(cat err)"
fi
