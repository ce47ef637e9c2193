/* inplace_radix.c - sorts records if scratch is refused: in-place radix sort, most significant
 * digit first (P. McIlroy, K. Bostic and M. McIlroy, "Engineering Radix Sort", 1993: American flag
 * sort).
 *
 * All threads find the highest bit that differs, which gives the first digit, and count that digit.
 * One thread swaps every record into its bucket. Then each thread sorts buckets digit by digit.
 * Small buckets are merge sorted with a buffer on the stack. No scratch: a level takes 2 KB of the
 * C stack, and there are at most 16 levels.
 *
 * Time: two reads and one write of the array for each digit until the buckets are small. */
#include "cpu/radix/records.h"

#include <string.h>

enum {
    DIGIT = 8,
    BUCKETS = 1 << DIGIT,
    SMALL = ORDO_INPLACE_SMALL,
    STRETCH = ORDO_TUNE_PIECE /* records between two checks for cancel */
};

/* The digit whose lowest bit is bit `shift`. The bits above the highest bit are zeros. */
static inline size_t digit_k32(record_k32 x, unsigned shift) { return x >> shift & (BUCKETS - 1); }
static inline size_t digit_k64(record_k64 x, unsigned shift) { return x >> shift & (BUCKETS - 1); }
static inline size_t digit_p64(record_p64 x, unsigned shift)
{
    if (shift >= 64)
        return x.key >> (shift - 64) & (BUCKETS - 1);
    uint64_t const carried = shift > 64 - DIGIT ? x.key << (64 - shift) : 0;
    return (x.index >> shift | carried) & (BUCKETS - 1);
}

/* Records as numbers of 128 bits. */
static inline record_p64 wide_k32(record_k32 x) { return (record_p64){0, x}; }
static inline record_p64 wide_k64(record_k64 x) { return (record_p64){0, x}; }
static inline record_p64 wide_p64(record_p64 x) { return x; }

typedef struct flag_work {
    void             *records;
    ordo_exec        *exec;
    unsigned          shift;
    size_t            ends[BUCKETS]; /* one past the last record of each bucket */
    _Atomic(size_t)   counts[BUCKETS];
    _Atomic(uint64_t) differ_key,
        differ_index; /* bits in which some record differs from the first */
} flag_work;

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/merge.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "cpu/radix/inplace_radix.t.h"
#include "cpu/radix/for_each_record.h"

typedef struct flag_bodies {
    ordo_body *survey, *count, *finish;
    bool (*deal)(flag_work *work);
    void (*small)(void *records, size_t n);
} flag_bodies;

#define FLAG_BODIES(kind)                                                                          \
    {                                                                                              \
        survey_piece_##kind, count_piece_##kind, finish_bucket_##kind, deal_all_##kind,            \
            small_sort_##kind                                                                      \
    }
static const flag_bodies bodies[RECORD_KINDS] = {FLAG_BODIES(k32), FLAG_BODIES(k64),
                                                 FLAG_BODIES(k64), FLAG_BODIES(p64)};

/* The lowest bit of the first digit, whose top bit is the highest bit that differs. */
static unsigned first_shift(const flag_work *work)
{
    uint64_t const key = work->differ_key, index = work->differ_index;
    unsigned const length = key != 0 ? 64 + ordo_bit_length(key) : ordo_bit_length(index);
    return length - (unsigned)ordo_min(length, DIGIT);
}

ordo_status cpu_records_inplace(const cpu_records *records, ordo_exec *exec)
{
    const flag_bodies *const with = &bodies[records->kind];
    size_t const             n = records->n;

    exec->algorithm = "inplace";
    exec->isa = "generic";
    if (n <= SMALL) {
        with->small(records->array, n);
        return ORDO_OK;
    }
    flag_work work = {.records = records->array, .exec = exec};
    exec->phase = 0;
    exec->phases = 4;
    if (!ordo_loop(exec, n, cpu_grain(n), with->survey, &work))
        return ORDO_E_CANCELLED;
    if ((work.differ_key | work.differ_index) == 0)
        return ORDO_OK;
    work.shift = first_shift(&work);
    exec->phase = 1;
    if (!ordo_loop(exec, n, cpu_grain(n), with->count, &work))
        return ORDO_E_CANCELLED;
    for (size_t b = 0, end = 0; b < BUCKETS; b++)
        work.ends[b] = end += work.counts[b];
    exec->phase = 2;
    if (!with->deal(&work))
        return ORDO_E_CANCELLED;
    exec->phase = 3;
    return cpu_done(ordo_loop(exec, BUCKETS, 1, with->finish, &work) && !ordo_poll(exec, 1));
}
