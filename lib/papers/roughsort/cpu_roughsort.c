/* cpu_roughsort.c - halving, rough and bubble sort of k-sorted arrays: A. Pfaff and J. Treadwell,
 * "Parallel Sorting of Roughly-Sorted Sequences" (2016).
 *
 * halving (T. Altman and Y. Igarashi, 1989): a round reduces a radius of at most 2l to l - 1 or
 * less. It partitions each block of 2l records about its median, then each block that begins l
 * records later, then the first blocks again. One pass of bubble sort finishes a radius of 1.
 * rough (T. Altman and B. Chlebus, 1990): one thread sorts each segment of 2k records, then each
 * segment that begins k records later. If the radius was too small, both sort again with twice the
 * radius. Quickselect finds medians: O(n lg k), at worst O(n lg^2 k). In place; only measuring an
 * unknown radius takes scratch. */
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_steps.h"
#include "papers/roughsort/roughsort.h"

#include <stdlib.h>

enum {
    HALVING_SMALL = 12,       /* at most this many records are sorted by insertion */
    HALVING_PATIENCE = 4,     /* heap sort follows after this many times lg(block) partitions */
    HALVING_STRIDE = 1 << 20, /* records between two checks for cancel */
    SEGMENT_STRIDE = 1 << 16, /* the same inside a segment */
    BUBBLE_STRETCH = ORDO_TUNE_PIECE,
    ROUGH_STEPS = 3 /* loops: two over the segments, one over the records */
};

typedef struct halving_work {
    ordo_exec  *exec;
    void       *records;
    size_t      n, block, offset; /* blocks of `block` records, from record `offset` on */
    atomic_bool stopped, wrong;
} halving_work;

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "papers/roughsort/cpu_roughsort.t.h"
#include "cpu/radix/for_each_record.h"

typedef struct halving_kind {
    ordo_body *partition;
    bool (*bubble)(void *records, size_t n, ordo_exec *exec, bool *stopped);
} halving_kind;

/* Runs body for each block of records from record `offset` on. A task takes many short blocks. */
static bool each_block(halving_work *work, ordo_body *body, size_t block, size_t offset)
{
    if (offset >= work->n)
        return true;
    work->block = block;
    work->offset = offset;
    size_t const blocks = ordo_div_up(work->n - offset, block);
    return ordo_loop(work->exec, blocks, ordo_max(ORDO_TUNE_PIECE / block, 1), body, work) &&
           !atomic_load_explicit(&work->stopped, memory_order_relaxed);
}

/* One round: partitions all blocks three times. */
static bool halve(halving_work *work, ordo_body *partition, size_t block)
{
    return each_block(work, partition, block, 0) && each_block(work, partition, block, block / 2) &&
           each_block(work, partition, block, 0);
}

/* Counts a phase; exec->phases is the number for a radius that is large enough. */
static void next_phase(ordo_exec *exec)
{
    if (exec->phase + 1 < exec->phases)
        exec->phase++;
}

static bool halve_all(halving_work *work, ordo_body *partition, size_t radius)
{
    while (radius > 1) {
        size_t const half = radius / 2 + radius % 2;
        if (!halve(work, partition, 2 * half))
            return false;
        radius = half - 1;
        work->exec->facts.rounds++;
        next_phase(work->exec);
    }
    return true;
}

/* Sets *radius to the radius of the records if the caller gave none. */
static ordo_status find_radius(const cpu_records *records, size_t *radius, ordo_exec *exec)
{
    exec->facts.tried_radius = *radius;
    if (*radius == 0) {
        TRY(cpu_records_radius(records, radius, exec));
        exec->facts.radius = *radius;
    }
    *radius = ordo_min(*radius, records->n - 1);
    return ORDO_OK;
}

ordo_status cpu_records_halving(const cpu_records *records, size_t radius, ordo_exec *exec)
{
    static const halving_kind kinds[RECORD_KINDS] = {
        {halving_piece_k32, halving_bubble_k32},
        {halving_piece_k64, halving_bubble_k64},
        {halving_piece_k64, halving_bubble_k64},
        {halving_piece_p64, halving_bubble_p64},
    };
    const halving_kind *const kind = &kinds[records->kind];
    size_t const              n = records->n;
    halving_work              work = {.exec = exec, .records = records->array, .n = n};
    bool                      stopped = false;
    atomic_init(&work.stopped, false);
    exec->algorithm = "halving";
    exec->isa = "generic";
    if (n < 2)
        return ORDO_OK;
    exec->phases = exec->phase + CPU_RADIUS_PHASES + ordo_bit_length(n);
    TRY(find_radius(records, &radius, exec));
    for (; radius > 0; radius = ordo_min(n - 1, 2 * radius)) {
        if (!halve_all(&work, kind->partition, radius))
            return ORDO_E_CANCELLED;
        if (kind->bubble(records->array, n, exec, &stopped))
            return ORDO_OK;
        if (stopped)
            return ORDO_E_CANCELLED;
        exec->facts.radius_failed = 1;
    }
    return ORDO_OK;
}

ordo_status cpu_records_rough(const cpu_records *records, size_t radius, ordo_exec *exec)
{
    static ordo_body *const sort[RECORD_KINDS] = RECORD_FUNCTIONS(segment_piece);
    static ordo_body *const check[RECORD_KINDS] = RECORD_FUNCTIONS(segment_check);
    size_t const            n = records->n;
    halving_work            work = {.exec = exec, .records = records->array, .n = n};
    atomic_init(&work.stopped, false);
    atomic_init(&work.wrong, false);
    exec->algorithm = "rough";
    exec->isa = "generic";
    if (n < 2)
        return ORDO_OK;
    exec->phases = exec->phase + CPU_RADIUS_PHASES + ROUGH_STEPS;
    TRY(find_radius(records, &radius, exec));
    for (; radius > 0; radius = ordo_min(n - 1, 2 * radius)) {
        size_t const length = 2 * ordo_min(radius, n / 2 + 1);
        for (unsigned step = 0; step < 2; step++, next_phase(exec))
            if (!each_block(&work, sort[records->kind], length, step * length / 2))
                return ORDO_E_CANCELLED;
        atomic_store_explicit(&work.wrong, false, memory_order_relaxed);
        if (!ordo_loop(exec, n, cpu_grain(n), check[records->kind], &work))
            return ORDO_E_CANCELLED;
        if (!atomic_load_explicit(&work.wrong, memory_order_relaxed))
            return ORDO_OK;
        exec->facts.radius_failed = 1;
    }
    return ORDO_OK;
}

size_t cpu_records_halving_scratch(const cpu_records *records)
{
    return cpu_records_radius_scratch(records->kind, records->n);
}

/* Bubble sort, the baseline of Pfaff and Treadwell. A pass carries the largest record so far to the
 * right. The next pass ends at the last exchange, because all later records are in their places. An
 * array of radius k takes at most k + 1 passes. One thread, no scratch, time n (k + 1), at worst
 * n^2 / 2. */
ordo_status cpu_records_bubble(const cpu_records *records, ordo_exec *exec)
{
    static bool (*const sort[RECORD_KINDS])(void *records, size_t n, ordo_exec *exec) =
        RECORD_FUNCTIONS(bubble_sort);
    exec->algorithm = "bubble";
    exec->isa = "generic";
    return cpu_done(sort[records->kind](records->array, records->n, exec));
}
