/* string_groups.c - finds the groups of equal keys after a round and decides whether the device or
 * the CPU continues with them.
 *
 * Threads scan blocks of the sorted keys twice: first to count groups, then to list them. A group
 * belongs to the block in which it begins; a galloping search finds its end, because it may be
 * long. Groups whose strings have ended are equal strings. Small groups are left to the CPU. The
 * other groups go into another round, if they hold enough strings and the last round split its
 * groups. Cost: two reads of the keys. Scratch: 24 bytes per group left to the CPU, 32 per group of
 * the next round. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/strings/hybrid_strings.h"

#include "core/bisect.h"

typedef struct group_counts {
    size_t left;            /* groups for the CPU */
    size_t groups, entries; /* groups of the next round, and their strings */
} group_counts;

typedef struct group_work {
    const hybrid_string_order *order;
    size_t                     block;
    group_counts              *counts; /* of each block; after count_groups the sum of all earlier
                                 * blocks */
    ordo_string_group         *left;   /* NULL: only count */
    tied_group                *groups;
    bool                       again; /* large groups go into another round */
} group_work;

/* The index after the last key equal to keys[at]. */
static size_t end_of_group(const uint64_t *keys, size_t at, size_t n)
{
    size_t step = 1, lo = at;
    while (lo + step < n && keys[lo + step] == keys[at]) {
        lo += step;
        step *= 2;
    }
    size_t hi = ordo_min(lo + step, n); /* keys[lo] is equal, keys[hi] is not */
    ORDO_BISECT(middle, lo, hi, keys[middle] == keys[at]);
    return hi;
}

static void add_group(const group_work *work, size_t first, size_t end, group_counts *counts)
{
    const hybrid_string_order *const order = work->order;
    const string_layout *const       layout = &order->layout;
    uint64_t const                   key = order->keys[first];
    const tied_group *const          from = &order->groups[string_key_group(layout, key)];
    size_t const   count = end - first, lo = from->order_start + (first - from->start);
    bool const     open = string_key_open(layout, key);
    uint64_t const depth = open ? from->depth + string_key_depth(layout, key) : ORDO_STRINGS_EQUAL;
    if (!open && !order->equal_wanted)
        return;
    if (open && count >= ORDO_TUNE_STRINGS_GROUP && work->again) {
        if (work->left != NULL)
            work->groups[counts->groups] = (tied_group){lo, counts->entries, count, depth};
        counts->groups++;
        counts->entries += count;
        return;
    }
    if (work->left != NULL)
        work->left[counts->left] = (ordo_string_group){lo, lo + count, depth};
    counts->left++;
}

static void find_groups(void *arg, size_t lo, size_t hi)
{
    group_work *const     work = arg;
    const uint64_t *const keys = work->order->keys;
    size_t const          n = work->order->entries, block = lo / work->block;
    group_counts          counts = {0, 0, 0};
    if (work->left != NULL)
        counts = work->counts[block];
    if (lo > 0 && keys[lo] == keys[lo - 1])
        lo = end_of_group(keys, lo, n);
    for (size_t i = lo; i < hi && i + 1 < n;) {
        if (keys[i] != keys[i + 1]) {
            i++;
            continue;
        }
        size_t const end = end_of_group(keys, i, n);
        add_group(work, i, end, &counts);
        i = end;
    }
    if (work->left == NULL)
        work->counts[block] = counts;
}

/* Counts the groups of each block and of all blocks. Returns false if the call was cancelled. */
static bool count_groups(group_work *work, size_t blocks, group_counts *sum)
{
    hybrid_string_order const *const order = work->order;
    *sum = (group_counts){0, 0, 0};
    work->left = NULL;
    if (!ordo_loop(order->call.exec, order->entries, work->block, find_groups, work))
        return false;
    for (size_t b = 0; b < blocks; b++) {
        group_counts const here = work->counts[b];
        work->counts[b] = *sum;
        sum->left += here.left;
        sum->groups += here.groups;
        sum->entries += here.entries;
    }
    return true;
}

ordo_status string_find_groups(hybrid_string_order *order)
{
    ordo_exec *const exec = order->call.exec;
    size_t const     blocks = ordo_div_up(order->entries, ORDO_STRINGS_KEYS);
    group_work       work = {.order = order, .block = ORDO_STRINGS_KEYS};
    group_counts     sum;
    TRY_SCRATCH(exec, blocks * sizeof *work.counts, work.counts);
    work.again = order->rounds < STRING_ROUNDS;
    if (!count_groups(&work, blocks, &sum))
        return ORDO_E_CANCELLED;
    bool const stuck = order->rounds > 1 && sum.entries > order->entries - order->entries / 8;
    if (work.again && (sum.entries < ORDO_TUNE_STRINGS_ROUND || stuck)) {
        work.again = false;
        if (!count_groups(&work, blocks, &sum))
            return ORDO_E_CANCELLED;
    }
    TRY_SCRATCH(exec, (sum.left + 1) * sizeof *work.left, work.left);
    TRY_SCRATCH(exec, (sum.groups + 1) * sizeof *work.groups, work.groups);
    if (!ordo_loop(exec, order->entries, work.block, find_groups, &work))
        return ORDO_E_CANCELLED;

    ordo_string_known *const known = &order->known;
    known->parts[known->part_count].groups = work.left;
    known->parts[known->part_count++].count = sum.left;
    order->left += sum.left;
    order->groups = work.groups;
    order->group_count = sum.groups;
    order->entries = sum.entries;
    order->groups_s += string_seconds(order);
    return ORDO_OK;
}
