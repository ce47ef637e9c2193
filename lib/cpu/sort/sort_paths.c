/* sort_paths.c - the table of paths of a sort of keys (paths.h).
 *
 * A row has a condition on the type, n, the ISA and what a look at the keys shows (sort_look.h).
 * Narrow keys have 8 or 16 bits. */
#include "cpu/sort/sort_paths.h"

#include "cpu/base/paths.h"
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_look.h"
#include "cpu/sort/sort_steps.h"

struct cpu_look {
    const cpu_kernels   *kernels;
    const ordo_sort_job *job;
    ordo_exec           *exec;
    bool                 sampled, asked; /* `sampled` is set with `asked`, */
    bool                 viewed;         /* `io` and `view` with `viewed` */
    radix_io             io;
    look_view            view;
    size_t               radius;  /* the most for windows; set by their condition */
    void                *scratch; /* scratch for n keys that a row left, or NULL */
};

static bool is_narrow(const ordo_sort_job *job)
{
    return ordo_type_size(job->type) < sizeof(uint32_t);
}

/* The most runs that are merged. Keys of less than four bytes are sorted by counting unless they
 * are sorted already. */
static size_t most_runs(ordo_type type)
{
    return ordo_type_size(type) < sizeof(uint32_t) ? 1 : ORDO_TUNE_RUNS;
}

/* The largest radius for which windows are faster than the radix sort of n keys, with or without
 * its vector code. */
static size_t most_radius_of(ordo_type type, size_t n, bool by_vectors)
{
    bool const   narrow = ordo_type_size(type) <= sizeof(uint32_t);
    size_t const most = narrow ? ORDO_TUNE_ROUGH_RADIUS : ORDO_TUNE_ROUGH_RADIUS_SHORT;
    size_t const part = n / (narrow ? ORDO_TUNE_ROUGH_PART_32 : ORDO_TUNE_ROUGH_PART_64);
    if (by_vectors)
        return n < ORDO_TUNE_ROUGH_MANY ? ROUGH_NETWORK_REACH / 2 : ordo_min(most, part);
    return !narrow            ? ORDO_TUNE_NEON(ORDO_TUNE_ROUGH_RADIUS, ROUGH_NETWORK_REACH)
           : type == ORDO_F32 ? ORDO_TUNE_NEON(ORDO_TUNE_ROUGH_RADIUS, ORDO_TUNE_ROUGH_RADIUS_SHORT)
                              : ORDO_TUNE_ROUGH_RADIUS;
}

/* With an ISA that compresses vectors, buckets are sorted so fast that windows are faster only for
 * a small radius. */
static size_t most_radius(const cpu_kernels *kernels, const ordo_sort_job *job)
{
    bool const narrow = ordo_type_size(job->type) <= sizeof(uint32_t);
    return most_radius_of(job->type, job->n,
                          kernels->split[narrow ? CPU_WIDTH_32 : CPU_WIDTH_64] != NULL);
}

/* ---- Looks ---- */

/* Whether the whole array is checked instead of a sample: few keys, which a vector sort or counting
 * takes. */
static bool is_checked_whole(const cpu_look *look)
{
    const ordo_sort_job *const job = look->job;
    return (job->n <= ORDO_WORDS_FEW_32 && cpu_vector_takes(look->kernels, job)) ||
           (job->n <= ORDO_TUNE_LOOK_ALL && is_narrow(job));
}

/* Asked once, because several conditions need it and it takes a part of the time of a few keys. */
static bool is_sampled(cpu_look *look)
{
    if (!look->asked)
        look->sampled = look->job->n >= 2 * ORDO_TUNE_LOOK_KEYS && !is_checked_whole(look);
    look->asked = true;
    return look->sampled;
}

static void open_look(cpu_look *look)
{
    look->io = look_order(look->kernels, look->job, false);
    look->exec->isa = look->kernels->loops->isa;
}

