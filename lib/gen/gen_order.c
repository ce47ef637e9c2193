/* gen_order.c - sorted, reverse, organpipe, sawtooth, outliers, recur, ksorted and shuffled keys,
 * without a sort.
 *
 * Sorted keys: the range of the type is divided into a cell for each key of an ascending run, and
 * key i is drawn from cell i. Runs longer than the number of values of the type have ties. recur
 * are sorted keys in which a key repeats the previous key with probability p (the inputs of the
 * competition ranking paper). ksorted are distinct keys whose radius max{j - i : i < j, a[i] >
 * a[j]} is exactly k. shuffled perturbs sorted keys as the generator of the paper on roughly sorted
 * sequences (Pfaff and Treadwell) does. */
#include "gen/gen_maps.h"

/* ---- recur ----
 *
 * A key is the number of changes up to it, times a step. The first loop counts the changes of every
 * block. Their prefix sum gives the first key of each block, and their total the largest step that
 * fits the type. The second loop draws the same numbers again and writes the keys. Scratch: 8 bytes
 * for each block. */

typedef struct gen_recur_state {
    const ordo_gen_job *job;
    uint64_t            stream;
    uint64_t            repeat;  /* key i repeats if the 53 bits of draw i are below it */
    uint64_t           *changes; /* for each block: its changes, then the sum before it */
    uint64_t            step;
} gen_recur_state;

static bool gen_changes(const gen_recur_state *state, size_t i)
{
    return i > 0 && ordo_random_at(state->stream, i) >> 11 >= state->repeat;
}

static void gen_recur_count(void *arg, size_t lo, size_t hi)
{
    const gen_recur_state *const state = arg;

    for (size_t block = lo; block < hi; block++) {
        const size_t begin = block * ORDO_GEN_BLOCK;
        const size_t end = ordo_min(begin + ORDO_GEN_BLOCK, state->job->n);
        uint64_t     count = 0;
        for (size_t i = begin; i < end; i++)
            count += gen_changes(state, i);
        state->changes[block] = count;
    }
}

/* ---- ksorted ----
 *
 * Ascending keys, one from each cell of an even grid over the type, are divided into windows of
 * k + 1 keys and every window is shuffled, so no key passes more than k others. In one random
 * window the first and the last key are swapped and only the keys between them are shuffled, so
 * the radius is exactly k.
 *
 * Short windows are shuffled in place. In long windows position i gets the key of cell permute(i),
 * where permute is a keyed permutation that can be computed for each i alone. So a window as long
 * as the array is written in order, by all threads, and can be cancelled. */

/* The longest window that is shuffled in place. Results depend on this limit. */
#define SHUFFLE_LIMIT 65536u

typedef struct gen_shuffle_state {
    const ordo_gen_job *job;
    uint64_t            shuffle;
    size_t              length;      /* of a group: k + 1 */
    size_t              first, last; /* the keys that are exchanged */
} gen_shuffle_state;

typedef struct gen_ksorted_state {
    const ordo_gen_job *job;
    uint64_t            stream, shuffle;
    gen_grid            grid;
    size_t              length; /* of a window: k + 1 */
    size_t              chosen; /* the window whose ends are swapped */
} gen_ksorted_state;

/* A permutation of [0, count), count > 1: a Feistel network over the next power of two, repeated
 * until the result is below count. Each half of the bits is changed twice by a hash of the other
 * half. */
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
    const size_t   window = i / state->length;
    const size_t   begin = window * state->length;
    const size_t   count = ordo_min(state->length, state->job->n - begin);
    const uint64_t key = ordo_random_at(state->shuffle, window);

    if (window != state->chosen)
        return count > 1 ? begin + gen_permute(key, count, i - begin) : begin;
    if (i == begin || i == begin + count - 1)
        return i == begin ? begin + count - 1 : begin;
    return begin + 1 + gen_permute(key, count - 2, i - begin - 1);
}

