/* lines_kept.c - moves lines together, without their ends, to memory of their own (see
 * lines_kept.h). Each chunk of the text is the work of one thread. */
#include "cli/io/text/lines_kept.h"

#include "cli/base/workers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct keeping {
    const fast_text *f;
    lines           *to;
    atomic_size_t    long_line; /* from 1; 0: none is too long */
} keeping;

/* Each line before the chunk is one byte shorter without its end. */
static void keep_chunk(void *user, size_t i)
{
    keeping *const          k = user;
    const fast_chunk *const c = &k->f->chunk[i];
    const char *p = k->f->text + c->begin, *const end = k->f->text + c->end;
    size_t used = c->begin - c->first;

    for (size_t line = c->first; line < c->first + c->n; line++) {
        const char *const stop = memchr(p, k->f->line_end, (size_t)(end - p));
        const size_t      size = (size_t)((stop != NULL ? stop : end) - p);
        if (size > UINT32_MAX)
            atomic_store(&k->long_line, line + 1);
        k->to->offsets[line] = used;
        memcpy(k->to->bytes + used, p, size);
        used += size;
        p += size + 1;
    }
    if (i + 1 == k->f->chunks)
        k->to->offsets[k->f->lines] = used;
}

bool lines_keep(lines *l, char *block, const fast_text *f, const char *name)
{
    keeping k = {.f = f, .to = l};

    *l = (lines){.name = name,
                 .line_end = f->line_end,
                 .n = f->lines,
                 .bytes = malloc(f->length + 1),
                 .offsets = malloc((f->lines + 1) * sizeof *l->offsets)};
    const bool memory = l->bytes != NULL && l->offsets != NULL;
    if (memory)
        workers_run(f->chunks, keep_chunk, &k);
    free(block);
    if (!memory)
        return cli_fail("%s: not enough memory for the lines", name);
    const size_t line = atomic_load(&k.long_line);
    return line == 0 ||
           cli_fail("%s:%zu: the line has more than 2^32 - 1 bytes, which are supported", name,
                    line);
}
