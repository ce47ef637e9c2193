/* string_group.c - sorts a group of strings with equal first bytes, on one thread.
 *
 * Two stable counting passes in the cache sort the records by the highest bits in which their keys
 * differ: a few more than lg n bits. The few records that still tie are sorted by insertion or by
 * the next bits. Strings that continue after equal keys become a group that waits for its next
 * bytes; two or three such strings are compared directly. If most keys of a group are equal again,
 * codes of common prefixes replace them (string_lcp.c). Waiting groups form a list in the keys of
 * their first three records: depth, end, next group. sort_keys calls itself at most eleven deep,
 * because each level uses six bits or more. Time: each distinguishing byte is read once or twice; a
 * string takes part in O(lg n) passes. Scratch: the spare array and 16 KB of stack. */
#define _POSIX_C_SOURCE 200809L
#include "cpu/strings/string_parts.h"

enum {
    POLL_WORK = 1 << 20,   /* records or bytes between two checks for cancel; a few ms at most */
    COMPARE_PART = 1 << 18 /* bytes of two strings compared at once */
};

#define NO_GROUP SIZE_MAX

typedef struct group_worker {
    string_engine     *engine;
    const string_view *view;
    string_record     *records, *spare; /* the engine's two arrays of n records */
    uint64_t           depth;           /* depth of the keys now in records */
    string_codes       codes;           /* codes of the keys now in records */
    size_t             waiting;         /* the first waiting group */
    size_t             work;            /* records and bytes since the last check for cancel */
    uint32_t           counts[2][STRING_DIGITS];
} group_worker;

