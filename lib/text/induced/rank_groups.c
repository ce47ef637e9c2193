/* rank_groups.c - prefix doubling within groups, after N. Larsson and K. Sadakane, "Faster Suffix
 * Sorting".
 *
 * Suffixes that agree in their first h symbols form a group, which is contiguous; the rank of its
 * suffixes is its first place. A round sorts each group by the rank of the suffix h symbols later
 * and splits it where these ranks differ; then h doubles. A suffix alone in its group has its
 * place and leaves. Threads share the groups; large groups are sorted by all threads together. Long
 * repeats would take a round for each doubling of their length; rank_links.h takes them out. */
#include "text/induced/rank_groups.h"

#include "backend/layout.h"
#include "text/induced/rank_links.h"
#include "text/text_bits.h"
#include "text/word_sort.h"

#include <string.h>

enum {
    LARGE = ORDO_TUNE(1 << 15, 40), /* suffixes of a group that all threads sort together */
    /* Suffixes are linked after this round and later ones, if the round leaves more than STUCK
     * eighths of the active suffixes; estimates. */
    LINK_ROUND = 3,
    STUCK = 5,
    /* A link pass takes as long as a round of 1 / LINK_LEAST of all suffixes; an estimate. */
    LINK_LEAST = ORDO_TUNE(16, 1000)
};

static void first_ranks(void *arg, size_t lo, size_t hi)
{
    const ranker *const r = arg;
    for (size_t i = lo; i < hi; i++) {
        if (i + TEXT_AHEAD < hi)
            TEXT_PREFETCH(r->heads + r->names[i + TEXT_AHEAD]);
        r->rank[i] = r->heads[r->names[i]];
    }
}

static void first_groups(void *arg, size_t lo, size_t hi)
{
    const ranker *const r = arg;
    for (size_t i = lo; i < hi; i++) {
        if (i + TEXT_AHEAD < hi)
            TEXT_PREFETCH(r->rank + r->order[i + TEXT_AHEAD]);
        r->suffixes[i] = r->order[i];
        r->groups[i] = r->rank[r->order[i]];
    }
}

static void load_words(void *arg, size_t lo, size_t hi)
{
    const ranker *const r = arg;
    for (size_t i = lo; i < hi; i++) {
        if (i + TEXT_AHEAD < hi)
            rank_prefetch(r, ordo_min(r->suffixes[i + TEXT_AHEAD] + r->depth, r->n - 1));
        size_t const   later = r->suffixes[i] + r->depth;
        uint64_t const rank = later < r->n ? (uint64_t)rank_of(r, later) + 1 : 0;
        r->words[i] = rank << 32 | r->suffixes[i];
    }
}

static void sort_groups(void *arg, size_t lo, size_t hi)
{
    ranker *const r = arg;
    size_t const  end = r->bounds[ordo_div_up(hi, r->grain)];
    for (size_t i = r->bounds[lo / r->grain], next; i < end; i = next) {
        next = rank_group_end(r, i, end);
        if (next - i < LARGE)
            text_sort_words(r->words + i, next - i, 0, r->spare + i, SIZE_MAX);
        else
            r->large[atomic_fetch_add(&r->large_count, 1)] = i;
    }
}

/* Writes the ranks and places of the groups of a piece, and moves the suffixes that still tie to
 * the front of the piece's part of suffixes2. */
static void split_groups(void *arg, size_t lo, size_t hi)
{
    ranker *const r = arg;
    size_t const  piece = lo / r->grain, end = r->bounds[ordo_div_up(hi, r->grain)];
    size_t        out = r->bounds[piece], begin = out, same = out;
    for (size_t i = r->bounds[piece]; i < end; i++) {
        uint64_t const word = r->words[i];
        bool const     first = i == r->bounds[piece] || r->groups[i] != r->groups[i - 1];
        begin = first ? i : begin;
        same = first || r->words[i - 1] >> 32 != word >> 32 ? i : same;
        bool const last =
            i + 1 == end || r->groups[i + 1] != r->groups[i] || r->words[i + 1] >> 32 != word >> 32;
        uint32_t const suffix = (uint32_t)word, rank = r->groups[i] + (uint32_t)(same - begin);
        if (i + TEXT_AHEAD < end)
            TEXT_PREFETCH_WRITE(r->rank + (uint32_t)r->words[i + TEXT_AHEAD]);
        r->rank[suffix] = rank;
        if (same == i && last) {
            r->order[rank] = suffix;
        } else {
            r->suffixes2[out] = suffix;
            r->groups2[out++] = rank;
        }
    }
    r->tied[piece] = out - r->bounds[piece];
}

static ordo_status rank_round(text_work *work, ranker *r)
{
    rank_cut(r);
    TRY(text_loop(work, r->active, r->grain, load_words, r));
    TRY(text_loop(work, r->active, r->grain, sort_groups, r));
    for (size_t i = 0; i < atomic_load(&r->large_count); i++) {
        size_t const begin = r->large[i];
        TRY(text_sort_keys(work, r->words + begin, rank_group_end(r, begin, r->active) - begin));
    }
    atomic_store(&r->large_count, 0);
    TRY(text_loop(work, r->active, r->grain, split_groups, r));
    r->depth *= 2;
    return rank_pack(work, r);
}

static void lay_out(void *arg, ordo_layout *layout)
{
    ranker *const r = arg;
    r->words = ordo_lay(layout, r->n, sizeof *r->words);
    r->rank = ordo_lay(layout, r->n, sizeof *r->rank);
    r->suffixes = ordo_lay(layout, r->n, sizeof *r->suffixes);
    r->groups = ordo_lay(layout, r->n, sizeof *r->groups);
    r->spare = ordo_lay(layout, r->n, sizeof *r->spare);
    r->large = ordo_lay(layout, r->n / LARGE + 1, sizeof *r->large);
}

ordo_status text_rank_groups(text_work *work, const uint32_t *names, const uint32_t *heads,
                             size_t n, size_t most, uint32_t *order, bool *done)
{
    ranker *r;
    size_t  sum = 0;
    *done = false;
    TRY_SCRATCH(work->exec, sizeof *r, r);
    memset(r, 0, sizeof *r);
    r->n = r->active = n;
    r->names = names;
    r->heads = heads;
    r->order = order;
    r->depth = 1;
    if (ordo_lay_out(work->exec, lay_out, r) != ORDO_OK)
        return ORDO_OK;
    r->suffixes2 = (uint32_t *)(void *)r->spare;
    r->groups2 = r->suffixes2 + n;
    TRY(text_share(work, n, TEXT_GRAIN, first_ranks, r));
    TRY(text_share(work, n, TEXT_GRAIN, first_groups, r));
    for (unsigned round = 1; r->active > 0 && sum <= most; round++) {
        size_t const before = r->active;
        sum += before;
        TRY(rank_round(work, r));
        if (round >= LINK_ROUND && r->active > before / 8 * STUCK && r->active > n / LINK_LEAST)
            TRY(rank_link(work, r));
    }
    *done = r->active == 0;
    return *done ? rank_unlink(work, r) : ORDO_OK;
}
