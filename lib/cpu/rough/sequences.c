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

static size_t array_bytes(const ordo_radius_job *job)
{
    return ordo_round_up(job->n * ordo_type_size(job->type), ORDO_CACHE_LINE);
}

static size_t bounds_bytes(const ordo_radius_job *job)
{
    size_t const pieces = ordo_div_up(job->n, cpu_grain(job->n));
    return job->algorithm == ORDO_ALGORITHM_SEQUENTIAL ? 0 : 2 * pieces * sizeof(uint64_t);
}

size_t cpu_sequences_scratch(const ordo_radius_job *job)
{
    size_t const arrays = (size_t)(job->lr == NULL) + (size_t)(job->rl == NULL);
    return arrays * array_bytes(job) + ordo_round_up(bounds_bytes(job), ORDO_CACHE_LINE);
}

ordo_status cpu_sequences(const ordo_radius_job *job, ordo_exec *exec)
{
    bool const            is_alone = job->algorithm == ORDO_ALGORITHM_SEQUENTIAL;
    sequences_loops const loops = loops_of(job->type);
    sequences_work work = {.job = job, .lr = job->lr, .rl = job->rl, .grain = cpu_grain(job->n)};
    void          *scratch;
    exec->algorithm = is_alone ? "sequential" : "sequences";
    exec->isa = "generic";
    if (array_bytes(job) > SIZE_MAX / 4)
        return ordo_fail(exec, ORDO_E_NOMEM, "no memory for two sequences of %zu keys", job->n);
    TRY(ordo_scratch(exec, cpu_sequences_scratch(job), &scratch));
    work.most = scratch;
    work.least = work.most + bounds_bytes(job) / sizeof *work.most / 2;
    char *room = (char *)scratch + ordo_round_up(bounds_bytes(job), ORDO_CACHE_LINE);
    if (work.lr == NULL) {
        work.lr = room;
        room += array_bytes(job);
    }
    if (work.rl == NULL)
        work.rl = room;
    atomic_init(&work.radius, 0);
    bool const finished = is_alone ? loops.walk(&work, exec) : by_pieces(&work, &loops, exec);
    *job->radius = atomic_load_explicit(&work.radius, memory_order_relaxed);
    return cpu_done(finished);
}
