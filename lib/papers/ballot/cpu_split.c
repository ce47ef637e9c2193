/* cpu_split.c - radix sort by one bit at a time, from low to high: the radix sort built on a
 * binary prefix sum in Whittaker, Skjellum and Bangalore, "Ballot Counting for Optimal Binary
 * Prefix Sum".
 *
 * A first pass finds the bits that differ; only these are sorted by. If the low halves of the
 * records ascend, as indices do, their bits are skipped too, because stable splits by the high half
 * keep them in order. A split is a binary prefix sum: each piece counts its 1 bits, the counts are
 * summed over the pieces, and each record goes after the earlier records with the same bit. Records
 * move to a buffer of the same size and back. Two reads and one write of the array per differing
 * bit. Scratch: n records, a count per piece. */
#include "cpu/sort/sort_steps.h"
#include "papers/ballot/ballot.h"

#include <string.h>

/* A record as two halves; the low one may be an index. */
static inline record_p64 halves_k32(record_k32 x) { return (record_p64){x, 0}; }
static inline record_p64 halves_k64(record_k64 x) { return (record_p64){x >> 32, x & UINT32_MAX}; }
static inline record_p64 halves_p64(record_p64 x) { return x; }

typedef struct split_bit { /* a bit of one half */
    bool     high;
    unsigned shift;
} split_bit;

typedef struct split_work {
    void             *in, *out;
    enum record_kind  kind;
    size_t            n;
    size_t           *ones; /* 1 bits of each piece; then of all pieces before it */
    size_t            zeros;
    split_bit         bit;
    _Atomic(uint64_t) any_key, any_index; /* bits that are set in some record */
    _Atomic(uint64_t) all_key, all_index; /* bits that are set in every record */
    atomic_bool       index_falls;
} split_work;

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "papers/ballot/cpu_split.t.h"
#include "cpu/radix/for_each_record.h"

static ordo_body *const survey[RECORD_KINDS] = RECORD_FUNCTIONS(survey_piece);
static ordo_body *const count[RECORD_KINDS] = RECORD_FUNCTIONS(count_piece);
static ordo_body *const move[RECORD_KINDS] = RECORD_FUNCTIONS(move_piece);

static void copy_piece(void *arg, size_t lo, size_t hi)
{
    split_work *const work = arg;
    size_t const      size = record_size(work->kind);
    memcpy((char *)work->out + lo * size, (const char *)work->in + lo * size, (hi - lo) * size);
}

static void swap_sides(split_work *work)
{
    void *const was = work->in;
    work->in = work->out;
    work->out = was;
}

/* Splits the records by work->bit. Returns false if the call was cancelled. */
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

size_t cpu_records_split_scratch(const cpu_records *records)
{
    return ordo_round_up(records->n * record_size(records->kind), ORDO_CACHE_LINE) +
           ordo_div_up(records->n, cpu_grain(records->n)) * sizeof(size_t);
}

ordo_status cpu_records_split(const cpu_records *records, ordo_exec *exec)
{
    size_t const n = records->n;
    void        *block;
    exec->algorithm = "split";
    exec->isa = "generic";
    if (n < 2)
        return ORDO_OK;
    TRY(ordo_scratch(exec, cpu_records_split_scratch(records), &block));

    split_work work = {.in = records->array, .out = block, .kind = records->kind, .n = n};
    work.ones = (size_t *)(void *)((char *)block +
                                   ordo_round_up(n * record_size(records->kind), ORDO_CACHE_LINE));
    work.all_key = work.all_index = UINT64_MAX;
    if (!ordo_loop(exec, n, cpu_grain(n), survey[records->kind], &work))
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
