/* api_find_groups.c - finds the groups of rows: where each begins in the order of the rows, and its
 * key.
 *
 * Calls that need the order of the rows get it from one sort by the group key and the key (the
 * backend's lexsort). The other calls count integers of a narrow range (the backend's `collect`),
 * or hash few distinct keys, or sort a copy of the group keys. A sample says whether there are few
 * distinct keys. Every piece of the array then counts its keys in a hash table (open addressing,
 * linear probes), the tables are added, and only the distinct keys are sorted. Keys are hashed by
 * their folded bits, so zeros are one key, and NaNs are one key. Time: one read of the keys.
 * Scratch: 64 KiB for each of at most 65 pieces. */
#include "api/groups/api_groups.h"
#include "backend/tuning.h"
#include "core/keybits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Xeon (Sapphire Rapids), one thread, ns a key hashed and sorted: 2 * 10^4 keys of 100 values u32
 * 2.3, 3.1, f64 2.6, 6.8; of 1000 values 5.5, 4.5 and 6.4, 8.3; 10^6 keys of 1000 values 1.9, 4.1
 * and 2.8, 13. */
enum {
    LG_SLOTS = 12,
    SLOTS = 1 << LG_SLOTS,
    MOST = ORDO_TUNE(SLOTS / 2, 48), /* distinct keys in a table */
    SAMPLE = ORDO_TUNE(2048, 16),
    MOST_SEEN = ORDO_TUNE(1400, 15), /* distinct keys in a sample if there are about MOST */
    LEAST = ORDO_TUNE(1 << 14, 32),  /* fewer keys are sorted */
    PIECE = ORDO_TUNE(1 << 18, 96),
    PIECES = 64
};

typedef struct few_group {
    uint64_t bits, count; /* count 0: the slot is empty */
} few_group;

typedef struct few_table {
    few_group slots[SLOTS];
    size_t    used;
} few_table;

typedef struct few_work {
    const ordo_groups_job *job;
    size_t                 grain;
    few_table             *tables; /* of pieces */
    atomic_bool            full;
} few_work;

typedef struct few_result {
    few_group list[MOST]; /* in the order of the keys */
    uint64_t  starts[MOST + 1], unique[MOST];
} few_result;

static double default_nan(void) { return (double)NAN; }

/* Returns false if there is no room for a new key. */
static inline bool add(few_table *table, uint64_t bits, uint64_t count)
{
    size_t at = (size_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LG_SLOTS));
    while (table->slots[at].count != 0 && table->slots[at].bits != bits)
        at = (at + 1) % SLOTS;
    if (table->slots[at].count == 0) {
        if (table->used == MOST)
            return false;
        table->used++;
        table->slots[at].bits = bits;
    }
    table->slots[at].count += count;
    return true;
}

#define ORDO_TEMPLATE "api/groups/group_keys.t.h"
#include "core/for_each_type.h"

/* ---- All groups ---- */

bool groups_is_nan(ordo_type type, const void *keys, size_t row)
{
    return type == ORDO_F32   ? key_is_nan_f32(((const float *)keys)[row]) != 0
           : type == ORDO_F64 ? key_is_nan_f64(((const double *)keys)[row]) != 0
                              : false;
}

/* Ends the search for groups. keys[row] is the key of the last group, which is left out if it is a
 * NaN that belongs to no group. */
static ordo_status have_groups(ordo_exec *exec, group_call *call, const void *keys, size_t row)
{
    const ordo_groups_job *const job = &call->job;
    if (call->count > 0 && job->omit && groups_is_nan(job->group_type, keys, row)) {
        call->count--;
        call->has_nulls = true;
    }
    FAIL_IF(call->count > job->capacity && ordo_groups_need_room(job), ORDO_E_ARG,
            "there are %zu groups, but groups.capacity is %zu", call->count, job->capacity);
    return ORDO_OK;
}

/* ---- From the order of the rows, or from sorted group keys ---- */

/* As find_starts, from the heads of rows if there are any. */
API_INLINE size_t starts_in(const group_call *call, size_t lo, size_t hi, uint64_t *starts)
{
    size_t count = 0;
    if (call->heads == NULL)
        return BY_TYPE(call->job.group_type, find_starts, (call->job.group_keys, lo, hi, starts));
    for (size_t i = lo; i < hi; i++)
        if ((call->heads[i] & ORDO_ROW_FIRST) != 0) {
            if (starts != NULL)
                starts[count] = i;
            count++;
        }
    return count;
}

