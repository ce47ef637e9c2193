/* cpu_string_sample.c - sample sort of strings on the CPU alone: S. Subashini and N. Ramya, "Hybrid
 * Comparison Sorting".
 *
 * The key of a string is its first seven bytes and their number (core/string_view.h). The sample
 * sort sorts records of key and index; no two records are equal, so the sort is stable. Strings
 * that continue after equal keys form groups, which are sorted from the eighth byte on: small
 * groups on one thread each, large groups by string_sort.c with all threads. Scratch besides the
 * records: a sample sort of n records of 16 bytes, and 8 bytes per 4096 strings. */
#define _POSIX_C_SOURCE 200809L
#include "backend/profile.h"
#include "cpu/radix/record.h"
#include "cpu/strings/string_parts.h"
#include "papers/hybrid/hybrid.h"

enum {
    BLOCK = 1 << 12 /* records of one piece of a loop */
};

_Static_assert(sizeof(string_record) == sizeof(record_p64), "both are a key and an index");

typedef struct sample_strings {
    string_engine *engine;
    string_group  *large;
    atomic_size_t  large_count;
    size_t        *starts; /* for each block: the start of the first group that begins there or
                            * later; the last entry is n */
} sample_strings;

static void load_piece(void *arg, size_t lo, size_t hi)
{
    string_engine *const     engine = ((const sample_strings *)arg)->engine;
    const string_view *const view = &engine->order->view;
    for (size_t i = lo; i < hi; i++)
        engine->records[0][i] = (string_record){string_key(view, i, 0), i};
    string_count_work(engine, hi - lo, 0);
}

static void finish_group(sample_strings *work, size_t lo, size_t hi)
{
    string_engine *const      engine = work->engine;
    const string_order *const order = engine->order;
    string_record *const      records = engine->records[0];
    string_group const        group = {.lo = lo, .hi = hi, .depth = STRING_STEP};
    if (hi - lo == 1 || string_ends(&order->view, records[lo].key)) {
        string_write(order, records + lo, lo, hi - lo, true);
    } else if (string_is_large(hi - lo)) {
        work->large[atomic_fetch_add_explicit(&work->large_count, 1, memory_order_relaxed)] = group;
    } else {
        string_load(&order->view, records + lo, hi - lo, group.depth);
        string_group_sort(engine, &group);
    }
}

/* Finds the first group that begins in or after each block. This loop ends before groups are
 * sorted, because sorting a group changes its keys. */
static void start_piece(void *arg, size_t lo, size_t hi)
{
    const sample_strings *const work = arg;
    const string_record *const  records = work->engine->records[0];
    size_t const                n = work->engine->order->n;
    for (size_t block = lo; block < hi; block++) {
        size_t const at = block * BLOCK;
        size_t       below = at, end = n; /* records[below] has the key of `at`, records[end] not */
        work->starts[block] = at;
        if (at == 0 || records[at].key != records[at - 1].key)
            continue;
        while (end - below > 1) {
            size_t const middle = below + (end - below) / 2;
            if (records[middle].key == records[at].key)
                below = middle;
            else
                end = middle;
        }
        work->starts[block] = end;
    }
}

static void group_piece(void *arg, size_t lo, size_t hi)
{
    sample_strings *const      work = arg;
    const string_record *const records = work->engine->records[0];
    size_t const               end = work->starts[hi];
    if (string_stopped(work->engine, (double)lo * BLOCK / (double)work->engine->order->n))
        return;
    for (size_t first = work->starts[lo], next; first < end; first = next) {
        uint64_t const key = records[first].key;
        for (next = first + 1; next < end && records[next].key == key;)
            next++;
        finish_group(work, first, next);
    }
}

ordo_status cpu_strings_sample(string_engine *engine, string_group *large, size_t *large_count)
{
    ordo_exec *const  exec = engine->exec;
    size_t const      n = engine->order->n, blocks = ordo_div_up(n, BLOCK);
    cpu_records const records = {RECORD_P64, engine->records[0], n};
    sample_strings    work = {.engine = engine, .large = large};
    void             *memory;
    TRY(ordo_scratch(exec, (blocks + 1) * sizeof *work.starts, &memory));
    work.starts = memory;
    work.starts[blocks] = n;
    double const began = ordo_profile_clock();
    exec->phases += CPU_STRING_SAMPLE_PHASES;
    if (!ordo_loop(exec, n, cpu_grain(n), load_piece, &work))
        return ORDO_E_CANCELLED;
    double const loaded = ordo_profile_clock();
    exec->phase++;
    TRY(cpu_records_sample(&records, false, NULL, exec));
    exec->facts.sample_seconds[0] += loaded - began;
    exec->phase = 1 + CPU_SAMPLE_PHASES;
    if (!ordo_loop(exec, blocks, ordo_max(1, blocks / 64), start_piece, &work) ||
        !ordo_loop(exec, blocks, 1, group_piece, &work) ||
        atomic_load_explicit(&engine->stopped, memory_order_relaxed))
        return ORDO_E_CANCELLED;
    *large_count = atomic_load_explicit(&work.large_count, memory_order_relaxed);
    return ORDO_OK;
}
