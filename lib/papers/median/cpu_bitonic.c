/* cpu_bitonic.c - bitonic sort of records for any n: K. E. Batcher, "Sorting Networks and Their
 * Applications" (1968).
 *
 * All exchanges put the larger record at the higher index. Two sorted halves of a span are merged
 * by exchanging each record with its mirror image in the span, then with the record a quarter span
 * away, an eighth, and so on down to the neighbour. If n is not a power of two, the array works as
 * if it were padded with infinite records: these never move, so exchanges with them are left out.
 * Exchanges within a block that fits the cache are done block by block. Each longer distance is one
 * pass over memory with all threads. n lg^2 n / 4 exchanges for every input; no scratch.
 *
 * Sub-arrays are sorted by the network of B. Alyafi and F. Khalid, "Median Element Parallelized
 * Search", whose boxes alternate between ascending and descending. */
#include "cpu/sort/sort_steps.h"
#include "papers/median/median.h"
#include "papers/base/tuning.h"

#include <string.h>

enum {
    BLOCK = ORDO_TUNE_BITONIC_BLOCK, /* records, a power of two */
    PAIRS = BLOCK / 2                /* exchanges in one piece of a pass */
};

typedef struct bitonic_work {
    void  *records;
    size_t n;
    size_t span;   /* span of a mirror pass, twice the distance of another pass, or sub-array
                  * length */
    void  *padded; /* room for one sub-array */
} bitonic_work;

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "papers/median/cpu_bitonic.t.h"
#include "cpu/radix/for_each_record.h"

typedef struct bitonic_bodies {
    ordo_body *sort, *mirror, *apart, *finish, *parts;
} bitonic_bodies;

#define BITONIC_BODIES(kind)                                                                       \
    {                                                                                              \
        sort_block_##kind, mirror_pairs_##kind, apart_pairs_##kind, finish_block_##kind,           \
            sort_parts_##kind                                                                      \
    }
static const bitonic_bodies bodies[RECORD_KINDS] = {BITONIC_BODIES(k32), BITONIC_BODIES(k64),
                                                    BITONIC_BODIES(k64), BITONIC_BODIES(p64)};

static unsigned count_passes(size_t n)
{
    unsigned passes = 1, far = 0;
    for (size_t span = BLOCK; span < n; span *= 2)
        passes += ++far + 1;
    return passes;
}

/* One pass of exchanges over all spans; the last span may be incomplete. */
static bool far_pass(bitonic_work *work, size_t span, ordo_body *body, ordo_exec *exec)
{
    work->span = span;
    bool const done = ordo_loop(exec, ordo_div_up(work->n, span) * (span / 2), PAIRS, body, work);
    exec->phase++;
    return done;
}

static bool block_pass(bitonic_work *work, ordo_body *body, ordo_exec *exec)
{
    bool const done = ordo_loop(exec, work->n, BLOCK, body, work);
    exec->phase++;
    return done;
}

ordo_status cpu_records_bitonic_parts(const cpu_records *records, size_t part, void *padded,
                                      ordo_exec *exec)
{
    bitonic_work work = {records->array, records->n, part, padded};
    size_t const piece = part < BLOCK ? BLOCK / part * part : part;
    return cpu_done(ordo_loop(exec, records->n, piece, bodies[records->kind].parts, &work));
}

ordo_status cpu_records_bitonic(const cpu_records *records, ordo_exec *exec)
{
    const bitonic_bodies *const with = &bodies[records->kind];
    bitonic_work                work = {records->array, records->n, 0, NULL};

    exec->algorithm = "bitonic";
    exec->isa = "generic";
    exec->phase = 0;
    exec->phases = count_passes(records->n);
    if (!block_pass(&work, with->sort, exec))
        return ORDO_E_CANCELLED;
    for (size_t done = BLOCK; done < records->n; done *= 2) {
        if (!far_pass(&work, 2 * done, with->mirror, exec))
            return ORDO_E_CANCELLED;
        for (size_t span = done; span > BLOCK; span /= 2)
            if (!far_pass(&work, span, with->apart, exec))
                return ORDO_E_CANCELLED;
        if (!block_pass(&work, with->finish, exec))
            return ORDO_E_CANCELLED;
    }
    return ORDO_OK;
}
