/* generic_out.t.h - counts of set bits as one output type, in portable C. */
static void OFN(count)(const uint64_t *words, size_t n, uint64_t base, void *out, bool stream)
{
    OUT *const r = out;
    uint64_t   count = base;
    (void)stream;
    for (size_t i = 0; i < n; i++) {
        count += words[i / 64] >> (i % 64) & 1;
        r[i] = (OUT)count;
    }
}
