/* api_few_groups.c - the groups of an array with few distinct keys, counted without a sort.
 *
 * A sample says whether there are few distinct keys. Every piece of the array then counts its keys
 * in a hash table (open addressing, linear probes), the tables are added, and only the distinct
 * keys are sorted. If a table gets too full, the caller sorts the keys instead. Keys are hashed by
 * their folded bits, so zeros are one key, and NaNs are one key. Time: one read of the keys.
 * Scratch: 64 KiB for each of at most 65 pieces.
 * api_mark_groups finds the groups of keys that were sorted because they are many. */
#include "api/api.h"
#include "backend/tuning.h"
#include "core/keybits.h"
#include "core/lists.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARK_PIECE = 1 << 15, /* keys in one piece of a loop */
    LG_SLOTS = 12,
    SLOTS = 1 << LG_SLOTS,
    MOST = ORDO_TUNE(SLOTS / 2, 48), /* distinct keys in a table; estimate */
    SAMPLE = ORDO_TUNE(2048, 16),
    MOST_SEEN = ORDO_TUNE(1400, 15), /* distinct keys in a sample if there are MOST; estimate */
    LEAST = ORDO_TUNE(1 << 14, 32),  /* a sort of fewer keys takes about as long; estimate */
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
    ordo_type   type;
    const void *keys;
    size_t      grain;
    few_table  *tables; /* of pieces */
    atomic_bool full;
} few_work;

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

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static bool add_##tag(const void *x, size_t lo, size_t hi, size_t step, few_table *table)      \
    {                                                                                              \
        const key *const keys = x;                                                                 \
        for (size_t i = lo; i < hi; i += step)                                                     \
            if (!add(table, key_fold_##tag(keys[i]), 1))                                           \
                return false;                                                                      \
        return true;                                                                               \
    }                                                                                              \
    static void put_##tag(void *out, size_t i, uint64_t folded)                                    \
    {                                                                                              \
        ((key *)out)[i] = key_of_##tag((bits)folded);                                              \
    }
#include "core/types.def"
#undef ORDO_TYPE

static void count_piece(void *arg, size_t lo, size_t hi)
{
    few_work *const  work = arg;
    few_table *const table = &work->tables[lo / work->grain];
    if (atomic_load_explicit(&work->full, memory_order_relaxed))
        return;
    memset(table, 0, sizeof *table);
    if (!BY_TYPE(work->type, add, (work->keys, lo, hi, 1, table)))
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

/* The table as a list in the order of the keys, in the memory of another table. */
static few_group *list_of(const few_table *table, few_table *room)
{
    few_group *const list = (few_group *)(void *)room;
    size_t           count = 0;
    for (size_t i = 0; i < SLOTS; i++)
        if (table->slots[i].count != 0)
            list[count++] = table->slots[i];
    qsort(list, count, sizeof *list, compare);
    return list;
}

static bool is_nan_bits(ordo_type type, uint64_t folded)
{
    float  narrow;
    double wide;
    if (!ordo_is_float(type))
        return false;
    put_f32(&narrow, 0, folded);
    put_f64(&wide, 0, folded);
    return type == ORDO_F32 ? key_is_nan_f32(narrow) != 0 : key_is_nan_f64(wide) != 0;
}

ordo_status api_check_group_count(ordo_exec *exec, const ordo_groups_job *job, size_t count)
{
    FAIL_IF(count > job->capacity && ordo_groups_need_room(job), ORDO_E_ARG,
            "there are %zu groups, but groups.capacity is %zu", count, job->capacity);
    return ORDO_OK;
}

static ordo_status tell(ordo_exec *exec, const ordo_groups_job *g, const few_group *list,
                        size_t count)
{
    ordo_type const type = g->group_type;
    bool const      nan = count > 0 && is_nan_bits(type, list[count - 1].bits);
    if (nan && g->omit)
        count--;
    TRY(api_check_group_count(exec, g, count));
    for (size_t i = 0; i < count; i++) {
        if (g->unique != NULL)
            BY_TYPE(type, put, (g->unique, i, list[i].bits));
        if (g->sizes != NULL)
            g->sizes[i] = list[i].count;
    }
    if (nan && !g->omit && g->unique != NULL) {
        if (type == ORDO_F32)
            ((float *)g->unique)[count - 1] = NAN;
        else
            ((double *)g->unique)[count - 1] = (double)NAN;
    }
    if (g->groups != NULL)
        *g->groups = count;
    return ORDO_OK;
}

ordo_status api_count_few_groups(ordo_exec *exec, const ordo_groups_job *job, bool *done)
{
    ordo_type const type = job->group_type;
    size_t const    n = job->n;
    few_work        work = {.type = type, .keys = job->group_keys};
    *done = false;
    if (n < LEAST)
        return ORDO_OK;
    work.grain = ordo_max(PIECE, ordo_div_up(n, PIECES));
    atomic_init(&work.full, false);
    size_t const pieces = ordo_div_up(n, work.grain);
    void        *room;
    if (ordo_scratch(exec, (pieces + 1) * sizeof *work.tables, &room) != ORDO_OK)
        return ordo_fail(exec, ORDO_OK, "%s", ""); /* no error: the caller sorts */
    work.tables = room;
    memset(work.tables, 0, sizeof *work.tables);
    if (!BY_TYPE(type, add, (work.keys, 0, n / SAMPLE * SAMPLE, n / SAMPLE, work.tables)) ||
        work.tables->used > MOST_SEEN)
        return ORDO_OK;
    if (!ordo_loop(exec, n, work.grain, count_piece, &work))
        return ORDO_E_CANCELLED;
    if (atomic_load_explicit(&work.full, memory_order_relaxed) || !join(work.tables, pieces))
        return ORDO_OK;
    exec->algorithm = "hash";
    *done = true;
    return tell(exec, job, list_of(work.tables, work.tables + pieces), work.tables->used);
}

/* ---- Many distinct keys ---- */

typedef struct marks {
    ordo_type   type;
    const void *sorted;
    uint8_t    *heads;
} marks;

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static void heads_##tag(const void *sorted, size_t lo, size_t hi, uint8_t *heads)              \
    {                                                                                              \
        const key *const keys = sorted;                                                            \
        for (size_t i = lo; i < hi; i++)                                                           \
            heads[i] =                                                                             \
                key_fold_##tag(keys[i]) != key_fold_##tag(keys[i - 1]) ? ORDO_ROW_FIRST : 0;       \
    }
#include "core/types.def"
#undef ORDO_TYPE

static void mark_piece(void *arg, size_t lo, size_t hi)
{
    const marks *const m = arg;
    if (lo == 0)
        m->heads[lo++] = ORDO_ROW_FIRST;
    BY_TYPE(m->type, heads, (m->sorted, lo, hi, m->heads));
}

ordo_status api_mark_groups(ordo_exec *exec, ordo_type type, const void *sorted, size_t n,
                            uint8_t *heads)
{
    marks m = {type, sorted, heads};
    return ordo_loop(exec, n, MARK_PIECE, mark_piece, &m) ? ORDO_OK : ORDO_E_CANCELLED;
}
