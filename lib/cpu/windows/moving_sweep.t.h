/* moving_sweep.t.h - medians, quantiles and ranks of a moving window, by the sorted places of a
 * chunk's elements.
 *
 * An element of the window is one bit at its place. A quantile follows a cursor that stays at the
 * wanted place: an element that comes or goes moves it by one set bit, which the levels of
 * moving_set find in lg(n) / 6 steps. A rank counts the bits below a place: counters of groups of
 * 512 bits in a tree (P. M. Fenwick, "A new data structure for cumulative frequency tables", 1994)
 * and the bits of one group. */

static inline void moving_put_nan(const ordo_moving_job *job, size_t i)
{
    if (job->out_type == ORDO_F32)
        ((float *)job->out)[i] = (float)NAN;
    else
        ((double *)job->out)[i] = (double)NAN;
}

/* Makes result i NaN if it is hidden, and the default NaN if it is a NaN. */
static void moving_settle(const ordo_moving_job *job, size_t i, bool hidden)
{
    bool const is_nan = job->out_type == ORDO_F32 ? key_is_nan_f32(((const float *)job->out)[i])
                                                  : key_is_nan_f64(((const double *)job->out)[i]);
    if (hidden || is_nan)
        moving_put_nan(job, i);
}

/* ---- A set of places ---- */

static inline void moving_set_add(const moving_set *set, size_t i)
{
    for (unsigned l = 0; l < set->levels; l++, i /= 64) {
        uint64_t *const word = &set->level[l][i / 64];
        bool const      was_empty = *word == 0;
        *word |= UINT64_C(1) << i % 64;
        if (!was_empty)
            return;
    }
}

static inline void moving_set_drop(const moving_set *set, size_t i)
{
    for (unsigned l = 0; l < set->levels; l++, i /= 64) {
        uint64_t *const word = &set->level[l][i / 64];
        *word &= ~(UINT64_C(1) << i % 64);
        if (*word != 0)
            return;
    }
}

/* The least number that is at least i; there is one. */
static inline size_t moving_set_from(const moving_set *set, size_t i)
{
    unsigned l = 0;
    uint64_t word = set->level[0][i / 64] & UINT64_MAX << i % 64;
    while (word == 0) {
        i = i / 64 + 1;
        word = set->level[++l][i / 64] & UINT64_MAX << i % 64;
    }
    i = i / 64 * 64 + (unsigned)__builtin_ctzll(word);
    while (l > 0)
        i = i * 64 + (unsigned)__builtin_ctzll(set->level[--l][i]);
    return i;
}

/* The largest number below i; there is one. */
static inline size_t moving_set_below(const moving_set *set, size_t i)
{
    unsigned l = 0;
    uint64_t word = set->level[0][i / 64] & ((UINT64_C(1) << i % 64) - 1);
    while (word == 0) {
        i /= 64;
        word = set->level[++l][i / 64] & ((UINT64_C(1) << i % 64) - 1);
    }
    i = i / 64 * 64 + 63 - (unsigned)__builtin_clzll(word);
    while (l > 0)
        i = i * 64 + 63 - (unsigned)__builtin_clzll(set->level[--l][i]);
    return i;
}

static inline bool moving_set_has(const moving_set *set, size_t i)
{
    return (set->level[0][i / 64] >> i % 64 & 1) != 0;
}

/* ---- Medians and quantiles ---- */

/* Moves the cursor to the k-th number of the set; the set has more than k. */
static inline void moving_seek(moving_chunk *chunk, size_t k)
{
    if (chunk->below > k) {
        do
            chunk->cursor = moving_set_below(&chunk->set, chunk->cursor);
        while (--chunk->below > k);
        return;
    }
    if (!moving_set_has(&chunk->set, chunk->cursor))
        chunk->cursor = moving_set_from(&chunk->set, chunk->cursor);
    for (; chunk->below < k; chunk->below++)
        chunk->cursor = moving_set_from(&chunk->set, chunk->cursor + 1);
}

static inline void moving_enter(moving_chunk *chunk, size_t place)
{
    if (place >= chunk->valid) {
        chunk->nans++;
        return;
    }
    moving_set_add(&chunk->set, place);
    chunk->below += place < chunk->cursor;
    chunk->inside++;
}

static inline void moving_leave(moving_chunk *chunk, size_t place)
{
    if (place >= chunk->valid) {
        chunk->nans--;
        return;
    }
    moving_set_drop(&chunk->set, place);
    chunk->below -= place < chunk->cursor;
    chunk->inside--;
}

