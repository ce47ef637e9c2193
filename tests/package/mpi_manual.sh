#!/bin/sh
# mpi_manual.sh ROOT BUILD - the manual page and the completion scripts of ordo-mpi. They name every
# option of the help, the help names every option that they have, and the shells that are installed
# read the scripts. Needs no mpirun. Skipped if ordo-mpi was not built.
set -eu
root=$1
build=$2
program=$build/ordo-mpi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

die() {
    echo "mpi_manual.sh: $*" >&2
    exit 1
}

[ -x "$program" ] || {
    echo "mpi_manual.sh: no ordo-mpi (scripts/bootstrap mpi installs an MPI)"
    exit 77
}
cd "$tmp"
"$root/scripts/manual-pages" "$build/ordo" "$tmp" "$program"
page=man1/ordo-mpi.1
for section in NAME SYNOPSIS DESCRIPTION 'COMMANDS AND OPTIONS' DETAILS EXAMPLES 'EXIT STATUS' 'SEE ALSO'; do
    grep -q "^\.Sh $section" "$page" || die "the page has no section $section"
done
[ "$(grep -c '^\.Bl' "$page")" = "$(grep -c '^\.El' "$page")" ] || die "a list of the page is open"
grep -q '^\.Nd [a-z]' "$page" || die "the page has no summary"
sed -n '/^\.Sh EXIT STATUS/{n;p;}' "$page" | grep -q '^0 success' || die "no exit status"
if command -v groff >/dev/null; then
    groff -mdoc -Tutf8 -ww "$page" 2>errors.txt >page.txt || die "groff fails"
    [ ! -s errors.txt ] || die "groff: $(cat errors.txt)"
fi

# The options and commands of the help, of the page and of the scripts.
"$program" completion bash >said.txt
cmp said.txt completion/ordo-mpi.bash || die "the script of bash differs"
sed -n '/^Options:/,$p' >options.txt <<END
$(sed -e 's/\\-/-/g' -e 's/^\.It Sy "\(.*\)"$/  \1/' -e 's/^\.Ss "Options"$/Options:/' "$page")
END
grep -o -e '^  -.*' options.txt | grep -o -e '-[-a-zA-Z]*' | grep -e '^--' | sort -u >of_page.txt
sed -n "s/^ *[a-z]*) words='\(.*\)' ;;/\1/p" completion/ordo-mpi.bash | tr ' ' '\n' |
    grep -e '^--' | sort -u >of_bash.txt
cmp of_page.txt of_bash.txt || die "options differ: $(diff of_page.txt of_bash.txt)"
for letter in o r q k S T; do
    grep -q -e "-$letter\b" options.txt || die "-$letter is not in the page"
done
for command in sort rank quantile median select topk tune predict; do
    grep -q "^\.It Sy \"$command\"" "$page" || die "$command is not in the page"
    grep -q "^ *$command) words='--help" completion/ordo-mpi.bash || die "$command has no options"
    grep -q "^ *'$command:..*'" completion/_ordo-mpi || die "zsh does not know $command"
    grep -q "^complete -c ordo-mpi -n __fish_use_subcommand -f -a $command -d '..*'" \
        completion/ordo-mpi.fish || die "fish does not know $command"
    # fish offers an option only for the commands that have it.
    sed -n "s/^ *$command) words='\(.*\)' ;;/\1/p" completion/ordo-mpi.bash | tr ' ' '\n' |
        sed -n -e '/^--help$/d' -e 's/^--//p' | sort >of_command.txt
    sed -n "s/^complete -c ordo-mpi -n '__fish_seen_subcommand_from $command' -l \([a-z-]*\) .*/\1/p" \
        completion/ordo-mpi.fish | sort >of_fish.txt
    cmp of_command.txt of_fish.txt || die "fish completes other options of $command"
done
! grep -q " -d ''" completion/ordo-mpi.fish || die "an option has no description"

# What the shells complete.
if command -v bash >/dev/null; then
    cat >try.bash <<'END'
. completion/ordo-mpi.bash
try() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    $completes
    echo "${COMPREPLY[*]}"
}
completes=_ordo-mpi
try ordo-mpi t
try ordo-mpi rank --ti
try ordo-mpi rank keys.npy --ties m
try ordo-mpi predict --t
completes=_ordo-mpi_launched
try mpirun -n 4 bin/ordo-mpi so
try mpirun -n 4 ordo-mpi rank --ti
try mpirun -n 4 ordo-mpi rank keys.npy --ties m
try mpirun -n 4 ordo-mpi
complete -p mpirun mpiexec | tr '\n' ' '
complete -o default -F other mpirun
. completion/ordo-mpi.bash
complete -p mpirun
END
    bash try.bash >got.txt
    {
        printf 'topk tune\n--time --ties\nmin max\n--type --taper\n'
        printf 'sort\n--time --ties\nmin max\n\n'
        echo 'complete -o default -F _ordo-mpi_launched mpirun'
        printf 'complete -o default -F _ordo-mpi_launched mpiexec '
        echo 'complete -o default -F other mpirun'
    } >expected.txt
    tr ' ' '\n' <got.txt | sort >got.words
    tr ' ' '\n' <expected.txt | sort >expected.words
    cmp expected.words got.words || die "bash completes: $(cat got.txt)"
fi
if command -v zsh >/dev/null; then
    zsh -n completion/_ordo-mpi || die "zsh does not read its script"
    cat >try.zsh <<'END'
typeset -A _comps=(mpiexec other)
compdef() { print -r -- "$@" }
_describe() { print -r -- command $CURRENT $words }
_arguments() { print -r -- option $CURRENT $words }
_default() { print -r -- default }
try() { words=("$@"); CURRENT=$#; _ordo-mpi_launched }
. completion/_ordo-mpi
try mpirun -n 4 bin/ordo-mpi so
try mpirun -n 4 ordo-mpi rank --ti
try mpirun -n 4 ordo-mpi
END
    zsh -f try.zsh >got.txt
    printf '%s\n' '_ordo-mpi ordo-mpi' '_ordo-mpi_launched mpirun' 'command 2 bin/ordo-mpi so' \
        'option 2 rank --ti' default >expected.txt
    cmp expected.txt got.txt || die "zsh completes: $(cat got.txt)"
fi
if command -v fish >/dev/null; then
    fish -n completion/ordo-mpi.fish || die "fish does not read its script"
    cat >try.fish <<'END'
source completion/ordo-mpi.fish
complete -C 'mpirun -n 4 bin/ordo-mpi so'
complete -C 'mpiexec -n 4 ordo-mpi rank --ti'
complete -C 'mpirun -n 4 ordo-mpi rank keys.npy --ties m'
complete -C 'mpirun -n 4 ordo-mpi' | grep sort
END
    HOME=$tmp fish --no-config try.fish | cut -f 1 | sort >got.txt
    printf '%s\n' --ties --time max min sort >expected.txt
    cmp expected.txt got.txt || die "fish completes: $(cat got.txt)"
fi

# Mistakes.
for words in 'completion' 'completion tcsh' 'completion bash zsh'; do
    # shellcheck disable=SC2086 # the arguments are words
    ! "$program" $words >said.txt 2>errors.txt || die "'$words' is accepted"
    grep -q 'give bash, zsh or fish' errors.txt || die "$words: $(cat errors.txt)"
    [ ! -s said.txt ] || die "$words: printed $(cat said.txt)"
done
[ ! -e /dev/full ] || ! "$program" completion bash >/dev/full 2>errors.txt || die "a full disk is no error"
echo "mpi_manual.sh: passed"
