/* generic_pair.t.h - ranks of one key class as one output type, in portable C: CKEY to OUT. */
static void OFN(CFN(last))(const cpu_span *span, void *out)
{
    const CKEY *const k = span->keys;
    OUT *const        r = out;
    uint64_t          last = span->before;
    for (size_t i = 0; i < span->n; i++) {
        last = !CSAME(k[i], *(k + i - 1)) ? span->base + i + 1 : last;
        r[i] = (OUT)last;
    }
}

static void OFN(CFN(next))(const cpu_span *span, void *out)
{
    const CKEY *const k = span->keys;
    OUT *const        r = out;
    uint64_t          next = span->after;
    for (size_t i = span->n; i-- > 0;) {
        r[i] = (OUT)next;
        next = !CSAME(k[i], *(k + i - 1)) ? span->base + i : next;
    }
}
