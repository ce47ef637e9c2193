/* line_sort.c - sorts lines by their keys (see line_sort.h).
 *
 * Words are sorted together with the numbers of their lines. If a last resort is wanted, the lines
 * of each group of equal words, unless all are the same bytes, are sorted by one more call: the key
 * of such a line is the position of its group, then the line. Memory beside the lines and their
 * keys: the index; for lines that tie and differ, their bytes and 24 bytes a line. */
#include "cli/lines/line_sort.h"

#include "cli/base/workers.h"
#include "cli/lines/key_encode.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD_BITS = 64,
    PART = 1 << 16, /* lines that a thread takes at once; estimate */
    AHEAD = 16      /* lines fetched before they are compared; estimate */
};

typedef struct tied_lines { /* in groups of equal words, not all lines of a group the same */
    size_t    n, capacity;
    uint64_t *positions; /* in the index    */
    uint64_t *offsets;   /* of their keys   */
    key_bytes bytes;
} tied_lines;

static bool same_line(const lines *l, size_t i, size_t j)
{
    const size_t size = (size_t)(l->offsets[i + 1] - l->offsets[i]);
    return size == (size_t)(l->offsets[j + 1] - l->offsets[j]) &&
           memcmp(l->bytes + l->offsets[i], l->bytes + l->offsets[j], size) == 0;
}

static bool grow_array(uint64_t **array, size_t n)
{
    uint64_t *const larger = realloc(*array, n * sizeof *larger);
    if (larger == NULL)
        return false;
    *array = larger;
    return true;
}

static bool grow(tied_lines *t, size_t more)
{
    if (t->capacity - t->n > more)
        return true;
    t->capacity = 2 * t->capacity + more + 1024;
    return grow_array(&t->positions, t->capacity) && grow_array(&t->offsets, t->capacity);
}

/* Adds the lines at positions first to end - 1 of the index. */
static bool add_group(tied_lines *t, const line_order *whole, const lines *l, ordo_type type,
                      const void *index, size_t first, size_t end)
{
    bool ok = grow(t, end - first);

    for (size_t i = first; ok && i < end; i++) {
        const size_t line = index_at(type, index, i);
        t->positions[t->n] = i;
        t->offsets[t->n++] = t->bytes.used;
        ok = key_bytes_reserve(&t->bytes, sizeof(uint64_t));
        for (int shift = 56; ok && shift >= 0; shift -= 8)
            put_byte(&t->bytes, (unsigned)((uint64_t)first >> shift) & 255);
        ok = ok && key_encode(whole, l->bytes + l->offsets[line],
                              (size_t)(l->offsets[line + 1] - l->offsets[line]), &t->bytes);
    }
    return ok;
}

static bool find_groups(tied_lines *t, const line_order *order, const lines *l,
                        const uint64_t *words, ordo_type type, const void *index)
{
    const line_order whole = {.reverse = order->reverse, .last_resort = true};
    bool             ok = true, differ = false;
    size_t           first = 0;

    for (size_t i = 1; ok && i <= l->n; i++) {
        if (i + AHEAD < l->n && words[i + AHEAD] == words[i + AHEAD - 1])
            __builtin_prefetch(&l->offsets[index_at(type, index, i + AHEAD)]);
        if (i + AHEAD / 2 < l->n && words[i + AHEAD / 2] == words[i + AHEAD / 2 - 1])
            __builtin_prefetch(l->bytes + l->offsets[index_at(type, index, i + AHEAD / 2)]);
        if (i < l->n && words[i] == words[i - 1]) {
            differ =
                differ || !same_line(l, index_at(type, index, i), index_at(type, index, i - 1));
            continue;
        }
        if (differ)
            ok = add_group(t, &whole, l, type, index, first, i);
        first = i;
        differ = false;
    }
    return ok;
}

/* Puts the tied lines in order; they stay at their positions as a set. */
static ordo_status sort_tied(ordo_ctx *ctx, tied_lines *t, ordo_type type, void *index,
                             const ordo_sort_opts *opts)
{
    uint64_t *const order = malloc(t->n * sizeof *order);
    uint64_t *const from = malloc(t->n * sizeof *from);
    ordo_status     status = ORDO_E_NOMEM;

    t->offsets[t->n] = t->bytes.used;
    if (order != NULL && from != NULL)
        status = ordo_argsort_strings(
            ctx, &ORDO_OPTS(ordo_strings, .bytes = (char *)t->bytes.data, .offsets = t->offsets),
            t->n, ORDO_U64, order, opts);
    for (size_t i = 0; status == ORDO_OK && i < t->n; i++)
        from[i] = index_at(type, index, (size_t)t->positions[order[i]]);
    for (size_t i = 0; status == ORDO_OK && i < t->n; i++)
        index_put(type, index, (size_t)t->positions[i], (size_t)from[i]);
    free(order);
    free(from);
    return status;
}

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

static ordo_status sort_words(ordo_ctx *ctx, const line_order *order, const lines *l,
                              line_keys *keys, ordo_type type, void *index,
                              const ordo_sort_opts *opts)
{
    tied_lines      t = {.n = 0};
    uint64_t *const words = keys->words.words;
    ordo_status     status = sort_pairs(ctx, l->n, keys->words.bits, words, type, index, opts);

    if (status != ORDO_OK || !order->last_resort)
        return status;
    if (!find_groups(&t, order, l, words, type, index))
        status = ORDO_E_NOMEM;
    else if (t.n > 0)
        status = sort_tied(ctx, &t, type, index, opts);
    free(t.positions);
    free(t.offsets);
    key_bytes_free(&t.bytes);
    return status;
}

ordo_status line_sort(ordo_ctx *ctx, const line_order *order, const lines *l, line_keys *keys,
                      ordo_type type, void *index, const ordo_sort_opts *opts)
{
    if (keys->words.words != NULL)
        return sort_words(ctx, order, l, keys, type, index, opts);
    const ordo_strings strings = lines_strings(&keys->bytes);
    return ordo_argsort_strings(ctx, &strings, l->n, type, index, opts);
}

size_t line_unique(const line_order *order, const lines *l, const line_keys *keys,
                   bool sorted_words, ordo_type type, void *index)
{
    const uint64_t *const words = sorted_words ? keys->words.words : NULL;
    const lines *const    text = keys->bytes.bytes != NULL ? &keys->bytes : l;
    size_t                kept = 0, last = 0;

    for (size_t i = 0; i < l->n; i++) {
        const size_t line = index_at(type, index, i);
        if (words == NULL && i + 2 * AHEAD < l->n)
            __builtin_prefetch(&text->offsets[index_at(type, index, i + 2 * AHEAD)]);
        if (words == NULL && i + AHEAD < l->n)
            __builtin_prefetch(text->bytes + text->offsets[index_at(type, index, i + AHEAD)]);
        const bool tie =
            i > 0 && (words != NULL ? words[i] == words[i - 1]
                                    : line_keys_compare(order, l, keys, last, line) == 0);
        if (!tie)
            index_put(type, index, kept++, line);
        last = tie ? last : line;
    }
    return kept;
}
