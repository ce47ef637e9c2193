/* measure.c - measures of order: the radius of an array, which is the largest distance between two
 * keys that are out of order, and its number of runs.
 *
 * After T. Altman and Y. Igarashi, "Roughly sorting: sequential and parallel approach" (1989), and
 * A. Pfaff and J. Treadwell, "Parallel sorting of roughly-sorted sequences" (2016). Their algorithm
 * is in sequences.c. AUTO checks small radii first, then finds any radius by blocks. O(n) for every
 * input; scratch: two key bits for each block, and some bytes for each piece. */
#include "cpu/rough/rough.h"
#include "backend/layout.h"
#include "core/bisect.h"

#include <string.h>

/* Small radii: if all keys r+1 to 2r+1 places apart are in order, all keys further apart are in
 * order too, because a larger distance is a sum of such distances. So a thread can check a piece
 * for a given r with the 2r+1 keys before it, in one read: it compares each key with the maximum of
 * the keys at least r+1 places before it. If a tile of the piece fails, a walk over the tile and
 * O(r) keys before it finds its radius, and the check continues with that radius. Threads share the
 * largest radius found. A distance can also be a sum of distances that were checked with smaller
 * radii further left. So a piece is checked again if an earlier piece ended with a larger radius
 * than this piece began with, which happens only between threads.
 *
 * Any radius: if the radius is above a limit, or raising it takes too many reads, one read gives
 * the maximum and minimum of each short block. The prefix maxima of the blocks give the radius to
 * within two blocks. Only blocks that may hold a key of a more distant pair are read again, each in
 * O(block + lg n). */
enum {
    RADIUS_TILE = 512, /* keys compared at once */
    RADIUS_NEAR = ORDO_TUNE_RADIUS_NEAR,
    RADIUS_FAR = 3 * ORDER_GROUP,   /* bytes of key bits */
    RADIUS_ITEMS = 2 * RADIUS_NEAR, /* key bits computed at once */
    RADIUS_BLOCK = ORDO_TUNE_RADIUS_BLOCK,
    RADIUS_SPENT = 16 /* one key in 16 may be read again to raise the radius */
};

typedef struct radius_piece {
    size_t first, last;   /* the radius at the beginning and at the end of the check */
    bool   passed, again; /* the piece was checked; it must be checked again */
} radius_piece;

typedef struct radius_work {
    const order_view *view;
    size_t            grain, limit;
    _Atomic uint64_t  radius; /* the largest distance found between two keys out of order */
    atomic_size_t     spent;  /* keys read again to raise the radius */
    atomic_bool       far;    /* the radius is too large for this check */
    radius_piece     *pieces;
    void             *high, *low;
} radius_work;

/* Counts keys that were read again to raise the radius. Returns true if there are too many. A few
 * are always allowed, so that the radius can be raised in short arrays too. */
static bool radius_spend(radius_work *work, size_t read)
{
    size_t const spent = atomic_fetch_add_explicit(&work->spent, read, memory_order_relaxed) + read;
    return spent > work->view->io.n / RADIUS_SPENT + (size_t)4 * RADIUS_NEAR;
}

/* Whether the checks of all pieces prove that work->radius is the radius. If not, marks the pieces
 * that must be checked again. */
static bool radius_agreed(const radius_work *work, size_t pieces)
{
    bool   agreed = !atomic_load_explicit(&work->far, memory_order_relaxed);
    size_t before = 0;
    for (size_t p = 0; agreed && p < pieces; p++)
        agreed = work->pieces[p].passed;
    if (!agreed)
        return false;
    for (size_t p = 0; p < pieces; p++) {
        radius_piece *const piece = &work->pieces[p];
        piece->again = piece->first < before;
        agreed = agreed && !piece->again;
        before = ordo_max(before, piece->last);
    }
    return agreed;
}

