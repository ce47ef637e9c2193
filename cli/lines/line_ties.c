/* line_ties.c - sorts lines with equal words by all their bytes (see line_sort.h).
 *
 * Threads look for groups of equal words that are not all the same line. Each sorts small groups by
 * insertion. The lines of all large groups are then sorted by one call: the key of a line is the
 * number of its group, then its bytes. Memory: for each line of a large group 24 bytes and its
 * key. */
#define _POSIX_C_SOURCE 200809L

#include "cli/lines/line_sort.h"

#include "cli/base/workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCAN = 1 << 14,      /* lines in which a thread looks for ties at once */
    INSERTION_MOST = 24, /* tied lines that are sorted by insertion; estimate */
    AHEAD = 16,          /* lines fetched before they are compared; estimate */
    GROUP_BYTES = 8      /* of the number of a group in a key */
};

typedef struct tie_group { /* lines [first, end) */
    size_t first, end;
} tie_group;

typedef struct tie_job {
    const line_ties *t;
    pthread_mutex_t  lock;
    tie_group       *large; /* groups that are left */
    size_t           count, capacity;
    bool             failed;
} tie_job;

static key_span line_of(const line_ties *t, size_t index)
{
    if (t->offsets != NULL)
        return (key_span){t->text + t->offsets[index], t->text + t->offsets[index + 1]};
    const char *const begin = t->text + (index >> PLACE_SIZE_BITS);
    return (key_span){begin, begin + (index & (((size_t)1 << PLACE_SIZE_BITS) - 1))};
}

static key_span line_at(const line_ties *t, size_t i)
{
    return line_of(t, index_at(t->type, t->index, i));
}

static size_t size_of(key_span line) { return (size_t)(line.end - line.begin); }

/* Whether there is a line i, and its word is that of the line before it. */
static bool is_tied(const line_ties *t, size_t i)
{
    return i < t->n && (t->words == NULL || t->words[i] == t->words[i - 1]);
}

/* Fetches tied lines behind line i. Always inline: gcc leaves out calls of functions that only
 * fetch. */
__attribute__((always_inline)) static inline void fetch_ahead(const line_ties *t, size_t i)
{
    if (t->offsets != NULL && is_tied(t, i + 2 * AHEAD))
        __builtin_prefetch(&t->offsets[index_at(t->type, t->index, i + 2 * AHEAD)]);
    if (is_tied(t, i + AHEAD) && size_of(line_at(t, i + AHEAD)) > t->whole)
        __builtin_prefetch(line_at(t, i + AHEAD).begin);
}

static bool is_same(const line_ties *t, key_span a, key_span b)
{
    return size_of(a) == size_of(b) &&
           (size_of(a) <= t->whole || memcmp(a.begin, b.begin, size_of(a)) == 0);
}

/* Whether the lines of a group are all the same. */
static bool all_same(const line_ties *t, tie_group g)
{
    const key_span first = line_at(t, g.first);
    bool           same = true;

    for (size_t i = g.first + 1; same && i < g.end; i++)
        same = is_same(t, line_at(t, i), first);
    return same;
}

static void sort_few(const line_ties *t, tie_group g)
{
    for (size_t i = g.first + 1; i < g.end; i++) {
        const size_t   moved = index_at(t->type, t->index, i);
        const key_span line = line_of(t, moved);
        size_t         at = i;
        for (; at > g.first; at--) {
            const key_span before = line_at(t, at - 1);
            const int      order =
                lines_compare(before.begin, size_of(before), line.begin, size_of(line));
            if (t->descending ? order >= 0 : order <= 0)
                break;
            index_put(t->type, t->index, at, index_at(t->type, t->index, at - 1));
        }
        index_put(t->type, t->index, at, moved);
    }
}

static void keep_large(tie_job *job, tie_group g)
{
    pthread_mutex_lock(&job->lock);
    job->failed |= !cli_grow(&job->large, job->count + 1, &job->capacity, sizeof g);
    if (!job->failed)
        job->large[job->count++] = g;
    pthread_mutex_unlock(&job->lock);
}

/* Handles the groups of ties that begin in a part of the lines. */
static void scan_part(void *user, size_t part)
{
    tie_job *const         job = user;
    const line_ties *const t = job->t;
    tie_group              g = {.first = part * SCAN};
    const size_t           stop = t->n - g.first < SCAN ? t->n : g.first + SCAN;

    while (g.first > 0 && g.first < stop && t->words[g.first] == t->words[g.first - 1])
        g.first++; /* the group began in an earlier part */
    for (; g.first < stop; g.first = g.end) {
        for (g.end = g.first + 1; is_tied(t, g.end); g.end++)
            fetch_ahead(t, g.end);
        if (g.end - g.first == 1 || all_same(t, g))
            continue;
        if (g.end - g.first <= INSERTION_MOST)
            sort_few(t, g);
        else
            keep_large(job, g);
    }
}