/* The sample of neighbours; NULL: the array is not sampled. */
static const look_view *view_of(cpu_look *look)
{
    if (!is_sampled(look))
        return NULL;
    if (!look->viewed) {
        open_look(look);
        look->view = look_neighbours(&look->io, look->exec->seed);
        look->viewed = true;
    }
    return &look->view;
}

/* ---- Conditions ---- */

static bool is_small(cpu_look *look) { return look->job->n <= 2 * ORDO_TUNE_LOOK_KEYS; }

static bool is_few(cpu_look *look)
{
    return look->job->n >= 2 * ORDO_TUNE_LOOK_KEYS && !is_sampled(look);
}

static bool seems_constant(cpu_look *look) { return is_sampled(look) && look_constant(look->job); }

static bool seems_runs(cpu_look *look)
{
    const look_view *const view = view_of(look);
    return view != NULL && look_shows_runs(view, most_runs(look->job->type));
}

/* Equal keys may fill whole windows; then keys decrease only between windows. */
static bool seems_reversed(cpu_look *look)
{
    const look_view *const view = view_of(look);
    return view != NULL && view->falls + view->flats == view->looked &&
           view->falls + view->far_falls > 0 && view->far_rises == 0;
}

/* Whether few keys are out of place: some windows may begin with such a key, or hold many. */
static bool seems_displaced(cpu_look *look)
{
    const look_view *const view = view_of(look);
    bool const             compress = look->kernels->split[CPU_WIDTH_64] != NULL;
    size_t const           share = compress ? ORDO_TUNE_DISPLACED_FREE : ORDO_DISPLACED_SHARE;
    return view != NULL && look->job->n >= ORDO_TUNE_LOOK_ALL && !is_narrow(look->job) &&
           view->falls * share <= view->looked && view->far_falls <= ORDO_DISPLACED_FAR &&
           !seems_reversed(look);
}

static bool seems_rough(cpu_look *look)
{
    const look_view *const view = view_of(look);
    if (view == NULL || look->job->n < ORDO_TUNE_LOOK_ALL || is_narrow(look->job) ||
        view->far_falls > 0 || view->falls * 4 >= view->looked * 3 || seems_reversed(look))
        return false;
    look->radius = most_radius(look->kernels, look->job);
    return look->radius > 0;
}

static bool is_counted(const ordo_sort_job *job)
{
    return job->n >= ORDO_TUNE_LOOK_ALL && !is_narrow(job);
}

/* The paths draw the samples, because a sample takes too much memory for the look. */
static bool may_be_counted(cpu_look *look) { return is_counted(look->job); }

static bool is_of_narrow_keys(cpu_look *look) { return is_narrow(look->job); }

static bool is_of_wide_keys(cpu_look *look) { return !is_narrow(look->job); }

/* ---- Paths ---- */

static ordo_status sort_small(cpu_look *look, bool *done)
{
    *done = cpu_small_sort(look->kernels, look->job, look->exec);
    return ORDO_OK;
}

/* Only a sorted or reversed array is faster than the vector sort. */
static ordo_status sort_few(cpu_look *look, bool *done)
{
    bool sorted, reversed;
    look->exec->isa = look->kernels->loops->isa;
    look_at_all(look->kernels, look->job, 0, &sorted, &reversed);
    if (sorted || reversed) {
        radix_io const io = look_order(look->kernels, look->job, false);
        TRY(sorted ? cpu_sort_runs(look->job, &io, done, look->exec)
                   : cpu_sort_reversed(look->job, &io, done, look->exec));
    }
    *done = *done || cpu_vector_sort(look->kernels, look->job, look->exec);
    return ORDO_OK;
}

static ordo_status sort_constant(cpu_look *look, bool *done)
{
    open_look(look);
    return cpu_sort_runs(look->job, &look->io, done, look->exec);
}

static ordo_status sort_runs(cpu_look *look, bool *done)
{
    return cpu_sort_runs(look->job, &look->io, done, look->exec);
}

