/* rank_unsorted.c - ranks of an array in any order.
 *
 *   order    keys with their index are sorted by the radix sort (or a named algorithm)
 *   number   each run of tied keys gets its rank, one read of the records, which become
 *            (index, rank); dense ranks count the runs of every piece first
 *   return   ranks go back to where their keys were. For large arrays the records are first
 *            gathered by the high bits of the index (the radix sort's own split), so that the
 *            writes of one bucket stay in the cache.
 *
 * An average rank is carried as twice its value, so every rank is an integer on the way.
 * Scratch: 2n records of 8 bytes (keys of at most 32 bits, n < 2^31) or 16, and what the radix
 * sort needs beside its rooms. */
#include "core/keybits.h"
#include "cpu/sort/items.h"
#include "cpu/sort/records.h"

#include <string.h>

typedef struct rank_work {
    const ordo_unsorted_job *job;
    bool                     packed; /* records are (key, index) in a word of 64 bits */
    bool                     direct; /* ranks go straight to their places */
    void                    *records;
    size_t                   grain;
    uint64_t                *heads; /* of dense ranks: runs that begin before each piece */
} rank_work;

/* The search for the edges of runs, over records. */
static inline uint32_t key_fold_p32(uint64_t record) { return (uint32_t)(record >> 32); }
static inline uint64_t key_fold_p64(cpu_item_128 record) { return record.key; }
static inline int      key_is_nan_p32(uint64_t record) { return (void)record, 0; }
static inline int      key_is_nan_p64(cpu_item_128 record) { return (void)record, 0; }
#define KEY uint64_t
#define FN(name) name##_p32
#include "core/search.t.h"
#undef FN
#undef KEY
#define KEY cpu_item_128
#define FN(name) name##_p64
#include "core/search.t.h"
#undef FN
#undef KEY

/* ---- Number ---- */

static inline uint64_t key_at(const rank_work *work, size_t i)
{
    return work->packed ? ((const uint64_t *)work->records)[i] >> 32
                        : ((const cpu_item_128 *)work->records)[i].key;
}

static inline uint64_t index_at(const rank_work *work, size_t i)
{
    return work->packed ? (uint32_t)((const uint64_t *)work->records)[i]
                        : ((const cpu_item_128 *)work->records)[i].index;
}

static inline bool is_head(const rank_work *work, size_t i)
{
    return i == 0 || key_at(work, i) != key_at(work, i - 1);
}

static void heads_piece(void *arg, size_t lo, size_t hi)
{
    const rank_work *const work = arg;
    uint64_t               heads = 0;
    for (size_t i = lo; i < hi; i++)
        heads += is_head(work, i);
    work->heads[lo / work->grain] = heads;
}

/* Where the run of record i begins and ends: a run that spans many pieces costs each of them its
 * logarithm. */
static size_t run_begin(const rank_work *work, size_t i)
{
    return work->packed ? run_start_p32(work->records, i) : run_start_p64(work->records, i);
}

static size_t run_end(const rank_work *work, size_t i)
{
    return work->packed ? run_end_p32(work->records, work->job->n, i)
                        : run_end_p64(work->records, work->job->n, i);
}

/* Twice the rank for averages, else the rank. */
static inline void put_rank(const ordo_unsorted_job *job, uint64_t index, uint64_t rank)
{
    switch (job->rank_type) {
    case ORDO_U32:
        ((uint32_t *)job->ranks)[index] = (uint32_t)rank;
        break;
    case ORDO_U64:
        ((uint64_t *)job->ranks)[index] = rank;
        break;
    default:
        ((double *)job->ranks)[index] =
            job->ties == ORDO_TIES_AVERAGE ? (double)rank * 0.5 : (double)rank;
        break;
    }
}

static inline void give_rank(const rank_work *work, size_t i, uint64_t rank)
{
    uint64_t const index = index_at(work, i);
    if (work->direct)
        put_rank(work->job, index, rank);
    else if (work->packed)
        ((uint64_t *)work->records)[i] = index << 32 | rank;
    else
        ((cpu_item_128 *)work->records)[i] = (cpu_item_128){index, rank};
}

/* Both edges of the piece's runs are settled before any record changes: the neighbours' records
 * may have become (index, rank) already, so keys outside the piece are not looked at then. */
typedef struct rank_edges {
    size_t   first_begin, last_end; /* of the run of the first record, and of the last */
    uint64_t heads;                 /* runs that begin before the piece */
    bool     continues;             /* the first record's run began before the piece */
} rank_edges;

static uint64_t rank_of_run(ordo_ties ties, size_t begin, size_t end, uint64_t heads)
{
    switch (ties) {
    case ORDO_TIES_MIN:
        return begin + 1;
    case ORDO_TIES_MAX:
        return end;
    case ORDO_TIES_DENSE:
        return heads;
    default:
        return begin + 1 + end; /* twice the average */
    }
}

static void number_run(const rank_work *work, size_t from, size_t to, uint64_t rank)
{
    for (size_t i = from; i < to; i++)
        give_rank(work, i, rank);
}

typedef struct number_work {
    rank_work  *rank;
    rank_edges *edges; /* one for each piece */
} number_work;

static void edges_piece(void *arg, size_t lo, size_t hi)
{
    const number_work *const number = arg;
    const rank_work *const   work = number->rank;
    rank_edges *const        edges = &number->edges[lo / work->grain];
    edges->first_begin = run_begin(work, lo);
    edges->last_end = run_end(work, hi - 1);
    edges->continues = edges->first_begin < lo;
    edges->heads = work->heads != NULL ? work->heads[lo / work->grain] : 0;
}

