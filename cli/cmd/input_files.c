/* input_files.c - the input files: operands, or the names in the file of --files0-from. */
#define _GNU_SOURCE /* eaccess */

#include "cli/cmd/command.h"

#include "cli/base/as_sort.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const standard_input[] = {NULL};

/* What is wrong with name i, from 0; the names are in the file `from`. */
static bool name_wrong(const execution *e, const char *from, size_t i)
{
    const char *const name = e->name_list[i];
    const bool both_stdin = strcmp(name, "-") == 0 && (cli_is_sort() || strcmp(from, "stdin") == 0);

    if (cli_is_sort() && both_stdin)
        cli_error("when reading file names from stdin, no file name of '-' allowed");
    else if (cli_is_sort() && name[0] == '\0')
        cli_error("%s:%zu: invalid zero-length file name", sort_name(from), i + 1);
    else if (name[0] == '\0')
        cli_error("%s:%zu: --files0-from: the file name is empty", from, i + 1);
    else if (both_stdin)
        cli_error("stdin:%zu: --files0-from -: the names come from stdin, so that no file can be "
                  "'-'",
                  i + 1);
    return name[0] == '\0' || both_stdin;
}

/* Splits names[0..length), which end with NUL; the last one may have no NUL of its own. */
static bool split_names(execution *e, const char *from, size_t length)
{
    size_t n = 0;

    for (size_t at = 0; at < length; at += strlen(e->names + at) + 1)
        n++;
    if (n == 0 && cli_is_sort())
        return cli_fail("no input from %s", sort_name_quoted(e->o.line.names_file));
    if (n == 0)
        return cli_fail("%s: --files0-from: there is no file name in it", from);
    e->name_list = malloc(n * sizeof *e->name_list);
    if (e->name_list == NULL)
        return cli_fail("sort: not enough memory for %zu file names", n);
    e->paths = e->name_list;
    e->path_count = n;
    for (size_t i = 0, at = 0; i < n; i++, at += strlen(e->names + at) + 1) {
        e->name_list[i] = e->names + at;
        if (name_wrong(e, from, i))
            return false;
    }
    return true;
}

/* Reads the file of names to e->names. */
static bool read_names(execution *e, source *s)
{
    struct stat st;

    if (!source_open(s, e->o.line.names_file))
        return false;
    if (cli_is_sort() && fstat(s->fd, &st) == 0 && S_ISDIR(st.st_mode))
        return cli_fail("cannot read file names from %s", sort_name_quoted(e->o.line.names_file));
    e->names = source_take(s);
    return e->names != NULL;
}

bool find_files(execution *e)
{
    const option_texts *const operands = &e->o.operands;
    source                    s;

    if (e->paths != NULL)
        return true;
    e->paths = operands->n > 0 ? operands->texts : standard_input;
    e->path_count = operands->n > 0 ? operands->n : 1;
    if (e->o.line.names_file == NULL)
        return true;
    if (operands->n > 0 && cli_is_sort()) {
        cli_error("extra operand %s", sort_name_quoted(operands->texts[0]));
        cli_line(stderr, "file operands cannot be combined with --files0-from");
        cli_line(stderr, "Try 'sort --help' for more information.");
        return false;
    }
    if (operands->n > 0)
        return cli_fail("%s: --files0-from gives the files: unexpected operand '%s'",
                        e->command->name, cli_quoted(operands->texts[0]));
    const bool ok = read_names(e, &s);
    source_close(&s);
    return ok && split_names(e, s.name, s.end);
}

bool files_readable(const execution *e)
{
    for (size_t i = 0; i < e->path_count; i++)
        if (!source_is_stdin(e->paths[i]) && eaccess(e->paths[i], R_OK) != 0)
            return cli_fail("cannot read: %s: %s", sort_name(e->paths[i]), strerror(errno));
    return true;
}
