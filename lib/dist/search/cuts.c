/* cuts.c - multi-select over all processes (see cuts.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/cuts.h"

#include "dist/search/brackets.h"
#include "dist/search/cut_rounds.h"

#include <stdlib.h>

/* ---- Positions ---- */

static int by_position(const void *a, const void *b)
{
    uint64_t const x = ((const cut *)a)->position, y = ((const cut *)b)->position;
    return (x > y) - (x < y);
}

size_t cuts_of_positions(const uint64_t *positions, size_t count, cut *cuts)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        cuts[i] = (cut){.position = positions[i]};
    qsort(cuts, count, sizeof *cuts, by_position);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || cuts[i].position != cuts[kept - 1].position)
            cuts[kept++] = cuts[i];
    return kept;
}

size_t cuts_position(const cut *cuts, size_t count, uint64_t position)
{
    cut const        wanted = {.position = position};
    const cut *const found = bsearch(&wanted, cuts, count, sizeof *cuts, by_position);
    return (size_t)(found - cuts);
}

/* ---- The search ---- */

ordo_status cuts_find(dist_call *c, cut *cuts, size_t count)
{
    double const    started = dist_clock();
    dist_part const part = {{c->type, c->descending, false}, c->keys, c->n, c->counts, c->total};
    void           *memory;
    TRY(brackets_find(c, &part, cuts, count));
    TRY(dist_agree(c, ordo_scratch(c->exec, count * sizeof(uint64_t), &memory)));
    TRY(cut_ties(c, cuts, count, memory));
    c->report.cut_seconds += dist_clock() - started;
    return ORDO_OK;
}
