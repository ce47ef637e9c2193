# sort --check: exit code 0 or 1, no output on stdout, and the first element out of order, from 1.
try() {
    ordo sort --check "$@"
    echo "$*: $?"
}
printf '1\n2\n2\n10\n3\n11\n' >keys
printf '1\n2\n2\n10\n' >sorted
printf '9.5\n2\n2\n' >down
try keys
try sorted
try sorted --unique
try sorted --descending
try down --descending
try down --descending --unique
try down
printf '1\nnan\nnan\n' | try
printf '1\nnan\n0\n' | try -
printf 'nan\n1\n' | try --descending
printf -- '-0.0\n0\n-0.0\n' | try
printf -- '0\n-0.0\n' | try --unique
printf '' | try --unique
ordo gen sorted -n 100000 -o a.npy && try a.npy
ordo gen reverse -n 100000 -o a.npy && try a.npy --descending
printf '1\n5\n4\n' | ordo rank --sorted --format npy >b.npy && try b.npy
printf '1\n2\nx\n' | try
try missing
try keys -o out
ls
