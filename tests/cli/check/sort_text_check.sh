# Check of lines. The message shows the line out of order in printable characters.
try() {
    ordo sort --check --text "$@"
    echo "$*: $?"
}
printf 'a\nb\nb\nc\n' >sorted
printf 'b\n\033[31ma\000\nc\n' >lines
try sorted
try sorted --unique
try sorted --descending
try lines
printf 'b\nb\na\n' | try --descending
printf 'ab\na\n' | try
printf 'a\n\n' | try
printf 'a\nab' | try --unique
printf '' | try --unique
printf 'b\na\n' | try --explain
awk 'BEGIN { print "b"; for (i = 0; i < 50; i++) printf "a line that is long "; print "" }' | try
