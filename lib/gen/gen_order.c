/* gen_order.c - sorted, reverse, organpipe and sawtooth, without sorting anything.
 *
 * The range of the type is cut into as many cells as an ascending run has keys, and key i is
 * drawn from cell i: the keys ascend because the cells do. Runs longer than the type has values
 * have ties. */
#include "gen/gen.h"

#include "gen/gen_maps.h"

typedef struct gen_run {
    const ordo_gen_job *job;
    uint64_t            stream;
    gen_grid            grid;
} gen_run;

#define ORDO_TEMPLATE "gen/gen_order.t.h"
#include "core/for_each_type.h"

static ordo_body *gen_order_body(const ordo_gen_job *job)
{
    switch (job->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return gen_order_body_##tag(job->dist);
#include "core/types.def"
    }
    return NULL;
}

ordo_status ordo_gen_order(const ordo_gen_job *job, ordo_exec *exec)
{
    const size_t cells = job->dist == ORDO_DIST_ORGANPIPE ? ordo_div_up(job->n, 2) : job->n;
    gen_run      run = {.job = job,
                        .stream = gen_stream(job->seed, ORDO_DIST_SORTED, GEN_DRAW),
                        .grid = gen_grid_make(UINT64_MAX, cells)};

    return ordo_loop(exec, job->n, ORDO_GEN_BLOCK, gen_order_body(job), &run) ? ORDO_OK
                                                                              : ORDO_E_CANCELLED;
}
