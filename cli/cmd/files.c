/* files.c - the input files of a command: its operands, or the names in the file of
 * --files0-from. */
#include "cli/cmd/command.h"

#include <stdlib.h>

static const char *const standard_input[] = {NULL};

/* Splits names[0..length), which end with NUL; the last one may have no NUL of its own. */
static bool split_names(execution *e, const char *from, size_t length)
{
    size_t n = 0;

    for (size_t at = 0; at < length; at += strlen(e->names + at) + 1)
        n++;
    if (n == 0)
        return cli_fail("%s: --files0-from: there is no file name in it", from);
    e->name_list = malloc(n * sizeof *e->name_list);
    if (e->name_list == NULL)
        return cli_fail("sort: not enough memory for %zu file names", n);
    e->paths = e->name_list;
    e->path_count = n;
    for (size_t i = 0, at = 0; i < n; i++, at += strlen(e->names + at) + 1) {
        e->name_list[i] = e->names + at;
        if (e->names[at] == '\0')
            return cli_fail("%s:%zu: --files0-from: the file name is empty", from, i + 1);
        if (strcmp(e->names + at, "-") == 0 && strcmp(from, "stdin") == 0)
            return cli_fail(
                "stdin:%zu: --files0-from -: the names come from stdin, so that no file "
                "can be '-'",
                i + 1);
    }
    return true;
}

bool find_files(execution *e)
{
    const option_texts *const operands = &e->o.operands;
    const char *const         from = e->o.line.names_file;
    source                    s;

    e->paths = operands->n > 0 ? operands->texts : standard_input;
    e->path_count = operands->n > 0 ? operands->n : 1;
    if (from == NULL)
        return true;
    if (operands->n > 0)
        return cli_fail("%s: --files0-from gives the files: unexpected operand '%s'",
                        e->command->name, cli_quoted(operands->texts[0]));
    if (source_open(&s, from))
        e->names = source_take(&s);
    source_close(&s);
    return e->names != NULL && split_names(e, s.name, s.end);
}
