/* moving_sweep.t.h - medians, quantiles and ranks of a moving window, by the sorted places of a
 * chunk's elements.
 *
 * An element of the window is one bit at its place. For a quantile, a cursor stays at the wanted
 * place: an element that enters or leaves moves the cursor by one set bit, which the levels of
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

/* Sets result i to the default NaN if it is hidden or any NaN. */
static void moving_settle(const ordo_moving_job *job, size_t i, bool hidden)
{
    bool const is_nan = job->out_type == ORDO_F32 ? key_is_nan_f32(((const float *)job->out)[i])
                                                  : key_is_nan_f64(((const double *)job->out)[i]);
    if (hidden || is_nan)
        moving_put_nan(job, i);
}

/* ---- A set of places ---- */

/* moving_set_add and moving_set_drop work from level l on; i is a place (l = 0) or a word of level
 * l - 1. */
static inline void moving_set_add(const moving_set *set, unsigned l, size_t i)
{
    for (; l < set->levels; l++, i /= 64) {
        uint64_t *const word = &set->level[l][i / 64];
        bool const      was_empty = *word == 0;
        *word |= UINT64_C(1) << i % 64;
        if (!was_empty)
            return;
    }
}

static inline void moving_set_drop(const moving_set *set, unsigned l, size_t i)
{
    for (; l < set->levels; l++, i /= 64) {
        uint64_t *const word = &set->level[l][i / 64];
        *word &= ~(UINT64_C(1) << i % 64);
        if (*word != 0)
            return;
    }
}

/* The least number of level `low` that is at least i; there is one. */
static inline size_t moving_set_from(const moving_set *set, unsigned low, size_t i)
{
    unsigned l = low;
    uint64_t word = set->level[l][i / 64] & UINT64_MAX << i % 64;
    while (word == 0) {
        i = i / 64 + 1;
        word = set->level[++l][i / 64] & UINT64_MAX << i % 64;
    }
    i = i / 64 * 64 + (unsigned)__builtin_ctzll(word);
    while (l > low)
        i = i * 64 + (unsigned)__builtin_ctzll(set->level[--l][i]);
    return i;
}

/* The largest number of level `low` below i; there is one. */
static inline size_t moving_set_below(const moving_set *set, unsigned low, size_t i)
{
    unsigned l = low;
    uint64_t word = set->level[l][i / 64] & ((UINT64_C(1) << i % 64) - 1);
    while (word == 0) {
        i /= 64;
        word = set->level[++l][i / 64] & ((UINT64_C(1) << i % 64) - 1);
    }
    i = i / 64 * 64 + 63 - (unsigned)__builtin_clzll(word);
    while (l > low)
        i = i * 64 + 63 - (unsigned)__builtin_clzll(set->level[--l][i]);
    return i;
}

/* The place of the k-th set bit of a word that has more than k. */
static inline unsigned moving_select(uint64_t word, unsigned k)
{
#if defined(__BMI2__)
    return (unsigned)__builtin_ctzll(__builtin_ia32_pdep_di(UINT64_C(1) << k, word));
#else
    unsigned at = 0;
    for (unsigned half = 32; half > 0; half /= 2) {
        uint64_t const low = word >> at & ((UINT64_C(1) << half) - 1);
        unsigned const bits = (unsigned)__builtin_popcountll(low);
        unsigned const skip = k >= bits ? UINT_MAX : 0;
        k -= bits & skip;
        at += half & skip;
    }
    return at;
#endif
}

/* ---- A few observations in order, NaNs last ---- */

static inline void moving_insert(double *sorted, size_t count, double x)
{
    for (; count > 0 && (x < sorted[count - 1] || (isnan(sorted[count - 1]) && !isnan(x))); count--)
        sorted[count] = sorted[count - 1];
    sorted[count] = x;
}

