/* string_near.c - finds the strings near given positions of the global order, without a sort of the
 * others.
 *
 * 1 The bytes that all strings of all processes share are skipped, up to 120 of them. The next 7
 *   bytes of each string are a key of 64 bits (core/string_view.h).
 * 2 The keys at the positions are found in one read of the keys (search/brackets.c).
 * 3 Only strings with these keys are kept and sorted. If there are many, and of one key, steps 1
 *   to 3 are made again with the bytes behind it.
 *
 * A few strings, and those of more than 1000 positions, are sorted as a whole. Memory: 8 bytes for
 * each string, and the kept strings. */
#define _POSIX_C_SOURCE 200809L
#include "backend/tuning.h"
#include "dist/search/narrowing.h"
#include "dist/strings/string_keys.h"

#include <string.h>

enum {
    LEAST = ORDO_TUNE(1 << 17, 60), /* fewer strings of all processes are sorted */
    GRAIN = ORDO_TUNE(1 << 14, 32), /* strings that a thread handles at a time */
    MOST_LEVELS = 8,
    FILTER_BITS = 12
};

typedef struct group { /* strings with the key of a position */
    uint64_t key;
    uint64_t less; /* strings of all processes before them */
    uint64_t kept; /* kept strings of all processes before them */
} group;

typedef struct nearing {
    string_part *part;
    bool         first; /* strings before the only position are kept, too */
    string_keys  left;  /* the strings that are left, and their keys */
    uint64_t     total;
    uint64_t    *counts; /* strings of each process */
    cut         *cuts;
    group       *groups; /* in the order of the call */
    size_t       group_count;
    uint64_t    *sums; /* of each group */
    uint64_t    *kept; /* strings in each chunk of GRAIN */
    uint8_t      filter[1 << FILTER_BITS];
} nearing;

/* ---- Groups ---- */

/* The groups of the positions, and the positions among the strings of all groups. Collective. */
static ordo_status make_groups(nearing *s, cut *cuts, size_t count)
{
    ordo_order_of const order = {ORDO_U64, s->part->c.descending, false};
    s->group_count = 0;
    for (size_t j = 0; j < count; j++) {
        if (j > 0 && s->cuts[j].order == s->cuts[j - 1].order)
            continue;
        group *const g = &s->groups[s->group_count];
        cells_put_key(&order, s->cuts[j].order, &g->key);
        g->less = s->cuts[j].less;
        s->sums[s->group_count++] = s->cuts[j].here;
    }
    TRY(dist_sum(&s->part->c, s->sums, s->group_count));
    s->total = s->first ? s->groups[0].less : 0;
    for (size_t g = 0; g < s->group_count; g++) {
        s->groups[g].kept = s->total;
        s->total += s->sums[g];
    }
    for (size_t j = 0, g = 0; j < count; j++) {
        g += j > 0 && s->cuts[j].order != s->cuts[j - 1].order;
        cuts[j].position = cuts[j].position - s->groups[g].less + s->groups[g].kept;
    }
    return ORDO_OK;
}

static size_t filter_of(uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - FILTER_BITS));
}

