/* line_sort.c - sorts lines by their keys (see line_sort.h).
 *
 * Words are sorted together with the numbers of their lines. If a last resort is wanted, lines with
 * equal words are then sorted by their bytes. */
#include "cli/lines/line_sort.h"

#include "cli/base/workers.h"
#include "cli/lines/line_ties.h"

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