static void count_piece(void *arg, size_t lo, size_t hi)
{
    const group_call *const call = arg;
    call->pieces[lo / GROUPS_ROWS] = starts_in(call, lo, hi, NULL);
}

static void starts_piece(void *arg, size_t lo, size_t hi)
{
    const group_call *const call = arg;
    (void)starts_in(call, lo, hi, call->starts + call->pieces[lo / GROUPS_ROWS]);
}

static ordo_status take_pieces(ordo_exec *exec, group_call *call)
{
    TRY_SCRATCH(exec, ordo_div_up(call->job.n, GROUPS_ROWS) * sizeof *call->pieces + 1,
                call->pieces);
    return ORDO_OK;
}

static ordo_status find_all(ordo_exec *exec, group_call *call)
{
    size_t const n = call->job.n;
    if (!ordo_loop(exec, n, GROUPS_ROWS, count_piece, call))
        return ORDO_E_CANCELLED;
    call->count = (size_t)ordo_sums_before_64(call->pieces, ordo_div_up(n, GROUPS_ROWS));
    if (call->starts == NULL)
        TRY_SCRATCH(exec, (call->count + 1) * sizeof *call->starts, call->starts);
    if (!ordo_loop(exec, n, GROUPS_ROWS, starts_piece, call))
        return ORDO_E_CANCELLED;
    call->starts[call->count] = n;
    return have_groups(
        exec, call, call->job.group_keys,
        call->count == 0 ? 0 : groups_row_at(call, (size_t)call->starts[call->count - 1]));
}

ordo_status groups_order_rows(ordo_exec *exec, group_call *call, bool folded)
{
    ordo_key_column const columns[2] = {
        {call->job.group_keys, call->job.group_type, false, true},
        {call->job.keys, call->job.type, call->job.descending, folded}};
    size_t const count = call->job.keys == NULL ? 1 : 2;
    if (call->index == NULL) {
        call->index_type = call->job.n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
        TRY_SCRATCH(exec, call->job.n * ordo_type_size(call->index_type), call->index);
    } else { /* the caller's: no request may be refused after the sort has written it */
        TRY_SCRATCH(exec, (call->job.n + 1) * sizeof *call->starts, call->starts);
    }
    TRY(take_pieces(exec, call));
    TRY_SCRATCH(exec, call->job.n, call->heads);
    ordo_lexsort_job const job = {columns,          count,       call->job.n,
                                  call->index_type, call->index, call->heads};
    TRY(call->choice.backend->lexsort(call->choice.state, &job, exec));
    return find_all(exec, call);
}

/* Replaces the group keys by a sorted copy. */
static ordo_status sort_groups(ordo_exec *exec, group_call *call)
{
    ordo_type const type = call->job.group_type;
    ordo_exec       part;
    void           *sorted;
    TRY_SCRATCH(exec, call->job.n * ordo_type_size(type) + 1, sorted);
    TRY(take_pieces(exec, call));
    ordo_sort_job const job = {
        .type = type, .keys = sorted, .n = call->job.n, .source = call->job.group_keys};
    part = *exec;
    TRY(call->choice.backend->sort(call->choice.state, &job, &part));
    exec->algorithm = "sort";
    exec->isa = part.isa;
    call->job.group_keys = sorted;
    return find_all(exec, call);
}

/* ---- Without an order of rows ---- */

ordo_status groups_collect(ordo_exec *exec, group_call *call, bool *done)
{
    ordo_type const  group_type = call->job.group_type;
    ordo_collect_job job = {.group_type = group_type,
                            .group_keys = call->job.group_keys,
                            .n = call->job.n,
                            .type = call->job.type,
                            .keys = call->job.keys};
    if (call->choice.backend->collect != NULL && group_type != ORDO_F32 && group_type != ORDO_F64)
        TRY(call->choice.backend->collect(call->choice.state, &job, exec));
    *done = job.count > 0;
    if (!*done)
        return ORDO_OK;
    call->starts = job.starts;
    call->count = job.count;
    call->unique = job.unique;
    call->job.keys = call->job.keys != NULL ? job.sorted : NULL;
    return have_groups(exec, call, job.unique, job.count - 1);
}

static void hash_piece(void *arg, size_t lo, size_t hi)
{
    few_work *const  work = arg;
    few_table *const table = &work->tables[lo / work->grain];
    if (atomic_load_explicit(&work->full, memory_order_relaxed))
        return;
    memset(table, 0, sizeof *table);
    if (!BY_TYPE(work->job->group_type, count_keys, (work->job->group_keys, lo, hi, 1, table)))
        atomic_store_explicit(&work->full, true, memory_order_relaxed);
}