static ordo_status sort_reversed(cpu_look *look, bool *done)
{
    return cpu_sort_reversed(look->job, &look->io, done, look->exec);
}

/* Declines if scratch is refused, because the general sort needs less. */
static ordo_status sort_displaced(cpu_look *look, bool *done)
{
    look->exec->phases += 2;
    ordo_status const status =
        cpu_sort_displaced(look->kernels, look->job, done, &look->scratch, look->exec);
    return status == ORDO_E_NOMEM ? ORDO_OK : status;
}

static ordo_status sort_windows(cpu_look *look, bool *done)
{
    size_t seen = look_radius(&look->io, look->exec->seed);
    if (seen > ORDO_TUNE_LOOK_KEYS / 4)
        TRY(look_far(look->kernels, look->job, &seen, look->radius, look->exec));
    return seen > look->radius
               ? ORDO_OK
               : cpu_sort_windows(look->kernels, look->job, seen, look->radius, done, look->exec);
}

static ordo_status sort_few_values(cpu_look *look, bool *done)
{
    few_sample sample;
    if (!look_few(look->job, look->exec->seed, &sample))
        return ORDO_OK;
    return cpu_sort_few(look->kernels, look->job, &sample, done, &look->scratch, look->exec);
}

static ordo_status sort_dense(cpu_look *look, bool *done)
{
    return cpu_sort_dense(look->kernels, look->job, done, &look->scratch, look->exec);
}

static ordo_status sort_narrow(cpu_look *look, bool *done)
{
    *done = true;
    return cpu_sort_narrow(look->job, look->exec);
}

static ordo_status sort_radix(cpu_look *look, bool *done)
{
    radix_io io = records_of_keys(look->kernels, look->job);
    io.scratch = look->scratch;
    *done = true;
    return cpu_radix(&io, look->exec);
}

void cpu_tell_in_place(ordo_exec *exec)
{
    exec->facts.strategy = ORDO_STRATEGY_IN_PLACE;
    exec->facts.buckets = exec->facts.record_bytes = 0;
}

static ordo_status sort_in_place(cpu_look *look, bool *done)
{
    const ordo_sort_job *const job = look->job;
    ordo_exec *const           exec = look->exec;
    *done = true;
    cpu_tell_in_place(exec);
    if (is_narrow(job))
        return cpu_narrow_inplace(job, exec);
    radix_io const    io = records_of_keys(look->kernels, job);
    cpu_records const records = {io.kind, job->keys, job->n};
    exec->algorithm = "radix in place";
    exec->changed = true;
    TRY(records_load(&io, &records, exec));
    ordo_status const status = cpu_records_inplace(&records, exec);
    if (status == ORDO_E_CANCELLED)
        return status;
    TRY(records_store(&io, &records, exec));
    return status;
}

/* ---- The table ---- */

enum { /* rows that others name */
    FIRST_ORDERED = 3,
    FIRST_VALUES = 7,
    FIRST_GENERAL = 9,
    IN_PLACE = 11,
    PATHS = 12
};

static const cpu_path paths[PATHS] = {
    CPU_PATH("sort", "small", "few enough for registers or for one vector sort", NULL, is_small,
             sort_small),
    CPU_PATH("sort", "checked",
             "for one vector sort, or few keys of 8 or 16 bits; all are checked for order first",
             NULL, is_few, sort_few),
    CPU_PATH("sort", "constant", "nine keys all over the array are equal", NULL, seems_constant,
             sort_constant),

    CPU_PATH("sort", "runs", "a sample of neighbours shows few runs", NULL, seems_runs, sort_runs),
    CPU_PATH("sort", "reversed", "no sampled key is greater than the key before it", NULL,
             seems_reversed, sort_reversed),
    CPU_PATH("sort", "displaced", "few sampled keys are out of place", NULL, seems_displaced,
             sort_displaced),
    CPU_PATH("sort", "windows", "sampled windows rise, and their radius is small", NULL,
             seems_rough, sort_windows),

    CPU_PATH("sort", "few values", "a random sample has few values", NULL, may_be_counted,
             sort_few_values),
    CPU_PATH("sort", "dense", "a random sample has numbers of a narrow range", NULL, may_be_counted,
             sort_dense),

    CPU_PATH("sort", "narrow", "keys of 8 or 16 bits", "in place", is_of_narrow_keys, sort_narrow),
    CPU_PATH("sort", "radix", "keys of 32 or 64 bits", "in place", is_of_wide_keys, sort_radix),
    CPU_PATH("sort", "in place", "scratch is refused", NULL, NULL, sort_in_place),
};

