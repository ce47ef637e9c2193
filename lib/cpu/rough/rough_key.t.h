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

/* Whether a[0 .. count) is in order; its least and its largest number. Eight of each at a time, so
 * that no comparison waits for the one before. */
static bool FN(rough_look)(const BITS *a, size_t count, BITS *least, BITS *most)
{
    BITS   low[8], high[8], falls[8] = {0}, fall = 0;
    size_t i = 1;
    for (size_t j = 0; j < 8; j++)
        low[j] = high[j] = a[0];
    for (; i + 8 <= count; i += 8)
        for (size_t j = 0; j < 8; j++) {
            BITS const x = a[i + j];
            falls[j] |= (BITS)(x < a[i + j - 1]);
            low[j] = x < low[j] ? x : low[j];
            high[j] = x > high[j] ? x : high[j];
        }
    for (; i < count; i++) {
        fall |= (BITS)(a[i] < a[i - 1]);
        low[0] = a[i] < low[0] ? a[i] : low[0];
        high[0] = a[i] > high[0] ? a[i] : high[0];
    }
    *least = low[0];
    *most = high[0];
    for (size_t j = 0; j < 8; j++) {
        fall |= falls[j];
        *least = low[j] < *least ? low[j] : *least;
        *most = high[j] > *most ? high[j] : *most;
    }
    return fall == 0;
}

/* Sorts a[0 .. count) by one digit, of a few keys each, and then by networks, for keys that are
 * spread evenly are near their places after the first; b has room for as many, and behind them for
 * counters. False, and nothing was given to out, if they were not, or one digit is all there is. */
static bool FN(rough_spread)(const BITS *a, BITS *b, size_t count, BITS least, BITS most, KEY *out,
                             bool descending, rough_state *state)
{
    unsigned bits = 0;
    uint32_t sum = 0;
    if (sizeof(BITS) < 4 || count < ROUGH_SPREAD || count > ROUGH_STRIDE ||
        atomic_load_explicit(&state->uneven, memory_order_relaxed) >= ROUGH_UNEVEN)
        return false;
    unsigned const span = ordo_bit_length((BITS)(most - least));
    if (span <= ROUGH_DIGIT)
        return false;
    uint32_t *restrict const start = (uint32_t *)(void *)(b + count);
    BITS *restrict const to = b;
    bool const narrow = sizeof(BITS) == 4;
    while (bits < span && count >> bits > (size_t)2 << (narrow ? ROUGH_LOAD_32 : ROUGH_LOAD_64))
        bits++;
    unsigned const shift = span - bits;
    size_t const   digits = (size_t)1 << bits;
    memset(start, 0, digits * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[(BITS)(a[i] - least) >> shift]++;
    for (size_t digit = 0; digit < digits; digit++) {
        uint32_t const here = start[digit];
        start[digit] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++) {
        BITS const x = a[i];
        to[start[(BITS)(x - least) >> shift]++] = x;
    }
    if (!rough_networks(b, count, sizeof *b, narrow ? ROUGH_LEFT_32 : ROUGH_LEFT_64)) {
        atomic_fetch_add_explicit(&state->uneven, 1, memory_order_relaxed);
        return false;
    }
    if (descending)
        for (size_t i = 0; i < count; i++)
            out[i] = FN(rough_unmap)(b[i], true);
    else
        for (size_t i = 0; i < count; i++)
            out[i] = FN(rough_unmap)(b[i], false);
    return true;
}

/* Sorts a[0 .. count), which is not in order, with the help of b, and gives the keys to out. A pass
 * also counts the digits of the next one; the last one turns the bits into keys. False:
 * cancelled. */
static bool FN(rough_sort)(BITS *a, BITS *b, size_t count, BITS least, BITS most, KEY *out,
                           bool descending, rough_state *state)
{
    size_t         tables[2][1 << ROUGH_DIGIT];
    unsigned const span = ordo_bit_length((BITS)(most - least));
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
            if (count > ROUGH_STRIDE && ordo_poll(state->exec, 0))
                return false;
        }
    }
    return true;
}
#undef ROUGH_DIGIT_OF
