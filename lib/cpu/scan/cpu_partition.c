/* cpu_partition.c - stable split of an array by flags, of records by a pivot, and of keys around
 * the k-th key.
 *
 * The first pass counts the set flags of each piece and reads only the flags. The sums of these
 * counts say where the elements of each piece go, so the second pass moves pieces independently.
 * Within a piece no branch depends on a flag: each element is written to two small buffers, and
 * the end of one of them advances; or vectors are compressed into both, if the ISA can. Full
 * buffers are copied out with memcpy. Scratch: one count for each piece.
 *
 * A split by a pivot is for one thread of the hybrid backend. Blocks of keys become bits, and the
 * same loops split keys and values by these bits. A split around the k-th key selects that key and
 * moves the pieces by blocks, or by vectors if the ISA can (cpu_around_fn). Several threads first
 * count the keys less than it and equal to it in each piece; one thread needs only the sums, which
 * the selection usually knows. */
#include "cpu/base/cpu.h"
#include "core/indices.h"
#include "core/keybits.h"

#include <string.h>

enum {
    MAX_ELEMENT = 16,
    STEP = ORDO_TUNE(512, 64), /* elements between two flushes, a multiple of 64: two buffers of
                                * at most 8 KB stay in L1 */
    BLOCK = 2048,              /* keys compared with a pivot at a time; a multiple of 64 */
    AROUND = 1024,             /* the same for the k-th key; its blocks are on the stack */
    BEHIND = 64,               /* elements after a group that a split may overwrite, or more */
    FEW = 64                   /* keys that are moved one by one in less time than by blocks */
};

typedef struct split_work {
    const ordo_partition_job *job;
    const cpu_kernels        *kernels;
    size_t                    grain;
    size_t                   *first; /* elements of the first group before each piece */
    size_t                    total; /* elements of the first group in all */
} split_work;

/* Bits that say which elements belong to the first group. Returns their number. */
static size_t read_flags(const split_work *work, size_t lo, size_t hi, uint64_t *words)
{
    const ordo_partition_job *const job = work->job;
    size_t const set = cpu_bits_read(work->kernels, job->kind, job->flags, lo, hi, words);
    if (!job->unset_first)
        return set;
    for (size_t w = 0; w < ordo_div_up(hi - lo, 64); w++)
        words[w] = ~words[w];
    return hi - lo - set;
}

static void count_piece(void *arg, size_t lo, size_t hi)
{
    split_work *const work = arg;
    uint64_t          words[CPU_PIECE_WORDS];
    work->first[lo / work->grain] = read_flags(work, lo, hi, words);
}

/* Splits up to 64 elements by the bits of a word. size is a constant in the calls that must be
 * fast. One register counts both ends, because exactly one of them advances in each step. */
INLINE size_t split_word(const char *in, size_t n, size_t size, uint64_t word, char *first,
                         char *second)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++, word >>= 1) {
        memcpy(first + kept * size, in + i * size, size);
        memcpy(second + (i - kept) * size, in + i * size, size);
        kept += word & 1;
    }
    return kept;
}

/* Splits n elements into two arrays. */
INLINE size_t split_step(const char *in, size_t n, size_t size, const uint64_t *words, char *first,
                         char *second)
{
    size_t kept = 0, at = 0;
    for (; at + 64 <= n; at += 64)
        kept += split_word(in + at * size, 64, size, words[at / 64], first + kept * size,
                           second + (at - kept) * size);
    if (at < n)
        kept += split_word(in + at * size, n - at, size, words[at / 64], first + kept * size,
                           second + (at - kept) * size);
    return kept;
}

static size_t split_sized(const cpu_kernels *kernels, const char *in, size_t n, size_t size,
                          const uint64_t *words, char *first, char *second)
{
    cpu_split_fn *const vectors = size == sizeof(uint32_t)   ? kernels->split[CPU_WIDTH_32]
                                  : size == sizeof(uint64_t) ? kernels->split[CPU_WIDTH_64]
                                                             : NULL;
    if (vectors != NULL)
        return vectors(in, n, words, first, second);
    switch (size) {
    case 1:
        return split_step(in, n, 1, words, first, second);
    case 2:
        return split_step(in, n, 2, words, first, second);
    case 4:
        return split_step(in, n, 4, words, first, second);
    case 8:
        return split_step(in, n, 8, words, first, second);
    case 12:
        return split_step(in, n, 12, words, first, second);
    case 16:
        return split_step(in, n, 16, words, first, second);
    default:
        return split_step(in, n, size, words, first, second);
    }
}

