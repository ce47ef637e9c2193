/* line_keys.c - encodes the keys of all lines with several threads (see line_keys.h).
 *
 * Keys that do not fit a word (line_words.h) become bytes. Each thread encodes a part of the lines
 * into its own buffer; the buffers are then copied together.
 * Memory: 8 bytes a line for words; otherwise 8 bytes a line and the encoded bytes, which are about
 * the bytes of the keys plus, with a last resort, those of the line, and twice that while
 * copying. */
#include "cli/lines/line_keys.h"

#include "cli/base/workers.h"
#include "cli/lines/key_encode.h"
#include "cli/lines/line_words.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINES_PER_THREAD = 1 << 14 /* estimate: a thread costs less than this many lines */
};

typedef struct part { /* the lines of a thread */
    const line_order *order;
    const lines      *l;
    size_t            first, end;
    bool              ok;      /* there was enough memory */
    size_t            before;  /* bytes of the parts before */
    uint64_t         *offsets; /* of line 0 */
    key_bytes         bytes;
    char             *to; /* where bytes go */
} part;

static size_t make_parts(const line_order *order, const lines *l, unsigned threads, part *parts)
{
    const size_t n = workers_parts(l->n, LINES_PER_THREAD, threads);

    for (size_t i = 0; i < n; i++)
        parts[i] = (part){.order = order,
                          .l = l,
                          .first = l->n / n * i,
                          .end = i + 1 < n ? l->n / n * (i + 1) : l->n};
    return n;
}

/* Offsets count from the beginning of the part. */
static void encode_bytes(void *argument)
{
    part *const p = argument;

    p->ok = true;
    for (size_t i = p->first; p->ok && i < p->end; i++) {
        const uint64_t *const at = &p->l->offsets[i];
        p->offsets[i] = p->bytes.used;
        p->ok = key_encode(p->order, p->l->bytes + at[0], (size_t)(at[1] - at[0]), &p->bytes) &&
                p->bytes.used - p->offsets[i] <= UINT32_MAX;
    }
}

static void copy_bytes(void *argument)
{
    part *const p = argument;

    if (p->bytes.used > 0)
        memcpy(p->to + p->before, p->bytes.data, p->bytes.used);
    for (size_t i = p->first; i < p->end; i++)
        p->offsets[i] += p->before;
}

/* The buffer of a single part becomes the result. */
static bool join_bytes(part *parts, size_t n, lines *out)
{
    size_t used = 0;

    for (size_t i = 0; i < n; i++) {
        parts[i].before = used;
        used += parts[i].bytes.used;
    }
    out->offsets[out->n] = used;
    if (n == 1) {
        out->bytes = (char *)parts[0].bytes.data;
        parts[0].bytes.data = NULL;
        return out->bytes != NULL || (out->bytes = cli_alloc(1, 1, "the keys")) != NULL;
    }
    out->bytes = cli_alloc(used, 1, "the encoded keys of the lines");
    for (size_t i = 0; i < n; i++)
        parts[i].to = out->bytes;
    if (out->bytes != NULL)
        workers_each(parts, n, sizeof *parts, copy_bytes);
    return out->bytes != NULL;
}

static bool make_bytes(part *parts, size_t n, lines *out)
{
    bool ok = true;

    out->offsets = cli_alloc(out->n + 1, sizeof *out->offsets, "the offsets of the keys");
    if (out->offsets == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        parts[i].offsets = out->offsets;
    workers_each(parts, n, sizeof *parts, encode_bytes);
    for (size_t i = 0; i < n; i++)
        ok &= parts[i].ok;
    ok = ok ? join_bytes(parts, n, out)
            : cli_fail("sort: not enough memory for the encoded keys of the lines");
    for (size_t i = 0; i < n; i++)
        key_bytes_free(&parts[i].bytes);
    return ok;
}

bool line_keys_make(const line_order *order, const lines *l, unsigned threads, line_keys *out)
{
    part         parts[WORKERS_MOST];
    const size_t n = make_parts(order, l, threads, parts);

    *out = (line_keys){.words.words = NULL};
    if (order->n == 0)
        return true;
    const words_result words = line_words_make(order, l, threads, &out->words);
    if (words != WORDS_TOO_LONG)
        return words == WORDS_MADE;
    out->bytes.n = l->n;
    if (make_bytes(parts, n, &out->bytes))
        return true;
    line_keys_free(out);
    return false;
}

void line_keys_free(line_keys *keys)
{
    free(keys->words.words);
    keys->words.words = NULL;
    lines_free(&keys->bytes);
}
