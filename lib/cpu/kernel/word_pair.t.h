/* word_pair.t.h - ranks of one key class as one output type: CKEY to OUT; see word_rank.h. The
 * generic kernel ranks the keys after the last full word. */
INLINE void OFN(CFN(last_batch))(const cpu_span *span, size_t i, size_t count, uint64_t *before,
                                 OUT *out, bool bypass)
{
    const CKEY *const k = (const CKEY *)span->keys + i;
    uint64_t          word[BATCH];
    for (size_t w = 0; w < count; w++)
        word[w] = CFN(heads64)(k + 64 * w);
    for (size_t w = 0; w < count; w++) {
        uint64_t const base = span->base + i + 64 * w;
        OFN(last_word)(out + i + 64 * w, word[w], base, *before, bypass);
        *before = word[w] != 0 ? base + end_bit(word[w]) : *before;
    }
}

INLINE void OFN(CFN(last_words))(const cpu_span *span, OUT *out, bool bypass)
{
    uint64_t before = span->before;
    size_t   i = 0;
    for (; i + 64 * BATCH <= span->n; i += 64 * BATCH)
        OFN(CFN(last_batch))(span, i, BATCH, &before, out, bypass);
    for (; i + 64 <= span->n; i += 64)
        OFN(CFN(last_batch))(span, i, 1, &before, out, bypass);
    cpu_span const rest = {
        (const CKEY *)span->keys + i, span->n - i, span->base + i, before, 0, false};
    cpu_kernels_generic.rank_last[CLASS_SLOT][OUT_SLOT](&rest, out + i);
}

INLINE void OFN(CFN(next_batch))(const cpu_span *span, size_t i, size_t count, uint64_t *word,
                                 uint64_t *known, OUT *out, bool bypass)
{
    uint64_t after[BATCH];
    CFN(look_ahead)(span, i, count, word, after, known);
    for (size_t w = 0; w < count; w++)
        OFN(next_word)(out + i + 64 * w, word[w], span->base + i + 64 * w, after[w], bypass);
    word[0] = word[count];
}

INLINE void OFN(CFN(next_words))(const cpu_span *span, OUT *out, bool bypass)
{
    const CKEY *const k = span->keys;
    uint64_t          word[BATCH + 1], known = 0;
    size_t            i = 0;

    word[0] = span->n >= 64 ? CFN(heads64)(k) : 0;
    for (; i + 64 * BATCH <= span->n; i += 64 * BATCH)
        OFN(CFN(next_batch))(span, i, BATCH, word, &known, out, bypass);
    for (; i + 64 <= span->n; i += 64)
        OFN(CFN(next_batch))(span, i, 1, word, &known, out, bypass);
    cpu_span const rest = {k + i, span->n - i, span->base + i, 0, span->after, false};
    cpu_kernels_generic.rank_next[CLASS_SLOT][OUT_SLOT](&rest, out + i);
}

static void OFN(CFN(last))(const cpu_span *span, void *out)
{
    WITH_BYPASS(span->bypass, OFN(CFN(last_words)), span, out)
}

static void OFN(CFN(next))(const cpu_span *span, void *out)
{
    WITH_BYPASS(span->bypass, OFN(CFN(next_words)), span, out)
}
