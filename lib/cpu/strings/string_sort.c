/* string_sort.c - sorts strings: large groups with all threads, small groups on one thread each.
 *
 * The first group is the whole array. Loading the keys of a large group also finds the bits in
 * which they differ. Up to eleven of the highest such bits form a digit, and a stable counting pass
 * moves every record to the bucket of its digit in the other array. A small bucket is sorted by
 * string_group.c; a large bucket is a large group again. If most keys of a group are equal, codes
 * of common prefixes replace the keys (string_lcp.c). Digits of differing bits suit text:
 * lower-case letters differ in five bits, so eleven bits hold two letters. Time: linear in the
 * distinguishing bytes. Scratch: 32 n bytes for records, 16 KB per piece for histograms, and an
 * entry for each large group that can exist at once. */
#define _POSIX_C_SOURCE 200809L
#include "backend/papers.h"
#include "backend/profile.h"
#include "cpu/base/paths.h"
#include "cpu/strings/string_parts.h"

enum {
    PIECES_PER_THREAD = 4,
    MAX_PIECES = 512,
    LOOK = 1 << 15,       /* records between two checks for cancel */
    PREFIX_LOOK = 1 << 12 /* the same for loops that compare the strings */
};

/* ---- Large groups ---- */

typedef struct large_work { /* the data that the loops over one large group share */
    string_engine   *engine;
    string_group     group;
    bool             fresh;   /* the first load: there are no records yet */
    size_t           piece;   /* records in a piece, the same in every loop */
    string_record    drawn;   /* a random record */
    _Atomic uint64_t varying; /* bits in which some key differs from the drawn key */
    atomic_size_t    same;    /* keys equal to the drawn key; in near_piece: the sum of
                               * string_count_near */
    string_pivot     pivot;   /* the string that the others are compared with */
    _Atomic uint64_t least, most, bytes;
    atomic_bool      differ;
    string_digit     digit;
    size_t (*places)[STRING_DIGITS]; /* for each piece: a histogram, then the places of its
                                      * records */
    size_t *ends;                    /* the end of each bucket */
} large_work;

static bool stopped(large_work *work, size_t done)
{
    return string_stopped(work->engine, (double)done / (double)(work->group.hi - work->group.lo));
}

static void load_piece(void *arg, size_t lo, size_t hi)
{
    large_work *const        work = arg;
    const string_view *const view = &work->engine->order->view;
    string_record *const     records = work->engine->records[work->group.side] + work->group.lo;
    uint64_t                 varying = 0;
    size_t                   same = 0;
    for (size_t at = lo; at < hi && !stopped(work, at); at += LOOK) {
        size_t const end = ordo_min(at + LOOK, hi);
        if (work->fresh)
            for (size_t i = at; i < end; i++)
                records[i] = (string_record){string_key(view, i, 0), i};
        else if (!work->group.loaded)
            string_load(view, records + at, end - at, work->group.depth);
        varying |= string_varying(records + at, end - at, work->drawn.key, &same);
    }
    atomic_fetch_or_explicit(&work->varying, varying, memory_order_relaxed);
    atomic_fetch_add_explicit(&work->same, same, memory_order_relaxed);
    string_count_work(work->engine, hi - lo, 0);
}

static void write_piece(void *arg, size_t lo, size_t hi)
{
    large_work *const          work = arg;
    size_t const               base = work->group.lo;
    const string_record *const records = work->engine->records[work->group.side] + base;
    string_write(work->engine->order, records + lo, base + lo, hi - lo, lo == 0);
}

static void prefix_piece(void *arg, size_t lo, size_t hi)
{
    large_work *const    work = arg;
    string_record *const records = work->engine->records[work->group.side] + work->group.lo;
    string_span          span = {.least = UINT64_MAX};
    for (size_t at = lo; at < hi && !stopped(work, at); at += PREFIX_LOOK)
        string_prefixes(work->engine, &work->pivot, records + at, ordo_min(PREFIX_LOOK, hi - at),
                        &span);
    cpu_keep_least(&work->least, span.least);
    cpu_keep_most(&work->most, span.most);
    atomic_fetch_add_explicit(&work->bytes, span.bytes, memory_order_relaxed);
    if (span.differ)
        atomic_store_explicit(&work->differ, true, memory_order_relaxed);
    string_count_work(work->engine, hi - lo, span.bytes);
}

static void near_piece(void *arg, size_t lo, size_t hi)
{
    large_work *const          work = arg;
    const string_record *const records = work->engine->records[work->group.side] + work->group.lo;
    uint64_t const             least = atomic_load_explicit(&work->least, memory_order_relaxed);
    atomic_fetch_add_explicit(&work->same, string_count_near(records + lo, hi - lo, least),
                              memory_order_relaxed);
}

