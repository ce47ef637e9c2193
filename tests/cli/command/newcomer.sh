# Mistakes of new users, and unusual environments.
try() {
    ordo "$@"
    echo "$*: $?"
}
printf '3\n1\n2\n' >keys
printf 'b\na\n' >names
mkdir folder
try sort missing
try sort folder
try sort folder --check
try sort folder --check --text
try median folder
try sort --bogus keys
try sort -x keys
try scan keys keys
try sort names
try sort names --check
try median names
printf 'secret\n' >closed
chmod 000 closed
if [ -r closed ]; then
    echo "unreadable file not tested: this user may read everything"
else
    ordo sort closed 2>&1
fi
chmod 600 closed
# Closed standard files.
ordo sort keys >&-
echo $?
ordo sort <&-
echo $?
ordo sort keys -o out >&- 2>&- <&-
echo "$? $(tr '\n' ' ' <out)"
ordo sort missing -o out 2>&-
echo "$? $(tr '\n' ' ' <out)"
ordo info >&-
echo $?
# If the reader closes the pipe, SIGPIPE ends the command without a message.
(
    ordo gen zero -n 1e6
    kill -l $? >code
) | head -1
cat code
