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

static int print_completion(const char *shell)
{
    static option_spec rows[MPI_COMMANDS][MPI_OPTIONS + 1];
    completion_command all[MPI_COMMANDS];
    char *const        help = help_text();
    bool               memory = help != NULL;
    for (size_t c = 0; c < MPI_COMMANDS; c++) {
        option_spec *to = rows[c];
        for (size_t i = 0; i < MPI_OPTIONS; i++)
            if ((mpi_options[i].commands >> c & 1) != 0 && mpi_options[i].code != 'h')
                *to++ = mpi_options[i].spec;
        char *const summary = help != NULL ? summary_of(help, mpi_commands[c]) : NULL;
        all[c] = (completion_command){mpi_commands[c], summary, help, rows[c]};
        memory = memory && summary != NULL;
    }
    memory = memory && completion_print("ordo-mpi", shell, all, MPI_COMMANDS);
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
