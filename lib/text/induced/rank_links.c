/* rank_links.c - links between groups of suffixes (see rank_links.h), found in three passes: the
 * sizes of all groups, the groups that can be linked, and the chains from the right to the left.
 * Time is linear, with two cache misses per active suffix. */
#include "text/induced/rank_links.h"

#include "backend/layout.h"
#include "text/text_bits.h"

#include <string.h>

void rank_cut(ranker *r)
{
    r->grain = ordo_max(TEXT_GRAIN, ordo_div_up(r->active, RANK_PIECES));
    for (size_t i = 1; i <= ordo_div_up(r->active, r->grain); i++) {
        size_t at = ordo_max(ordo_min(i * r->grain, r->active), r->bounds[i - 1]);
        while (at > 0 && at < r->active && r->groups[at] == r->groups[at - 1])
            at++;
        r->bounds[i] = at;
    }
}

static void pack_pieces(void *arg, size_t lo, size_t hi)
{
    const ranker *const r = arg;
    for (size_t i = lo; i < hi; i++) {
        size_t const from = r->bounds[i], to = r->before[i], n = r->tied[i];
        memcpy(r->suffixes + to, r->suffixes2 + from, n * sizeof *r->suffixes);
        memcpy(r->groups + to, r->groups2 + from, n * sizeof *r->groups);
    }
}

ordo_status rank_pack(text_work *work, ranker *r)
{
    size_t const pieces = ordo_div_up(r->active, r->grain);
    size_t       sum = 0;
    for (size_t i = 0; i < pieces; i++) {
        r->before[i] = sum;
        sum += r->tied[i];
    }
    r->active = sum;
    return text_loop(work, pieces, 1, pack_pieces, r);
}

/* Writes the size of each group to the first place of the group, which is free until its suffixes
 * are sorted. */
static void write_sizes(void *arg, size_t lo, size_t hi)
{
    const ranker *const r = arg;
    size_t const        end = r->bounds[ordo_div_up(hi, r->grain)];
    for (size_t i = r->bounds[lo / r->grain], next; i < end; i = next) {
        next = rank_group_end(r, i, end);
        r->order[r->groups[i]] = (uint32_t)(next - i);
    }
}

/* Whether the suffixes one symbol later are a whole group, which may be linked itself. */
static bool is_linked(const ranker *r, size_t lo, size_t hi)
{
    size_t const next = r->suffixes[lo] + (size_t)1;
    if (next >= r->n)
        return false;
    for (size_t i = lo + 1; i < hi; i++)
        if (r->suffixes[i] + (size_t)1 >= r->n || r->rank[r->suffixes[i] + 1] != r->rank[next])
            return false;
    /* The end of its chain is in a group of the same size, which is active. */
    return r->order[r->rank[next + r->links[next].length]] == hi - lo;
}

/* Marks the suffixes of linked groups, and moves the others to the front of the piece's part of
 * suffixes2. */
static void link_groups(void *arg, size_t lo, size_t hi)
{
    ranker *const r = arg;
    size_t const  piece = lo / r->grain, end = r->bounds[ordo_div_up(hi, r->grain)];
    size_t        out = r->bounds[piece];
    for (size_t i = r->bounds[piece], next; i < end; i = next) {
        next = rank_group_end(r, i, end);
        for (size_t k = i; k < next && k + TEXT_AHEAD < end; k++)
            TEXT_PREFETCH(r->rank + r->suffixes[k + TEXT_AHEAD] + 1);
        bool const linked = is_linked(r, i, next);
        for (size_t k = i; k < next; k++) {
            r->linked[r->suffixes[k]] = linked;
            r->suffixes2[out] = r->suffixes[k];
            r->groups2[out] = r->groups[k];
            out += !linked;
        }
    }
    r->tied[piece] = out - r->bounds[piece];
}

/* Gives linked suffixes the ranks that follow from the ends of their chains. */
static void update_ranks(void *arg, size_t lo, size_t hi)
{
    const ranker *const r = arg;
    for (size_t i = lo; i < hi; i++)
        if (r->linked[i])
            r->rank[i] = rank_of(r, i);
}

static void make_chains(void *arg, size_t lo, size_t hi)
{
    const ranker *const  r = arg;
    const uint8_t *const stop = hi < r->n ? memchr(r->linked + hi, 0, r->n - hi) : NULL;
    /* of the chain that crosses the end of the piece; the last suffix has no link */
    size_t end = stop != NULL ? (size_t)(stop - r->linked) : r->n;
    for (size_t i = hi; i-- > lo;) {
        end = r->linked[i] ? end : i;
        r->links[i] = (rank_chain){(uint32_t)(end - i), r->rank[i] - r->rank[end]};
    }
}

static void lay_out_links(void *arg, ordo_layout *layout)
{
    ranker *const r = arg;
    r->links = ordo_lay(layout, r->n, sizeof *r->links);
    r->linked = ordo_lay(layout, r->n, sizeof *r->linked);
}

static ordo_status take_links(text_work *work, ranker *r)
{
    if (ordo_lay_out(work->exec, lay_out_links, r) != ORDO_OK)
        return ORDO_OK;
    return text_clear(work, r->links, r->n * (sizeof *r->links + sizeof *r->linked));
}

ordo_status rank_link(text_work *work, ranker *r)
{
    if (r->links == NULL)
        TRY(take_links(work, r));
    if (r->links == NULL)
        return ORDO_OK;
    TRY(text_share(work, r->n, TEXT_GRAIN, update_ranks, r));
    rank_cut(r);
    TRY(text_loop(work, r->active, r->grain, write_sizes, r));
    TRY(text_loop(work, r->active, r->grain, link_groups, r));
    TRY(rank_pack(work, r));
    return text_share(work, r->n, TEXT_GRAIN, make_chains, r);
}

static void place_linked(void *arg, size_t lo, size_t hi)
{
    const ranker *const r = arg;
    for (size_t i = lo; i < hi; i++)
        if (r->linked[i])
            r->order[rank_of(r, i)] = (uint32_t)i;
}

ordo_status rank_unlink(text_work *work, ranker *r)
{
    return r->links != NULL ? text_share(work, r->n, TEXT_GRAIN, place_linked, r) : ORDO_OK;
}