/* ---- Large groups ---- */

static int by_first(const void *a, const void *b)
{
    const tie_group *const x = a, *const y = b;
    return (x->first > y->first) - (x->first < y->first);
}

typedef struct tied_lines { /* of all large groups, one group after another */
    size_t    n, bytes;
    char     *keys;
    uint64_t *offsets, *index, *order;
} tied_lines;

static bool take_memory(const tie_job *job, tied_lines *l)
{
    for (size_t g = 0; g < job->count; g++)
        for (size_t i = job->large[g].first; i < job->large[g].end; i++, l->n++) {
            fetch_ahead(job->t, i);
            l->bytes += GROUP_BYTES + size_of(line_at(job->t, i));
        }
    l->keys = malloc(l->bytes + 1);
    l->offsets = malloc((l->n + 1) * sizeof *l->offsets);
    l->index = malloc((l->n + 1) * sizeof *l->index);
    l->order = malloc((l->n + 1) * sizeof *l->order);
    return l->keys != NULL && l->offsets != NULL && l->index != NULL && l->order != NULL;
}

static void copy_keys(const tie_job *job, tied_lines *l)
{
    const line_ties *const t = job->t;
    char                  *to = l->keys;
    size_t                 n = 0;

    for (size_t g = 0; g < job->count; g++)
        for (size_t i = job->large[g].first; i < job->large[g].end; i++, n++) {
            const uint64_t number = t->descending ? ~(uint64_t)g : g;
            const key_span line = line_at(t, i);
            fetch_ahead(t, i);
            l->offsets[n] = (size_t)(to - l->keys);
            l->index[n] = index_at(t->type, t->index, i);
            for (int shift = 8 * (GROUP_BYTES - 1); shift >= 0; shift -= 8)
                *to++ = (char)(number >> shift & 255);
            memcpy(to, line.begin, size_of(line));
            to += size_of(line);
        }
    l->offsets[n] = l->bytes;
}

static ordo_status sort_large(ordo_ctx *ctx, const tie_job *job, ordo_sort_opts opts)
{
    const line_ties *const t = job->t;
    tied_lines             l = {.n = 0};
    ordo_status            status = ORDO_E_NOMEM;
    size_t                 n = 0;

    qsort(job->large, job->count, sizeof *job->large,
          by_first); /* a sort of ordered keys is fast */
    opts.flags &= ~(uint64_t)ORDO_DESCENDING;
    opts.flags |= t->descending ? ORDO_DESCENDING : 0;
    if (take_memory(job, &l)) {
        copy_keys(job, &l);
        status = ordo_argsort_strings(
            ctx, &ORDO_OPTS(ordo_strings, .bytes = l.keys, .offsets = l.offsets), l.n, ORDO_U64,
            l.order, &opts);
    }
    for (size_t g = 0; status == ORDO_OK && g < job->count; g++)
        for (size_t i = job->large[g].first; i < job->large[g].end; i++)
            index_put(t->type, t->index, i, (size_t)l.index[l.order[n++]]);
    free(l.keys);
    free(l.offsets);
    free(l.index);
    free(l.order);
    return status;
}

ordo_status line_ties_sort(ordo_ctx *ctx, const line_ties *t, const ordo_sort_opts *opts)
{
    tie_job     job = {.t = t, .lock = PTHREAD_MUTEX_INITIALIZER};
    ordo_status status = ORDO_OK;

    workers_run((t->n + SCAN - 1) / SCAN, scan_part, &job);
    if (job.failed)
        status = ORDO_E_NOMEM;
    else if (job.count > 0)
        status = sort_large(ctx, &job, *opts);
    free(job.large);
    return status;
}

size_t line_ties_drop(const line_ties *t, bool by_bytes)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->n; i++) {
        if (by_bytes)
            fetch_ahead(t, i);
        if (kept > 0 && (t->words == NULL || t->words[i] == t->words[kept - 1]) &&
            (!by_bytes || is_same(t, line_at(t, i), line_at(t, kept - 1))))
            continue;
        if (t->words != NULL)
            t->words[kept] = t->words[i];
        index_put(t->type, t->index, kept++, index_at(t->type, t->index, i));
    }
    return kept;
}
