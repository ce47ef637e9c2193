# --help goes to stdout, exits 0, begins with examples and fits a screen; the long form names every
# option, and only options that the command takes. `help` and `version` have no help of their own.
ordo completion fish >options
commands=$(ordo help --all | sed -n '/^Commands:/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p')
echo "$commands" | wc -l
for command in $commands; do
    case $command in
    help | version) continue ;;
    esac
    ordo $command --help >a || echo "$command --help: $?"
    ordo $command -h </dev/null >b || echo "$command -h: $?"
    [ $command != sort ] || cp a b # sort -h sorts sizes such as 2K
    ordo help $command >c || echo "help $command: $?"
    cmp a b && cmp a c
    ordo $command --help=all >long || echo "$command --help=all: $?"
    ordo help $command --all >b && cmp long b
    ordo help --all $command >b && cmp long b
    [ "$(head -1 a) $(head -1 long)" = 'Examples: Examples:' ] || echo "$command: no examples first"
    [ "$(grep -c '^Usage: ordo ' a)" = 1 ] || echo "$command: no usage"
    [ "$(wc -l <a)" -le 40 ] || echo "$command: $(wc -l <a) lines"
    awk -v command=$command 'length($0) > 80 { print command ": wide: " $0 }' a
    awk 'length($0) > 100' long
    sed -n 's/^  \(-., \)*--\([a-z0-9-]*\).*/\2/p' long | sort -u | while read -r option; do
        case $command-$option in
        *-help | *-version | bench-* | completion-*) continue ;;
        esac
        grep -q -e "_from $command.* -l $option " options || echo "$command: no --$option"
    done
    ! grep -q -e '^  --csv' long || grep -q -e '^  --csv' a || echo "$command: no --csv"
    grep -n '^\*' a long && echo "$command: a mark is printed"
    ! grep '^  -' a | grep -e '--device' -e '--gpu' || echo "$command: options of GPUs"
    case $command in
    completion) ;;
    *) [ "$(tail -1 a)" = "'ordo help $command --all' prints everything." ] || tail -1 a ;;
    esac
done
ordo --help >a && ordo -h >b && ordo help >c && cmp a b && cmp a c
ordo --help=all >long && ordo help --all >b && cmp long b
echo "ordo: $(head -1 a) $(grep -c '^Usage: ordo ' a)"
[ "$(wc -l <a)" -le 40 ] || wc -l a
awk 'length($0) > 80' a
for command in $commands; do # described or named
    grep -qw -e $command a || echo "$command is missing"
done
tail -1 a
ordo help help | cmp - a
ordo rank --sorted --help --no-such-option | head -1
ordo rank --help=all --no-such-option | head -1
ordo rank --help=some || echo $?
