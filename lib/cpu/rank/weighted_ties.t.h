/* weighted_ties.t.h - which keys of one type tie with the key before them in order. See
 * cpu_weighted_rank.c. */

static void FN(mark_ties)(const weighted_ranks *work, size_t lo, size_t hi)
{
    const KEY *const keys = work->in.job->keys;
    BITS             before = lo > 0 ? FN(key_fold)(keys[weights_index(&work->in, lo - 1)]) : 0;
    for (size_t i = lo; i < hi; i++) {
        BITS const here = FN(key_fold)(keys[weights_index(&work->in, i)]);
        work->is_tie[i] = i > 0 && here == before;
        before = here;
    }
}