static void split_piece(void *arg, size_t lo, size_t hi)
{
    split_work *const work = arg;
    size_t const      size = work->job->elem_size;
    const char       *in = (const char *)work->job->in + lo * size;
    size_t const      before = work->first[lo / work->grain];
    char             *to_first = (char *)work->job->out + before * size;
    char             *to_second = (char *)work->job->out + (work->total + lo - before) * size;
    uint64_t          words[CPU_PIECE_WORDS];
    char              first[(STEP + 4) * MAX_ELEMENT], second[(STEP + 4) * MAX_ELEMENT];

    (void)read_flags(work, lo, hi, words);
    for (size_t at = lo; at < hi; at += STEP) {
        size_t const n = ordo_min(STEP, hi - at);
        size_t const kept =
            split_sized(work->kernels, in, n, size, words + (at - lo) / 64, first, second);
        memcpy(to_first, first, kept * size);
        memcpy(to_second, second, (n - kept) * size);
        to_first += kept * size;
        to_second += (n - kept) * size;
        in += n * size;
    }
}

size_t cpu_partition_scratch(const ordo_partition_job *job, unsigned threads)
{
    (void)threads;
    return ordo_div_up(job->n, cpu_grain(job->n)) * sizeof(size_t);
}

ordo_status cpu_partition(void *state, const ordo_partition_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    split_work               work = {.job = job, .kernels = kernels, .grain = cpu_grain(job->n)};

    exec->algorithm = "split";
    exec->isa = kernels->isa;
    exec->phases = 2;
    TRY_SCRATCH(exec, cpu_partition_scratch(job, exec->threads), work.first);
    if (!ordo_loop(exec, job->n, work.grain, count_piece, &work))
        return ORDO_E_CANCELLED;
    exec->phase = 1;
    for (size_t p = 0; p < ordo_div_up(job->n, work.grain); p++) {
        size_t const here = work.first[p];
        work.first[p] = work.total;
        work.total += here;
    }
    if (!ordo_loop(exec, job->n, work.grain, split_piece, &work))
        return ORDO_E_CANCELLED;
    *job->n_first = work.total;
    return ORDO_OK;
}

/* ---- By a pivot ---- */

/* The bits of a block. The keys of an incomplete last word are copied first. */
static void block_bits(cpu_below_fn *below, const char *keys, size_t n, size_t size, uint64_t pivot,
                       uint64_t *words)
{
    size_t const whole = n / 64 * 64;
    if (whole > 0)
        below(keys, whole, pivot, words);
    if (whole < n) {
        _Alignas(ORDO_CACHE_LINE) char last[64 * sizeof(uint64_t)] = {0};
        memcpy(last, keys + whole * size, (n - whole) * size);
        below(last, 64, pivot, words + whole / 64);
    }
}

void cpu_divide(void *state, const ordo_divide_job *job)
{
    const cpu_kernels *const kernels = state;
    cpu_below_fn *const      below = kernels->loops->below[job->type][job->descending];
    size_t const             size = ordo_type_size(job->type), value_size = job->value_size;
    const char *const keys = job->keys, *const values = job->values;
    size_t   first = 0;
    uint64_t words[BLOCK / 64];
    for (size_t at = 0; at < job->n; at += BLOCK) {
        size_t const n = ordo_min(BLOCK, job->n - at), second = at - first;
        block_bits(below, keys + at * size, n, size, job->pivot, words);
        size_t const kept = split_sized(kernels, keys + at * size, n, size, words,
                                        (char *)job->first_keys + first * size,
                                        (char *)job->second_keys + second * size);
        if (value_size != 0)
            (void)split_sized(kernels, values + at * value_size, n, value_size, words,
                              (char *)job->first_values + first * value_size,
                              (char *)job->second_values + second * value_size);
        first += kept;
    }
    *job->n_first = first;
}

/* ---- Around the k-th key ---- */

typedef struct nth_work {
    const ordo_nth_job *job;
    const cpu_kernels  *kernels;
    uint64_t            lo, hi; /* the bits that tie with the k-th key, turned if descending */
    uint64_t            last;   /* the largest bits of the type */
    size_t              size, grain;
    cpu_ties           *pieces; /* of each piece; then of all pieces before it */
    cpu_ties            total;
} nth_work;

typedef struct nth_ends { /* where the next elements of the three groups go */
    size_t less, equal, greater;
} nth_ends;