/* The loops of the view's table for 32-bit and 64-bit key bits. */
#define RADIUS_LOOPS(W)                                                                            \
    static inline bool any_before_k##W(const order_view *view, const uint##W##_t *left,            \
                                       const uint##W##_t *right, size_t count)                     \
    {                                                                                              \
        return view->loops->of_##W.any_before(left, right, count);                                 \
    }                                                                                              \
    static inline bool any_before_all_k##W(const order_view *view, const uint##W##_t *left,        \
                                           const uint##W##_t *right, size_t count,                 \
                                           uint##W##_t *largest)                                   \
    {                                                                                              \
        return view->loops->of_##W.any_before_all(left, right, count, largest);                    \
    }                                                                                              \
    static inline bool any_before_far_k##W(const order_view *view, const uint##W##_t *left,        \
                                           const uint##W##_t *right, size_t count,                 \
                                           uint##W##_t *largest)                                   \
    {                                                                                              \
        return view->loops->of_##W.any_before_far(left, right, count, largest);                    \
    }                                                                                              \
    static inline void bounds_k##W(const order_view *view, const uint##W##_t *a, size_t count,     \
                                   uint##W##_t *most, uint##W##_t *least)                          \
    {                                                                                              \
        view->loops->of_##W.bounds(a, count, most, least);                                         \
    }
RADIUS_LOOPS(32)
RADIUS_LOOPS(64)
#undef RADIUS_LOOPS

static bool any_before_p64(const order_view *view, const record_p64 *left, const record_p64 *right,
                           size_t count)
{
    int before = 0;
    (void)view;
    for (size_t i = 0; i < count; i++)
        before |= record_less_p64(right[i], left[i]);
    return before != 0;
}

static bool any_before_all_p64(const order_view *view, const record_p64 *left,
                               const record_p64 *right, size_t count, record_p64 *largest)
{
    int before = 0;
    (void)view;
    for (size_t i = 0; i < count; i++) {
        *largest = record_less_p64(*largest, left[i]) ? left[i] : *largest;
        before |= record_less_p64(right[i], *largest);
    }
    return before != 0;
}

static void bounds_p64(const order_view *view, const record_p64 *a, size_t count, record_p64 *most,
                       record_p64 *least)
{
    (void)view;
    *most = *least = a[0];
    for (size_t i = 1; i < count; i++) {
        *most = record_less_p64(*most, a[i]) ? a[i] : *most;
        *least = record_less_p64(a[i], *least) ? a[i] : *least;
    }
}

static bool any_before_far_p64(const order_view *view, const record_p64 *left,
                               const record_p64 *right, size_t count, record_p64 *largest)
{
    return any_before_all_p64(view, left, right, count, largest);
}

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "cpu/rough/measure.t.h"
#include "cpu/radix/for_each_record.h"

static void lay_out(void *arg, ordo_layout *layout)
{
    radius_work *const    work = arg;
    const radix_io *const io = &work->view->io;
    size_t const          blocks = ordo_div_up(io->n, RADIUS_BLOCK);
    work->high = ordo_lay_line(layout, blocks, record_size(io->kind));
    work->low = ordo_lay_line(layout, blocks, record_size(io->kind));
    work->pieces = ordo_lay_line(layout, ordo_div_up(io->n, work->grain), sizeof *work->pieces);
}

size_t cpu_records_radius_scratch(enum record_kind kind, size_t n)
{
    order_view const view = {.io = {.kind = kind, .n = n}};
    radius_work      work = {.view = &view, .grain = cpu_grain(n)};
    return ordo_layout_bytes(lay_out, &work);
}

ordo_status cpu_order_radius(const order_view *view, size_t *radius, ordo_exec *exec)
{
    static bool (*const measure[RECORD_KINDS])(radius_work * work, ordo_exec * exec) =
        RECORD_FUNCTIONS(measure);
    size_t const n = view->io.n;
    radius_work  work = {.view = view, .grain = cpu_grain(n)};
    if (n < 2) {
        *radius = 0;
        return ORDO_OK;
    }
    TRY(ordo_lay_out(exec, lay_out, &work));
    memset(work.pieces, 0, ordo_div_up(n, work.grain) * sizeof *work.pieces);
    work.limit = ordo_min(RADIUS_NEAR, n / 4); /* a short array needs few blocks for any radius */
    atomic_init(&work.radius, 0);
    atomic_init(&work.spent, 0);
    atomic_init(&work.far, false);
    bool const finished = measure[view->io.kind](&work, exec);
    *radius = atomic_load_explicit(&work.radius, memory_order_relaxed);
    return cpu_done(finished);
}

