/* msd.c - suffix arrays by one bit at a time, from the most significant bit on, as the poster
 * "Ballot Counting for Optimal Binary Prefix Sum" suggests, for comparison.
 *
 * Suffixes that agree so far form a range. A round moves the suffixes of each range whose next bit
 * is 0 before those whose next bit is 1. A suffix that is alone in its range has its place and
 * leaves the active suffixes, so a round costs time only for those that still tie. The end of a
 * text is a bit before each byte: 0 if the text has ended, 1 if a byte follows. */
#include "text/text_args.h"
#include "text/text_bits.h"

enum {
    BITS = 9,                           /* of a byte, with the bit of the end */
    POLL_EVERY = ORDO_TUNE(1 << 18, 64) /* suffixes between two polls */
};

typedef struct msd_range {
    uint32_t begin, n; /* of the active suffixes */
    uint32_t place;    /* of the first in the suffix array */
} msd_range;

typedef struct msd_sorter {
    const text_args *args;
    uint32_t        *sa;
    uint32_t        *active, *other; /* suffixes, and those of the next round */
    msd_range       *ranges, *next;
    size_t           range_count;
    size_t           depth; /* bytes that agree in each range */
    unsigned         bit;   /* of byte `depth`: 0 is the end of the text, 1 the highest bit */
    ordo_exec       *exec;
    size_t           since_poll;
    double           share; /* done */
} msd_sorter;

static size_t end_of(const text_args *args, size_t at)
{
    return args->count > 0 ? (size_t)args->offsets[text_number(args, at) + 1] : args->n;
}

static bool bit_of(const msd_sorter *m, size_t at)
{
    if (m->bit == 0)
        return at + m->depth < end_of(m->args, at);
    return (m->args->text[at + m->depth] >> (8 - m->bit) & 1) != 0;
}

/* Adds a range of the next round, or finishes its suffixes. */
static void add_range(msd_sorter *m, size_t *count, size_t *used, const uint32_t *suffixes,
                      size_t n, size_t place, bool ended)
{
    if (n == 0)
        return;
    if (n == 1 || ended) { /* texts that have ended are equal and in the order of the texts */
        memcpy(m->sa + place, suffixes, n * sizeof *suffixes);
        return;
    }
    m->next[(*count)++] = (msd_range){(uint32_t)*used, (uint32_t)n, (uint32_t)place};
    *used += n;
}

/* Splits a range by the current bit; the order within each half stays. The ones go to the end of
 * the range's old memory first. False if the call is cancelled. */
static bool split_range(msd_sorter *m, const msd_range *range, size_t *count, size_t *used)
{
    uint32_t *const from = m->active + range->begin, *const zeros = m->other + *used;
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < range->n; i++) {
        uint32_t const at = from[i];
        bool const     one = bit_of(m, at);
        zeros[n] = at;
        from[kept] = at;
        n += !one;
        kept += one;
        if (++m->since_poll == POLL_EVERY) {
            m->since_poll = 0;
            if (ordo_poll(m->exec, m->share))
                return false;
        }
    }
    add_range(m, count, used, zeros, n, range->place, m->bit == 0);
    memcpy(m->other + *used, from, kept * sizeof *from);
    add_range(m, count, used, m->other + *used, kept, range->place + n, false);
    return true;
}

ordo_status text_msd(text_work *work, const text_args *args, uint32_t *sa)
{
    ordo_exec *const exec = work->exec;
    size_t const     n = args->n;
    msd_sorter       m = {.args = args, .sa = sa, .range_count = n > 0, .exec = exec};
    TRY_SCRATCH(exec, n * sizeof *m.active, m.active);
    TRY_SCRATCH(exec, n * sizeof *m.other, m.other);
    TRY_SCRATCH(exec, (n / 2 + 1) * sizeof *m.ranges, m.ranges);
    TRY_SCRATCH(exec, (n / 2 + 1) * sizeof *m.next, m.next);
    for (size_t i = 0; i < n; i++)
        m.active[i] = (uint32_t)i;
    m.ranges[0] = (msd_range){0, (uint32_t)n, 0};
    while (m.range_count > 0) {
        size_t count = 0, used = 0;
        for (size_t i = 0; i < m.range_count; i++)
            if (!split_range(&m, &m.ranges[i], &count, &used))
                return ORDO_E_CANCELLED;
        uint32_t *const  suffixes = m.active;
        msd_range *const ranges = m.ranges;
        m.active = m.other, m.other = suffixes;
        m.ranges = m.next, m.next = ranges;
        m.range_count = count;
        m.bit = (m.bit + 1) % BITS;
        m.depth += m.bit == 0;
        m.share = 1 - (double)used / (double)n;
        if (ordo_poll(exec, m.share))
            return ORDO_E_CANCELLED;
    }
    return ORDO_OK;
}
