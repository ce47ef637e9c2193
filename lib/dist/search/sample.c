/* sample.c - samples of the keys of all processes (see sample.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/sample.h"

#include "core/random.h"
#include "dist/device/device.h"

#include <math.h>

enum {
    DEVIATIONS = 4 /* half the width of a bracket in standard deviations */
};

/* ---- Drawing ---- */

/* Keys that process r draws if all processes draw about `wanted`. */
static uint64_t drawn_by(const dist_part *part, size_t r, uint64_t wanted)
{
    double const share = (double)part->counts[r] / (double)part->total;
    return part->counts[r] == 0 ? 0 : 1 + (uint64_t)((double)wanted * share);
}

/* Memory for the keys of all processes, `bytes_of` of each. */
static ordo_status take_memory(dist_call *c, uint64_t *bytes_of, dist_sample *out)
{
    size_t const size = (size_t)c->comm.size;
    out->count = 0;
    for (size_t r = 0; r < size; r++)
        out->count += (size_t)(bytes_of[r] / sizeof *out->all);
    out->mine_count = (size_t)(bytes_of[c->comm.rank] / sizeof *out->mine);
    TRY_SCRATCH(c->exec, (out->mine_count + 1) * sizeof *out->mine, out->mine);
    TRY_SCRATCH(c->exec, (out->count + 1) * sizeof *out->all, out->all);
    return ORDO_OK;
}

/* The bytes of each process's keys; wanted 0: all keys. */
static ordo_status open_sample(dist_call *c, const dist_part *part, size_t wanted,
                               uint64_t **bytes_of, dist_sample *out)
{
    size_t const size = (size_t)c->comm.size;
    TRY_SCRATCH(c->exec, size * sizeof **bytes_of, *bytes_of);
    for (size_t r = 0; r < size; r++)
        (*bytes_of)[r] =
            (wanted == 0 ? part->counts[r] : drawn_by(part, r, wanted)) * sizeof *out->mine;
    return take_memory(c, *bytes_of, out);
}

ordo_status sample_draw(dist_call *c, const dist_part *part, size_t wanted, dist_sample *out)
{
    uint64_t const seed = ordo_random_sequence(c->exec->seed, (uint64_t)c->comm.rank);
    uint64_t      *bytes_of = NULL;
    TRY(dist_agree(c, open_sample(c, part, wanted, &bytes_of, out)));
    for (size_t i = 0; i < out->mine_count; i++)
        out->mine[i] = ordo_random_below(ordo_random_at(seed, i), part->n);
    if (dist_on_device(c))
        TRY(dist_agree(
            c, device_orders(c, &part->order, part->keys, out->mine, out->mine_count, out->mine)));
    else
        for (size_t i = 0; i < out->mine_count; i++)
            out->mine[i] = cells_order_of(&part->order, part->keys, (size_t)out->mine[i]);
    return dist_allgather_parts(c, out->mine, bytes_of, out->all);
}

ordo_status sample_all(dist_call *c, const dist_part *part, dist_sample *out)
{
    uint64_t *bytes_of = NULL;
    TRY(dist_agree(c, open_sample(c, part, 0, &bytes_of, out)));
    cells_orders_of(&part->order, part->keys, 0, part->n, out->mine);
    return dist_allgather_parts(c, out->mine, bytes_of, out->all);
}

/* ---- Brackets ---- */

static void bracket_of(uint64_t total, size_t size, uint64_t position, size_t *low, size_t *high)
{
    double const q = ((double)position + 0.5) / (double)total, middle = q * (double)size;
    double const half = DEVIATIONS * sqrt((double)size * q * (1 - q)) + 2;
    *low = middle - half <= 0 ? 0 : (size_t)(middle - half);
    *high = middle + half >= (double)size - 1 ? size - 1 : (size_t)(middle + half);
}

void sample_bracket(uint64_t total, size_t size, const cut *cuts, size_t count, size_t *next,
                    size_t *low, size_t *high)
{
    bracket_of(total, size, cuts[(*next)++].position, low, high);
    while (*next < count) {
        size_t from, to;
        bracket_of(total, size, cuts[*next].position, &from, &to);
        if (from > *high)
            return;
        *high = ordo_max(*high, to);
        ++*next;
    }
}