const cpu_paths cpu_sort_paths = {paths, PATHS};

/* ---- The walk ---- */

static void begin(cpu_look *look, const cpu_kernels *kernels, const ordo_sort_job *job,
                  ordo_exec *exec)
{
    look->kernels = kernels;
    look->job = job;
    look->exec = exec;
    look->viewed = look->asked = false;
    look->scratch = NULL;
}

ordo_status cpu_sort_by_path(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec)
{
    cpu_look look;
    begin(&look, kernels, job, exec);
    return job->algorithm == ORDO_ALGORITHM_AUTO
               ? cpu_walk(paths, 0, PATHS, &look, exec)
               : cpu_walk(paths, FIRST_GENERAL, PATHS, &look, exec);
}

ordo_status cpu_sort_from_by_path(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                                  ordo_exec *exec)
{
    bool const is_auto = job->algorithm == ORDO_ALGORITHM_AUTO;
    cpu_look   look;
    *done = false;
    begin(&look, kernels, job, exec);
    for (size_t i = FIRST_ORDERED; i < FIRST_VALUES && is_auto; i++)
        if (paths[i].applies(&look)) /* each has a condition */
            return ORDO_OK;
    ordo_status const status =
        cpu_walk(paths, is_auto ? FIRST_VALUES : FIRST_GENERAL, IN_PLACE, &look, exec);
    *done = status != ORDO_E_NOMEM;
    return *done ? status : ORDO_OK;
}

/* ---- Scratch ---- */

/* Windows of one radius. */
static size_t windows_scratch(const ordo_sort_job *job, unsigned threads)
{
    size_t const most =
        ordo_max(most_radius_of(job->type, job->n, false), most_radius_of(job->type, job->n, true));
    return cpu_rough_try_scratch(job, most, threads);
}

/* What paths keep if they decline: the radius of long windows, windows of too small a radius, and
 * the radius of all keys. */
static size_t declined_scratch(const ordo_sort_job *job, unsigned threads)
{
    ordo_radius_job const radius = {.type = job->type, .n = job->n};
    return is_narrow(job) ? 0
                          : windows_scratch(job, threads) + cpu_radius_scratch(&radius, threads) +
                                look_far_scratch(job, threads);
}

static size_t general_scratch(const ordo_sort_job *job, unsigned threads)
{
    return is_narrow(job)
               ? cpu_narrow_scratch(job->type, job->n, threads)
               : cpu_radix_scratch(records_kind_of_keys(job->type), job->n, true, threads);
}

size_t cpu_sort_path_scratch(const ordo_sort_job *job, unsigned threads)
{
    size_t const general = general_scratch(job, threads);
    if (job->algorithm != ORDO_ALGORITHM_AUTO)
        return general;
    cpu_records const records = {records_kind_of_keys(job->type), NULL, job->n};
    size_t const      scratch =
        is_narrow(job) || job->n < ORDO_TUNE_LOOK_ALL ? 0 : cpu_displaced_scratch(job);
    size_t const few = is_counted(job) ? cpu_few_scratch(job, threads) : 0;
    size_t const declined = declined_scratch(job, threads);
    size_t const ordered = is_narrow(job) ? 0
                                          : ordo_max(cpu_records_merge_scratch(&records),
                                                     declined + windows_scratch(job, threads));
    return scratch + few + ordo_max(ordered, declined + general);
}
