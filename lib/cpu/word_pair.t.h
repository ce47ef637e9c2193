/* word_pair.t.h - ranks of one key class as one output type: CKEY to OUT; see word_rank.h. What
 * remains behind the last full word goes to the generic kernel. */
INLINE void OFN(CFN(last_words))(const cpu_span *span, OUT *out, bool stream)
{
    const CKEY *const k = span->keys;
    size_t const      full = span->n / 64 * 64;
    uint64_t          before = span->before;
    for (size_t i = 0; i < full; i += 64) {
        uint64_t const word = CFN(heads64)(k + i), base = span->base + i;
        OFN(last_word)(out + i, word, base, before, stream);
        before = word != 0 ? base + end_bit(word) : before;
    }
    cpu_span const rest = {k + full, span->n - full, span->base + full, before, 0, false};
    cpu_kernels_generic.rank_last[CLASS_SLOT][OUT_SLOT](&rest, out + full);
}

INLINE void OFN(CFN(next_words))(const cpu_span *span, OUT *out, bool stream)
{
    size_t const words = span->n / 64, full = words * 64;
    uint64_t     word[CPU_SPAN_WORDS], after[CPU_SPAN_WORDS];
    cpu_span     rest;

    CFN(look_ahead)(span, word, after, &rest);
    for (size_t w = 0; w < words; w++)
        OFN(next_word)(out + 64 * w, word[w], span->base + 64 * w, after[w], stream);
    cpu_kernels_generic.rank_next[CLASS_SLOT][OUT_SLOT](&rest, out + full);
}

/* Each loop twice: `stream` is a constant in each, so it costs nothing inside. */
static void OFN(CFN(last))(const cpu_span *span, void *out)
{
    if (span->stream) {
        OFN(CFN(last_words))(span, out, true);
        stream_fence();
    } else {
        OFN(CFN(last_words))(span, out, false);
    }
}

static void OFN(CFN(next))(const cpu_span *span, void *out)
{
    if (span->stream) {
        OFN(CFN(next_words))(span, out, true);
        stream_fence();
    } else {
        OFN(CFN(next_words))(span, out, false);
    }
}