typedef struct nth_bits { /* of a block: which keys are less, and which of the others are equal */
    uint64_t less[AROUND / 64], equal[AROUND / 64];
    size_t   less_count;
    bool     any_equal;
} nth_bits;

/* Room for a group of a block; the loops write up to 64 bytes behind it. */
typedef struct nth_room {
    _Alignas(ORDO_CACHE_LINE) char bytes[AROUND * sizeof(uint64_t) + 64];
} nth_room;

static void count_around(void *arg, size_t lo, size_t hi)
{
    nth_work *const           work = arg;
    const ordo_nth_job *const job = work->job;
    cpu_band                  band = {.lo = work->lo, .hi = work->hi};
    (void)work->kernels->loops->band[job->type][job->descending](
        (const char *)job->keys + lo * work->size, hi - lo, &band, NULL);
    work->pieces[lo / work->grain] = (cpu_ties){band.below, band.inside};
}

/* The bits of a block of keys. The keys that are not less are split from the others only if one of
 * them is equal. */
static void bits_around(const nth_work *work, const char *keys, size_t n, bool may_have_equal,
                        nth_bits *bits)
{
    const ordo_nth_job *const job = work->job;
    cpu_below_fn *const       below = work->kernels->loops->below[job->type][job->descending];
    uint64_t const            unused = n % 64 != 0 ? UINT64_MAX << n % 64 : 0;
    size_t const              words = ordo_div_up(n, 64);
    block_bits(below, keys, n, work->size, work->lo, bits->less);
    if (unused != 0)
        bits->less[words - 1] &= ~unused;
    bits->less_count = 0;
    for (size_t w = 0; w < words; w++)
        bits->less_count += (size_t)__builtin_popcountll(bits->less[w]);
    bits->any_equal = false;
    if (!may_have_equal)
        return;
    nth_room   less, others;
    bool const last = work->hi == work->last;
    if (!last) {
        block_bits(below, keys, n, work->size, work->hi + 1, bits->equal);
        if (unused != 0)
            bits->equal[words - 1] &= ~unused;
    }
    bits->any_equal = last || memcmp(bits->less, bits->equal, words * sizeof *bits->less) != 0;
    if (last)
        memset(bits->equal, 0xff, sizeof bits->equal);
    if (last || !bits->any_equal)
        return;
    size_t const kept =
        split_sized(work->kernels, keys, n, work->size, bits->less, less.bytes, others.bytes);
    block_bits(below, others.bytes, n - kept, work->size, work->hi + 1, bits->equal);
}

/* Copies n elements of a block, none of which is equal, straight to their places. Returns false if
 * it cannot: the loops write up to 64 bytes behind a group, so elements of that group must follow
 * there. */
static bool put_directly(const nth_work *work, const void *in, size_t n, size_t size,
                         const nth_bits *bits, nth_ends next, nth_ends limits, char *out)
{
    size_t const less = bits->less_count;
    char *const  to_less = out + (next.less - less) * size;
    char *const  to_greater = out + (next.greater - (n - less)) * size;
    if (less == n || less == 0) {
        memcpy(less == n ? to_less : to_greater, in, n * size);
        return true;
    }
    if (next.less + BEHIND > limits.less || next.greater + BEHIND > limits.greater)
        return false;
    (void)split_sized(work->kernels, in, n, size, bits->less, to_less, to_greater);
    return true;
}

/* Copies n elements of a block to the three groups in `out`. Returns the new ends of the groups. */
static nth_ends put_around(const nth_work *work, const void *in, size_t n, size_t size,
                           const nth_bits *bits, nth_ends ends, nth_ends limits, char *out)
{
    nth_room     first, second, third;
    const void  *greater = second.bytes;
    size_t       equal = 0;
    size_t const less = bits->less_count, others = n - less;
    if (!bits->any_equal) {
        nth_ends const next = {ends.less + less, ends.equal, ends.greater + others};
        if (put_directly(work, in, n, size, bits, next, limits, out))
            return next;
    }
    (void)split_sized(work->kernels, in, n, size, bits->less, first.bytes, second.bytes);
    memcpy(out + ends.less * size, first.bytes, less * size);
    if (bits->any_equal) {
        equal = split_sized(work->kernels, second.bytes, others, size, bits->equal, first.bytes,
                            third.bytes);
        memcpy(out + ends.equal * size, first.bytes, equal * size);
        greater = third.bytes;
    }
    memcpy(out + ends.greater * size, greater, (others - equal) * size);
    return (nth_ends){ends.less + less, ends.equal + equal, ends.greater + others - equal};
}