/* Leaves `count` of them. x, or a number that ties with it, is one of them. */
static inline void moving_remove(double *sorted, size_t count, double x)
{
    size_t at = 0;
    while (sorted[at] != x && !(isnan(sorted[at]) && isnan(x)))
        at++;
    for (; at < count; at++)
        sorted[at] = sorted[at + 1];
}

/* ---- Medians and quantiles ---- */

/* The word that holds the k-th place of the set. The cursor changes only when that place leaves the
 * word. */
typedef struct moving_cursor {
    moving_set set;
    size_t     word;
    size_t     below; /* places of the set in lower words */
} moving_cursor;

static inline void moving_enter(moving_cursor *cursor, size_t place)
{
    uint64_t *const word = &cursor->set.level[0][place / 64];
    if (ORDO_UNLIKELY(*word == 0))
        moving_set_add(&cursor->set, 1, place / 64);
    *word |= UINT64_C(1) << place % 64;
    cursor->below += place / 64 < cursor->word;
}

static inline void moving_leave(moving_cursor *cursor, size_t place)
{
    uint64_t *const word = &cursor->set.level[0][place / 64];
    *word &= ~(UINT64_C(1) << place % 64);
    if (ORDO_UNLIKELY(*word == 0))
        moving_set_drop(&cursor->set, 1, place / 64);
    cursor->below -= place / 64 < cursor->word;
}

/* The k-th place of the set, which has more than k. */
static inline size_t moving_seek(moving_cursor *cursor, size_t k)
{
    const uint64_t *const words = cursor->set.level[0];
    while (ORDO_UNLIKELY(cursor->below > k)) {
        cursor->word = moving_set_below(&cursor->set, 1, cursor->word);
        cursor->below -= (unsigned)__builtin_popcountll(words[cursor->word]);
    }
    for (;;) {
        uint64_t const word = words[cursor->word];
        unsigned const count = (unsigned)__builtin_popcountll(word);
        if (ORDO_LIKELY(k - cursor->below < count))
            return cursor->word * 64 + moving_select(word, (unsigned)(k - cursor->below));
        cursor->below += count;
        cursor->word = moving_set_from(&cursor->set, 1, cursor->word + 1);
    }
}

/* The place of the set after a place of the set; there is one. */
static inline size_t moving_after(const moving_set *set, size_t place)
{
    uint64_t const word = set->level[0][place / 64] & UINT64_MAX << place % 64 << 1;
    if (ORDO_LIKELY(word != 0))
        return place / 64 * 64 + (unsigned)__builtin_ctzll(word);
    size_t const next = moving_set_from(set, 1, place / 64 + 1);
    return next * 64 + (unsigned)__builtin_ctzll(set->level[0][next]);
}

/* The quantile at a place among the observations of the window. */
static inline double moving_value(moving_cursor *cursor, const double *values,
                                  const quantile_place *at)
{
    size_t const place = moving_seek(cursor, at->below);
    double const below = values[place];
    bool const   alone = at->above == at->below || at->weight == 0;
    double const above = alone ? below : values[moving_after(&cursor->set, place)];
    return quantile_value(at, below, above);
}

/* Whether the window has a result: enough observations, and no NaN that propagates. */
static inline bool moving_has_result(const moving_chunk *chunk)
{
    const ordo_moving_job *const job = chunk->job;
    if (job->nans == ORDO_NANS_PROPAGATE && chunk->nans > 0)
        return false;
    return chunk->inside >= job->min_periods;
}

/* For outputs up to `end` whose windows are complete and have no NaNs: one element enters and one
 * leaves per output. */
