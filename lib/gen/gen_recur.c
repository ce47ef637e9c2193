/* gen_recur.c - sorted keys in which a key repeats its predecessor with probability p, the
 * inputs of the competition ranking experiments.
 *
 * A key is the number of changes up to it, times a step. The first loop counts the changes of
 * every block; their running sum tells where each block starts, and their total how wide a step
 * the type has room for; the second loop draws the same numbers again and writes the keys.
 * Scratch: 8 bytes a block. */
#include "gen/gen.h"

#include "gen/gen_maps.h"

typedef struct gen_recur_state {
    const ordo_gen_job *job;
    uint64_t            stream;
    uint64_t            repeat;  /* key i repeats if draw i, of 53 bits, is below this */
    uint64_t           *changes; /* per block: its own, then those before it */
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

#define ORDO_TEMPLATE "gen/gen_recur.t.h"
#include "core/for_each_type.h"

static ordo_body *gen_recur_body(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return gen_recur_##tag;
#include "core/types.def"
    }
    return NULL;
}

ordo_status ordo_gen_recur(const ordo_gen_job *job, ordo_exec *exec)
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

    uint64_t total = 0;
    for (size_t block = 0; block < blocks; block++) {
        const uint64_t count = state.changes[block];
        state.changes[block] = total;
        total += count;
    }
    if (total > last)
        return ordo_fail(exec, ORDO_E_ARG,
                         "recur: p = %g makes %llu of %zu keys differ, but %s offers only %llu",
                         job->p, (unsigned long long)total + 1, job->n, ordo_type_name(job->type),
                         (unsigned long long)last + 1);
    state.step = total > 0 ? last / total : 0;

    exec->phase = 1;
    return ordo_loop(exec, blocks, 1, gen_recur_body(job->type), &state) ? ORDO_OK
                                                                         : ORDO_E_CANCELLED;
}
