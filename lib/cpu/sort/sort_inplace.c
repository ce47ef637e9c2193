/* sort_inplace.c - sort of items when scratch is refused: in-place radix sort, most significant
 * digit first (the American flag sort of McIlroy, Bostic and McIlroy, 1993).
 *
 * A survey by all threads finds the highest bit that differs and so the first digit; all threads
 * count it; one thread swaps every item into its bucket; then the buckets are sorted by all
 * threads, each bucket by one, digit by digit. Small buckets are merge sorted with a buffer on the
 * stack. Nothing is allocated: what a level needs lies on the C stack, 2 KB a level and 16 levels
 * at most.
 *
 * Time: two reads and one write of the array for each digit until the buckets are small. */
#include "cpu/cpu.h"
#include "cpu/sort/items.h"

#include <string.h>

enum {
    DIGIT = 8,
    BUCKETS = 1 << DIGIT,
    SMALL = ORDO_TUNE_INPLACE_SMALL,
    STRETCH = ORDO_TUNE_PIECE /* items between two polls */
};

/* The digit whose lowest bit is bit `shift`. Above the highest bit there are only zeros. */
static inline size_t digit_32(cpu_item_32 x, unsigned shift) { return x >> shift & (BUCKETS - 1); }
static inline size_t digit_64(cpu_item_64 x, unsigned shift) { return x >> shift & (BUCKETS - 1); }
static inline size_t digit_128(cpu_item_128 x, unsigned shift)
{
    if (shift >= 64)
        return x.key >> (shift - 64) & (BUCKETS - 1);
    uint64_t const carried = shift > 64 - DIGIT ? x.key << (64 - shift) : 0;
    return (x.index >> shift | carried) & (BUCKETS - 1);
}

/* Items as numbers of 128 bits, for the survey. */
static inline cpu_item_128 wide_32(cpu_item_32 x) { return (cpu_item_128){0, x}; }
static inline cpu_item_128 wide_64(cpu_item_64 x) { return (cpu_item_128){0, x}; }
static inline cpu_item_128 wide_128(cpu_item_128 x) { return x; }

typedef struct flag_work {
    void             *items;
    ordo_exec        *exec;
    unsigned          shift;
    size_t            ends[BUCKETS]; /* one past the last item of each */
    _Atomic(size_t)   counts[BUCKETS];
    _Atomic(uint64_t) differ_key, differ_index; /* bits in which some item differs from the first */
} flag_work;

#define ORDO_TEMPLATE "cpu/sort/merge.t.h"
#include "cpu/sort/for_each_item.h"
#define ORDO_TEMPLATE "cpu/sort/inplace.t.h"
#include "cpu/sort/for_each_item.h"

typedef struct flag_bodies {
    ordo_body *survey, *count, *finish;
    bool (*deal)(flag_work *work);
    void (*small)(void *items, size_t n);
} flag_bodies;

static const flag_bodies bodies[CPU_ITEM_KINDS] = {
    {survey_piece_32, count_piece_32, finish_bucket_32, deal_all_32, small_sort_32},
    {survey_piece_64, count_piece_64, finish_bucket_64, deal_all_64, small_sort_64},
    {survey_piece_128, count_piece_128, finish_bucket_128, deal_all_128, small_sort_128}};

/* Where the highest digit begins that holds every bit that differs and is highest. */
static unsigned first_shift(const flag_work *work)
{
    uint64_t const key = work->differ_key, index = work->differ_index;
    unsigned const highest =
        key != 0 ? 127 - (unsigned)__builtin_clzll(key) : 63 - (unsigned)__builtin_clzll(index);
    return highest < DIGIT ? 0 : highest - (DIGIT - 1);
}

ordo_status cpu_items_inplace(const cpu_items *items, ordo_exec *exec)
{
    const flag_bodies *const with = &bodies[items->kind];
    size_t const             n = items->n;

    exec->algorithm = "inplace";
    exec->isa = "generic";
    if (n <= SMALL) {
        with->small(items->items, n);
        return ORDO_OK;
    }
    flag_work work = {.items = items->items, .exec = exec};
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
