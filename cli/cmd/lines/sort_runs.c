/* sort_runs.c - sorts lines larger than memory through runs that a program of the user compresses
 * (--compress-program). Without that option the library sorts them, in parallel and packed. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/lines/sort_lines.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    PART_SHARE = 16,      /* of the limit: memory that a sort takes for each byte of its text */
    PART_LEAST = 64 << 10 /* bytes of a part */
};

/* Copies the next `length` bytes of the source to e->lines. */
static bool take_part(execution *e, source *from, size_t length, char line_end, size_t *bytes)
{
    char *const block = malloc(length + 1);

    if (block == NULL)
        return cli_fail("%s: not enough memory for %zu bytes of input", from->name, length);
    memcpy(block, from->block + from->next, length);
    block[length] = '\0';
    source_skip(from, length, 0);
    lines_free(&e->lines);
    e->lines = (lines){.line_end = line_end, .name = from->name};
    *bytes = 0;
    return lines_append(&e->lines, from->name, block, length, bytes);
}

/* Sorts e->lines to the descriptor, which is closed. */
static bool write_part(execution *e, int fd, size_t bytes, const lines_request *request,
                       const ordo_sort_opts *opts)
{
    const output out = e->out;
    char         path[40];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const bool ok = output_open(&e->out, path, FORMAT_TEXT);
    close(fd);
    const bool sorted = ok && sort_text(e, bytes, request, false, opts);
    output_abandon(&e->out);
    e->out = out;
    for (size_t i = 0; i < MOST_RESULTS; i++) {
        free(e->results[i]);
        e->results[i] = NULL;
    }
    return sorted;
}

static bool add_run(execution *e, line_runs *runs, size_t bytes, const lines_request *request,
                    const ordo_sort_opts *opts)
{
    line_run_writer w;

    if (!line_runs_begin(runs, &w))
        return false;
    const bool ok = write_part(e, w.fd, bytes, request, opts);
    return line_runs_end(runs, &w, ok);
}

bool sort_in_runs(execution *e, source *from, const lines_request *request, uint64_t limit,
                  const ordo_sort_opts *opts)
{
    const merge_request merge = sort_merge_request(e, request);
    line_runs           runs = {.request = &merge};
    size_t least = limit / PART_SHARE > PART_LEAST ? (size_t)(limit / PART_SHARE) : PART_LEAST;
    bool   ok = true, more = true;

    while (ok && more) {
        const size_t length = source_piece(from, least);
        size_t       bytes;
        more = length > 0 || !from->ended;
        ok = length != SIZE_MAX;
        if (length == 0)
            least *= 2; /* a line is longer */
        else if (ok)
            ok = take_part(e, from, length, request->line_end, &bytes) &&
                 add_run(e, &runs, bytes, request, opts);
    }
    return finish_output(e, line_runs_finish(&runs, ok, &e->out));
}
