/* rank_groups.c - ranks of more runs than the memory can read side by side.
 *
 * Groups of runs are joined to longer runs. A lane of each joined run says which run each of its
 * elements comes from. The joined runs are ranked, and their ranks are divided among the lanes of
 * the first runs in the same sequence. Volume for each element: packed keys once more, the number
 * of a run in its group (5 bits in a group of 32), and a packed rank once more. */
#define _GNU_SOURCE
#include "external/rank/rank_work.h"
#include "ordo_records.h"

#include <stdlib.h>

/* ---- Ranges of runs side by side ---- */

bool rank_read_range(void *user, piece *p)
{
    ranker *const r = user;
    if (!ranges_next(r->ranges, p->elements, &p->n))
        return false;
    size_t *const given = r->given[external_buffer_of(r->call, p)];
    for (size_t i = 0; i < r->together; i++)
        given[i] = ranges_given(r->ranges, i);
    p->ended = p->n == 0;
    return true;
}

/* ---- Joining runs ---- */

/* Sorts a range and appends it to the joined run, and the sources of its elements to the lane. */
static bool join_range(void *user, piece *p)
{
    ranker *const        r = user;
    external_call *const c = r->call;
    char *const          sorted = r->work;
    uint32_t *const      index = (uint32_t *)(void *)(sorted + c->capacity * sizeof(uint64_t));
    uint32_t *const      source = index + c->capacity;
    const size_t *const  given = r->given[external_buffer_of(r->call, p)];
    size_t               at = 0;
    for (size_t i = 0; i < r->together; i++)
        for (size_t left = given[i]; left > 0; left--)
            source[at++] = (uint32_t)i;
    if (!external_inner_done(
            c, ordo_argsort(c->inner, r->bits.type, p->elements, p->n, ORDO_U32, index, NULL)) ||
        !external_inner_done(c, ordo_gather(c->inner, p->elements, p->n, r->bits.size, ORDO_U32,
                                            index, p->n, sorted, NULL)))
        return false;
    for (size_t i = 0; i < p->n; i++) {
        r->sum += source[index[i]];
        if (!lanes_append(&r->sources, r->making, r->sum, 1))
            return false;
    }
    return runs_append(&r->longer, sorted, p->n);
}

static bool skip_piece(void *user, const piece *p)
{
    ranker *const r = user;
    atomic_fetch_add(&r->call->written, p->n / 8);
    return true;
}

static bool join_group(ranker *r, size_t from, size_t to)
{
    external_call *const c = r->call;
    r->together = to - from;
    r->ranges = ranges_open(&r->runs, from, to, c->capacity, c->exec->threads);
    r->sum = 0;
    bool const ok = r->ranges != NULL && runs_begin(&r->longer) &&
                    external_pipeline(c, r, rank_read_range, join_range, skip_piece) &&
                    runs_end(&r->longer) && lanes_end(&r->sources);
    ranges_close(r->ranges);
    r->ranges = NULL;
    r->making++;
    return ok;
}

bool rank_join_runs(ranker *r)
{
    external_call *const c = r->call;
    size_t const         count = ordo_div_up(r->runs.count, r->joined);
    if (!runs_open(&r->longer, &r->bits, rank_block_of(r, c->capacity, count), c->staging,
                   &c->spill) ||
        !lanes_open(&r->sources, count, rank_lane_of(c->capacity, 1), &c->spill))
        return false;
    for (size_t from = 0; from < r->runs.count; from += r->joined)
        if (!join_group(r, from, ordo_min(r->runs.count, from + r->joined)))
            return false;
    runs_close(&r->runs);
    r->runs = r->longer;
    r->longer = (runs){0};
    c->report.levels++;
    return true;
}

/* ---- Dividing ranks ---- */

/* Appends the ranks of joined run `which` to the lanes of its runs, of which `first` is the first
 * one. */
static bool divide_lane(ranker *r, size_t which, size_t first, lanes *to)
{
    lane_reader ranks = {.lanes = &r->lanes, .which = which};
    lane_reader sources = {.lanes = &r->sources, .which = which};
    uint64_t    rank, sum, before = 0;
    bool        ok = lane_reader_open(&ranks) && lane_reader_open(&sources);
    while (ok && lane_next(&ranks, &rank)) {
        ok = lane_next(&sources, &sum) && lanes_append(to, first + (size_t)(sum - before), rank, 1);
        before = sum;
    }
    lane_reader_close(&ranks);
    lane_reader_close(&sources);
    return !failure_seen(&r->call->failure) && ok && lanes_end(to);
}

bool rank_divide_lanes(ranker *r)
{
    external_call *const c = r->call;
    lanes                to;
    bool ok = lanes_open(&to, r->run_count, rank_lane_of(c->capacity, r->joined), &c->spill);
    for (size_t i = 0; i < r->runs.count && ok; i++)
        ok = external_goes_on(c) && divide_lane(r, i, i * r->joined, &to);
    lanes_close(&r->lanes);
    lanes_close(&r->sources);
    r->lanes = to;
    return ok;
}
