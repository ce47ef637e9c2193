/* line_numbers.c - writes whole numbers as lines (see line_plain.h).
 *
 * Threads make blocks of lines; the caller writes them in order. */
#include "cli/lines/line_plain.h"

#include "cli/base/workers.h"
#include "cli/io/number/digits.h"

enum {
    BLOCK = 1 << 15, /* numbers of a block; estimate          */
    LONGEST = 1 + DIGITS_ROOM
};

typedef struct job {
    const plain_numbers *numbers;
    char                 line_end;
    output              *out;
    bool                 told; /* after a message */
} job;

static char *put_narrow(const uint32_t *values, size_t n, char line_end, char *to)
{
    for (size_t i = 0; i < n; i++) {
        to = digits_put(to, values[i]);
        *to++ = line_end;
    }
    return to;
}

static char *put_wide(const int64_t *values, size_t n, char line_end, char *to)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = (uint64_t)values[i];
        *to = '-';
        to += values[i] < 0;
        to = digits_put(to, values[i] < 0 ? 0 - bits : bits);
        *to++ = line_end;
    }
    return to;
}

static bool fill(void *user, size_t i, ordered_buffer *b)
{
    const job *const           j = user;
    const plain_numbers *const all = j->numbers;
    const size_t first = i * BLOCK, n = all->n - first < BLOCK ? all->n - first : BLOCK;

    if (!buffer_room(b, BLOCK * LONGEST))
        return false;
    const char *const end =
        all->type == ORDO_U32
            ? put_narrow((const uint32_t *)all->values + first, n, j->line_end, b->data)
            : put_wide((const int64_t *)all->values + first, n, j->line_end, b->data);
    b->length = (size_t)(end - b->data);
    return true;
}

static bool drain(void *user, size_t i, const ordered_buffer *b)
{
    job *const j = user;

    progress_at((double)i * BLOCK / (double)j->numbers->n);
    j->told = !output_bytes(j->out, b->data, b->length);
    return !j->told;
}

bool line_numbers_write(const plain_numbers *numbers, char line_end, output *out)
{
    job                j = {.numbers = numbers, .line_end = line_end, .out = out};
    const ordered_work work = {
        .blocks = (numbers->n + BLOCK - 1) / BLOCK, .fill = fill, .drain = drain, .user = &j};

    progress_start("writing");
    const bool ok = workers_ordered(&work);
    progress_end();
    return ok || (j.told ? false : cli_fail("sort: not enough memory to write the lines"));
}