ordo_status cpu_records_radius(const cpu_records *records, size_t *radius, ordo_exec *exec)
{
    order_view const view = {{.kind = records->kind,
                              .n = records->n,
                              .key_size = record_size(records->kind),
                              .in = records->array},
                             order_loops_of(NULL)};
    return cpu_order_radius(&view, radius, exec);
}

ordo_status cpu_radius_bits(const cpu_kernels *kernels, const ordo_sort_job *job, size_t *radius,
                            ordo_exec *exec)
{
    order_view const view = {
        records_of_order(kernels, job->type, job->keys, job->n, job->descending, false),
        order_loops_of(kernels)};
    return cpu_order_radius(&view, radius, exec);
}

/* The checks of pieces do not compute the sequences. */
static bool by_sequences(const ordo_radius_job *job)
{
    return job->algorithm == ORDO_ALGORITHM_SEQUENTIAL || ordo_wants_sequences(job);
}

ordo_status cpu_radius(void *state, const ordo_radius_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    order_view const         view = {
                records_of_order(kernels, job->type, job->keys, job->n, job->descending, true),
                kernels->loops->order};
    if (job->algorithm == ORDO_ALGORITHM_PREFIX || job->algorithm == ORDO_ALGORITHM_SCANS)
        return ordo_fail(exec, ORDO_E_UNSUPPORTED,
                         "algorithm %s runs only on a GPU, but this call runs on the CPU; expected "
                         "device cuda",
                         job->algorithm == ORDO_ALGORITHM_PREFIX ? "prefix" : "scans");
    if (by_sequences(job))
        return cpu_sequences(job, exec);
    exec->isa = kernels->loops->isa;
    exec->algorithm = "pieces";
    exec->phases = exec->phase + CPU_RADIUS_PHASES;
    return cpu_order_radius(&view, job->radius, exec);
}

size_t cpu_radius_scratch(const ordo_radius_job *job, unsigned threads)
{
    enum record_kind const kind = records_kind_of_keys(job->type);
    (void)threads;
    if (by_sequences(job))
        return cpu_sequences_scratch(job);
    return cpu_records_radius_scratch(kind, job->n);
}

/* ---- Runs ---- */

/* A run begins at the first key and at every key that is less than its left neighbour. */
typedef struct runs_work {
    radix_io      keys;
    atomic_size_t falls; /* keys less than their left neighbour */
} runs_work;

static size_t (*const falls[RECORD_KINDS])(const radix_io *keys, size_t lo,
                                           size_t hi) = RECORD_FUNCTIONS(falls);

static void runs_piece(void *arg, size_t lo, size_t hi)
{
    runs_work *const work = arg;
    size_t const     here = falls[work->keys.kind](&work->keys, lo, hi);
    atomic_fetch_add_explicit(&work->falls, here, memory_order_relaxed);
}

ordo_status cpu_runs(void *state, const ordo_runs_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    radix_io const           keys =
        records_of_order(kernels, job->type, job->keys, job->n, job->descending, true);
    runs_work work = {.keys = keys};
    atomic_init(&work.falls, 0);
    exec->algorithm = "compare";
    exec->isa = "generic";
    if (!ordo_loop(exec, job->n, cpu_grain(job->n), runs_piece, &work))
        return ORDO_E_CANCELLED;
    *job->runs = job->n == 0 ? 0 : atomic_load_explicit(&work.falls, memory_order_relaxed) + 1;
    return ORDO_OK;
}