static void encode_piece(void *arg, size_t lo, size_t hi)
{
    large_work *const    work = arg;
    string_record *const records = work->engine->records[work->group.side] + work->group.lo;
    size_t               same = 0;
    string_encode(records + lo, hi - lo, &work->group.codes);
    uint64_t const varying = string_varying(records + lo, hi - lo, work->group.codes.range, &same);
    atomic_fetch_or_explicit(&work->varying, varying, memory_order_relaxed);
}

static void count_piece(void *arg, size_t lo, size_t hi)
{
    large_work *const          work = arg;
    const string_record *const records = work->engine->records[work->group.side] + work->group.lo;
    size_t *const              counts = work->places[lo / work->piece];
    string_digit const         digit = work->digit;
    memset(counts, 0, sizeof *counts << digit.bits);
    for (size_t at = lo; at < hi && !stopped(work, at); at += LOOK)
        for (size_t i = at; i < ordo_min(at + LOOK, hi); i++)
            counts[string_digit_of(&digit, records[i].key)]++;
}

static void move_piece(void *arg, size_t lo, size_t hi)
{
    large_work *const          work = arg;
    const string_record *const from = work->engine->records[work->group.side] + work->group.lo;
    string_record *const       to = work->engine->records[1 - work->group.side];
    size_t *const              places = work->places[lo / work->piece];
    string_digit const         digit = work->digit;
    for (size_t at = lo; at < hi && !stopped(work, at); at += LOOK)
        for (size_t i = at; i < ordo_min(at + LOOK, hi); i++)
            to[places[string_digit_of(&digit, from[i].key)]++] = from[i];
}

static void bucket_piece(void *arg, size_t lo, size_t hi)
{
    large_work *const work = arg;
    for (size_t bucket = lo; bucket < hi; bucket++) {
        string_group const group = {.lo = bucket == 0 ? work->group.lo : work->ends[bucket - 1],
                                    .hi = work->ends[bucket],
                                    .depth = work->group.depth,
                                    .side = 1 - work->group.side,
                                    .codes = work->group.codes};
        if (group.lo < group.hi && !string_is_large(group.hi - group.lo) &&
            string_is_wanted(work->engine->order, group.lo, group.hi))
            string_group_sort(work->engine, &group);
    }
}

static bool run(large_work *work, size_t n, size_t grain, ordo_body *body)
{
    ordo_exec *const exec = work->engine->exec;
    bool const       finished = ordo_loop(exec, n, grain, body, work);
    if (exec->phase + 1 < STRING_SORT_PHASES)
        exec->phase++;
    return finished && !atomic_load_explicit(&work->engine->stopped, memory_order_relaxed);
}

/* For a group where most keys equal the drawn key: replaces the keys by codes of prefixes and sets
 * *varying to the bits in which the codes differ. If the keys after the common prefix are better
 * than codes, the function sets group->depth to the end of that prefix and clears group->loaded.
 * Returns false if the call was cancelled. */
static bool look_further(large_work *work, uint64_t *varying)
{
    string_group *const group = &work->group;
    size_t const        count = group->hi - group->lo;
    work->pivot = string_pivot_of(&work->engine->order->view, work->drawn.index, work->drawn.key,
                                  group->depth);
    atomic_store_explicit(&work->least, UINT64_MAX, memory_order_relaxed);
    atomic_store_explicit(&work->most, 0, memory_order_relaxed);
    atomic_store_explicit(&work->bytes, 0, memory_order_relaxed);
    atomic_store_explicit(&work->differ, false, memory_order_relaxed);
    if (!run(work, count, work->piece, prefix_piece))
        return false;
    string_span const span = {atomic_load_explicit(&work->least, memory_order_relaxed),
                              atomic_load_explicit(&work->most, memory_order_relaxed),
                              atomic_load_explicit(&work->bytes, memory_order_relaxed),
                              atomic_load_explicit(&work->differ, memory_order_relaxed)};
    if (string_span_is_short(&span, count, group->depth)) {
        atomic_store_explicit(&work->same, 0, memory_order_relaxed);
        if (!run(work, count, work->piece, near_piece))
            return false;
        group->loaded =
            !string_is_near(atomic_load_explicit(&work->same, memory_order_relaxed), count);
        if (!group->loaded) {
            group->depth = span.least;
            return true;
        }
    }
    group->codes = string_codes_of(&span);
    if (!span.differ) { /* the first record's code means: all strings are equal */
        work->engine->records[group->side][group->lo].key = group->codes.range;
        *varying = 0;
        return true;
    }
    atomic_store_explicit(&work->varying, 0, memory_order_relaxed);
    bool const finished = run(work, count, work->piece, encode_piece);
    *varying = atomic_load_explicit(&work->varying, memory_order_relaxed);
    return finished;
}

