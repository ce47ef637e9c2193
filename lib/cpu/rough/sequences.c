/* sequences.c - the radius of an array from its sequences LR, RL and DM.
 *
 * A. Pfaff and J. Treadwell, "Parallel Sorting of Roughly-Sorted Sequences" (2016), after T. Altman
 * and Y. Igarashi (1989). LR[i] is the largest key up to i, RL[i] the smallest key from i on, and
 * DM[i] the largest distance i - j with LR[j] greater than RL[i]. The radius is the largest DM[i].
 * SEQUENTIAL is the authors' algorithm: one thread, three loops, O(n). AUTO divides the array into
 * pieces: the first loop finds the largest and smallest key of each piece, the second writes LR and
 * RL, the third finds the first DM of each piece by binary search and writes DM. Scratch: LR and
 * RL, if the caller does not want them, and some bytes for each piece. */
#include "cpu/rough/rough.h"

#include "backend/layout.h"
#include "core/bisect.h"
#include "core/keybits.h"

enum {
    SEQUENCES_STRIDE = 1 << 16 /* keys between two checks for cancel, on one thread */
};

typedef struct sequences_work {
    const ordo_radius_job *job;
    void                  *lr, *rl; /* the caller's, or scratch */
    size_t                 grain;
    uint64_t              *most, *least; /* the largest and smallest key bits: of each piece; then
                                          * of the keys before and after it */
    _Atomic uint64_t       radius;
} sequences_work;

typedef struct sequences_loops {
    bool (*walk)(sequences_work *work, ordo_exec *exec);
    ordo_body *bounds, *scan, *measure;
} sequences_loops;

#define ORDO_TEMPLATE "cpu/rough/sequences.t.h"
#include "core/for_each_type.h"

static sequences_loops loops_of(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return sequences_loops_of_##tag();
#include "core/types.def"
    }
    return (sequences_loops){NULL, NULL, NULL, NULL};
}

/* Turns the bounds of each piece into those of all pieces before it and after it. */
static void spread_bounds(sequences_work *work, size_t pieces)
{
    uint64_t most = 0, least = UINT64_MAX;
    for (size_t p = 0; p < pieces; p++) {
        uint64_t const here = work->most[p];
        work->most[p] = most;
        most = ordo_max(most, here);
    }
    for (size_t p = pieces; p-- > 0;) {
        uint64_t const here = work->least[p];
        work->least[p] = least;
        least = ordo_min(least, here);
    }
}

static bool by_pieces(sequences_work *work, const sequences_loops *loops, ordo_exec *exec)
{
    size_t const n = work->job->n;
    exec->phases = exec->phase + 3;
    if (!ordo_loop(exec, n, work->grain, loops->bounds, work))
        return false;
    spread_bounds(work, ordo_div_up(n, work->grain));
    exec->phase++;
    if (!ordo_loop(exec, n, work->grain, loops->scan, work))
        return false;
    exec->phase++;
    return ordo_loop(exec, n, work->grain, loops->measure, work);
}

static sequences_work work_of(const ordo_radius_job *job)
{
    return (sequences_work){.job = job, .lr = job->lr, .rl = job->rl, .grain = cpu_grain(job->n)};
}

static void lay_out(void *arg, ordo_layout *layout)
{
    sequences_work *const        work = arg;
    const ordo_radius_job *const job = work->job;
    bool const                   is_alone = job->algorithm == ORDO_ALGORITHM_SEQUENTIAL;
    size_t const                 pieces = is_alone ? 0 : ordo_div_up(job->n, work->grain);
    work->most = ordo_lay_line(layout, pieces, sizeof *work->most);
    work->least = ordo_lay(layout, pieces, sizeof *work->least);
    if (job->lr == NULL)
        work->lr = ordo_lay_line(layout, job->n, ordo_type_size(job->type));
    if (job->rl == NULL)
        work->rl = ordo_lay_line(layout, job->n, ordo_type_size(job->type));
}

size_t cpu_sequences_scratch(const ordo_radius_job *job)
{
    sequences_work work = work_of(job);
    return ordo_layout_bytes(lay_out, &work);
}

ordo_status cpu_sequences(const ordo_radius_job *job, ordo_exec *exec)
{
    bool const            is_alone = job->algorithm == ORDO_ALGORITHM_SEQUENTIAL;
    sequences_loops const loops = loops_of(job->type);
    sequences_work        work = work_of(job);
    exec->algorithm = is_alone ? "sequential" : "sequences";
    exec->isa = "generic";
    TRY(ordo_lay_out(exec, lay_out, &work));
    atomic_init(&work.radius, 0);
    bool const finished = is_alone ? loops.walk(&work, exec) : by_pieces(&work, &loops, exec);
    *job->radius = atomic_load_explicit(&work.radius, memory_order_relaxed);
    return cpu_done(finished);
}
