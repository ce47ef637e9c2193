/* sort_bitonic.c - Batcher's bitonic network over items, for any n.
 *
 * The network is the one whose exchanges all point the same way: sorted halves of `span` items are
 * merged by exchanging each item with its mirror image in the span, then with the one a quarter
 * span away, an eighth, and so on down to the neighbour. The larger item always goes to the higher
 * index, so an array that is no power of two behaves as if it were filled up with infinite items:
 * those would never move, and exchanges with them are left out.
 *
 * Exchanges at distances within a block that fits the cache are done together, block by block;
 * farther ones take one pass over memory each, by all threads. Time n lg^2 n / 4 exchanges,
 * whatever the input; no scratch. */
#include "cpu/cpu.h"
#include "cpu/sort/items.h"

enum {
    BLOCK = ORDO_TUNE_BITONIC_BLOCK, /* items, a power of two */
    PAIRS = BLOCK / 2                /* exchanges in one piece of a pass */
};

typedef struct bitonic_work {
    void  *items;
    size_t n;
    size_t span; /* of a mirror pass, or twice the distance of another */
} bitonic_work;

#define ORDO_TEMPLATE "cpu/papers/bitonic.t.h"
#include "cpu/sort/for_each_item.h"

typedef struct bitonic_bodies {
    ordo_body *sort, *mirror, *apart, *finish;
} bitonic_bodies;

static const bitonic_bodies bodies[CPU_ITEM_KINDS] = {
    {sort_block_32, mirror_pairs_32, apart_pairs_32, finish_block_32},
    {sort_block_64, mirror_pairs_64, apart_pairs_64, finish_block_64},
    {sort_block_128, mirror_pairs_128, apart_pairs_128, finish_block_128}};

static unsigned count_passes(size_t n)
{
    unsigned passes = 1, far = 0;
    for (size_t span = BLOCK; span < n; span *= 2)
        passes += ++far + 1;
    return passes;
}

/* One pass of exchanges over all spans; the last span may be cut off by the end. */
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

ordo_status cpu_items_bitonic(const cpu_items *items, ordo_exec *exec)
{
    const bitonic_bodies *const with = &bodies[items->kind];
    bitonic_work                work = {items->items, items->n, 0};

    exec->algorithm = "bitonic";
    exec->isa = "generic";
    exec->phase = 0;
    exec->phases = count_passes(items->n);
    if (!block_pass(&work, with->sort, exec))
        return ORDO_E_CANCELLED;
    for (size_t done = BLOCK; done < items->n; done *= 2) {
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