/* Turns histograms into places: bucket by bucket, and piece by piece within a bucket. */
static void lay_out(large_work *work, size_t pieces)
{
    size_t place = work->group.lo;
    for (size_t bucket = 0; bucket < (size_t)1 << work->digit.bits; bucket++) {
        for (size_t i = 0; i < pieces; i++) {
            size_t const count = work->places[i][bucket];
            work->places[i][bucket] = place;
            place += count;
        }
        work->ends[bucket] = place;
    }
}

typedef struct large_list { /* large groups that are not sorted yet */
    string_group *groups;
    size_t        count;
} large_list;

static void push(const string_order *order, large_list *list, string_group group)
{
    if (string_is_wanted(order, group.lo, group.hi))
        list->groups[list->count++] = group;
}

/* Loads the keys of the group if needed and sets *varying to the bits in which they differ. Returns
 * false if the call was cancelled. */
static bool load(large_work *work, uint64_t *varying)
{
    const string_view *const view = &work->engine->order->view;
    string_group *const      group = &work->group;
    size_t const             count = group->hi - group->lo;
    size_t const             at = string_draw(work->engine, group->lo, count, group->depth);
    work->drawn = work->fresh ? (string_record){0, at} : work->engine->records[group->side][at];
    if (!group->loaded)
        work->drawn.key = string_key(view, work->drawn.index, group->depth);
    atomic_store_explicit(&work->varying, 0, memory_order_relaxed);
    atomic_store_explicit(&work->same, 0, memory_order_relaxed);
    if (!run(work, count, work->piece, load_piece))
        return false;
    *varying = atomic_load_explicit(&work->varying, memory_order_relaxed);
    bool const fresh_keys = !group->loaded;
    group->loaded = true;
    if (fresh_keys)
        group->codes.range = 0;
    size_t const same = atomic_load_explicit(&work->same, memory_order_relaxed);
    return !fresh_keys || !string_is_crowded(same, count) || string_ends(view, work->drawn.key) ||
           look_further(work, varying);
}

/* Splits a large group once and adds the large groups of the result to the list. Returns false if
 * the call was cancelled. */
static bool step(large_work *work, size_t pieces, large_list *list)
{
    string_engine *const      engine = work->engine;
    const string_order *const order = engine->order;
    string_group *const       group = &work->group;
    size_t const              count = group->hi - group->lo;
    uint64_t                  varying = 0;

    work->piece = ordo_div_up(count, pieces);
    if (!load(work, &varying))
        return false;
    if (!group->loaded) {
        push(order, list, *group);
        return true;
    }
    if (varying == 0) {
        uint64_t const key = engine->records[group->side][group->lo].key;
        if (string_is_closed(&order->view, &group->codes, key, &group->depth))
            return run(work, count, LOOK, write_piece);
        group->loaded = false;
        push(order, list, *group);
        return true;
    }

    work->digit = string_digit_take(&varying, ORDO_TUNE_DIGIT);
    if (!run(work, count, work->piece, count_piece))
        return false;
    lay_out(work, ordo_div_up(count, work->piece));
    if (!run(work, count, work->piece, move_piece))
        return false;
    size_t const buckets = (size_t)1 << work->digit.bits;
    if (!run(work, buckets, 1, bucket_piece))
        return false;
    for (size_t bucket = 0, lo = group->lo; bucket < buckets; lo = work->ends[bucket++])
        if (string_is_large(work->ends[bucket] - lo))
            push(order, list,
                 (string_group){lo, work->ends[bucket], group->depth, 1 - group->side, true,
                                group->codes});
    return true;
}

static void whole_piece(void *arg, size_t lo, size_t hi)
{
    string_engine *const      engine = arg;
    const string_order *const order = engine->order;
    string_group const        group = {.lo = lo, .hi = hi};
    for (size_t i = lo; i < hi; i++)
        engine->records[0][i] = (string_record){string_key(&order->view, i, 0), i};
    string_group_sort(engine, &group);
}

