/* string_known.c - continues an order of strings that another backend has begun, for example a GPU
 * that sorted the first bytes (ordo_string_known).
 *
 * The order is copied. Strings of different groups are known to differ. A group whose strings may
 * differ is sorted from the depth it has reached: small groups on one thread each, large groups by
 * string_sort.c with all threads. Time: one copy of the order, then as in string_group.c. Scratch:
 * none. */
#define _POSIX_C_SOURCE 200809L
#include "core/indices.h"
#include "cpu/strings/string_parts.h"

enum {
    PIECES = 64, /* pieces of the loop over groups, per thread */
    MOST_GROUPS = 1 << 12
};

typedef struct known_work {
    string_engine           *engine;
    const ordo_string_group *groups;
    string_group            *large;
    atomic_size_t            large_count;
} known_work;

static void take_piece(void *arg, size_t lo, size_t hi)
{
    const string_order *const      order = ((const known_work *)arg)->engine->order;
    const ordo_string_known *const known = order->known;
    if (order->starts != NULL)
        memset(order->starts + lo, 1, hi - lo);
    ordo_type const from = known->index_type, to = order->index_type;
    for (size_t i = lo; i < hi; i++)
        ordo_put_index(to, order->index, i, ordo_index_at(from, known->index, i));
}

/* Makes the records of a large group; string_sort.c loads their keys. */
static void put_large(known_work *work, string_group group)
{
    const string_order *const order = work->engine->order;
    string_record *const      records = work->engine->records[group.side];
    size_t const at = atomic_fetch_add_explicit(&work->large_count, 1, memory_order_relaxed);
    for (size_t i = group.lo; i < group.hi; i++)
        records[i].index = string_index_at(order, i);
    work->large[at] = group;
}

static void group_piece(void *arg, size_t lo, size_t hi)
{
    known_work *const         work = arg;
    const string_order *const order = work->engine->order;
    if (string_stopped(work->engine, 0))
        return;
    for (size_t i = lo; i < hi; i++) {
        const ordo_string_group *const known = &work->groups[i];
        string_group const group = {.lo = known->lo, .hi = known->hi, .depth = known->depth};
        if (known->depth == ORDO_STRINGS_EQUAL) {
            if (order->starts != NULL)
                memset(order->starts + group.lo + 1, 0, group.hi - group.lo - 1);
        } else if (string_is_large(group.hi - group.lo)) {
            put_large(work, group);
        } else {
            string_group_resume(work->engine, &group);
        }
    }
}

bool string_known_sort(string_engine *engine, string_group *large, size_t *large_count)
{
    const string_order *const      order = engine->order;
    const ordo_string_known *const known = order->known;
    known_work                     work = {.engine = engine, .large = large};
    bool all = ordo_loop(engine->exec, order->n, cpu_grain(order->n), take_piece, &work);
    for (size_t part = 0; part < known->part_count && all; part++) {
        size_t const count = known->parts[part].count;
        size_t const pieces = (size_t)engine->exec->threads * PIECES;
        work.groups = known->parts[part].groups;
        all = ordo_loop(engine->exec, count,
                        ordo_max(1, ordo_min(ordo_div_up(count, pieces), MOST_GROUPS)), group_piece,
                        &work);
    }
    *large_count = atomic_load_explicit(&work.large_count, memory_order_relaxed);
    return all && !atomic_load_explicit(&engine->stopped, memory_order_relaxed);
}
