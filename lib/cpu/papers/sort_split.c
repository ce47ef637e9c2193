/* sort_split.c - radix sort one bit at a time: each pass splits the items stably by one bit, low
 * to high, the radix sort that a binary prefix sum serves (Whittaker, Skjellum and Bangalore,
 * "Ballot Counting for Optimal Binary Prefix Sum").
 *
 * A first pass finds the bits that differ at all; the others are skipped. If the low halves of the
 * items rise from item to item, as the indices beside keys do, their bits are skipped too: stable
 * splits by the high half keep them in order. A split is a binary prefix sum: each piece counts its
 * set bits, the counts are summed up over pieces, and every item then knows its place: behind the
 * unset (set) bits before it. The items go to a buffer of the same size and back.
 *
 * Time: two reads and one write of the array for every bit that differs. Scratch: n items and
 * one count for each piece. */
#include "cpu/cpu.h"
#include "cpu/sort/items.h"

#include <string.h>

/* An item as two halves, of which the low one may be an index. */
static inline cpu_item_128 halves_32(cpu_item_32 x) { return (cpu_item_128){x, 0}; }
static inline cpu_item_128 halves_64(cpu_item_64 x)
{
    return (cpu_item_128){x >> 32, x & UINT32_MAX};
}
static inline cpu_item_128 halves_128(cpu_item_128 x) { return x; }

typedef struct split_bit { /* of one of the halves */
    bool     high;
    unsigned shift;
} split_bit;

typedef struct split_work {
    void             *in, *out;
    enum cpu_item     kind;
    size_t            n;
    size_t           *ones; /* set bits of each piece, then those before it */
    size_t            zeros;
    split_bit         bit;
    _Atomic(uint64_t) any_key, any_index; /* bits that are set in some item */
    _Atomic(uint64_t) all_key, all_index; /* bits that are set in every item */
    atomic_bool       index_falls;
} split_work;

#define ORDO_TEMPLATE "cpu/papers/split.t.h"
#include "cpu/sort/for_each_item.h"

static ordo_body *const survey[CPU_ITEM_KINDS] = {survey_piece_32, survey_piece_64,
                                                  survey_piece_128};
static ordo_body *const count[CPU_ITEM_KINDS] = {count_piece_32, count_piece_64, count_piece_128};
static ordo_body *const move[CPU_ITEM_KINDS] = {move_piece_32, move_piece_64, move_piece_128};

static void copy_piece(void *arg, size_t lo, size_t hi)
{
    split_work *const work = arg;
    size_t const      size = cpu_item_size(work->kind);
    memcpy((char *)work->out + lo * size, (const char *)work->in + lo * size, (hi - lo) * size);
}

static void swap_sides(split_work *work)
{
    void *const was = work->in;
    work->in = work->out;
    work->out = was;
}

/* Splits by one bit. */
static bool split(split_work *work, size_t n, ordo_exec *exec)
{
    size_t const grain = cpu_grain(n);
    size_t       before = 0;
    if (!ordo_loop(exec, n, grain, count[work->kind], work))
        return false;
    for (size_t p = 0; p < ordo_div_up(n, grain); p++) {
        size_t const here = work->ones[p];
        work->ones[p] = before;
        before += here;
    }
    work->zeros = n - before;
    if (!ordo_loop(exec, n, grain, move[work->kind], work))
        return false;
    swap_sides(work);
    exec->phase++;
    return true;
}

size_t cpu_items_split_scratch(enum cpu_item kind, size_t n, unsigned threads)
{
    (void)threads;
    return ordo_round_up(n * cpu_item_size(kind), ORDO_CACHE_LINE) +
           ordo_div_up(n, cpu_grain(n)) * sizeof(size_t);
}

ordo_status cpu_items_split(const cpu_items *items, ordo_exec *exec)
{
    size_t const n = items->n;
    void        *block;
    exec->algorithm = "split";
    exec->isa = "generic";
    if (n < 2)
        return ORDO_OK;
    TRY(ordo_scratch(exec, cpu_items_split_scratch(items->kind, n, exec->threads), &block));

    split_work work = {.in = items->items, .out = block, .kind = items->kind, .n = n};
    work.ones = (size_t *)(void *)((char *)block +
                                   ordo_round_up(n * cpu_item_size(items->kind), ORDO_CACHE_LINE));
    work.all_key = work.all_index = UINT64_MAX;
    if (!ordo_loop(exec, n, cpu_grain(n), survey[items->kind], &work))
        return ORDO_E_CANCELLED;
    uint64_t const keys = work.any_key & ~work.all_key;
    uint64_t const indices = work.index_falls ? work.any_index & ~work.all_index : 0;
    unsigned const passes = (unsigned)(__builtin_popcountll(keys) + __builtin_popcountll(indices));

    exec->phase = 0;
    exec->phases = passes + 1;
    for (int high = 0; high < 2; high++)
        for (uint64_t left = high != 0 ? keys : indices; left != 0; left &= left - 1) {
            work.bit = (split_bit){high != 0, (unsigned)__builtin_ctzll(left)};
            if (!split(&work, n, exec))
                return ORDO_E_CANCELLED;
        }
    return cpu_done(passes % 2 == 0 || ordo_loop(exec, n, cpu_grain(n), copy_piece, &work));
}
