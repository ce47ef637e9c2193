/* cpu_rank.c - ranks of an unsorted array, in three steps.
 *
 *   order    the radix sort (or a named algorithm) sorts records of keys and indices
 *   number   one pass gives each group of ties its rank: records become (index, rank). Dense ranks
 *            count the groups of each piece first
 *   return   ranks go to the places of their keys. Large arrays are first split by the high bits
 *            of the index, so that the writes of one bucket stay in the cache
 *
 * Until the end an average rank is held as twice its value, an integer. Scratch: 2n records of 8
 * bytes (keys of at most 32 bits, n < 2^31) or 16, and that of the radix sort. 64-bit keys with few
 * ties or of a narrow range take records of 8 bytes (short_keys.c). The ranks of a few keys are
 * counted (few_ranks.t.h). One thread ranks up to a million keys by words, where the ISA has a
 * vector sort (order_words.c). Sorted and reversed keys need no sort. */
#include "core/keybits.h"
#include "core/ties.h"
#include "cpu/base/paths.h"
#include "cpu/radix/short_keys.h"
#include "cpu/sort/sort_look.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    FEW = ORDO_TUNE(16, 5), /* keys that are ranked by comparing all pairs */
    SKIP = ORDO_TUNE(64, 3) /* records of a long group that are passed at once */
};

enum record_form {
    FORM_WIDE,   /* (key, index) in 16 bytes */
    FORM_PACKED, /* (key, index) in 8 bytes, 32 bits each */
    FORM_WORDS   /* part of the key, a bit that says "ties with the previous record", and index */
};

typedef struct rank_work {
    const ordo_rank_job *job;
    enum record_form     form;
    unsigned             tie_bit;    /* FORM_WORDS: the bit of ties */
    uint64_t             index_mask; /* of records of 8 bytes */
    bool                 direct;     /* ranks are written to their places at once */
    void                *records;
    size_t               grain;
} rank_work;

/* ---- Number ---- */

/* Whether two records have the same key. Not for FORM_WORDS. */
INLINE bool same_keys(const rank_work *work, enum record_form form, size_t i, size_t j)
{
    const uint64_t *const   words = work->records;
    const record_p64 *const wide = work->records;
    return form == FORM_PACKED ? (words[i] ^ words[j]) >> 32 == 0 : wide[i].key == wide[j].key;
}

/* Whether record i > 0 ties with the one before it. */
INLINE bool is_tie(const rank_work *work, enum record_form form, size_t i)
{
    const uint64_t *const words = work->records;
    return form == FORM_WORDS ? (words[i] >> work->tie_bit & 1) != 0
                              : same_keys(work, form, i, i - 1);
}

INLINE uint64_t index_at(const rank_work *work, enum record_form form, size_t i)
{
    return form == FORM_WIDE ? ((const record_p64 *)work->records)[i].index
                             : ((const uint64_t *)work->records)[i] & work->index_mask;
}

/* `rank` is that of ordo_tie_rank. */
static inline void put_rank(const ordo_rank_job *job, uint64_t index, uint64_t rank)
{
    ordo_put_rank(job->rank_type, job->ties, job->ranks, (size_t)index, rank);
}

INLINE void give_rank(const rank_work *work, enum record_form form, size_t i, uint64_t rank)
{
    uint64_t const index = index_at(work, form, i);
    if (work->direct)
        put_rank(work->job, index, rank);
    else if (form == FORM_WIDE)
        ((record_p64 *)work->records)[i] = (record_p64){index, rank};
    else
        ((uint64_t *)work->records)[i] = index << 32 | rank;
}

/* The groups at both ends of a piece. They are found before any record changes: later the records
 * of other pieces may already be (index, rank). */
typedef struct rank_edges {
    size_t   first_begin, last_end; /* of the group of the first record, and of the last */
    uint64_t heads;                 /* dense ranks: groups that begin before the piece */
    bool     continues;             /* the first record's group began before the piece */
} rank_edges;