static bool is_kept(const nearing *s, uint64_t key)
{
    if (s->first)
        return s->part->c.descending ? key >= s->groups[0].key : key <= s->groups[0].key;
    if (s->filter[filter_of(key)] == 0)
        return false;
    size_t low = 0, high = s->group_count;
    while (low < high) {
        size_t const   middle = low + (high - low) / 2;
        uint64_t const at = s->groups[middle].key;
        if (at == key)
            return true;
        if ((at < key) != s->part->c.descending)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Writes the places of the kept strings of a chunk over its first keys. */
static void list_kept(void *arg, size_t lo, size_t hi)
{
    nearing *const s = arg;
    for (size_t chunk = lo; chunk < hi; chunk++) {
        size_t const    end = ordo_min((chunk + 1) * GRAIN, s->left.n);
        uint64_t *const to = s->left.keys + chunk * GRAIN;
        size_t          kept = 0;
        for (size_t i = chunk * GRAIN; i < end; i++)
            if (is_kept(s, s->left.keys[i]))
                to[kept++] = string_keys_place(&s->left, i);
        s->kept[chunk] = kept;
    }
}

/* The strings of the groups are left, in the sequence of their places. */
static ordo_status keep_groups(nearing *s)
{
    ordo_exec *const exec = s->part->c.exec;
    size_t const     chunks = ordo_div_up(s->left.n, GRAIN);
    size_t           all = 0;
    memset(s->filter, 0, sizeof s->filter);
    for (size_t g = 0; g < s->group_count; g++)
        s->filter[filter_of(s->groups[g].key)] = 1;
    TRY(dist_loop(&s->part->c, chunks, 1, list_kept, s));
    for (size_t chunk = 0; chunk < chunks; chunk++)
        all += (size_t)s->kept[chunk];
    if (s->left.places == NULL) /* later levels leave fewer */
        TRY_SCRATCH(exec, (all + 1) * sizeof *s->left.places, s->left.places);
    s->left.n = 0;
    for (size_t chunk = 0; chunk < chunks; chunk++) {
        memcpy(s->left.places + s->left.n, s->left.keys + chunk * GRAIN,
               s->kept[chunk] * sizeof *s->left.places);
        s->left.n += (size_t)s->kept[chunk];
    }
    return ORDO_OK;
}

/* ---- The steps ---- */

static ordo_status take_memory(nearing *s, size_t count)
{
    dist_call *const c = &s->part->c;
    size_t const     size = (size_t)c->comm.size;
    TRY_SCRATCH(c->exec, (ordo_div_up(c->n, GRAIN) + 1) * sizeof *s->kept, s->kept);
    TRY_SCRATCH(c->exec, size * sizeof *s->counts, s->counts);
    TRY_SCRATCH(c->exec, (count + 1) * sizeof *s->cuts, s->cuts);
    TRY_SCRATCH(c->exec, (count + 1) * sizeof *s->groups, s->groups);
    TRY_SCRATCH(c->exec, (count + 1) * sizeof *s->sums, s->sums);
    TRY(string_keys_open(s->part, &s->left));
    memcpy(s->counts, c->counts, size * sizeof *s->counts);
    return ORDO_OK;
}

/* One level: the strings that are left become those with the keys of the positions. */
static ordo_status narrow(nearing *s, cut *cuts, size_t count)
{
    dist_call *const c = &s->part->c;
    TRY(string_keys_find(&s->left));
    dist_part const part = {
        {ORDO_U64, c->descending, false}, s->left.keys, s->left.n, s->counts, s->total};
    for (size_t j = 0; j < count; j++)
        s->cuts[j] = (cut){.position = cuts[j].position};
    TRY(brackets_find(c, &part, s->cuts, count));
    TRY(make_groups(s, cuts, count));
    TRY(dist_agree(c, keep_groups(s)));
    uint64_t const n = s->left.n;
    return dist_allgather(c, &n, sizeof n, s->counts);
}

/* Sorts the strings that are left. */
static ordo_status sort_left(nearing *s)
{
    string_part *const p = s->part;
    dist_call *const   c = &p->c;
    double const       started = dist_clock();
    TRY_SCRATCH(c->exec, (s->left.n + 1) * sizeof *p->order, p->order);
    TRY(string_argsort_some(c, &p->strings, s->left.places, s->left.n, p->order));
    p->ordered = s->left.n;
    p->ordered_total = s->total;
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

/* Whether many strings of one key are left, which continue behind it. */
static bool is_deep(const nearing *s)
{
    return !s->first && s->group_count == 1 && !string_ends(&s->left.view, s->groups[0].key) &&
           s->total >= LEAST;
}

static ordo_status keep_near(nearing *s, cut *cuts, size_t count)
{
    string_part *const p = s->part;
    dist_call *const   c = &p->c;
    double const       started = dist_clock();
    TRY(dist_agree(c, take_memory(s, count)));
    if (c->total < LEAST || count == 0 || count > NARROWING_FEW)
        return dist_agree(c, string_part_sort(p, NULL));
    TRY(narrow(s, cuts, count));
    for (size_t level = 1; level < MOST_LEVELS && is_deep(s); level++) {
        s->left.depth += STRING_STEP;
        TRY(narrow(s, cuts, count));
    }
    c->report.cut_seconds += dist_clock() - started;
    return dist_agree(c, sort_left(s));
}

ordo_status string_part_near(string_part *p, cut *cuts, size_t count)
{
    nearing s = {.part = p, .total = p->c.total};
    return keep_near(&s, cuts, count);
}

ordo_status string_part_first(string_part *p, cut *end)
{
    nearing s = {.part = p, .total = p->c.total, .first = true};
    return keep_near(&s, end, 1);
}
