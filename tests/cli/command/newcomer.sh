# What people do in their first minutes, and what the system does to them.
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
try sort -z keys
try sort keys keys
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
# Standard files that are closed.
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
# A reader that has seen enough ends the writer by SIGPIPE, without a word.
(
    ordo gen zero -n 1e6
    kill -l $? >code
) | head -1
cat code