#define ORDO_TEMPLATE "cpu/rank/few_ranks.t.h"
#include "core/for_each_type.h"

typedef struct number_work {
    rank_work  *rank;
    rank_edges *edges; /* one for each piece */
} number_work;

/* Finds the first head of the piece and one past its last, or the end of the piece and its begin,
 * and for dense ranks the number of its heads. carry_edges turns them into what the piece needs. */
static void edges_piece(void *arg, size_t lo, size_t hi)
{
    const number_work *const number = arg;
    const rank_work *const   work = number->rank;
    rank_edges *const        edges = &number->edges[lo / work->grain];
    bool const               skips = work->form != FORM_WORDS; /* records of one group are equal */
    size_t                   first = lo, behind = hi, heads = 0;
    while (first < hi && first > 0 && is_tie(work, work->form, first))
        first +=
            skips && first + SKIP <= hi && same_keys(work, work->form, first - 1, first + SKIP - 1)
                ? SKIP
                : 1;
    while (first < hi && behind > 1 && is_tie(work, work->form, behind - 1))
        behind -= skips && behind > lo + SKIP &&
                          same_keys(work, work->form, behind - 1 - SKIP, behind - 1)
                      ? SKIP
                      : 1;
    for (size_t i = first; work->job->ties == ORDO_TIES_DENSE && i < hi; i++)
        heads += i == 0 || !is_tie(work, work->form, i);
    edges->heads = heads;
    edges->continues = first > lo;
    edges->last_end = first;
    edges->first_begin = first < hi ? behind : lo;
}

/* Finds where groups begin and end, and counts them, from the heads that edges_piece found. */
static void carry_edges(const rank_work *work, rank_edges *edges, size_t pieces)
{
    size_t   begin = 0, end = work->job->n;
    uint64_t before = 0;
    for (size_t p = 0; p < pieces; p++) {
        size_t const   lo = p * work->grain, behind = edges[p].first_begin;
        uint64_t const heads = edges[p].heads;
        edges[p].heads = before;
        before += heads;
        edges[p].first_begin = edges[p].continues ? begin : lo;
        begin = behind > lo ? behind - 1 : begin;
    }
    for (size_t p = pieces; p-- > 0;) {
        size_t const hi = ordo_min((p + 1) * work->grain, work->job->n);
        size_t const first = edges[p].last_end;
        edges[p].last_end = end;
        end = first < hi ? first : end;
    }
}

/* Takes a copy of the work, which no store to a record can alias. */
INLINE void number_form(rank_work work, rank_edges edges, size_t lo, size_t hi,
                        enum record_form form)
{
    ordo_ties const ties = work.job->ties;
    uint64_t        heads = edges.heads + !edges.continues;
    if (ties == ORDO_TIES_ORDINAL) {
        for (size_t i = lo; i < hi; i++)
            give_rank(&work, form, i, i + 1);
        return;
    }
    for (size_t from = lo; from < hi; heads++) {
        size_t to = from + 1;
        while (to < hi && is_tie(&work, form, to))
            to++;
        size_t const   begin = from == lo ? edges.first_begin : from;
        size_t const   end = to == hi ? edges.last_end : to;
        uint64_t const rank = ordo_tie_rank(ties, begin, end, heads, begin);
        for (; from < to; from++)
            give_rank(&work, form, from, rank);
    }
}

static void number_piece(void *arg, size_t lo, size_t hi)
{
    const number_work *const number = arg;
    const rank_work *const   work = number->rank;
    rank_edges const         edges = number->edges[lo / work->grain];
    switch (work->form) {
    case FORM_WIDE:
        number_form(*work, edges, lo, hi, FORM_WIDE);
        break;
    case FORM_PACKED:
        number_form(*work, edges, lo, hi, FORM_PACKED);
        break;
    default:
        number_form(*work, edges, lo, hi, FORM_WORDS);
    }
}

