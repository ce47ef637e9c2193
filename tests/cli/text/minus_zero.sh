# An integer written -0 is -0.0 if another line needs f64, in memory and with -S.
line() { tr '\n' ' ' && echo; }
show() { # show FILE...: the numbers as f64, with and without -S
    for command in sort 'sort --descending' unique 'unique --descending' 'unique --counts'; do
        ordo $command "$@" --format text | line
        ordo $command "$@" --format text -S 8Mi -T . | line
    done
}

printf '0\n-0\n+0\n-00\n0.5\n' >late
printf '0.5\n0\n-0\n' >early
printf '0\n -0\n7\n' >integers
show late
show early
show integers
show integers early

# Many lines, which several threads read: -0 in one file, a fraction in the next.
{ yes 3 | head -n 300000 && echo -0 && yes 2 | head -n 300000 && printf '0\n-0'; } >many
show many early | cut -c 1-40
