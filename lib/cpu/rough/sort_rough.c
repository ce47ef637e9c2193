/* sort_rough.c - sorts records that are at most k places from their sorted places.
 *
 * T. Altman and B. Chlebus, "Sorting roughly sorted sequences in parallel" (1990), in the form of
 * Pfaff and Treadwell (2016): sort windows of 2k records, then windows shifted by k. Here windows
 * may be longer, and the second sort is a merge of up to k records on either side of each border.
 * k <= 32: networks in registers (rough_networks.c), without scratch. Otherwise windows of about
 * 8k records (window_length) are sorted in buffers: by one digit and networks, by radix if keys are
 * unevenly spread, or, for P64, by merging. O(n) for K32 and K64, O(n lg k) for P64. Scratch: two
 * windows and one counter per record for each thread. If k was too small, the networks or the
 * merges detect it. */
#include "cpu/rough/rough.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    ROUGH_DIGIT = ORDO_TUNE_ROUGH_DIGIT,
    ROUGH_DIGIT_SMALL = ORDO_TUNE_ROUGH_DIGIT_SMALL,
    ROUGH_WIDE = ORDO_TUNE_ROUGH_WIDE,
    ROUGH_SPREAD = ORDO_TUNE_ROUGH_SPREAD,
    ROUGH_LOAD_32 = 1,  /* rough_spread, 32-bit keys: lg of the keys per digit value */
    ROUGH_LEFT_32 = 16, /* the radius that rough_spread expects after the digit */
    ROUGH_LOAD_64 = 0,  /* the same for 64-bit keys */
    ROUGH_LEFT_64 = 8,
    ROUGH_UNEVEN = 16,      /* after this many failures rough_spread is no longer tried */
    ROUGH_STRIDE = 1 << 20, /* records between two checks for cancel */
    ROUGH_INSERTION = 16,   /* records of a range sorted by insertion */
    ROUGH_PHASES = 2,       /* phases of progress: windows, borders */
    LONGEST = ORDO_TUNE_ROUGH_WINDOW > ORDO_TUNE_ROUGH_SHORTEST ? ORDO_TUNE_ROUGH_WINDOW
                                                                : ORDO_TUNE_ROUGH_SHORTEST
};

typedef struct rough_work {
    ordo_exec      *exec;
    const radix_io *io; /* loads and stores key bits; load and store NULL: io->out has records */
    size_t          n, radius, window;
    char           *buffers; /* one for each thread or window, whichever are fewer */
    atomic_flag    *taken;   /* claim flag for each buffer */
    atomic_bool     wrong, stopped;
    atomic_uint     uneven; /* windows whose keys were too far from their places after the spread */
} rough_work;

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/merge.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "cpu/rough/sort_rough.t.h"
#include "cpu/radix/for_each_record.h"

static bool (*const sort_window[RECORD_KINDS])(rough_work *work, size_t lo, size_t count,
                                               void *buffer) = RECORD_FUNCTIONS(rough_window);
static bool (*const merge_border[RECORD_KINDS])(const radix_io *io, size_t begin, size_t middle,
                                                size_t end, size_t reach,
                                                void *buffer) = RECORD_FUNCTIONS(rough_border);

static void note(atomic_bool *flag) { atomic_store_explicit(flag, true, memory_order_relaxed); }

/* Whether the radius was too small somewhere. Then the rest of the array is not sorted. */
static bool is_wrong(const rough_work *work)
{
    return atomic_load_explicit(&work->wrong, memory_order_relaxed);
}

/* ---- The loops ---- */

/* Merges the records at borders [lo, hi); border i is between windows i and i + 1. */
static void merge_borders(rough_work *work, size_t lo, size_t hi, void *buffer)
{
    for (size_t i = lo; i < hi && !is_wrong(work); i++) {
        size_t const at = (i + 1) * work->window, end = ordo_min(at + work->window, work->n);
        if (!merge_border[work->io->kind](work->io, at - work->window, at, end, work->radius,
                                          buffer))
            note(&work->wrong);
    }
}