static ordo_status number_records(rank_work *work, ordo_exec *exec)
{
    size_t const n = work->job->n, pieces = ordo_div_up(n, work->grain);
    number_work  number = {.rank = work};
    TRY_SCRATCH(exec, pieces * sizeof *number.edges, number.edges);
    if (!ordo_loop(exec, n, work->grain, edges_piece, &number))
        return ORDO_E_CANCELLED;
    carry_edges(work, number.edges, pieces);
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
    const record_p64 *const from = records;
    (void)at;
    for (size_t i = 0; i < count; i++)
        put_rank(io->job, from[i].key, from[i].index);
}

/* ---- All of it ---- */

static ordo_argsort_job order_of(const ordo_rank_job *job)
{
    return (ordo_argsort_job){.type = job->type,
                              .keys = job->keys,
                              .n = job->n,
                              .descending = job->descending,
                              .algorithm = job->algorithm};
}

/* Ranks, and twice their averages, fit 32 bits. */
static enum record_kind kind_of(const ordo_rank_job *job)
{
    return ordo_type_size(job->type) <= sizeof(uint32_t) && job->n < UINT32_C(1) << 31 ? RECORD_P32
                                                                                       : RECORD_P64;
}

typedef struct rank_memory { /* the sort moves records between these two arrays */
    void *records, *scratch;
} rank_memory;

/* Sorts 64-bit keys as records of 8 bytes, in half of the memory for records. */
static ordo_status sort_short(const cpu_kernels *kernels, const ordo_rank_job *job,
                              short_keys *keys, rank_memory *memory, bool *done, ordo_exec *exec)
{
    ordo_argsort_job const order = order_of(job);
    *done = false;
    TRY(short_keys_choose(kernels, &order, keys, exec));
    if (keys->way == SHORT_NOT)
        return ORDO_OK;
    radix_io io = short_keys_sorted(kernels, &order, keys);
    memory->scratch = (char *)memory->records + short_keys_memory(job->n) / 2;
    io.out = memory->records;
    io.spare = memory->records;
    io.scratch = memory->scratch;
    return short_keys_sort(&io, done, exec);
}

static ordo_status sort_records(const cpu_kernels *kernels, const ordo_rank_job *job,
                                const cpu_records *records, void *scratch, ordo_exec *exec)
{
    ordo_argsort_job const order = order_of(job);
    radix_io               io = records_of_argsort(kernels, &order, records->kind);
    if (cpu_is_radix(job->algorithm)) {
        io.store = NULL;
        io.out = records->array;
        io.spare = records->array;
        io.scratch = scratch;
        return cpu_radix(&io, exec);
    }
    TRY(records_load(&io, records, exec));
    return cpu_records_sort(kernels, records, job->algorithm, 0, exec);
}

/* Takes copies, which no store to a rank can alias. */
INLINE void rank_order(ordo_rank_job job, cpu_order order, ordo_type rank_type)
{
    uint64_t heads = 0;
    job.rank_type = rank_type;
    if (job.ties == ORDO_TIES_ORDINAL) {
        for (size_t i = 0; i < job.n; i++)
            put_rank(&job, order.words[i] & order.index_mask, i + 1);
        return;
    }
    for (size_t from = 0, to; from < job.n; from = to) {
        for (to = from + 1; to < job.n && cpu_order_ties(&order, to); to++) {
        }
        uint64_t const rank = ordo_tie_rank(job.ties, from, to, ++heads, from);
        for (size_t i = from; i < to; i++)
            put_rank(&job, order.words[i] & order.index_mask, rank);
    }
}

/* ---- The paths ---- */

struct cpu_look {
    const cpu_kernels   *kernels;
    const ordo_rank_job *job;
    ordo_exec           *exec;
    ordo_sort_job        keys;  /* set with `order` */
    ordo_input           order; /* that a look showed */
    rank_work            work;
    rank_memory          memory; /* `records` is NULL, or scratch that a row left */
};

