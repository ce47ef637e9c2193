/* word_out.t.h - ranks from one word of head bits, for one output type; see word_rank.h. */

/* For words whose group of ties begins or ends too far away for last64 and next64. */
static __attribute__((noinline)) void OFN(last_far)(OUT *out, uint64_t word, uint64_t base,
                                                    uint64_t before)
{
    uint64_t last = before;
    if (word == 0) {
        for (size_t i = 0; i < 64; i++)
            out[i] = (OUT)before;
        return;
    }
    for (size_t i = 0; i < 64; i++) {
        last = (word >> i & 1) != 0 ? base + i + 1 : last;
        out[i] = (OUT)last;
    }
}

static __attribute__((noinline)) void OFN(next_far)(OUT *out, uint64_t word, uint64_t base,
                                                    uint64_t after)
{
    uint64_t next = after;
    if (word == 0) {
        for (size_t i = 0; i < 64; i++)
            out[i] = (OUT)after;
        return;
    }
    for (size_t i = 64; i-- > 0;) {
        out[i] = (OUT)next;
        next = (word >> i & 1) != 0 ? base + i : next;
    }
}

INLINE void OFN(last_word)(OUT *out, uint64_t word, uint64_t base, uint64_t before, bool bypass)
{
    if (ORDO_LIKELY(base - before <= NEAR_MAX))
        OFN(last64)(out, word, base, base - before, bypass);
    else
        OFN(last_far)(out, word, base, before);
}

INLINE void OFN(next_word)(OUT *out, uint64_t word, uint64_t base, uint64_t after, bool bypass)
{
    if (ORDO_LIKELY(after - base <= NEAR_MAX))
        OFN(next64)(out, word, base, after - base, bypass);
    else
        OFN(next_far)(out, word, base, after);
}

INLINE void OFN(count_words)(const uint64_t *words, size_t n, uint64_t base, OUT *out, bool bypass)
{
    for (; n >= 64; n -= 64, out += 64, words++) {
        OFN(count64)(out, *words, base, bypass);
        base += (uint64_t)__builtin_popcountll(*words);
    }
    if (n > 0)
        cpu_kernels_generic.count[OUT_SLOT](words, n, base, out, false);
}

static void OFN(count)(const uint64_t *words, size_t n, uint64_t base, void *out, bool bypass)
{
    WITH_BYPASS(bypass, OFN(count_words), words, n, base, out)
}