static void number(ordo_type type, size_t first, size_t n, nth_room *index)
{
    for (size_t i = 0; i < n; i++)
        ordo_put_index(type, index->bytes, i, first + i);
}

/* Moves the keys [lo, hi) by vectors, as move_keys does. */
static nth_ends move_by_vectors(const nth_work *work, cpu_around_fn *move, size_t lo, size_t hi,
                                nth_ends ends, nth_ends limits)
{
    const ordo_nth_job *const job = work->job;
    const char *const         keys = (const char *)job->keys + lo * work->size;
    cpu_around const          start = {.lo = work->lo,
                                       .hi = work->hi,
                                       .less = ends.less,
                                       .equal = ends.equal,
                                       .greater = ends.greater,
                                       .less_end = limits.less,
                                       .greater_end = limits.greater};
    cpu_around                around = start;
    if (job->out != NULL)
        move(keys, hi - lo, lo, &around, job->out, 0);
    if (job->index != NULL) {
        around = start;
        move(keys, hi - lo, lo, &around, job->index, ordo_type_size(job->index_type));
    }
    return (nth_ends){around.less, around.equal, around.greater};
}

/* Moves the keys [lo, hi) to the places from `ends` to `limits`. Returns the new ends. */
static nth_ends move_keys(const nth_work *work, size_t lo, size_t hi, nth_ends ends,
                          nth_ends limits)
{
    const ordo_nth_job *const job = work->job;
    size_t const              index_size = ordo_type_size(job->index_type);
    cpu_around_fn *const      move = work->kernels->loops->around[job->type][job->descending];
    if (move != NULL)
        return move_by_vectors(work, move, lo, hi, ends, limits);
    for (size_t at = lo; at < hi; at += AROUND) {
        size_t const      n = ordo_min(AROUND, hi - at);
        const char *const keys = (const char *)job->keys + at * work->size;
        nth_ends          next = ends;
        nth_bits          bits;
        bits_around(work, keys, n, ends.equal < limits.equal, &bits);
        if (job->out != NULL)
            next = put_around(work, keys, n, work->size, &bits, ends, limits, job->out);
        if (job->index != NULL) {
            nth_room index;
            number(job->index_type, at, n, &index);
            next = put_around(work, index.bytes, n, index_size, &bits, ends, limits, job->index);
        }
        ends = next;
    }
    return ends;
}

/* Where the groups continue at key `lo`, if `before` counts the keys [0, lo). */
static nth_ends ends_at(const nth_work *work, size_t lo, cpu_ties before)
{
    cpu_ties const total = work->total;
    return (nth_ends){before.less, total.less + before.equal,
                      total.less + total.equal + (lo - before.less - before.equal)};
}

static void move_around(void *arg, size_t lo, size_t hi)
{
    const nth_work *const work = arg;
    size_t const          p = lo / work->grain;
    (void)move_keys(work, lo, hi, ends_at(work, lo, work->pieces[p]),
                    ends_at(work, hi, work->pieces[p + 1]));
}

/* Moves all keys on this thread. Only the sums of the groups are known. */
static bool move_in_order(const nth_work *work, ordo_exec *exec)
{
    size_t const   n = work->job->n;
    nth_ends const limits = ends_at(work, n, work->total);
    nth_ends       ends = ends_at(work, 0, (cpu_ties){0});
    for (size_t lo = 0; lo < n; lo += work->grain) {
        if (ordo_poll(exec, (double)lo / (double)n))
            return false;
        ends = move_keys(work, lo, ordo_min(lo + work->grain, n), ends, limits);
    }
    return true;
}

