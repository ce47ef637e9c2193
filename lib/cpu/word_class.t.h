/* word_class.t.h - the kernels of one key class, by words of head bits; see word_rank.h. */

/* The words of a span, what follows each, and the keys behind the last full one. The keys are
 * read forwards, as the prefetchers like it; only then the words are gone through backwards. */
INLINE void CFN(look_ahead)(const cpu_span *span, uint64_t *word, uint64_t *after, cpu_span *rest)
{
    const CKEY *const k = span->keys;
    size_t const      words = span->n / 64, full = words * 64;
    uint64_t          tail = 0, next = span->after;

    for (size_t w = 0; w < words; w++)
        word[w] = CFN(heads64)(k + 64 * w);
    *rest = (cpu_span){k + full, span->n - full, span->base + full, 0, span->after, false};
    if (rest->n > 0)
        (void)cpu_kernels_generic.heads[CLASS_SLOT](rest->keys, rest->n, &tail);
    next = tail != 0 ? rest->base + first_bit(tail) : next;
    for (size_t w = words; w-- > 0;) {
        after[w] = next;
        next = word[w] != 0 ? span->base + 64 * w + first_bit(word[w]) : next;
    }
}

#define ORDO_OUT_TEMPLATE "cpu/word_pair.t.h"
#include "cpu/for_each_out.h"
#undef ORDO_OUT_TEMPLATE

INLINE void CFN(mean_words)(const cpu_span *span, double *out, bool stream)
{
    size_t const words = span->n / 64, full = words * 64;
    uint64_t     word[CPU_SPAN_WORDS], after[CPU_SPAN_WORDS];
    cpu_span     rest;

    CFN(look_ahead)(span, word, after, &rest);
    rest.before = span->before;
    for (size_t w = 0; w < words; w++) {
        uint64_t const base = span->base + 64 * w;
        mean_word(out + 64 * w, word[w], base, rest.before, after[w], stream);
        rest.before = word[w] != 0 ? base + end_bit(word[w]) : rest.before;
    }
    cpu_kernels_generic.rank_mean[CLASS_SLOT](&rest, out + full);
}

static void CFN(mean)(const cpu_span *span, void *out)
{
    if (span->stream) {
        CFN(mean_words)(span, out, true);
        stream_fence();
    } else {
        CFN(mean_words)(span, out, false);
    }
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
