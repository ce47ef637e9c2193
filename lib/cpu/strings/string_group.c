/* string_group.c - one thread sorts one group of strings that agree in their first bytes.
 *
 * The items are sorted by the bits in which their keys differ, most significant bits first, a few
 * more than lg n of them at a time: two stable counting passes in the cache, the less significant
 * digit first. That leaves almost every item alone; what still agrees is sorted by insertion, or
 * once more by the next bits. Strings whose keys are equal and go on wait as groups of their own
 * for the next bytes. Very few such strings are compared directly instead. A group most of whose
 * keys are equal once more is sorted by common prefixes with one of its strings (string_lcp.c).
 *
 * The groups that wait are a list kept in their own items: their keys are of no more use, so the
 * first three hold the depth, the end and the next group. Nothing recurs but the sort of one set
 * of keys, at most eleven deep, since every level takes six bits or more.
 *
 * Time: each byte that tells strings apart is loaded or compared once or twice. A string takes
 * part in O(lg n) passes: each one halves the group, or is by prefixes. Scratch: none but the
 * spare array; 16 KB of stack. */
#define _POSIX_C_SOURCE 200809L
#include "cpu/strings/string_sort.h"

enum {
    POLL_WORK = 1 << 20,   /* items or bytes between two looks at cancel; a few ms at most */
    COMPARE_PART = 1 << 18 /* bytes of two strings compared at once */
};

#define NO_GROUP SIZE_MAX

typedef struct group_worker {
    string_engine     *engine;
    const string_view *view;
    string_item       *items, *spare; /* of the whole order */
    uint64_t           depth;         /* of the keys now in items */
    string_codes       codes;         /* or what these keys are */
    size_t             waiting;       /* the first group of the list */
    size_t             work;          /* since the last look at cancel */
    uint32_t           counts[2][STRING_DIGITS];
} group_worker;

/* Counts work; true if the call was cancelled. */
static bool stopped_after(group_worker *worker, size_t work)
{
    worker->work += work;
    if (ORDO_LIKELY(worker->work < POLL_WORK))
        return false;
    worker->work = 0;
    if (ordo_poll(worker->engine->exec, 0))
        atomic_store_explicit(&worker->engine->stopped, true, memory_order_relaxed);
    return atomic_load_explicit(&worker->engine->stopped, memory_order_relaxed);
}

/* ---- Strings whose keys are equal ---- */

static int compare(group_worker *worker, size_t a, size_t b, uint64_t depth)
{
    for (bool open = true; open; depth += COMPARE_PART) {
        int const order = string_compare_part(worker->view, a, b, depth, COMPARE_PART, &open);
        if (order != 0)
            return worker->view->turn != 0 ? -order : order;
        if (open && stopped_after(worker, COMPARE_PART))
            break;
    }
    return 0;
}

