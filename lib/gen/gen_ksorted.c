/* gen_ksorted.c - keys all different, whose radius max{j - i : i < j, a[i] > a[j]} is exactly k.
 *
 * As in the roughly sorted sequences paper: ascending keys, cut into runs of k + 1, every run
 * shuffled, so that no key moves past more than k others; and in one run, chosen at random, the
 * first and the last key change places while only those between them are shuffled, so that the
 * radius is reached. The ascending keys come one from each cell of an even grid over the type.
 *
 * Runs that fit the cache are shuffled in place, whole runs being the pieces of the loop. Longer
 * ones are never moved: position i gets the key of cell permute(i), where permute is a keyed
 * one-to-one map of the run computed for each i alone, so that one run as long as the array
 * still runs on every thread, writes memory in order and can be cancelled. */
#include "gen/gen.h"

#include "gen/gen_maps.h"

/* Longest run that is shuffled in place. Results depend on it: it is part of the definition. */
#define SHUFFLE_LIMIT 65536u

typedef struct gen_ksorted_state {
    const ordo_gen_job *job;
    uint64_t            stream, shuffle;
    gen_grid            grid;
    size_t              length; /* of a run: k + 1 */
    size_t              chosen; /* the run whose ends change places */
} gen_ksorted_state;

/* A permutation of [0, count), count > 1: a Feistel network over the next power of two (halves
 * of as equal a number of bits as possible, each changed twice by a hash of the other), applied
 * until the number falls below count again. */
static uint64_t gen_permute(uint64_t key, uint64_t count, uint64_t x)
{
    const unsigned bits = gen_log2(count - 1) + 1;
    const unsigned low_bits = bits / 2;
    const uint64_t low_mask = (UINT64_C(1) << low_bits) - 1;
    const uint64_t high_mask = (UINT64_C(1) << (bits - low_bits)) - 1;

    do {
        uint64_t low = x & low_mask, high = x >> low_bits;
        for (uint64_t round = 0; round < 4; round += 2) {
            low ^= ordo_random_at(key + round, high) & low_mask;
            high ^= ordo_random_at(key + round + 1, low) & high_mask;
        }
        x = high << low_bits | low;
    } while (x >= count);
    return x;
}

static uint64_t gen_permuted_cell(const gen_ksorted_state *state, size_t i)
{
    const size_t   run = i / state->length;
    const size_t   begin = run * state->length;
    const size_t   count = ordo_min(state->length, state->job->n - begin);
    const uint64_t key = ordo_random_at(state->shuffle, run);

    if (run != state->chosen)
        return count > 1 ? begin + gen_permute(key, count, i - begin) : begin;
    if (i == begin || i == begin + count - 1)
        return i == begin ? begin + count - 1 : begin;
    return begin + 1 + gen_permute(key, count - 2, i - begin - 1);
}

#define ORDO_TEMPLATE "gen/gen_ksorted.t.h"
#include "core/for_each_type.h"

static ordo_body *gen_ksorted_body(ordo_type type, bool in_place)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return in_place ? gen_ksorted_runs_##tag : gen_ksorted_cells_##tag;
#include "core/types.def"
    }
    return NULL;
}

ordo_status ordo_gen_ksorted(const ordo_gen_job *job, ordo_exec *exec)
{
    const size_t      length = (size_t)job->k + 1;
    const uint64_t    choice = gen_stream(job->seed, job->dist, GEN_CHOICE);
    const bool        in_place = length <= SHUFFLE_LIMIT;
    gen_ksorted_state state = {.job = job,
                               .stream = gen_stream(job->seed, job->dist, GEN_DRAW),
                               .shuffle = gen_stream(job->seed, job->dist, GEN_SHUFFLE),
                               .grid = gen_grid_make(ordo_gen_last_place(job->type), job->n),
                               .length = length,
                               .chosen = (size_t)ordo_random_below(choice, job->n / length)};

    const size_t items = in_place ? ordo_div_up(job->n, length) : job->n;
    const size_t grain = in_place ? ordo_max(1, ORDO_GEN_BLOCK / length) : ORDO_GEN_BLOCK;
    return ordo_loop(exec, items, grain, gen_ksorted_body(job->type, in_place), &state)
               ? ORDO_OK
               : ORDO_E_CANCELLED;
}
