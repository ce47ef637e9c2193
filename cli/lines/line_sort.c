/* line_sort.c - sorts lines by their keys (see line_sort.h).
 *
 * Words are sorted together with the numbers of their lines. If a last resort is wanted, lines with
 * equal words are then sorted by their bytes. */
#include "cli/lines/line_sort.h"

#include "cli/base/workers.h"
#include "cli/lines/key_encode.h"

#include <stdlib.h>
#include <string.h>

/* ---- Keys of all lines ----
 *
 * Keys that do not fit a word (line_words.c) become bytes. Each thread encodes a part of the lines
 * into its own buffer; the buffers are then copied together.
 * Memory: 8 bytes a line for words; otherwise 8 bytes a line and the encoded bytes, which are about
 * the bytes of the keys plus, with a last resort, those of the line, and twice that while
 * copying. */

enum {
    LINES_PER_THREAD = 1 << 14 /* estimate: a thread costs less than this many lines */
};

typedef struct key_part { /* the lines of a thread */
    const line_order *order;
    const lines      *l;
    size_t            first, end;
    bool              ok;      /* there was enough memory */
    size_t            before;  /* bytes of the parts before */
    uint64_t         *offsets; /* of line 0 */
    key_bytes         bytes;
    char             *to; /* where bytes go */
} key_part;

static size_t make_parts(const line_order *order, const lines *l, unsigned threads, key_part *parts)
{
    const size_t n = workers_parts(l->n, LINES_PER_THREAD, threads);

    for (size_t i = 0; i < n; i++)
        parts[i] = (key_part){.order = order,
                              .l = l,
                              .first = l->n / n * i,
                              .end = i + 1 < n ? l->n / n * (i + 1) : l->n};
    return n;
}

/* Offsets count from the beginning of the part. */
static void encode_bytes(void *argument)
{
    key_part *const p = argument;

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
    key_part *const p = argument;

    if (p->bytes.used > 0)
        memcpy(p->to + p->before, p->bytes.data, p->bytes.used);
    for (size_t i = p->first; i < p->end; i++)
        p->offsets[i] += p->before;
}

/* The buffer of a single part becomes the result. */
static bool join_bytes(key_part *parts, size_t n, lines *out)
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

static bool make_bytes(key_part *parts, size_t n, lines *out)
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
    key_part     parts[WORKERS_MOST];
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

enum {
    WORD_BITS = 64,
    PART = 1 << 16 /* lines that a thread takes at once; estimate */
};

/* The bits that the number of a line takes. */
static unsigned number_bits(size_t n)
{
    return n > 1 ? WORD_BITS - (unsigned)__builtin_clzll((unsigned long long)n - 1) : 0;
}

typedef struct label_job { /* words with the numbers of their lines in their low bits */
    uint64_t *words;
    size_t    n;
    unsigned  low;
    ordo_type type;
    void     *index;
} label_job;

static void add_labels(void *user, size_t part)
{
    const label_job *const j = user;
    const size_t           end = j->n - part * PART < PART ? j->n : (part + 1) * PART;
    for (size_t i = part * PART; i < end; i++)
        j->words[i] = j->words[i] << j->low | i;
}

static void take_labels(void *user, size_t part)
{
    const label_job *const j = user;
    const size_t           end = j->n - part * PART < PART ? j->n : (part + 1) * PART;
    for (size_t i = part * PART; i < end; i++) {
        index_put(j->type, j->index, i, (size_t)(j->words[i] & (((uint64_t)1 << j->low) - 1)));
        j->words[i] >>= j->low;
    }
}

/* Sorts words and index. If a word has room for the number of its line, the words are sorted with
 * these numbers in their low bits, which is faster than a sort of pairs and also stable. */
static ordo_status sort_pairs(ordo_ctx *ctx, size_t n, unsigned bits, uint64_t *words,
                              ordo_type type, void *index, const ordo_sort_opts *opts)
{
    label_job    labels = {words, n, number_bits(n), type, index};
    const size_t parts = (n + PART - 1) / PART;

    if (bits + labels.low > WORD_BITS || labels.low == 0) {
        for (size_t i = 0; i < n; i++)
            index_put(type, index, i, i);
        return ordo_sort_pairs(ctx, ORDO_U64, words, n, index, ordo_type_size(type), opts);
    }
    workers_run(parts, add_labels, &labels);
    const ordo_status status = ordo_sort(ctx, ORDO_U64, words, n, opts);
    workers_run(parts, take_labels, &labels);
    return status;
}

ordo_status line_sort(ordo_ctx *ctx, const line_order *order, const lines *l, line_keys *keys,
                      ordo_type type, void *index, const ordo_sort_opts *opts)
{
    const ordo_strings strings = lines_strings(&keys->bytes);
    const line_ties    ties = {.n = l->n,
                               .words = keys->words.words,
                               .type = type,
                               .index = index,
                               .text = l->bytes,
                               .offsets = l->offsets,
                               .descending = order->reverse};

    if (ties.words == NULL)
        return ordo_argsort_strings(ctx, &strings, l->n, type, index, opts);
    const ordo_status status =
        sort_pairs(ctx, l->n, keys->words.bits, ties.words, type, index, opts);
    return status == ORDO_OK && order->last_resort ? line_ties_sort(ctx, &ties, opts) : status;
}

size_t line_unique(const lines *l, const line_keys *keys, ordo_type type, void *index)
{
    const lines *const text = keys->bytes.bytes != NULL ? &keys->bytes : l;

    return line_ties_drop(&(line_ties){.n = l->n,
                                       .words = keys->words.words,
                                       .type = type,
                                       .index = index,
                                       .text = text->bytes,
                                       .offsets = text->offsets},
                          keys->words.words == NULL);
}

/* ---- --debug ----
 *
 * A tab is shown as '>', and other control characters take no column, so that the marks stand below
 * their bytes. A shown line ends with a newline, also with -z. */

static bool put_repeated(output *out, char c, size_t n)
{
    bool ok = true;
    while (ok && n-- > 0)
        ok = output_bytes(out, &c, 1);
    return ok;
}

static size_t columns(const char *p, const char *end)
{
    size_t n = 0;
    for (; p < end; p++)
        n += *p == '\t' || ((unsigned char)*p >= ' ' && *p != 0x7f);
    return n;
}

static bool mark(output *out, const char *line, key_span span)
{
    static const char none[] = "^ no match for key";
    const size_t      width = columns(span.begin, span.end);

    return put_repeated(out, ' ', columns(line, span.begin)) &&
           (width > 0 ? put_repeated(out, '_', width) : output_bytes(out, none, sizeof none - 1)) &&
           output_bytes(out, "\n", 1);
}

bool line_show_keys(const line_order *order, const char *line, size_t length, output *out)
{
    bool ok = true;

    for (size_t j = 0; ok && j < length; j++)
        ok = output_bytes(out, line[j] == '\t' ? ">" : &line[j], 1);
    ok = ok && output_bytes(out, "\n", 1);
    for (size_t k = 0; ok && k < order->n; k++)
        ok = mark(out, line, key_shown(order, &order->keys[k], line, length));
    if (ok && (order->last_resort || order->n == 0))
        ok = mark(out, line, (key_span){line, line + length});
    return ok;
}