static void number_piece(void *arg, size_t lo, size_t hi)
{
    const number_work *const number = arg;
    const rank_work *const   work = number->rank;
    rank_edges const         edges = number->edges[lo / work->grain];
    ordo_ties const          ties = work->job->ties;
    uint64_t                 heads = edges.heads + !edges.continues;
    if (ties == ORDO_TIES_ORDINAL) {
        for (size_t i = lo; i < hi; i++)
            give_rank(work, i, i + 1);
        return;
    }
    for (size_t from = lo; from < hi; heads++) {
        uint64_t const key = key_at(work, from);
        size_t         to = from + 1;
        while (to < hi && key_at(work, to) == key)
            to++;
        size_t const begin = from == lo ? edges.first_begin : from;
        size_t const end = to == hi ? edges.last_end : to;
        number_run(work, from, to, rank_of_run(ties, begin, end, heads));
        from = to;
    }
}

static ordo_status number_records(rank_work *work, ordo_exec *exec)
{
    size_t const n = work->job->n, pieces = ordo_div_up(n, work->grain);
    number_work  number = {.rank = work};
    void        *memory;
    TRY(ordo_scratch(exec, pieces * sizeof(rank_edges), &memory));
    number.edges = memory;
    if (work->job->ties == ORDO_TIES_DENSE) {
        uint64_t sum = 0;
        TRY(ordo_scratch(exec, pieces * sizeof(uint64_t), &memory));
        work->heads = memory;
        if (!ordo_loop(exec, n, work->grain, heads_piece, work))
            return ORDO_E_CANCELLED;
        for (size_t p = 0; p < pieces; p++) {
            uint64_t const here = work->heads[p];
            work->heads[p] = sum;
            sum += here;
        }
    }
    if (!ordo_loop(exec, n, work->grain, edges_piece, &number))
        return ORDO_E_CANCELLED;
    return cpu_done(ordo_loop(exec, n, work->grain, number_piece, &number));
}

/* ---- Return ---- */

static void return_packed(const radix_io *io, size_t at, size_t count, const void *records)
{
    const uint64_t *const from = records;
    (void)at;
    for (size_t i = 0; i < count; i++)
        put_rank(io->job, from[i] >> 32, (uint32_t)from[i]);
}

static void return_wide(const radix_io *io, size_t at, size_t count, const void *records)
{
    const cpu_item_128 *const from = records;
    (void)at;
    for (size_t i = 0; i < count; i++)
        put_rank(io->job, from[i].key, from[i].index);
}

/* ---- All of it ---- */

static ordo_argsort_job order_of(const ordo_unsorted_job *job)
{
    return (ordo_argsort_job){.type = job->type,
                              .keys = job->keys,
                              .n = job->n,
                              .descending = job->descending,
                              .algorithm = job->algorithm};
}

/* Ranks, and twice their averages, fit 32 bits. */
static enum radix_kind kind_of(const ordo_unsorted_job *job)
{
    return ordo_type_size(job->type) <= sizeof(uint32_t) && job->n < UINT32_C(1) << 31 ? RADIX_P32
                                                                                       : RADIX_P64;
}

static ordo_status sort_records(const cpu_kernels *kernels, const ordo_unsorted_job *job,
                                const cpu_items *items, void *room, ordo_exec *exec)
{
    ordo_argsort_job const order = order_of(job);
    if (cpu_is_radix(job->algorithm)) {
        radix_io io = records_of_argsort(kernels, &order, kind_of(job));
        io.store = NULL;
        io.out = items->items;
        io.spare = items->items;
        io.room = room;
        return cpu_radix(&io, exec);
    }
    TRY(records_index(&order, items, exec));
    return cpu_items_sort(items, job->algorithm, 0, exec);
}

ordo_status cpu_rank(const cpu_kernels *kernels, const ordo_unsorted_job *job, ordo_exec *exec)
{
    enum radix_kind const kind = kind_of(job);
    size_t const          size = radix_record_size(kind);
    rank_work             work = {.job = job,
                                  .packed = kind == RADIX_P32,
                                  .direct = job->n * size <= ORDO_TUNE_RANK_DIRECT,
                                  .grain = cpu_grain(job->n)};
    void                 *room;
    if (job->n == 0)
        return ORDO_OK;
    TRY(ordo_scratch(exec, job->n * size, &work.records));
    TRY(ordo_scratch(exec, job->n * size, &room));
    cpu_items const items = {work.packed ? CPU_ITEM_64 : CPU_ITEM_128, work.records, job->n};
    TRY(sort_records(kernels, job, &items, room, exec));
    const char *const algorithm = exec->algorithm;
    TRY(number_records(&work, exec));
    if (!work.direct) {
        radix_io const back = {.kernels = kernels,
                               .kind = kind,
                               .n = job->n,
                               .store = work.packed ? return_packed : return_wide,
                               .in = work.records,
                               .room = room,
                               .spare = work.records,
                               .loose = true,
                               .job = job};
        TRY(cpu_radix(&back, exec));
    }
    exec->algorithm = algorithm;
    return ORDO_OK;
}

size_t cpu_rank_scratch(const ordo_unsorted_job *job, unsigned threads)
{
    enum radix_kind const kind = kind_of(job);
    size_t const rooms = 2 * ordo_round_up(job->n * radix_record_size(kind), ORDO_CACHE_LINE);
    size_t const pieces = ordo_div_up(job->n, cpu_grain(job->n));
    size_t const sort = cpu_radix_scratch(kind, job->n, true, threads);
    return job->n == 0
               ? 0
               : rooms + 2 * sort + ordo_round_up(pieces * sizeof(rank_edges), ORDO_CACHE_LINE) +
                     ordo_round_up(pieces * sizeof(uint64_t), ORDO_CACHE_LINE);
}