/* Sorts a piece by networks, in place. */
static void network_piece(void *arg, size_t lo, size_t hi)
{
    rough_work *const     work = arg;
    const radix_io *const io = work->io;
    size_t const          size = record_size(io->kind);
    char *const           records = (char *)io->out + lo * size;
    if (is_wrong(work))
        return;
    if (io->load != NULL)
        io->load(io, lo, hi - lo, records);
    if (!rough_networks(records, hi - lo, size, work->radius))
        note(&work->wrong);
    if (io->store != NULL)
        io->store(io, lo, hi - lo, records);
}

static void network_borders(void *arg, size_t lo, size_t hi)
{
    uint64_t buffer[4 * ROUGH_NETWORK_REACH + 4];
    merge_borders(arg, lo, hi, buffer);
}

/* Claims a free buffer. There is one for each running thread. */
static size_t take_buffer(rough_work *work)
{
    size_t i = 0;
    while (atomic_flag_test_and_set_explicit(&work->taken[i], memory_order_acquire))
        i = i + 1 < work->exec->threads ? i + 1 : 0;
    return i;
}

/* Two windows, and a counter for each record of a window. */
static size_t buffer_bytes(size_t window, size_t size)
{
    return 2 * window * size + ordo_round_up(window * sizeof(uint32_t), ORDO_CACHE_LINE);
}

static void *buffer_at(const rough_work *work, size_t i)
{
    return work->buffers + i * buffer_bytes(work->window, record_size(work->io->kind));
}

static void give_buffer(rough_work *work, size_t i)
{
    atomic_flag_clear_explicit(&work->taken[i], memory_order_release);
}

static void window_piece(void *arg, size_t lo, size_t hi)
{
    rough_work *const work = arg;
    size_t const      i = take_buffer(work);
    if (!sort_window[work->io->kind](work, lo, hi - lo, buffer_at(work, i)))
        note(&work->stopped);
    give_buffer(work, i);
}

static void window_borders(void *arg, size_t lo, size_t hi)
{
    rough_work *const work = arg;
    size_t const      i = take_buffer(work);
    merge_borders(work, lo, hi, buffer_at(work, i));
    give_buffer(work, i);
}

/* ---- Lengths of windows, and scratch ---- */

static bool in_networks(size_t size, size_t radius)
{
    return (size == 4 || size == 8) && radius <= ROUGH_NETWORK_REACH;
}

/* At least 2 * radius + 2, so that the merges at two borders never touch the same record. */
static size_t window_length(size_t n, size_t radius)
{
    size_t const usual =
        ordo_max(ordo_min(radius, ORDO_TUNE_ROUGH_WINDOW / 8) * 8, ORDO_TUNE_ROUGH_SHORTEST);
    if (radius >= n / 4)
        return n;
    return ordo_min(ordo_max(2 * radius + 2, usual), n);
}

static size_t windows_scratch(size_t size, size_t n, size_t radius, unsigned threads)
{
    size_t const window = window_length(n, radius);
    size_t const buffers = ordo_min(threads, ordo_div_up(n, window));
    return ordo_round_up(threads * sizeof(atomic_flag), ORDO_CACHE_LINE) +
           buffers * buffer_bytes(window, size);
}

static bool run(rough_work *work, ordo_body *piece, ordo_body *between)
{
    ordo_exec *const exec = work->exec;
    size_t const     borders = ordo_div_up(work->n, work->window) - 1;
    bool             finished = ordo_loop(exec, work->n, work->window, piece, work) &&
                    !atomic_load_explicit(&work->stopped, memory_order_relaxed);
    exec->phase++;
    return finished && ordo_loop(exec, borders, ORDO_TUNE_ROUGH_BORDERS, between, work);
}

/* Sorts, and sets *sorted to whether the radius was large enough. On any failure *sorted is false;
 * ORDO_E_NOMEM is returned before a key is moved. */