/* Adds all tables to the first one. */
static bool join(few_table *tables, size_t count)
{
    for (size_t t = 1; t < count; t++)
        for (size_t i = 0; i < SLOTS; i++)
            if (tables[t].slots[i].count != 0 &&
                !add(tables, tables[t].slots[i].bits, tables[t].slots[i].count))
                return false;
    return true;
}

static int compare(const void *a, const void *b)
{
    uint64_t const x = ((const few_group *)a)->bits, y = ((const few_group *)b)->bits;
    return (x > y) - (x < y);
}

/* Makes the groups of a table. */
static void sort_table(group_call *call, const few_table *table, few_result *result)
{
    size_t   count = 0;
    uint64_t start = 0;
    for (size_t i = 0; i < SLOTS; i++)
        if (table->slots[i].count != 0)
            result->list[count++] = table->slots[i];
    qsort(result->list, count, sizeof *result->list, compare);
    for (size_t i = 0; i < count; i++) {
        result->starts[i] = start;
        start += result->list[i].count;
        BY_TYPE(call->job.group_type, put_unique, (result->unique, i, result->list[i].bits));
    }
    result->starts[count] = start;
    call->starts = result->starts;
    call->unique = result->unique;
    call->count = count;
}

/* Hashes few distinct group keys. Otherwise *done is false. */
static ordo_status hash_groups(ordo_exec *exec, group_call *call, bool *done)
{
    ordo_type const type = call->job.group_type;
    size_t const    n = call->job.n;
    few_work        work = {.job = &call->job, .grain = ordo_max(PIECE, ordo_div_up(n, PIECES))};
    size_t const    pieces = ordo_div_up(n, work.grain);
    void           *room;
    *done = false;
    if (n < LEAST)
        return ORDO_OK;
    atomic_init(&work.full, false);
    if (ordo_scratch(exec, pieces * sizeof *work.tables + sizeof(few_result), &room) != ORDO_OK)
        return ordo_fail(exec, ORDO_OK, "%s", ""); /* no error: the caller sorts */
    work.tables = room;
    memset(work.tables, 0, sizeof *work.tables);
    if (!BY_TYPE(type, count_keys,
                 (call->job.group_keys, 0, n / SAMPLE * SAMPLE, n / SAMPLE, work.tables)) ||
        work.tables->used > MOST_SEEN)
        return ORDO_OK;
    if (!ordo_loop(exec, n, work.grain, hash_piece, &work))
        return ORDO_E_CANCELLED;
    if (atomic_load_explicit(&work.full, memory_order_relaxed) || !join(work.tables, pieces))
        return ORDO_OK;
    exec->algorithm = "hash";
    *done = true;
    sort_table(call, work.tables, (few_result *)(void *)(work.tables + pieces));
    return have_groups(exec, call, call->unique, call->count - 1);
}

ordo_status groups_count(ordo_exec *exec, group_call *call)
{
    bool done;
    TRY(hash_groups(exec, call, &done));
    if (!done)
        TRY(groups_collect(exec, call, &done));
    return done ? ORDO_OK : sort_groups(exec, call);
}

/* ---- Results ---- */

static void unique_piece(void *arg, size_t lo, size_t hi)
{
    const group_call *const      call = arg;
    const ordo_groups_job *const g = &call->job;
    size_t const                 size = ordo_type_size(g->group_type);
    if (call->unique != NULL)
        memcpy((char *)g->unique + lo * size, (const char *)call->unique + lo * size,
               (hi - lo) * size);
    for (size_t i = lo; i < hi && call->unique == NULL; i++)
        BY_TYPE(g->group_type, copy_unique,
                (g->unique, i, g->group_keys, groups_row_at(call, (size_t)call->starts[i])));
}

static void sizes_piece(void *arg, size_t lo, size_t hi)
{
    const group_call *const call = arg;
    for (size_t i = lo; i < hi; i++)
        call->job.sizes[i] = call->starts[i + 1] - call->starts[i];
}

ordo_status groups_tell(ordo_exec *exec, group_call *call)
{
    if (call->job.unique != NULL && !ordo_loop(exec, call->count, GROUPS_PIECE, unique_piece, call))
        return ORDO_E_CANCELLED;
    if (call->job.sizes != NULL && !ordo_loop(exec, call->count, GROUPS_PIECE, sizes_piece, call))
        return ORDO_E_CANCELLED;
    if (call->job.groups != NULL)
        *call->job.groups = call->count;
    return ORDO_OK;
}
