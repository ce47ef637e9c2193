/* search.c - ordo_search on the CPU: the threads share the needles, and each takes a block at a
 * time (search.t.h). If there are many needles, the key bits of about TOP_MOST keys are copied to a
 * table, which replaces the first twelve steps of a search by steps in the L1 cache. */
#include "core/indices.h"
#include "cpu/sets/sets.h"

enum {
    TOP_MOST = ORDO_TUNE(4096, 16), /* keys in the table: 32 KiB */
    TOP_NEEDLES = ORDO_TUNE(4096, 32),
    TOP_KEYS = ORDO_TUNE(1 << 14, 64), /* in the array, from which on the table is used */
    GRAIN = ORDO_TUNE(1 << 13, 512)    /* needles of a piece; estimate: about 0.2 ms */
};

typedef struct search_work {
    const ordo_needles_job *job;
    const set_loops        *loops;
    ordo_exec              *exec;
    set_search              search;
} search_work;

static void search_piece(void *arg, size_t lo, size_t hi)
{
    const search_work *const      work = arg;
    const ordo_needles_job *const job = work->job;
    ordo_type const               type = job->index_type;
    size_t const                  size = ordo_type_size(job->type);
    size_t                        places[SEARCH_BLOCK];
    for (size_t at = lo, count; at < hi; at += count) {
        count = ordo_min(SEARCH_BLOCK, hi - at);
        work->loops->places[job->type](&work->search, (const char *)job->needles + at * size, count,
                                       places);
        for (size_t i = 0; i < count; i++)
            ordo_put_index(type, job->index, at + i, places[i]);
    }
}

/* Fills the table of keys, unless there is no scratch for it. */
static void make_top(search_work *work)
{
    const ordo_needles_job *const job = work->job;
    set_search *const             search = &work->search;
    void                         *top;
    if (job->count < TOP_NEEDLES || job->n < TOP_KEYS)
        return;
    if (ordo_scratch(work->exec, TOP_MOST * ordo_type_size(job->type), &top) != ORDO_OK) {
        ordo_fail(work->exec, ORDO_OK, "%s", ""); /* no error: the table is not needed */
        return;
    }
    search->stride = ordo_div_up(job->n, TOP_MOST);
    search->top_count = ordo_div_up(job->n, search->stride);
    search->top = top;
    work->loops->take_top[job->type](search, top);
}

ordo_status cpu_places(void *state, const ordo_needles_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    search_work              work = {
                     .job = job,
                     .loops = kernels->sets,
                     .exec = exec,
                     .search = {.sorted = job->sorted,
                                .n = job->n,
                                .descending = job->descending,
                                .after = job->after},
    };
    exec->algorithm = "binary search";
    exec->isa = kernels->isa;
    make_top(&work);
    return cpu_done(ordo_loop(exec, job->count, GRAIN, search_piece, &work));
}
