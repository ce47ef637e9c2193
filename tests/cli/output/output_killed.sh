# shellcheck disable=SC2010,SC2012 # the names are known
# A command that is ended by a signal leaves the old file unchanged and no temporary file.
# output_steps.c stops the writer at every step; here the command gets each signal while it writes.

# writes PID: whether /proc shows an open temporary file of the process
writes() { ls -l "/proc/$1/fd" 2>/dev/null | grep -Eq '/(#[0-9]+ \(deleted\)|\.ordo-tmp-[0-9]+)$'; }

for signal in TERM HUP INT QUIT PIPE ALRM XFSZ XCPU USR1 USR2 KILL; do
    code=0
    while [ "$code" -eq 0 ]; do # again if the run ended before it got the signal
        printf 'old\n' >data
        # A shell starts background jobs with INT and QUIT ignored, and ordo leaves ignored signals
        # alone.
        env --default-signal=INT,QUIT ordo gen uniform -n 30M --dtype f64 --format text -o data 2>err &
        run=$!
        until writes $run || ! kill -0 $run 2>/dev/null; do :; done
        kill -s $signal $run
        wait $run 2>/dev/null
        code=$?
    done
    [ "$code" -gt 128 ] && code=$(kill -l "$code")
    rm -f core*
    echo "$signal: $code $(head -c 9 data) $(ls -A | tr '\n' ' ')"
done
# The temporary file of a dead process is removed, whatever it contains.
printf 'unfinished' >.ordo-tmp-0
printf 'unfinished' >.ordo-tmp-3
ordo gen zero -n 1 -o data
head -c 9 data
ls -A