static ordo_status rough(const radix_io *io, size_t radius, bool *sorted, ordo_exec *exec)
{
    size_t const size = record_size(io->kind);
    rough_work   work = {.exec = exec, .io = io, .n = io->n};
    bool         finished;
    exec->algorithm = "windows";
    exec->isa = "generic";
    *sorted = io->n < 2;
    if (*sorted)
        return ORDO_OK;
    atomic_init(&work.wrong, false);
    atomic_init(&work.stopped, false);
    atomic_init(&work.uneven, 0);
    work.radius = ordo_min(ordo_max(radius, 1), io->n - 1);
    if (in_networks(size, work.radius)) {
        work.window = ORDO_TUNE_ROUGH_PIECE;
        finished = run(&work, network_piece, network_borders);
    } else {
        void *scratch;
        TRY(ordo_scratch(exec, windows_scratch(size, io->n, work.radius, exec->threads), &scratch));
        work.taken = scratch;
        work.buffers =
            (char *)scratch + ordo_round_up(exec->threads * sizeof(atomic_flag), ORDO_CACHE_LINE);
        work.window = window_length(io->n, work.radius);
        for (unsigned i = 0; i < exec->threads; i++)
            atomic_flag_clear(&work.taken[i]);
        finished = run(&work, window_piece, window_borders);
    }
    *sorted = finished && !is_wrong(&work);
    return cpu_done(finished);
}

/* ---- Keys ---- */

ordo_status cpu_rough_try(const ordo_sort_job *job, size_t radius, bool *sorted, ordo_exec *exec)
{
    radix_io const io = records_of_keys(NULL, job);
    return rough(&io, radius, sorted, exec);
}

/* A smaller radius may give shorter windows, and then more windows are in use at once. */
size_t cpu_rough_try_scratch(const ordo_sort_job *job, size_t radius, unsigned threads)
{
    size_t const size = ordo_type_size(job->type), n = job->n;
    if (n < 2 || in_networks(size, radius))
        return 0;
    size_t const longest = ordo_max(radius >= n / 4 ? n : 2 * radius + 2, LONGEST);
    size_t const keys = ordo_min(ordo_min(threads * longest, n + longest), 2 * n);
    return ordo_round_up(threads * sizeof(atomic_flag), ORDO_CACHE_LINE) +
           keys * (2 * size + sizeof(uint32_t)) + threads * ORDO_CACHE_LINE;
}

/* ---- Records ---- */

/* The radius of the caller is tried first. If it was too small and the memory for the true radius
 * is refused, the records have already been moved, so they are sorted in place. */
ordo_status cpu_records_windows(const cpu_records *records, size_t radius, ordo_exec *exec)
{
    radix_io const io = {
        .kind = records->kind, .n = records->n, .in = records->array, .out = records->array};
    bool   sorted = false;
    size_t measured = records->n;
    exec->phases = exec->phase + CPU_RADIUS_PHASES + 2 * ROUGH_PHASES;
    if (radius > 0)
        TRY(rough(&io, radius, &sorted, exec));
    if (sorted)
        return ORDO_OK;
    ordo_status status = cpu_records_radius(records, &measured, exec);
    if (status == ORDO_OK)
        status = rough(&io, measured, &sorted, exec);
    if (status == ORDO_E_NOMEM && radius > 0) {
        status = cpu_records_inplace(records, exec);
        exec->algorithm = "windows";
    }
    return status;
}

/* An upper bound for any radius. */
size_t cpu_records_windows_scratch(enum record_kind kind, size_t n, unsigned threads)
{
    return cpu_records_radius_scratch(kind, n) + 4 * ORDO_CACHE_LINE + /* alignment of a second
                                                                        * block */
           ordo_round_up(threads * sizeof(atomic_flag), ORDO_CACHE_LINE) +
           threads * ORDO_CACHE_LINE +
           (3 * n + 2 * LONGEST) * (record_size(kind) + sizeof(uint32_t) / 2);
}