/* Phase IV of the sample sort gets the rest of the time, which includes the large groups. */
static void record_phases(ordo_exec *exec, double seconds)
{
    ordo_facts *const facts = &exec->facts;
    for (int i = 0; i < 3; i++)
        seconds -= facts->sample_seconds[i];
    facts->sample_seconds[3] = seconds;
    memcpy(facts->cpu_seconds, facts->sample_seconds, sizeof facts->cpu_seconds);
}

/* ---- The paths ---- */

struct cpu_look {
    string_engine engine;
    bool          begun, sampled; /* by another backend; by the sample sort, which a caller names */
};

static bool is_begun(cpu_look *look) { return look->begun; }

static bool is_small(cpu_look *look) { return !string_is_large(look->engine.order->n); }

static ordo_status sort_small(cpu_look *look, bool *done)
{
    string_engine *const engine = &look->engine;
    size_t const         n = engine->order->n;
    bool const           finished = ordo_loop(engine->exec, n, n, whole_piece, engine);
    *done = true;
    engine->exec->phase = STRING_SORT_PHASES;
    return cpu_done(finished && !atomic_load_explicit(&engine->stopped, memory_order_relaxed));
}

static ordo_status sort_large(cpu_look *look, bool *done)
{
    string_engine *const engine = &look->engine;
    ordo_exec *const     exec = engine->exec;
    large_work           work = {.engine = engine, .fresh = !look->begun && !look->sampled};
    large_list           list = {.count = 0};
    size_t const         n = engine->order->n;
    unsigned const       phases = exec->phases;
    void                *memory;
    *done = true;

    /* The list has room for all large groups, because groups do not overlap. */
    size_t const pieces =
        exec->threads == 1 ? 1 : ordo_min((size_t)exec->threads * PIECES_PER_THREAD, MAX_PIECES);
    TRY(ordo_scratch(exec, pieces * sizeof *work.places, &memory));
    work.places = memory;
    TRY(ordo_scratch(exec, STRING_DIGITS * sizeof *work.ends, &memory));
    work.ends = memory;
    TRY(ordo_scratch(exec, (n / ORDO_TUNE_STRINGS_LARGE + 1) * sizeof *list.groups, &memory));
    list.groups = memory;

    double const began = ordo_profile_clock();
    if (look->begun && !string_known_sort(engine, list.groups, &list.count))
        return ORDO_E_CANCELLED;
    if (look->sampled)
        TRY(exec->papers->hybrid.strings(engine, list.groups, &list.count));
    if (work.fresh)
        push(engine->order, &list, (string_group){.lo = 0, .hi = n});
    for (; list.count > 0; work.fresh = false) {
        work.group = list.groups[--list.count];
        if (!step(&work, pieces, &list))
            return ORDO_E_CANCELLED;
    }
    exec->phase = STRING_SORT_PHASES + (exec->phases - phases); /* with those of the sample sort */
    if (look->sampled)
        record_phases(exec, ordo_profile_clock() - began);
    return ORDO_OK;
}

enum {
    STRINGS_PATHS = 3
};

static const cpu_path paths[STRINGS_PATHS] = {
    CPU_PATH("strings", "begun", "a GPU has begun the order", NULL, is_begun, sort_large),
    CPU_PATH("strings", "small", "few enough for one thread", NULL, is_small, sort_small),
    CPU_PATH("strings", "large", "all other strings", NULL, NULL, sort_large),
};

const cpu_paths cpu_strings_paths = {paths, STRINGS_PATHS};

ordo_status string_sort(const string_order *order, ordo_exec *exec)
{
    size_t const n = order->n;
    bool const   begun = order->known != NULL && order->known->index != NULL;
    cpu_look     look = {.engine = {.order = order, .exec = exec},
                         .begun = begun,
                         .sampled = !begun && order->algorithm == ORDO_ALGORITHM_SAMPLE};
    size_t       bytes;
    void        *memory;
    bool         done;
    exec->algorithm = look.sampled ? "sample" : "radix";
    exec->isa = "generic";
    if (n == 0)
        return ORDO_OK;
    if (look.sampled && exec->papers == NULL)
        return ordo_no_paper(exec);
    if (!ordo_size_mul(n, 2 * sizeof(string_record), &bytes))
        return ordo_fail(exec, ORDO_E_NOMEM, "%zu strings need more scratch than can be counted",
                         n);
    if (order->known != NULL && order->known->room_bytes >= bytes)
        memory = order->known->room;
    else
        TRY(ordo_scratch(exec, bytes, &memory));
    look.engine.records[0] = memory;
    look.engine.records[1] = look.engine.records[0] + n;
    return look.sampled ? sort_large(&look, &done) : cpu_walk(paths, 0, STRINGS_PATHS, &look, exec);
}
