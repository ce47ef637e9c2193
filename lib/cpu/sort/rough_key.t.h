/* rough_key.t.h - keys of one type as the unsigned numbers that sort_rough.c sorts, and the sort of
 * a window of them: least significant digit first, over the bits that the window spans. */
static inline BITS FN(rough_map)(KEY key, bool descending)
{
    BITS const bits = FN(key_bits)(key);
    return descending ? FN(key_turn)(bits) : bits;
}

static inline KEY FN(rough_unmap)(BITS bits, bool descending)
{
    return FN(key_of)(descending ? FN(key_turn)(bits) : bits);
}

static inline int FN(rough_less)(BITS a, BITS b) { return a < b; }

/* Keys to bits in place, and back; through memcpy, for the array is of another type to its owner.
 * The direction is asked outside the loops, so that these are vectors. */
static void FN(rough_enter)(void *keys, size_t count, bool descending)
{
    KEY *const a = keys;
    if (descending)
        for (size_t i = 0; i < count; i++) {
            BITS const bits = FN(rough_map)(a[i], true);
            memcpy(a + i, &bits, sizeof bits);
        }
    else
        for (size_t i = 0; i < count; i++) {
            BITS const bits = FN(rough_map)(a[i], false);
            memcpy(a + i, &bits, sizeof bits);
        }
}

static void FN(rough_leave)(void *keys, size_t count, bool descending)
{
    KEY *const a = keys;
    BITS       bits;
    if (descending)
        for (size_t i = 0; i < count; i++) {
            memcpy(&bits, a + i, sizeof bits);
            a[i] = FN(rough_unmap)(bits, true);
        }
    else
        for (size_t i = 0; i < count; i++) {
            memcpy(&bits, a + i, sizeof bits);
            a[i] = FN(rough_unmap)(bits, false);
        }
}

/* The digit of `bits` bits above `shift` of what exceeds `least`. */
#define ROUGH_DIGIT_OF(x, shift) ((size_t)((BITS)((x)-least) >> (shift)) & (digits - 1))

/* Sorts a[0 .. count), which is not in order, with the help of b, and gives the keys to out. A pass
 * also counts the digits of the next one; the last one turns the bits into keys. False:
 * cancelled. */
static bool FN(rough_sort)(BITS *a, BITS *b, size_t count, KEY *out, bool descending,
                           ordo_exec *exec)
{
    size_t   tables[2][1 << ROUGH_DIGIT];
    BITS     least = a[0], most = a[0];
    unsigned span = 0;
    for (size_t i = 1; i < count; i++) {
        least = a[i] < least ? a[i] : least;
        most = a[i] > most ? a[i] : most;
    }
    while (span < 8 * sizeof(BITS) && (BITS)(most - least) >> span != 0)
        span++;
    unsigned const limit = count >= ROUGH_WIDE ? ROUGH_DIGIT : ROUGH_DIGIT_SMALL;
    unsigned const passes = (span - 1) / limit + 1, bits = (span - 1) / passes + 1;
    size_t const   digits = (size_t)1 << bits;
    memset(tables[0], 0, digits * sizeof tables[0][0]);
    for (size_t i = 0; i < count; i++)
        tables[0][ROUGH_DIGIT_OF(a[i], 0)]++;
    for (unsigned pass = 0, shift = 0; pass < passes; pass++, shift += bits) {
        size_t *const start = tables[pass % 2], *const next = tables[(pass + 1) % 2];
        const BITS *const from = pass % 2 ? b : a;
        BITS *const       to = pass % 2 ? a : b;
        size_t            sum = 0;
        memset(next, 0, digits * sizeof *next);
        for (size_t digit = 0; digit < digits; digit++) {
            size_t const here = start[digit];
            start[digit] = sum;
            sum += here;
        }
        for (size_t at = 0; at < count; at += ROUGH_STRIDE) {
            size_t const end = ordo_min(count, at + ROUGH_STRIDE);
            if (pass + 1 == passes)
                for (size_t i = at; i < end; i++)
                    out[start[ROUGH_DIGIT_OF(from[i], shift)]++] =
                        FN(rough_unmap)(from[i], descending);
            else
                for (size_t i = at; i < end; i++) {
                    BITS const x = from[i];
                    to[start[ROUGH_DIGIT_OF(x, shift)]++] = x;
                    next[ROUGH_DIGIT_OF(x, shift + bits)]++;
                }
            if (count > ROUGH_STRIDE && ordo_poll(exec, 0))
                return false;
        }
    }
    return true;
}
#undef ROUGH_DIGIT_OF
