/* line_numbers.c - writes words of whole numbers as lines (see line_words.h).
 *
 * Threads make blocks of lines; the caller writes them in order. The lines are made from the words,
 * because copies of the input lines in sorted order would read random places of memory. */
#include "cli/lines/line_words.h"

#include "cli/io/workers.h"

#include <string.h>

enum {
    BLOCK = 1 << 15, /* numbers of a block; estimate                     */
    LONGEST = 21     /* bytes of a line: minus, 19 digits and a line end */
};

typedef struct job {
    const line_order *order;
    const line_words *words;
    size_t            n;
    output           *out;
    bool              told; /* after a message */
} job;

/* Writes the digits of a number and returns their end. */
static char *put_digits(char *to, uint64_t value)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "6869707172737475767778798081828384858687888990919293949596979899";
    char   digits[LONGEST + 1];
    size_t at = sizeof digits;

    while (value >= 100) {
        at -= 2;
        memcpy(digits + at, pairs + 2 * (value % 100), 2);
        value /= 100;
    }
    if (value >= 10) {
        at -= 2;
        memcpy(digits + at, pairs + 2 * value, 2);
    } else {
        digits[--at] = (char)('0' + value);
    }
    memcpy(to, digits + at, sizeof digits - at);
    return to + (sizeof digits - at);
}

static bool fill(void *user, size_t i, ordered_buffer *b)
{
    const job *const j = user;
    const size_t     first = i * BLOCK, end = j->n - first < BLOCK ? j->n : first + BLOCK;
    const uint64_t   zero = j->words->zero, all = ((uint64_t)1 << j->words->bits) - 1;
    const bool       reverse = j->order->keys[0].reverse;

    if (!buffer_room(b, (end - first) * LONGEST + LONGEST))
        return false;
    char *to = b->data;
    for (size_t k = first; k < end; k++) {
        const uint64_t word = reverse ? all - j->words->words[k] : j->words->words[k];
        if (word < zero)
            *to++ = '-';
        to = put_digits(to, word < zero ? zero - word : word - zero);
        *to++ = j->order->line_end;
    }
    b->length = (size_t)(to - b->data);
    return true;
}

static bool drain(void *user, size_t i, const ordered_buffer *b)
{
    job *const j = user;

    progress_at((double)i * BLOCK / (double)j->n);
    j->told = !output_bytes(j->out, b->data, b->length);
    return !j->told;
}

bool line_numbers_write(const line_order *order, const line_words *words, size_t n, output *out)
{
    job                j = {.order = order, .words = words, .n = n, .out = out};
    const ordered_work work = {
        .blocks = (n + BLOCK - 1) / BLOCK, .fill = fill, .drain = drain, .user = &j};

    progress_start("writing");
    const bool ok = workers_ordered(&work);
    progress_end();
    return ok || (j.told ? false : cli_fail("sort: not enough memory to write the lines"));
}
