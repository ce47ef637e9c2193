/* rank_groups.c - prefix doubling within groups, after N. Larsson and K. Sadakane, "Faster Suffix
 * Sorting".
 *
 * Suffixes that agree in their first h symbols form a group, which is contiguous; the rank of its
 * suffixes is its first place. A round sorts each group by the rank of the suffix h symbols later
 * and splits it where these ranks differ; then h doubles. A suffix alone in its group has its
 * place and leaves. Threads share the groups; large groups are sorted by all threads together. */
#include "text/induced/rank_groups.h"

#include "text/text_bits.h"

#include <string.h>

enum {
    PIECES = 256,
    LARGE = ORDO_TUNE(1 << 15, 40), /* suffixes of a group that all threads sort together */
    INSERTION = 20,
    /* A string for which more suffixes than this times n take part in rounds is given up. An
     * estimate: source text takes 4. */
    MOST_WORK = 6
};

typedef struct ranker {
    size_t          n, depth;
    const uint32_t *names, *heads;
    uint32_t       *rank, *order;
    uint64_t       *words;               /* rank of the later suffix, suffix */
    uint32_t       *suffixes, *groups;   /* that are active, in order; the rank of each group */
    uint32_t       *suffixes2, *groups2; /* of the next round */
    size_t          active, grain;
    size_t          bounds[PIECES + 1]; /* first group of each piece */
    size_t          tied[PIECES];
    size_t         *large; /* the begins of large groups */
    atomic_size_t   large_count;
} ranker;

static void sort_words(uint64_t *words, size_t n)
{
    while (n > INSERTION) {
        uint64_t const pivot = text_pivot(words, n);
        size_t         i = 0, j = n - 1;
        for (;; i++, j--) { /* the words differ, so both searches end at the pivot */
            while (words[i] < pivot)
                i++;
            while (words[j] > pivot)
                j--;
            if (i >= j)
                break;
            uint64_t const word = words[i];
            words[i] = words[j];
            words[j] = word;
        }
        size_t const less = j + 1;
        if (less <= n - less) {
            sort_words(words, less);
            words += less;
            n -= less;
        } else {
            sort_words(words + less, n - less);
            n = less;
        }
    }
    for (size_t i = 1; i < n; i++) {
        uint64_t const word = words[i];
        size_t         at = i;
        for (; at > 0 && words[at - 1] > word; at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
}

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
            TEXT_PREFETCH(r->rank + ordo_min(r->suffixes[i + TEXT_AHEAD] + r->depth, r->n - 1));
        size_t const   later = r->suffixes[i] + r->depth;
        uint64_t const rank = later < r->n ? (uint64_t)r->rank[later] + 1 : 0;
        r->words[i] = rank << 32 | r->suffixes[i];
    }
}

/* The end of the group that begins at i. */
static size_t group_end(const ranker *r, size_t i, size_t most)
{
    size_t end = i + 1;
    while (end < most && r->groups[end] == r->groups[i])
        end++;
    return end;
}

static void sort_groups(void *arg, size_t lo, size_t hi)
{
    ranker *const r = arg;
    size_t const  end = r->bounds[ordo_div_up(hi, r->grain)];
    for (size_t i = r->bounds[lo / r->grain], next; i < end; i = next) {
        next = group_end(r, i, end);
        if (next - i < LARGE)
            sort_words(r->words + i, next - i);
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

/* Moves the suffixes of all pieces together. In order, because the parts may overlap. */
static void close_gaps(ranker *r, size_t pieces)
{
    size_t out = 0;
    for (size_t i = 0; i < pieces; i++) {
        size_t const from = r->bounds[i], n = r->tied[i];
        memmove(r->suffixes2 + out, r->suffixes2 + from, n * sizeof *r->suffixes2);
        memmove(r->groups2 + out, r->groups2 + from, n * sizeof *r->groups2);
        out += n;
    }
    uint32_t *const suffixes = r->suffixes, *const groups = r->groups;
    r->suffixes = r->suffixes2;
    r->groups = r->groups2;
    r->suffixes2 = suffixes;
    r->groups2 = groups;
    r->active = out;
}

static ordo_status rank_round(text_work *work, ranker *r)
{
    r->grain = ordo_max(TEXT_GRAIN, ordo_div_up(r->active, PIECES));
    size_t const pieces = ordo_div_up(r->active, r->grain);
    TRY(text_loop(work, r->active, r->grain, load_words, r));
    for (size_t i = 1; i <= pieces; i++) {
        size_t at = ordo_max(ordo_min(i * r->grain, r->active), r->bounds[i - 1]);
        while (at > 0 && at < r->active && r->groups[at] == r->groups[at - 1])
            at++;
        r->bounds[i] = at;
    }
    TRY(text_loop(work, r->active, r->grain, sort_groups, r));
    for (size_t i = 0; i < atomic_load(&r->large_count); i++) {
        size_t const begin = r->large[i];
        TRY(text_sort_keys(work, r->words + begin, group_end(r, begin, r->active) - begin));
    }
    atomic_store(&r->large_count, 0);
    TRY(text_loop(work, r->active, r->grain, split_groups, r));
    close_gaps(r, pieces);
    r->depth *= 2;
    return ORDO_OK;
}

/* Takes the scratch; false if it is refused. */
static bool take_scratch(ordo_exec *exec, ranker *r)
{
    size_t const n = r->n;
    char        *room;
    void        *block, *large;
    if (ordo_scratch(exec, n * (sizeof *r->words + 5 * sizeof *r->rank), &block) != ORDO_OK ||
        ordo_scratch(exec, (n / LARGE + 1) * sizeof *r->large, &large) != ORDO_OK)
        return false;
    r->large = large;
    room = block;
    r->words = block;
    r->rank = (uint32_t *)(void *)(room + n * sizeof *r->words);
    r->suffixes = r->rank + n;
    r->groups = r->suffixes + n;
    r->suffixes2 = r->groups + n;
    r->groups2 = r->suffixes2 + n;
    return true;
}

ordo_status text_rank_groups(text_work *work, const uint32_t *names, const uint32_t *heads,
                             size_t n, uint32_t *order, bool *done)
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
    if (!take_scratch(work->exec, r))
        return ORDO_OK;
    TRY(text_share(work, n, TEXT_GRAIN, first_ranks, r));
    TRY(text_share(work, n, TEXT_GRAIN, first_groups, r));
    while (r->active > 0 && sum <= MOST_WORK * n) {
        sum += r->active;
        TRY(rank_round(work, r));
    }
    *done = r->active == 0;
    return ORDO_OK;
}
