/* string_ties.c - the groups of equal keys after a round, and what becomes of them.
 *
 * Blocks of the sorted keys are looked at side by side, twice: to count groups, and to write them
 * down where the blocks before leave off. A group is the block's in which it begins; how far it
 * reaches is found by doubling steps, for it may be the whole array. Groups whose strings have
 * ended are equal strings. Of the others, small ones are the CPU's; the rest go into another round
 * if they are many and the rounds so far got on.
 *
 * Time: two reads of the keys. Scratch: 24 bytes a group, 32 for those of the next round. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/strings/strings.h"

#include <time.h>

typedef struct tie_counts {
    size_t left, ties, entries; /* groups for the CPU; groups of a next round, and their strings */
} tie_counts;

typedef struct tie_work {
    const string_run  *s;
    size_t             block;
    tie_counts        *counts; /* of each block; then of all before it */
    ordo_string_group *left;   /* NULL: only count */
    string_tie        *ties;
    bool               again; /* there is a next round */
} tie_work;

/* Behind the last key equal to keys[at]. */
static size_t end_of(const uint64_t *keys, size_t at, size_t n)
{
    size_t step = 1, lo = at;
    while (lo + step < n && keys[lo + step] == keys[at]) {
        lo += step;
        step *= 2;
    }
    size_t hi = ordo_min(lo + step, n); /* keys[lo] is equal, keys[hi] is not */
    while (hi - lo > 1) {
        size_t const middle = lo + (hi - lo) / 2;
        if (keys[middle] == keys[at])
            lo = middle;
        else
            hi = middle;
    }
    return hi;
}

static void add_group(const tie_work *work, size_t first, size_t end, tie_counts *counts)
{
    const string_run *const   s = work->s;
    const string_coder *const coder = &s->coder;
    uint64_t const            key = s->keys[first];
    const string_tie *const   from = &s->ties[string_key_group(coder, key)];
    size_t const              count = end - first, lo = from->lo + (first - from->start);
    bool const                open = string_key_open(coder, key);
    uint64_t const depth = open ? from->depth + string_key_depth(coder, key) : ORDO_STRINGS_EQUAL;
    if (!open && !s->equal_wanted)
        return;
    if (open && count >= ORDO_TUNE_STRINGS_GROUP && work->again) {
        if (work->left != NULL)
            work->ties[counts->ties] = (string_tie){lo, counts->entries, count, depth};
        counts->ties++;
        counts->entries += count;
        return;
    }
    if (work->left != NULL)
        work->left[counts->left] = (ordo_string_group){lo, lo + count, depth};
    counts->left++;
}

static void tie_piece(void *arg, size_t lo, size_t hi)
{
    tie_work *const       work = arg;
    const uint64_t *const keys = work->s->keys;
    size_t const          n = work->s->entries, block = lo / work->block;
    tie_counts            counts = {0, 0, 0};
    if (work->left != NULL)
        counts = work->counts[block];
    if (lo > 0 && keys[lo] == keys[lo - 1])
        lo = end_of(keys, lo, n);
    for (size_t i = lo; i < hi && i + 1 < n;) {
        if (keys[i] != keys[i + 1]) {
            i++;
            continue;
        }
        size_t const end = end_of(keys, i, n);
        add_group(work, i, end, &counts);
        i = end;
    }
    if (work->left == NULL)
        work->counts[block] = counts;
}

/* Counts of each block; the sum of them all. false: cancelled. */
static bool count_groups(tie_work *work, size_t blocks, tie_counts *sum)
{
    string_run const *const s = work->s;
    *sum = (tie_counts){0, 0, 0};
    work->left = NULL;
    if (!ordo_loop(s->run.exec, s->entries, work->block, tie_piece, work))
        return false;
    for (size_t b = 0; b < blocks; b++) {
        tie_counts const here = work->counts[b];
        work->counts[b] = *sum;
        sum->left += here.left;
        sum->ties += here.ties;
        sum->entries += here.entries;
    }
    return true;
}

ordo_status string_ties(string_run *s)
{
    ordo_exec *const exec = s->run.exec;
    size_t const     blocks = ordo_div_up(s->entries, ORDO_TUNE_STRINGS_TIES);
    tie_work         work = {.s = s, .block = ORDO_TUNE_STRINGS_TIES};
    tie_counts       sum;
    void            *memory;
    TRY(ordo_scratch(exec, blocks * sizeof *work.counts, &memory));
    work.counts = memory;
    work.again = s->rounds < STRING_ROUNDS;
    if (!count_groups(&work, blocks, &sum))
        return ORDO_E_CANCELLED;
    bool const stuck = s->rounds > 1 && sum.entries > s->entries - s->entries / 8;
    if (work.again && (sum.entries < ORDO_TUNE_STRINGS_ROUND || stuck)) {
        work.again = false;
        if (!count_groups(&work, blocks, &sum))
            return ORDO_E_CANCELLED;
    }
    TRY(ordo_scratch(exec, (sum.left + 1) * sizeof *work.left, &memory));
    work.left = memory;
    TRY(ordo_scratch(exec, (sum.ties + 1) * sizeof *work.ties, &memory));
    work.ties = memory;
    if (!ordo_loop(exec, s->entries, work.block, tie_piece, &work))
        return ORDO_E_CANCELLED;

    ordo_string_known *const known = &s->known;
    known->parts[known->part_count].groups = work.left;
    known->parts[known->part_count++].count = sum.left;
    s->left += sum.left;
    s->ties = work.ties;
    s->tie_count = sum.ties;
    s->entries = sum.entries;
    s->ties_s += string_lap(s);
    return ORDO_OK;
}

double string_lap(string_run *s)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    double const now = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    double const lap = now - s->began;
    s->began = now;
    return lap;
}
