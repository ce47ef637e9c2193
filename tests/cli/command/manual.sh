# Manual pages and completion are made from the help and the option tables; both name every option.
commands=$(ordo help --all | sed -n '/^Commands:/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p')
for command in $commands; do
    case $command in
    bench | help | version) continue ;;
    esac
    ordo help $command --all >help
    ordo help --man $command >page || echo "$command: no page"
    for section in NAME SYNOPSIS DESCRIPTION EXAMPLES; do
        grep -q "^\.Sh $section" page || echo "$command: no section $section"
    done
    [ "$(grep -c '^\.Bl' page)" = "$(grep -c '^\.El' page)" ] || echo "$command: open list"
    grep -q "^\.Nd [a-z]" page || echo "$command: no summary"
    sed -n '/^\.Sh EXIT STATUS/{n;p;}' page | grep -q '^0 ' || echo "$command: no exit status"
    case $command in
    bzip2 | info | tune) continue ;; # take all common options, and describe those that have an effect
    esac
    ordo completion bash | sed -n "s/^ *$command) words='\(.*\)' ;;/\1/p" | tr ' ' '\n' |
        while read -r option; do
            grep -qe "${option%=all}" help || echo "$command: $option is not in the help"
        done
done
ordo help --man | grep -c '^\.It Sy'
ordo help --man | sed -n '/^\.Sh EXIT STATUS/{n;p;}'
ordo help --all | sed -n '/^Commands:/,/^$/p' | grep -c '^  '
ordo completion bash | grep -c "sort:--device | sort:--device=) words='auto cpu cuda hybrid"
ordo completion fish | grep "from count' -l text"
ordo completion zsh | grep -e "--nans=.*omit propagate" | sort | uniq -c | sed 's/^ *//'
for words in 'completion' 'completion tcsh' 'completion bash zsh' 'help --man nothing' \
    'help --man sort rank'; do
    ordo $words
    echo $?
done
