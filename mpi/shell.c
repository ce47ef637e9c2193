/* shell.c - `ordo-mpi completion SHELL` and `ordo-mpi help --man`: the completion scripts and the
 * manual page, made from the help and the table of options. They run without MPI_Init, so that a
 * build can print them. */
#define _POSIX_C_SOURCE 200809L
#include "cli/ui/completion.h"
#include "cli/ui/help_text.h"
#include "mpi/job.h"
#include "mpi/option_table.h"

#include <errno.h>
#include <stdio.h>

static int failed(const char *why)
{
    fprintf(stderr, "ordo-mpi: %s\n", why);
    return CLI_TROUBLE;
}

static int flushed(bool memory)
{
    if (!memory)
        return failed("not enough memory");
    return fflush(stdout) == 0 && !ferror(stdout) ? CLI_OK : failed(strerror(errno));
}

static int print_page(void)
{
    static const manual_page page = {"ordo-mpi", "ordo-mpi --help",
                                     "sort, rank and select the keys of one file with many "
                                     "processes",
                                     "COMMANDS AND OPTIONS", ".Xr ordo 1 ,\n.Xr mpirun 1"};
    char *const              help = help_text();
    bool const               memory = help != NULL && manual_print(&page, help);
    free(help);
    return flushed(memory);
}

/* What the list of commands in the help says about a command; to be freed. */
static char *summary_of(const char *help, const char *name)
{
    help_part p;
    char     *found = NULL;
    if (help_open(&p, help))
        while (found == NULL && help_next(&p))
            if (p.kind == HELP_ENTRY && strcmp(p.term, name) == 0)
                found = strdup(p.text);
    help_close(&p);
    return found;
}

/* Completion after a launcher, `mpirun -n 4 ordo-mpi so`: the words from `ordo-mpi` on are
 * completed as a command of their own. A launcher that already has a completion keeps it. */
static const char after_bash[] = "_ordo-mpi_launched() {\n"
                                 "    local i\n"
                                 "    COMPREPLY=()\n"
                                 "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                                 "        if [ \"${COMP_WORDS[i]##*/}\" = ordo-mpi ]; then\n"
                                 "            COMP_WORDS=(\"${COMP_WORDS[@]:i}\")\n"
                                 "            COMP_CWORD=$((COMP_CWORD - i))\n"
                                 "            _ordo-mpi\n"
                                 "            return\n"
                                 "        fi\n"
                                 "    done\n"
                                 "}\n"
                                 "for launcher in mpirun mpiexec; do\n"
                                 "    complete -p \"$launcher\" >/dev/null 2>&1 ||\n"
                                 "        complete -o default -F _ordo-mpi_launched \"$launcher\"\n"
                                 "done\n"
                                 "unset launcher\n";

static const char after_zsh[] = "_ordo-mpi_launched() {\n"
                                "    local -i at=${words[(i)(*/|)ordo-mpi]}\n"
                                "    if (( at < CURRENT )); then\n"
                                "        words=(\"${(@)words[at,-1]}\")\n"
                                "        (( CURRENT -= at - 1 ))\n"
                                "        _ordo-mpi\n"
                                "    else\n"
                                "        _default\n"
                                "    fi\n"
                                "}\n"
                                "(( $+_comps[mpirun] )) || compdef _ordo-mpi_launched mpirun\n"
                                "(( $+_comps[mpiexec] )) || compdef _ordo-mpi_launched mpiexec\n";

static const char after_fish[] = "function __ordo_mpi_launched\n"
                                 "    set -l words (commandline -opc)\n"
                                 "    for i in (seq 2 (count $words))\n"
                                 "        if string match -qr '(^|/)ordo-mpi$' -- $words[$i]\n"
                                 "            set -l line ordo-mpi (string escape -- $words[(math "
                                 "$i + 1)..]) (commandline -ct)\n"
                                 "            complete -C (string join ' ' -- $line)\n"
                                 "            return 0\n"
                                 "        end\n"
                                 "    end\n"
                                 "    return 1\n"
                                 "end\n"
                                 "for launcher in mpirun mpiexec\n"
                                 "    test -n \"$(complete $launcher)\"\n"
                                 "    or complete -c $launcher -n '__ordo_mpi_launched >/dev/null' "
                                 "-f -a '(__ordo_mpi_launched)'\n"
                                 "end\n";

static int print_completion(const char *shell)
{
    static option_spec rows[MPI_COMMANDS][MPI_OPTIONS + 1];
    completion_command all[MPI_COMMANDS];
    char *const        help = help_text();
    bool               memory = help != NULL;
    for (size_t c = 0; c < MPI_COMMANDS; c++) {
        option_spec *to = rows[c];
        for (size_t i = 0; i < MPI_OPTIONS; i++)
            if ((mpi_options[i].commands >> c & 1) != 0 && mpi_options[i].spec.letter != 'h')
                *to++ = mpi_options[i].spec;
        char *const summary = help != NULL ? summary_of(help, mpi_commands[c]) : NULL;
        all[c] = (completion_command){mpi_commands[c], summary, help, rows[c], NULL, false};
        memory = memory && summary != NULL;
    }
    memory = memory && completion_print("ordo-mpi", shell, all, MPI_COMMANDS);
    if (memory)
        fputs(shell[0] == 'b' ? after_bash : shell[0] == 'z' ? after_zsh : after_fish, stdout);
    for (size_t c = 0; c < MPI_COMMANDS; c++)
        free(all[c].summary);
    free(help);
    return flushed(memory);
}

bool shell_command(int argc, char **argv, int *code)
{
    if (argc == 3 && strcmp(argv[1], "help") == 0 && strcmp(argv[2], "--man") == 0) {
        *code = print_page();
        return true;
    }
    if (argc < 2 || strcmp(argv[1], "completion") != 0)
        return false;
    bool const known = argc == 3 && (strcmp(argv[2], "bash") == 0 || strcmp(argv[2], "zsh") == 0 ||
                                     strcmp(argv[2], "fish") == 0);
    *code = known ? print_completion(argv[2]) : failed("completion: give bash, zsh or fish");
    return true;
}
