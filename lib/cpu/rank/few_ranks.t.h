/* few_ranks.t.h - ranks of a few keys of one type: for each key the others are counted, so the
 * loops have no branches on keys; n^2 comparisons. See cpu_rank.c. */

static void FN(few_ranks)(const ordo_rank_job *job)
{
    const KEY *const keys = job->keys;
    size_t const     n = job->n;
    uint64_t         less[FEW], before[FEW];
    BITS             bits[FEW];
    for (size_t i = 0; i < n; i++)
        bits[i] = FN(key_tie_bits)(keys[i], job->descending);
    for (size_t i = 0; i < n; i++) {
        less[i] = before[i] = 0;
        for (size_t j = 0; j < n; j++) {
            less[i] += bits[j] < bits[i];
            before[i] += (j < i) & (bits[j] == bits[i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t ties = 0, groups = 0; /* keys equal to this one; distinct keys up to this one */
        for (size_t j = 0; j < n; j++) {
            ties += bits[j] == bits[i];
            groups += (bits[j] <= bits[i]) & (before[j] == 0);
        }
        put_rank(job, i,
                 ordo_tie_rank(job->ties, less[i], less[i] + ties, groups, less[i] + before[i]));
    }
}
