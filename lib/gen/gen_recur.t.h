/* gen_recur.t.h - the keys of one or more blocks of the recur distribution. */
static void FN(gen_recur)(void *arg, size_t lo, size_t hi)
{
    const gen_recur_state *const state = arg;
    const ordo_gen_job *const    job = state->job;
    KEY *const                   out = job->out;

    for (size_t block = lo; block < hi; block++) {
        const size_t begin = block * ORDO_GEN_BLOCK;
        const size_t end = ordo_min(begin + ORDO_GEN_BLOCK, job->n);
        uint64_t     place = state->changes[block] * state->step;
        for (size_t i = begin; i < end; i++) {
            place += (uint64_t)gen_changes(state, i) * state->step; /* without a branch */
            out[i] = FN(key_of_place)(place);
        }
    }
}
