# Arguments that the library refuses: a message, exit code 2, and no output file.
for request in 'recur -n 10 -p 1.5' 'recur -n 257 --dtype u8 -p 0' 'ksorted -n 10 -k 10' \
    'shuffled -n 10 -k 10'; do
    # shellcheck disable=SC2086 # several words
    ordo gen $request -o out 2>err
    echo "$? $(grep -c '^ordo: gen: ..*' err) $(wc -l <err | tr -d ' ')"
done
ls -A
