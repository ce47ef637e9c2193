/* word_class.t.h - the kernels of one key class that work on words of head bits; see
 * word_rank.h. */

/* The index of the first head at or after keys[i], i a multiple of 64; span->after if there is
 * none. */
static __attribute__((noinline)) uint64_t CFN(find_head)(const cpu_span *span, size_t i)
{
    const CKEY *const k = span->keys;
    uint64_t          word = 0;
    for (; i + 64 <= span->n; i += 64) {
        word = CFN(heads64)(k + i);
        if (word != 0)
            return span->base + i + first_bit(word);
    }
    if (i < span->n)
        (void)cpu_kernels_generic.heads[CLASS_SLOT](k + i, span->n - i, &word);
    return word != 0 ? span->base + i + first_bit(word) : span->after;
}

/* Makes `count` words from keys[i] on, and after[w], the index of the first head after word w.
 * word[0] is given. word[count], the word after the last one, is kept for the next batch and nearly
 * always holds the next head. In a large group of ties the next head is searched for only once:
 * *known holds its index until the loop reaches it. */
INLINE void CFN(look_ahead)(const cpu_span *span, size_t i, size_t count, uint64_t *word,
                            uint64_t *after, uint64_t *known)
{
    const CKEY *const k = (const CKEY *)span->keys + i;
    uint64_t const    base = span->base + i, behind = base + 64 * count;

    for (size_t w = 1; w < count; w++)
        word[w] = CFN(heads64)(k + 64 * w);
    word[count] = i + 64 * count + 64 <= span->n ? CFN(heads64)(k + 64 * count) : 0;
    if (word[count] != 0)
        *known = behind + first_bit(word[count]);
    else if (*known < behind)
        *known = CFN(find_head)(span, i + 64 * count);
    uint64_t next = *known;
    for (size_t w = count; w-- > 0;) {
        after[w] = next;
        next = word[w] != 0 ? base + 64 * w + first_bit(word[w]) : next;
    }
}

#define ORDO_OUT_TEMPLATE "cpu/kernel/word_pair.t.h"
#include "cpu/kernel/for_each_out.h"
#undef ORDO_OUT_TEMPLATE

INLINE void CFN(mean_batch)(const cpu_span *span, size_t i, size_t count, uint64_t *word,
                            uint64_t *known, uint64_t *before, double *out, bool bypass)
{
    uint64_t after[BATCH];
    CFN(look_ahead)(span, i, count, word, after, known);
    for (size_t w = 0; w < count; w++) {
        uint64_t const base = span->base + i + 64 * w;
        mean_word(out + i + 64 * w, word[w], base, *before, after[w], bypass);
        *before = word[w] != 0 ? base + end_bit(word[w]) : *before;
    }
    word[0] = word[count];
}

INLINE void CFN(mean_words)(const cpu_span *span, double *out, bool bypass)
{
    const CKEY *const k = span->keys;
    uint64_t          word[BATCH + 1], known = 0, before = span->before;
    size_t            i = 0;

    word[0] = span->n >= 64 ? CFN(heads64)(k) : 0;
    for (; i + 64 * BATCH <= span->n; i += 64 * BATCH)
        CFN(mean_batch)(span, i, BATCH, word, &known, &before, out, bypass);
    for (; i + 64 <= span->n; i += 64)
        CFN(mean_batch)(span, i, 1, word, &known, &before, out, bypass);
    cpu_span const rest = {k + i, span->n - i, span->base + i, before, span->after, false};
    cpu_kernels_generic.rank_mean[CLASS_SLOT](&rest, out + i);
}

static void CFN(mean)(const cpu_span *span, void *out)
{
    WITH_BYPASS(span->bypass, CFN(mean_words), span, out)
}

static size_t CFN(heads)(const void *keys, size_t n, uint64_t *words)
{
    const CKEY *k = keys;
    size_t      total = 0;
    for (; n >= 64; n -= 64, k += 64) {
        uint64_t const word = CFN(heads64)(k);
        total += (size_t)__builtin_popcountll(word);
        *words++ = word;
    }
    return n > 0 ? total + cpu_kernels_generic.heads[CLASS_SLOT](k, n, words) : total;
}
