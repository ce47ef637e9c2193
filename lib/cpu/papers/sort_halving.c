/* sort_halving.c - sorts a k-sorted array by halving its radius; and bubble sort.
 *
 * T. Altman and Y. Igarashi, "Roughly sorting: sequential and parallel approach" (1989), as
 * Pfaff and Treadwell describe it. A round makes a radius of at most 2l at most l - 1: it
 * partitions each block of 2l records about its median, then each block that begins l records
 * later, then the first blocks again. After lg k rounds the radius is 1 or 0, and one pass of
 * bubble sort finishes. That pass also checks the order; if the given radius was too small,
 * twice as much is tried.
 *
 * Quickselect with the middle of three finds the median; a block that needs too many partitions
 * is heap sorted. O(n lg k), for inputs made against it O(n lg^2 k). Threads work on separate
 * blocks. In place; scratch only to measure the radius if it is not given. */
#include "cpu/papers/paper_sorts.h"
#include "cpu/rough/rough.h"

#include <stdlib.h>

enum {
    HALVING_SMALL = 12,       /* records that are sorted by insertion */
    HALVING_PATIENCE = 4,     /* times lg of the block: partitions before heap sort */
    HALVING_STRIDE = 1 << 20, /* records between two polls */
    BUBBLE_STRETCH = ORDO_TUNE_PIECE
};

typedef struct halving_work {
    ordo_exec  *exec;
    void       *records;
    size_t      n, block, offset; /* blocks of `block` records from `offset` on */
    atomic_bool stopped;
} halving_work;

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "cpu/papers/sort_halving.t.h"
#include "cpu/radix/for_each_record.h"

typedef struct halving_kind {
    ordo_body *partition;
    bool (*bubble)(void *records, size_t n, ordo_exec *exec, bool *stopped);
} halving_kind;

/* One round of three partitions. A task takes many short blocks. */
static bool halve(halving_work *work, ordo_body *partition, size_t block)
{
    static const bool staggered[3] = {false, true, false};
    for (unsigned step = 0; step < 3; step++) {
        work->block = block;
        work->offset = staggered[step] ? block / 2 : 0;
        if (work->offset >= work->n)
            continue;
        size_t const blocks = ordo_div_up(work->n - work->offset, block);
        if (!ordo_loop(work->exec, blocks, ordo_max(ORDO_TUNE_PIECE / block, 1), partition, work) ||
            atomic_load_explicit(&work->stopped, memory_order_relaxed))
            return false;
    }
    return true;
}

static bool halve_all(halving_work *work, ordo_body *partition, size_t radius)
{
    while (radius > 1) {
        size_t const half = radius / 2 + radius % 2;
        if (!halve(work, partition, 2 * half))
            return false;
        radius = half - 1;
        if (work->exec->phase + 1 < work->exec->phases)
            work->exec->phase++;
    }
    return true;
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
    if (radius == 0) {
        TRY(cpu_records_radius(records, &radius, exec));
        if (radius == 0)
            return ORDO_OK;
    }
    for (radius = ordo_min(radius, n - 1);; radius = ordo_min(n - 1, 2 * radius)) {
        if (!halve_all(&work, kind->partition, radius))
            return ORDO_E_CANCELLED;
        if (kind->bubble(records->array, n, exec, &stopped))
            return ORDO_OK;
        if (stopped)
            return ORDO_E_CANCELLED;
    }
}

size_t cpu_records_halving_scratch(enum record_kind kind, size_t n, unsigned threads)
{
    (void)threads;
    return cpu_records_radius_scratch(kind, n);
}

/* Bubble sort, with which Pfaff and Treadwell compare ("Parallel Sorting of Roughly-Sorted
 * Sequences", 2016). A pass carries the largest record so far along. The next pass ends where the
 * last exchange happened, because all records behind it are in their places. An array of radius k
 * takes at most k + 1 passes. One thread, no scratch, time n (k + 1), n^2 / 2 at worst. */
ordo_status cpu_records_bubble(const cpu_records *records, ordo_exec *exec)
{
    static bool (*const sort[RECORD_KINDS])(void *records, size_t n, ordo_exec *exec) =
        RECORD_FUNCTIONS(bubble_sort);
    exec->algorithm = "bubble";
    exec->isa = "generic";
    return cpu_done(sort[records->kind](records->array, records->n, exec));
}