/* The numbers of pieces, and one place for the sums of all of them. */
size_t cpu_nth_scratch(const ordo_nth_job *job, const ordo_exec *exec)
{
    size_t const          k = 0;
    ordo_select_job const select = {.type = job->type, .n = job->n, .k = &k, .count = 1};
    return (ordo_div_up(job->n, cpu_grain(job->n)) + 1) * sizeof(cpu_ties) + ORDO_CACHE_LINE +
           cpu_select_scratch(&select, exec) + cpu_nth_any_scratch(job, exec->threads);
}

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static void ties_##tag(nth_work *work, const void *x)                                          \
    {                                                                                              \
        bits const here = key_bits_##tag(*(const key *)x);                                         \
        bits const least = key_least_tie_##tag(here), most = key_tie_##tag(here);                  \
        bool const turned = work->job->descending && !key_is_nan_##tag(*(const key *)x);           \
        work->lo = turned ? key_turn_##tag(most) : least;                                          \
        work->hi = turned ? key_turn_##tag(least) : most;                                          \
    }                                                                                              \
    /* groups[i] = 0, 1 or 2: keys[i] is less than the k-th key, ties with it or is greater. */    \
    static void groups_##tag(const nth_work *work, uint8_t *groups)                                \
    {                                                                                              \
        const key *const keys = work->job->keys;                                                   \
        bits const       lo = (bits)work->lo, hi = (bits)work->hi;                                 \
        for (size_t i = 0; i < work->job->n; i++) {                                                \
            bits const here = key_sort_bits_##tag(keys[i], work->job->descending);                 \
            groups[i] = (uint8_t)((here >= lo) + (here > hi));                                     \
        }                                                                                          \
    }
#include "core/types.def"
#undef ORDO_TYPE

INLINE void put_few(const void *in, size_t n, size_t size, const uint8_t *groups, size_t ends[3],
                    char *out)
{
    for (size_t i = 0; i < n; i++)
        memcpy(out + ends[groups[i]]++ * size, (const char *)in + i * size, size);
}

static void put_few_sized(const void *in, size_t n, size_t size, const uint8_t *groups,
                          const size_t starts[3], char *out)
{
    size_t ends[3] = {starts[0], starts[1], starts[2]};
    switch (size) {
    case 1:
        put_few(in, n, 1, groups, ends, out);
        break;
    case 2:
        put_few(in, n, 2, groups, ends, out);
        break;
    case 4:
        put_few(in, n, 4, groups, ends, out);
        break;
    default:
        put_few(in, n, 8, groups, ends, out);
    }
}

static void move_few(const nth_work *work)
{
    const ordo_nth_job *const job = work->job;
    uint8_t                   groups[FEW];
    size_t                    starts[3] = {0};
    BY_TYPE(job->type, groups, (work, groups));
    for (size_t i = 0; i < job->n; i++) {
        starts[1] += groups[i] < 1;
        starts[2] += groups[i] < 2;
    }
    if (job->out != NULL)
        put_few_sized(job->keys, job->n, work->size, groups, starts, job->out);
    if (job->index != NULL) {
        nth_room index;
        number(job->index_type, 0, job->n, &index);
        put_few_sized(index.bytes, job->n, ordo_type_size(job->index_type), groups, starts,
                      job->index);
    }
}

ordo_status cpu_nth(void *state, const ordo_nth_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    nth_work                 work = {.job = job,
                                     .kernels = kernels,
                                     .last = UINT64_MAX >> (64 - 8 * ordo_type_size(job->type)),
                                     .size = ordo_type_size(job->type),
                                     .grain = cpu_grain(job->n)};
    size_t const             pieces = ordo_div_up(job->n, work.grain);
    uint64_t                 key = 0;
    ordo_select_job const    select = {.type = job->type,
                                       .keys = job->keys,
                                       .n = job->n,
                                       .k = &job->k,
                                       .count = 1,
                                       .out = &key,
                                       .descending = job->descending,
                                       .algorithm = ORDO_ALGORITHM_AUTO};
    if (job->any_order) {
        bool done;
        TRY(cpu_nth_any(state, job, &done, exec));
        if (done)
            return ORDO_OK;
    }
    TRY_SCRATCH(exec, (pieces + 1) * sizeof *work.pieces, work.pieces);
    TRY(cpu_select_counted(state, &select, &work.total, exec));
    BY_TYPE(job->type, ties, (&work, &key));
    exec->algorithm = "select and split";
    exec->isa = kernels->isa;
    exec->phase = exec->phases;
    exec->phases += 2;
    if (job->n <= FEW) {
        move_few(&work);
        return ORDO_OK;
    }
    if (exec->threads == 1 && work.total.equal > 0 && work.lo == work.hi)
        return cpu_done(move_in_order(&work, exec));
    if (!ordo_loop(exec, job->n, work.grain, count_around, &work))
        return ORDO_E_CANCELLED;
    work.total = (cpu_ties){0};
    for (size_t p = 0; p < pieces; p++) {
        cpu_ties const here = work.pieces[p];
        work.pieces[p] = work.total;
        work.total.less += here.less;
        work.total.equal += here.equal;
    }
    work.pieces[pieces] = work.total;
    exec->phase++;
    return cpu_done(ordo_loop(exec, job->n, work.grain, move_around, &work));
}