static ordo_sort_job keys_of(const ordo_rank_job *job)
{
    return (ordo_sort_job){.type = job->type,
                           .keys = (void *)job->keys, /* only read */
                           .n = job->n,
                           .descending = job->descending};
}

static bool is_tiny(cpu_look *look) { return look->job->n <= FEW; }

static bool suits_words(cpu_look *look)
{
    return cpu_vector_orders(look->kernels, look->job->type, look->job->n, true, look->exec);
}

static bool suits_few_words(cpu_look *look)
{
    return look->job->n <= ORDO_TUNE_WORDS_FEW_64 && suits_words(look);
}

static bool seems_ordered(cpu_look *look)
{
    look->keys = keys_of(look->job);
    look->order = look_tied(look->kernels, &look->keys, look->exec);
    return look->order != ORDO_INPUT_ANY;
}

static bool suits_short_keys(cpu_look *look)
{
    return short_keys_suit(look->job->type, look->job->n);
}

static ordo_status rank_tiny(cpu_look *look, bool *done)
{
    look->exec->algorithm = "count";
    look->exec->isa = "generic";
    BY_TYPE(look->job->type, few_ranks, (look->job));
    *done = true;
    return ORDO_OK;
}

static ordo_status rank_words(cpu_look *look, bool *done)
{
    const ordo_rank_job *const job = look->job;
    ordo_argsort_job const     keys = order_of(job);
    cpu_few_memory             scratch;
    cpu_order                  order;
    *done = cpu_vector_order(look->kernels, &keys, true, &scratch, &order, look->exec);
    if (!*done)
        return ORDO_OK;
    if (job->rank_type == ORDO_U32)
        rank_order(*job, order, ORDO_U32);
    else if (job->rank_type == ORDO_U64)
        rank_order(*job, order, ORDO_U64);
    else
        rank_order(*job, order, ORDO_F64);
    return cpu_done(job->n <= ORDO_TUNE_WORDS_FEW_64 || !ordo_poll(look->exec, 1));
}

static void falling_piece(void *arg, size_t lo, size_t hi)
{
    const ordo_rank_job *const job = arg;
    uint64_t const             unit = job->ties == ORDO_TIES_AVERAGE ? 2 : 1;
    for (size_t i = lo; i < hi; i++)
        put_rank(job, i, unit * (job->n - i));
}

/* Ranks keys that are sorted, or reversed without ties. */
static ordo_status rank_ordered(cpu_look *look, bool *done)
{
    const ordo_rank_job *const job = look->job;
    ordo_rank_job              falling = *job;
    ordo_rank_sorted_job const rising = {.type = job->type,
                                         .sorted = job->keys,
                                         .n = job->n,
                                         .rank_type = job->rank_type,
                                         .ranks = job->ranks,
                                         .ties = job->ties};
    TRY(look_tied_all(look->kernels, &look->keys, look->order, done, look->exec));
    if (!*done)
        return ORDO_OK;
    if (look->order == ORDO_INPUT_SORTED)
        return cpu_rank_sorted((void *)look->kernels, &rising, look->exec); /* never written */
    return cpu_done(ordo_loop(look->exec, job->n, cpu_grain(job->n), falling_piece, &falling));
}

/* Ranks sorted records. */
static ordo_status rank_records(cpu_look *look)
{
    rank_work *const work = &look->work;
    bool const       wide = work->form == FORM_WIDE;
    size_t const     n = look->job->n;
    work->job = look->job;
    work->direct = n * record_size(kind_of(look->job)) <= ORDO_TUNE_L2;
    work->grain = cpu_grain(n);
    work->records = look->memory.records;
    TRY(number_records(work, look->exec));
    if (work->direct)
        return ORDO_OK;
    radix_io const back = {.kernels = look->kernels,
                           .kind = wide ? RECORD_P64 : RECORD_P32,
                           .n = n,
                           .store = wide ? return_wide : return_packed,
                           .in = work->records,
                           .scratch = look->memory.scratch,
                           .spare = work->records,
                           .loose = true,
                           .job = (void *)look->job}; /* never written through */
    ordo_exec      part = *look->exec;
    return cpu_radix(&back, &part);
}