/* Strings that agree in their first `depth` bytes. */
static void sort_few(group_worker *worker, size_t lo, size_t hi, uint64_t depth)
{
    const string_order *const order = worker->engine->order;
    string_item *const        items = worker->items;
    for (size_t i = lo + 1; i < hi; i++) {
        string_item const item = items[i];
        size_t            at = i;
        for (; at > lo && compare(worker, items[at - 1].index, item.index, depth) > 0; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
    for (size_t i = lo; i < hi; i++)
        string_write(order, items + i, i, 1,
                     order->starts == NULL || i == lo ||
                         compare(worker, items[i - 1].index, items[i].index, depth) != 0);
}

static void close_equal(group_worker *worker, size_t lo, size_t hi)
{
    string_item *const items = worker->items;
    uint64_t           depth = worker->depth;
    if (hi - lo == 1 || string_is_closed(worker->view, &worker->codes, items[lo].key, &depth)) {
        string_write(worker->engine->order, items + lo, lo, hi - lo, true);
    } else if (hi - lo <= ORDO_TUNE_STRINGS_FEW) {
        if (string_is_wanted(worker->engine->order, lo, hi))
            sort_few(worker, lo, hi, depth);
    } else {
        items[lo].key = depth;
        items[lo + 1].key = hi;
        items[lo + 2].key = worker->waiting;
        worker->waiting = lo;
    }
}

static string_group next_group(group_worker *worker)
{
    string_item *const items = worker->items;
    size_t const       lo = worker->waiting;
    worker->waiting = (size_t)items[lo + 2].key;
    return (string_group){.lo = lo, .hi = (size_t)items[lo + 1].key, .depth = items[lo].key};
}

/* ---- Keys ---- */

static void close_sorted(group_worker *worker, size_t lo, size_t hi)
{
    const string_item *const items = worker->items;
    while (lo < hi) {
        size_t end = lo + 1;
        while (end < hi && items[end].key == items[lo].key)
            end++;
        close_equal(worker, lo, end);
        lo = end;
    }
}

#define RECORD string_item
#define LESS(a, b) ((a).key < (b).key)
#define FN(name) name##_items
#include "core/small_sort.t.h"
#undef FN
#undef LESS
#undef RECORD

static void counts_to_places(uint32_t *counts, size_t digits)
{
    uint32_t place = 0;
    for (size_t i = 0; i < digits; i++) {
        uint32_t const count = counts[i];
        counts[i] = place;
        place += count;
    }
}

/* One stable pass; counts are the places of the digits. */
static void move_by_digit(const string_item *from, string_item *to, size_t count,
                          const string_digit *digit, uint32_t *places)
{
    string_digit const here = *digit; /* which no store can change */
    for (size_t i = 0; i < count; i++)
        to[places[string_digit_of(&here, from[i].key)]++] = from[i];
}

static void sort_by_digits(group_worker *worker, size_t lo, size_t hi, const string_digit *high,
                           const string_digit *low)
{
    string_item *const items = worker->items + lo, *const spare = worker->spare + lo;
    size_t const    count = hi - lo;
    uint32_t *const highs = worker->counts[0], *const lows = worker->counts[1];
    string_digit const first = *high, second = *low;
    memset(highs, 0, sizeof *highs << first.bits);
    memset(lows, 0, sizeof *lows << second.bits);
    for (size_t i = 0; i < count; i++) {
        highs[string_digit_of(&first, items[i].key)]++;
        lows[string_digit_of(&second, items[i].key)]++;
    }
    counts_to_places(highs, (size_t)1 << first.bits);
    if (second.bits > 0) {
        counts_to_places(lows, (size_t)1 << second.bits);
        move_by_digit(items, spare, count, low, lows);
    } else {
        memcpy(spare, items, count * sizeof *items);
    }
    move_by_digit(spare, items, count, high, highs);
}

static void sort_keys(group_worker *worker, size_t lo, size_t hi)
{
    string_item *const items = worker->items;
    size_t const       count = hi - lo;
    if (!string_is_wanted(worker->engine->order, lo, hi))
        return;
    if (count <= ORDO_TUNE_STRINGS_LEAF) {
        insertion_sort_items(items + lo, count);
        close_sorted(worker, lo, hi);
        return;
    }
    if (stopped_after(worker, count))
        return;
    size_t   same = 0;
    uint64_t varying = string_varying(items + lo, count, items[lo].key, &same);
    if (varying == 0) {
        close_equal(worker, lo, hi);
        return;
    }
    unsigned const     bits = ordo_bit_length(count) - 1 + ORDO_TUNE_STRINGS_EXTRA;
    unsigned const     half = (unsigned)ordo_min((bits + 1) / 2, ORDO_TUNE_STRINGS_DIGIT);
    string_digit const high = string_digit_take(&varying, half);
    string_digit const low = string_digit_take(&varying, half);
    sort_by_digits(worker, lo, hi, &high, &low);

    uint64_t const used = high.used | low.used;
    while (lo < hi) {
        size_t         end = lo + 1;
        uint64_t const digits = items[lo].key & used;
        while (end < hi && (items[end].key & used) == digits)
            end++;
        if (end - lo == 1 || varying == 0)
            close_equal(worker, lo, end);
        else
            sort_keys(worker, lo, end);
        lo = end;
    }
}

/* ---- Groups ---- */

/* Replaces keys, most of which are the pivot's, by codes of common prefixes, or loads the keys
 * behind the prefix that all strings of the group share. False if the group is done, since all its
 * strings are equal, or the call was cancelled. */
static bool look_further(group_worker *worker, string_group *group, size_t pivot_at)
{
    string_engine *const engine = worker->engine;
    string_item *const   items = worker->items + group->lo;
    size_t const         count = group->hi - group->lo;
    string_item const    drawn = worker->items[pivot_at];
    string_span          span = {.least = UINT64_MAX};
    string_pivot const pivot = string_pivot_of(worker->view, drawn.index, drawn.key, group->depth);
    string_prefixes(engine, &pivot, items, count, &span);
    string_count_work(engine, count, span.bytes);
    if (stopped_after(worker, count + span.bytes) ||
        atomic_load_explicit(&engine->stopped, memory_order_relaxed))
        return false;
    if (!span.differ) {
        string_write(engine->order, items, group->lo, count, true);
        return false;
    }
    if (string_span_is_short(&span, count, group->depth) &&
        string_is_near(string_count_near(items, count, span.least), count)) {
        group->depth = span.least;
        string_load(worker->view, items, count, group->depth);
        string_count_work(engine, count, 0);
    } else {
        worker->codes = string_codes_of(&span);
        string_encode(items, count, &worker->codes);
    }
    return true;
}

static void start(group_worker *worker, string_engine *engine, const string_group *group)
{
    worker->engine = engine;
    worker->view = &engine->order->view;
    worker->items = engine->items[group->side];
    worker->spare = engine->items[1 - group->side];
    worker->waiting = NO_GROUP;
    worker->depth = group->depth;
    worker->codes = group->codes;
    worker->work = 0;
}

static void sort_group(group_worker *worker, const string_group *group)
{
    string_item *const items = worker->items;
    sort_keys(worker, group->lo, group->hi);

    while (worker->waiting != NO_GROUP) {
        string_group next = next_group(worker);
        size_t const count = next.hi - next.lo;
        if (!string_is_wanted(worker->engine->order, next.lo, next.hi))
            continue;
        if (stopped_after(worker, 2 * count))
            return;
        string_load(worker->view, items + next.lo, count, next.depth);
        string_count_work(worker->engine, count, 0);
        worker->codes.range = 0;
        size_t const   pivot_at = string_draw(worker->engine, next.lo, count, next.depth);
        uint64_t const key = items[pivot_at].key;
        size_t         same = 0;
        (void)string_varying(items + next.lo, count, key, &same);
        worker->depth = next.depth;
        if (string_is_crowded(same, count) && !string_ends(worker->view, key)) {
            if (same == count && string_splits_soon(worker->engine, items + next.lo, count,
                                                    items[pivot_at].index, next.depth)) {
                close_equal(worker, next.lo, next.hi);
                continue;
            }
            if (!look_further(worker, &next, pivot_at))
                continue;
            worker->depth = next.depth;
        }
        sort_keys(worker, next.lo, next.hi);
    }
}

void string_group_sort(string_engine *engine, const string_group *group)
{
    group_worker worker;
    start(&worker, engine, group);
    sort_group(&worker, group);
}

void string_group_resume(string_engine *engine, const string_group *group)
{
    const string_order *const order = engine->order;
    size_t const              lo = group->lo, hi = group->hi;
    group_worker              worker;
    start(&worker, engine, group);
    for (size_t i = lo; i < hi; i++)
        worker.items[i].index = order->index_type == ORDO_U32 ? ((const uint32_t *)order->index)[i]
                                                              : ((const uint64_t *)order->index)[i];
    if (hi - lo <= ORDO_TUNE_STRINGS_FEW) {
        sort_few(&worker, lo, hi, group->depth);
        return;
    }
    string_load(worker.view, worker.items + lo, hi - lo, group->depth);
    sort_group(&worker, group);
}