/* The quantile of the window, which has at least one observation. A zero is +0. */
static inline double moving_quantile_here(moving_chunk *chunk)
{
    const ordo_moving_job *const job = chunk->job;
    bool const                   is_median = job->op == ORDO_MOVING_MEDIAN;
    if (chunk->inside != chunk->at_count) {
        chunk->at_count = chunk->inside;
        chunk->at = ordo_quantile_place(job->method, job->q, chunk->inside);
    }
    moving_seek(chunk, chunk->at.below);
    double const below = chunk->values[chunk->cursor];
    double const above = chunk->at.above == chunk->at.below
                             ? below
                             : chunk->values[moving_set_from(&chunk->set, chunk->cursor + 1)];
    return ordo_quantile_value(&chunk->at, is_median, below, above) + 0.0;
}

/* Whether the window has a result: enough observations, and no NaN that propagates. */
static inline bool moving_has_result(const moving_chunk *chunk)
{
    const ordo_moving_job *const job = chunk->job;
    if (job->nans == ORDO_NANS_PROPAGATE && chunk->nans > 0)
        return false;
    return chunk->inside >= job->min_periods;
}

static void moving_quantile(moving_chunk *chunk, size_t end)
{
    const ordo_moving_job *const job = chunk->job;
    const uint32_t *const        place = chunk->place;
    double *const                out = job->out;
    for (size_t i = chunk->next; i < end; i++) {
        for (size_t const stop = moving_end(job, i); chunk->tail < stop; chunk->tail++)
            moving_enter(chunk, place[chunk->tail - chunk->from]);
        for (size_t const stop = moving_first(job, i); chunk->head < stop; chunk->head++)
            moving_leave(chunk, place[chunk->head - chunk->from]);
        out[i] = moving_has_result(chunk) ? moving_quantile_here(chunk) : (double)NAN;
    }
    chunk->next = end;
}

/* ---- Ranks ---- */

static inline void moving_count(const moving_counts *counts, size_t place, uint32_t change)
{
    counts->words[place / 64] ^= UINT64_C(1) << place % 64;
    for (size_t g = (place >> MOVING_GROUP_BITS) + 1; g <= counts->groups; g += g & (0 - g))
        counts->tree[g] += change;
}

/* The number of set bits below a place, which may be the end. */
static inline size_t moving_counted(const moving_counts *counts, size_t place)
{
    size_t const    group = place >> MOVING_GROUP_BITS, last = place / 64;
    const uint64_t *words = counts->words;
    size_t          sum = 0;
    for (size_t g = group; g > 0; g &= g - 1)
        sum += counts->tree[g];
    for (size_t w = group * MOVING_GROUP_WORDS; w < last; w++)
        sum += (unsigned)__builtin_popcountll(words[w]);
    return sum + (unsigned)__builtin_popcountll(words[last] & ((UINT64_C(1) << place % 64) - 1));
}

/* An element comes (change 1) or goes (change -1). A dense place is a group of ties: its bit changes
 * with the first and the last member. */
static inline void moving_rank_change(moving_chunk *chunk, size_t element, uint32_t change)
{
    size_t const place = chunk->place[element];
    bool const   dense = chunk->job->ties == ORDO_TIES_DENSE;
    if (place >= chunk->valid) {
        chunk->nans += change == 1 ? 1 : SIZE_MAX;
        return;
    }
    chunk->inside += change == 1 ? 1 : SIZE_MAX;
    if (dense) {
        uint32_t const members = chunk->index[place] += change;
        if (members != (change == 1))
            return;
    }
    moving_count(&chunk->counts, place, change);
}

static inline double moving_rank_here(const moving_chunk *chunk, size_t place)
{
    const moving_counts *const counts = &chunk->counts;
    if (chunk->job->ties == ORDO_TIES_DENSE)
        return (double)(moving_counted(counts, place) + 1);
    size_t const start = chunk->tie_start[place], end = chunk->tie_end[place];
    size_t const before = moving_counted(counts, start);
    if (end == start + 1)
        return (double)(before + 1);
    if (chunk->job->ties == ORDO_TIES_MIN)
        return (double)(before + 1);
    size_t const last = moving_counted(counts, end);
    return chunk->job->ties == ORDO_TIES_AVERAGE ? (double)(before + 1 + last) * 0.5 : (double)last;
}

static void moving_rank(moving_chunk *chunk, size_t end)
{
    const ordo_moving_job *const job = chunk->job;
    double *const                out = job->out;
    for (size_t i = chunk->next; i < end; i++) {
        for (size_t const stop = moving_end(job, i); chunk->tail < stop; chunk->tail++)
            moving_rank_change(chunk, chunk->tail - chunk->from, 1);
        for (size_t const stop = moving_first(job, i); chunk->head < stop; chunk->head++)
            moving_rank_change(chunk, chunk->head - chunk->from, UINT32_MAX);
        size_t const last = chunk->place[chunk->tail - 1 - chunk->from];
        out[i] = moving_has_result(chunk) && last < chunk->valid ? moving_rank_here(chunk, last)
                                                                 : (double)NAN;
    }
    chunk->next = end;
}