static void moving_quantile_steady(moving_chunk *chunk, size_t end)
{
    const ordo_moving_job *const job = chunk->job;
    moving_cursor                cursor = {chunk->set, chunk->word, chunk->below};
    const uint32_t *const        came = chunk->place + (chunk->tail - chunk->from);
    const uint32_t *const        went = chunk->place + (chunk->head - chunk->from);
    const double *const          values = chunk->values;
    double *const                out = (double *)job->out + chunk->next;
    quantile_place const         at = chunk->at;
    size_t const                 count = end - chunk->next;
    for (size_t i = 0; i < count; i++) {
        moving_enter(&cursor, came[i]);
        moving_leave(&cursor, went[i]);
        out[i] = moving_value(&cursor, values, &at);
    }
    chunk->word = cursor.word;
    chunk->below = cursor.below;
    chunk->tail += count;
    chunk->head += count;
    chunk->next = end;
}

static void moving_quantile_any(moving_chunk *chunk, size_t end)
{
    const ordo_moving_job *const job = chunk->job;
    const uint32_t *const        place = chunk->place;
    moving_cursor                cursor = {chunk->set, chunk->word, chunk->below};
    double *const                out = job->out;
    for (size_t i = chunk->next; i < end; i++) {
        for (size_t const stop = moving_end(job, i); chunk->tail < stop; chunk->tail++) {
            size_t const at = place[chunk->tail - chunk->from];
            bool const   is_key = at < chunk->valid;
            chunk->nans += !is_key;
            chunk->inside += is_key;
            if (is_key)
                moving_enter(&cursor, at);
        }
        for (size_t const stop = moving_first(job, i); chunk->head < stop; chunk->head++) {
            size_t const at = place[chunk->head - chunk->from];
            bool const   is_key = at < chunk->valid;
            chunk->nans -= !is_key;
            chunk->inside -= is_key;
            if (is_key)
                moving_leave(&cursor, at);
        }
        if (chunk->inside != chunk->at_count && chunk->inside > 0) {
            chunk->at_count = chunk->inside;
            chunk->at = quantile_place_of(job->method, job->q, chunk->inside);
        }
        out[i] = moving_has_result(chunk) ? moving_value(&cursor, chunk->values, &chunk->at)
                                          : (double)NAN;
    }
    chunk->word = cursor.word;
    chunk->below = cursor.below;
    chunk->next = end;
}

static void moving_quantile(moving_chunk *chunk, size_t end)
{
    const ordo_moving_job *const job = chunk->job;
    size_t const                 start = ordo_max(chunk->lo, job->back) + 1;
    size_t const                 stop = ordo_min(end, job->n - ordo_min(job->n, job->ahead));
    bool const                   whole = job->first == NULL && start < stop &&
                       chunk->valid == chunk->to - chunk->from &&
                       job->back + job->ahead + 1 >= job->min_periods;
    if (whole) {
        if (chunk->next < start)
            moving_quantile_any(chunk, start);
        if (chunk->next < stop)
            moving_quantile_steady(chunk, stop);
    }
    if (chunk->next < end)
        moving_quantile_any(chunk, end);
}

/* ---- Ranks ---- */

/* The rank of an element that has `before` elements before it and is one of `ties`. */
static inline double moving_rank_of(ordo_ties kind, size_t before, size_t ties)
{
    return kind == ORDO_TIES_MIN       ? (double)(before + 1)
           : kind == ORDO_TIES_AVERAGE ? (double)(before + 1 + before + ties) * 0.5
                                       : (double)(before + ties);
}

static inline void moving_count(const moving_counts *counts, size_t place, uint32_t change)
{
    counts->words[place / 64] ^= UINT64_C(1) << place % 64;
    for (size_t g = (place >> MOVING_GROUP_BITS) + 1; g <= counts->groups; g += g & (0 - g))
        counts->tree[g] += change;
}

/* The number of set bits below a place; the place may be the end of the set. */
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

/* An element enters (change 1) or leaves (change -1). With dense ranks a place is a group of ties,
 * whose bit changes with its first and its last member. */
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
    bool const   alone = end == start + 1 || chunk->job->ties == ORDO_TIES_MIN;
    return moving_rank_of(chunk->job->ties, before,
                          alone ? 1 : moving_counted(counts, end) - before);
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