#define ORDO_TEMPLATE "gen/gen_order.t.h"
#include "core/for_each_type.h"

static ordo_body *gen_order_body(const ordo_gen_job *job, bool in_place)
{
    return BY_TYPE(job->type, gen_order_body, (job->dist, in_place));
}

/* ---- The calls ---- */

static ordo_status gen_runs(const ordo_gen_job *job, ordo_exec *exec)
{
    const size_t cells = job->dist == ORDO_DIST_ORGANPIPE ? ordo_div_up(job->n, 2) : job->n;
    gen_state    state = {.job = job,
                          .stream = gen_stream(job->seed, ORDO_DIST_SORTED, GEN_DRAW),
                          .grid = gen_grid_make(UINT64_MAX, cells)};

    return ordo_loop(exec, job->n, ORDO_GEN_BLOCK, gen_order_body(job, false), &state)
               ? ORDO_OK
               : ORDO_E_CANCELLED;
}

static ordo_status gen_recur(const ordo_gen_job *job, ordo_exec *exec)
{
    const size_t    blocks = ordo_div_up(job->n, ORDO_GEN_BLOCK);
    const uint64_t  last = ordo_gen_last_place(job->type);
    gen_recur_state state = {.job = job,
                             .stream = gen_stream(job->seed, job->dist, GEN_DRAW),
                             .repeat = (uint64_t)(job->p * 0x1p53)};
    void           *scratch;

    TRY(ordo_scratch(exec, blocks * sizeof *state.changes, &scratch));
    state.changes = scratch;
    exec->phases = 2;
    if (!ordo_loop(exec, blocks, 1, gen_recur_count, &state))
        return ORDO_E_CANCELLED;

    const uint64_t total = ordo_sums_before_64(state.changes, blocks);
    if (total > last)
        return ordo_fail(exec, ORDO_E_ARG,
                         "recur: with p = %g, %zu keys need %llu different values; expected at "
                         "most %llu for type %s",
                         job->p, job->n, (unsigned long long)total + 1,
                         (unsigned long long)last + 1, ordo_type_name(job->type));
    state.step = total > 0 ? last / total : 0;

    exec->phase = 1;
    return ordo_loop(exec, blocks, 1, gen_order_body(job, false), &state) ? ORDO_OK
                                                                          : ORDO_E_CANCELLED;
}

static ordo_status gen_ksorted(const ordo_gen_job *job, ordo_exec *exec)
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
    return ordo_loop(exec, items, grain, gen_order_body(job, in_place), &state) ? ORDO_OK
                                                                                : ORDO_E_CANCELLED;
}

/* Shuffles groups of keys: those before the two exchanged keys, the group between them, and those
 * after them. */
ordo_status ordo_gen_shuffled(const ordo_gen_job *job, ordo_exec *exec)
{
    const size_t      k = (size_t)job->k, length = k + 1;
    const uint64_t    choice = gen_stream(job->seed, job->dist, GEN_CHOICE);
    const size_t      first = (size_t)ordo_random_below(choice, job->n - k);
    gen_shuffle_state state = {.job = job,
                               .shuffle = gen_stream(job->seed, job->dist, GEN_SHUFFLE),
                               .length = length,
                               .first = first,
                               .last = first + k};
    const size_t      groups =
        ordo_div_up(first, length) + 1 + ordo_div_up(job->n - 1 - state.last, length);

    if (k == 0)
        return ORDO_OK;
    return ordo_loop(exec, groups, ordo_max(1, ORDO_GEN_BLOCK / length), gen_order_body(job, false),
                     &state)
               ? ORDO_OK
               : ORDO_E_CANCELLED;
}

ordo_status ordo_gen_order(const ordo_gen_job *job, ordo_exec *exec)
{
    switch ((int)job->dist) {
    case ORDO_DIST_RECUR:
        return gen_recur(job, exec);
    case ORDO_DIST_KSORTED:
        return gen_ksorted(job, exec);
    default:
        return gen_runs(job, exec);
    }
}