/* Adds to the work done; returns true if the call was cancelled. */
static bool stopped_after(group_worker *worker, size_t work)
{
    worker->work += work;
    if (ORDO_LIKELY(worker->work < POLL_WORK))
        return false;
    worker->work = 0;
    return string_stopped(worker->engine, 0);
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

/* Sorts two or three strings whose first `depth` bytes are equal. */
static void sort_few(group_worker *worker, size_t lo, size_t hi, uint64_t depth)
{
    const string_order *const order = worker->engine->order;
    string_record *const      records = worker->records;
    for (size_t i = lo + 1; i < hi; i++) {
        string_record const record = records[i];
        size_t              at = i;
        for (; at > lo && compare(worker, records[at - 1].index, record.index, depth) > 0; at--)
            records[at] = records[at - 1];
        records[at] = record;
    }
    for (size_t i = lo; i < hi; i++)
        string_write(order, records + i, i, 1,
                     order->starts == NULL || i == lo ||
                         compare(worker, records[i - 1].index, records[i].index, depth) != 0);
}

static void close_equal(group_worker *worker, size_t lo, size_t hi)
{
    string_record *const records = worker->records;
    uint64_t             depth = worker->depth;
    if (hi - lo == 1 || string_is_closed(worker->view, &worker->codes, records[lo].key, &depth)) {
        string_write(worker->engine->order, records + lo, lo, hi - lo, true);
    } else if (hi - lo <= ORDO_TUNE_STRINGS_FEW) {
        if (string_is_wanted(worker->engine->order, lo, hi))
            sort_few(worker, lo, hi, depth);
    } else {
        records[lo].key = depth;
        records[lo + 1].key = hi;
        records[lo + 2].key = worker->waiting;
        worker->waiting = lo;
    }
}

static string_group next_group(group_worker *worker)
{
    string_record *const records = worker->records;
    size_t const         lo = worker->waiting;
    worker->waiting = (size_t)records[lo + 2].key;
    return (string_group){.lo = lo, .hi = (size_t)records[lo + 1].key, .depth = records[lo].key};
}

/* ---- Keys ---- */

static void close_sorted(group_worker *worker, size_t lo, size_t hi)
{
    const string_record *const records = worker->records;
    while (lo < hi) {
        size_t end = lo + 1;
        while (end < hi && records[end].key == records[lo].key)
            end++;
        close_equal(worker, lo, end);
        lo = end;
    }
}

#define RECORD string_record
#define LESS(a, b) ((a).key < (b).key)
#define FN(name) name##_records
#include "core/small_sort.t.h"
#undef FN
#undef LESS
#undef RECORD

/* One stable counting pass; places[d] is the place of the next record with digit d. */
static void move_by_digit(const string_record *from, string_record *to, size_t count,
                          const string_digit *digit, uint32_t *places)
{
    string_digit const here = *digit; /* a local copy: the stores cannot change it, so it stays in
                                       * registers */
    for (size_t i = 0; i < count; i++)
        to[places[string_digit_of(&here, from[i].key)]++] = from[i];
}

static void sort_by_digits(group_worker *worker, size_t lo, size_t hi, const string_digit *high,
                           const string_digit *low)
{
    string_record *const records = worker->records + lo, *const spare = worker->spare + lo;
    size_t const    count = hi - lo;
    uint32_t *const highs = worker->counts[0], *const lows = worker->counts[1];
    string_digit const first = *high, second = *low;
    memset(highs, 0, sizeof *highs << first.bits);
    memset(lows, 0, sizeof *lows << second.bits);
    for (size_t i = 0; i < count; i++) {
        highs[string_digit_of(&first, records[i].key)]++;
        lows[string_digit_of(&second, records[i].key)]++;
    }
    ordo_sums_before_32(highs, (size_t)1 << first.bits);
    if (second.bits > 0) {
        ordo_sums_before_32(lows, (size_t)1 << second.bits);
        move_by_digit(records, spare, count, low, lows);
    } else {
        memcpy(spare, records, count * sizeof *records);
    }
    move_by_digit(spare, records, count, high, highs);
}

static void sort_keys(group_worker *worker, size_t lo, size_t hi)
{
    string_record *const records = worker->records;
    size_t const         count = hi - lo;
    if (!string_is_wanted(worker->engine->order, lo, hi))
        return;
    if (count <= ORDO_TUNE_INSERTION) {
        insertion_sort_records(records + lo, count);
        close_sorted(worker, lo, hi);
        return;
    }
    if (stopped_after(worker, count))
        return;
    size_t   same = 0;
    uint64_t varying = string_varying(records + lo, count, records[lo].key, &same);
    if (varying == 0) {
        close_equal(worker, lo, hi);
        return;
    }
    unsigned const     bits = ordo_bit_length(count) - 1 + ORDO_TUNE_STRINGS_EXTRA;
    unsigned const     half = (unsigned)ordo_min((bits + 1) / 2, ORDO_TUNE_DIGIT);
    string_digit const high = string_digit_take(&varying, half);
    string_digit const low = string_digit_take(&varying, half);
    sort_by_digits(worker, lo, hi, &high, &low);

    uint64_t const used = high.used | low.used;
    while (lo < hi) {
        size_t         end = lo + 1;
        uint64_t const digits = records[lo].key & used;
        while (end < hi && (records[end].key & used) == digits)
            end++;
        if (end - lo == 1 || varying == 0)
            close_equal(worker, lo, end);
        else
            sort_keys(worker, lo, end);
        lo = end;
    }
}

/* ---- Groups ---- */

/* For a group where most keys equal the pivot's: replaces the keys by codes of common prefixes, or
 * loads the keys after the prefix that all strings of the group share. Returns false if the group
 * is done because all its strings are equal, or if the call was cancelled. */
static bool look_further(group_worker *worker, string_group *group, size_t pivot_at)
{
    string_engine *const engine = worker->engine;
    string_record *const records = worker->records + group->lo;
    size_t const         count = group->hi - group->lo;
    string_record const  drawn = worker->records[pivot_at];
    string_span          span = {.least = UINT64_MAX};
    string_pivot const pivot = string_pivot_of(worker->view, drawn.index, drawn.key, group->depth);
    string_prefixes(engine, &pivot, records, count, &span);
    string_count_work(engine, count, span.bytes);
    if (stopped_after(worker, count + span.bytes) ||
        atomic_load_explicit(&engine->stopped, memory_order_relaxed))
        return false;
    if (!span.differ) {
        string_write(engine->order, records, group->lo, count, true);
        return false;
    }
    if (string_span_is_short(&span, count, group->depth) &&
        string_is_near(string_count_near(records, count, span.least), count)) {
        group->depth = span.least;
        string_load(worker->view, records, count, group->depth);
        string_count_work(engine, count, 0);
    } else {
        worker->codes = string_codes_of(&span);
        string_encode(records, count, &worker->codes);
    }
    return true;
}

static void start(group_worker *worker, string_engine *engine, const string_group *group)
{
    worker->engine = engine;
    worker->view = &engine->order->view;
    worker->records = engine->records[group->side];
    worker->spare = engine->records[1 - group->side];
    worker->waiting = NO_GROUP;
    worker->depth = group->depth;
    worker->codes = group->codes;
    worker->work = 0;
}

static void sort_group(group_worker *worker, const string_group *group)
{
    string_record *const records = worker->records;
    sort_keys(worker, group->lo, group->hi);

    while (worker->waiting != NO_GROUP) {
        string_group next = next_group(worker);
        size_t const count = next.hi - next.lo;
        if (!string_is_wanted(worker->engine->order, next.lo, next.hi))
            continue;
        if (stopped_after(worker, 2 * count))
            return;
        string_load(worker->view, records + next.lo, count, next.depth);
        string_count_work(worker->engine, count, 0);
        worker->codes.range = 0;
        size_t const   pivot_at = string_draw(worker->engine, next.lo, count, next.depth);
        uint64_t const key = records[pivot_at].key;
        size_t         same = 0;
        (void)string_varying(records + next.lo, count, key, &same);
        worker->depth = next.depth;
        if (string_is_crowded(same, count) && !string_ends(worker->view, key)) {
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
    size_t const lo = group->lo, hi = group->hi;
    group_worker worker;
    start(&worker, engine, group);
    for (size_t i = lo; i < hi; i++)
        worker.records[i].index = string_index_at(engine->order, i);
    if (hi - lo <= ORDO_TUNE_STRINGS_FEW) {
        sort_few(&worker, lo, hi, group->depth);
        return;
    }
    string_load(worker.view, worker.records + lo, hi - lo, group->depth);
    sort_group(&worker, group);
}
