# shellcheck disable=SC2012 # the names are known
# A run that a signal ends leaves the old file and nothing beside it. output_steps.c stops runs
# at every single step; here the command itself gets every signal in the midst of its work.
printf 'old\n' >data
for signal in TERM HUP QUIT PIPE ALRM XFSZ XCPU USR1 USR2 KILL; do
    # A shell starts background jobs with QUIT ignored, and ordo leaves ignored signals alone.
    env --default-signal=QUIT ordo gen uniform -n 30M --dtype f64 --format text -o data 2>err &
    run=$!
    sleep 0.1
    kill -s $signal $run
    wait $run 2>/dev/null
    code=$?
    [ "$code" -gt 128 ] && code=$(kill -l "$code")
    rm -f core*
    echo "$signal: $code $(head -c 9 data) $(ls -A | tr '\n' ' ')"
done
timeout -s INT 0.3 env --default-signal=INT ordo gen uniform -n 30M --dtype f64 --format text -o data
echo "INT: $? $(head -c 9 data) $(ls -A | tr '\n' ' ')"
# A file of a dead run goes, whatever is in it.
printf 'unfinished' >.ordo-tmp-0
printf 'unfinished' >.ordo-tmp-3
ordo gen zero -n 1 -o data
head -c 9 data
ls -A