static ordo_status rank_short(cpu_look *look, bool *done)
{
    const ordo_rank_job *const job = look->job;
    short_keys                 keys;
    TRY(ordo_scratch(look->exec, short_keys_memory(job->n), &look->memory.records));
    TRY(sort_short(look->kernels, job, &keys, &look->memory, done, look->exec));
    if (!*done)
        return ORDO_OK;
    look->work = (rank_work){.form = keys.way == SHORT_WORDS ? FORM_WORDS : FORM_PACKED,
                             .index_mask = keys.map.index_mask,
                             .tie_bit = keys.map.unit - 1};
    return rank_records(look);
}

static ordo_status rank_sort(cpu_look *look, bool *done)
{
    const ordo_rank_job *const job = look->job;
    enum record_kind const     kind = kind_of(job);
    size_t const               bytes = job->n * record_size(kind);
    cpu_records                records = {kind, look->memory.records, job->n};
    if (records.array == NULL)
        TRY(ordo_scratch(look->exec, bytes, &records.array));
    TRY(ordo_scratch(look->exec, bytes, &look->memory.scratch));
    TRY(sort_records(look->kernels, job, &records, look->memory.scratch, look->exec));
    *done = true;
    look->memory.records = records.array;
    look->work =
        (rank_work){.form = kind == RECORD_P32 ? FORM_PACKED : FORM_WIDE, .index_mask = UINT32_MAX};
    return rank_records(look);
}

enum {
    RANK_GENERAL = 4, /* the first row of the radix sort */
    RANK_PATHS = 6
};

static const cpu_path paths[RANK_PATHS] = {
    CPU_PATH("rank", "count", "so few keys that each is compared with all others", NULL, is_tiny,
             rank_tiny),
    CPU_PATH("rank", "few words", "few enough for one vector sort of words on the stack", NULL,
             suits_few_words, rank_words),
    CPU_PATH("rank", "ordered", "all keys, or a sample of neighbours, are sorted or reversed", NULL,
             seems_ordered, rank_ordered),
    CPU_PATH("rank", "words", "the vector sort takes so many words of key bits and index", NULL,
             suits_words, rank_words),
    CPU_PATH("rank", "short", "keys of 64 bits; a sample shows few ties of shorter ones", NULL,
             suits_short_keys, rank_short),
    CPU_PATH("rank", "radix", "all other keys", NULL, NULL, rank_sort),
};

const cpu_paths cpu_rank_paths = {paths, RANK_PATHS};

ordo_status cpu_rank(void *state, const ordo_rank_job *job, ordo_exec *exec)
{
    cpu_look look;
    bool     done;
    look.kernels = state;
    look.job = job;
    look.exec = exec;
    look.memory.records = NULL;
    if (job->n == 0)
        return ORDO_OK;
    if (!cpu_is_radix(job->algorithm))
        return rank_sort(&look, &done);
    return cpu_walk(paths, job->algorithm == ORDO_ALGORITHM_AUTO ? 0 : RANK_GENERAL, RANK_PATHS,
                    &look, exec);
}

size_t cpu_rank_scratch(const ordo_rank_job *job, const ordo_exec *exec)
{
    enum record_kind const kind = kind_of(job);
    size_t const           arrays = 2 * ordo_round_up(job->n * record_size(kind), ORDO_CACHE_LINE);
    size_t const           pieces = ordo_div_up(job->n, cpu_grain(job->n));
    size_t const           sort = cpu_radix_scratch(kind, job->n, true, exec->threads);
    return job->n == 0 ? 0
                       : arrays + 2 * sort + short_keys_scratch(job->type, job->n, exec->threads) +
                             cpu_records_sort_scratch(kind, job->n, job->algorithm, exec) +
                             ordo_round_up(pieces * sizeof(rank_edges), ORDO_CACHE_LINE);
}
