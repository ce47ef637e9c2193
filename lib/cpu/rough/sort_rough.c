/* sort_rough.c - sorts records that are at most k places from their sorted places.
 *
 * T. Altman and B. Chlebus, "Sorting roughly sorted sequences in parallel" (1990), in the form of
 * Pfaff and Treadwell (2016): sort windows of 2k records, then windows shifted by k. Here windows
 * may be longer, and the second sort is a merge of up to k records on either side of each border.
 * k <= 32: networks in registers (rough_networks.t.h), without scratch. Otherwise windows of about
 * 8k records (window_length) are sorted in buffers: by vectors (words_piece) or, without them, by
 * one digit and networks, by radix if keys are unevenly spread; P64 by merging. O(n) for K32 and
 * K64 without vectors, else O(n lg k). Scratch: two windows and one counter per record for each
 * thread. If k was too small, the networks, the windows or the merges detect it. */
#include "cpu/rough/rough.h"

#include <string.h>

enum {
    ROUGH_DIGIT = ORDO_TUNE_DIGIT,
    ROUGH_SPREAD = ORDO_TUNE_ROUGH_SPREAD,
    ROUGH_LOAD_32 = 1,  /* rough_spread, 32-bit keys: lg of the keys per digit value */
    ROUGH_LEFT_32 = 16, /* the radius that rough_spread expects after the digit */
    ROUGH_LOAD_64 = 0,  /* the same for 64-bit keys */
    ROUGH_LEFT_64 = 8,
    ROUGH_UNEVEN = 16,      /* after this many failures rough_spread is no longer tried */
    ROUGH_STRIDE = 1 << 20, /* records between two checks for cancel */
    ROUGH_INSERTION = 16,   /* records of a range sorted by insertion */
    ROUGH_PIECES = 4,       /* pieces by vectors for each thread */
    ROUGH_PHASES = 2        /* phases of progress: windows, borders */
};

typedef struct rough_work {
    ordo_exec      *exec;
    const radix_io *io; /* loads and stores key bits; load and store NULL: io->out has records */
    size_t          n, radius, window;
    size_t          piece;      /* records between two borders: a window, or several by vectors */
    cpu_words_fn   *sort_words; /* NULL: no sort by vectors */
    char           *buffers;    /* one for each thread or piece, whichever are fewer */
    atomic_flag    *taken;      /* claim flag for each buffer */
    atomic_bool     wrong, stopped;
    atomic_uint     uneven; /* windows whose keys were too far from their places after the spread */
} rough_work;

/* Sorts items of `size` bytes, 4 or 8, by networks; see order_loops.h. */
static bool networks(const radix_io *io, void *items, size_t count, size_t size, size_t radius)
{
    const order_loops *const loops = order_loops_of(io->kernels);
    return size == sizeof(uint32_t) ? loops->of_32.networks(items, count, radius)
                                    : loops->of_64.networks(items, count, radius);
}

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

/* Merges the records at borders [lo, hi); border i is between pieces i and i + 1. */
static void merge_borders(rough_work *work, size_t lo, size_t hi, void *buffer)
{
    for (size_t i = lo; i < hi && !is_wrong(work); i++) {
        size_t const at = (i + 1) * work->piece, end = ordo_min(at + work->piece, work->n);
        if (!merge_border[work->io->kind](work->io, at - work->piece, at, end, work->radius,
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
    if (!networks(io, records, hi - lo, size, work->radius))
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

/* Word i of an array of words of `size` bytes. */
static uint64_t word_at(const void *words, size_t i, size_t size)
{
    return size == sizeof(uint32_t) ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

static void load_words(const radix_io *io, size_t at, size_t count, char *words, size_t size)
{
    if (io->load != NULL)
        io->load(io, at, count, words);
    else
        memcpy(words, (const char *)io->in + at * size, count * size);
}

static void store_words(const radix_io *io, size_t at, size_t count, const char *words, size_t size)
{
    if (io->store != NULL)
        io->store(io, at, count, words);
    else
        memcpy((char *)io->out + at * size, words, count * size);
}

/* Sorts a piece by vectors, in windows that overlap: all words of a sorted window except the last
 * `radius` are in their places, and those are sorted again with the next window. Two windows are in
 * order if the second has no word below the last one stored. */
static void words_piece(void *arg, size_t lo, size_t hi)
{
    rough_work *const     work = arg;
    const radix_io *const io = work->io;
    size_t const          size = record_size(io->kind), buffer = take_buffer(work);
    char *const words = buffer_at(work, buffer), *const spare = words + work->window * size;
    unsigned const bits = 8 * (unsigned)size + 1; /* short windows: measure the range */
    size_t         at = lo, kept = 0;
    uint64_t       last = 0;
    do {
        size_t const more = ordo_min(work->window - kept, hi - at), count = kept + more;
        load_words(io, at, more, words + kept * size, size);
        work->sort_words(words, spare, count, words, bits, NULL);
        if (word_at(words, 0, size) < last)
            note(&work->wrong);
        at += more;
        kept = at < hi && !is_wrong(work) ? work->radius : 0;
        store_words(io, at - count, count - kept, words, size);
        last = word_at(words, count - kept - 1, size);
        memmove(words, words + (count - kept) * size, kept * size);
    } while (kept > 0);
    give_buffer(work, buffer);
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
static size_t window_length(size_t n, size_t radius, bool by_vectors)
{
    size_t const shortest = by_vectors ? ORDO_TUNE_ROUGH_SPREAD : ORDO_ROUGH_SHORTEST;
    size_t const usual = ordo_max(ordo_min(radius, ORDO_TUNE_ROUGH_WINDOW / 8) * 8, shortest);
    if (radius >= n / 4)
        return n;
    return ordo_min(ordo_max(2 * radius + 2, usual), n);
}

/* Several windows, because a border costs more than the overlap of two windows, but enough pieces
 * for all threads, and not too many records between two checks for cancel. */
static size_t piece_length(size_t n, size_t window, unsigned threads)
{
    size_t const share = ordo_min(n / ((size_t)ROUGH_PIECES * threads), ROUGH_STRIDE);
    return ordo_max(2 * window, share);
}

/* The sort by vectors for the windows of these records; NULL: one digit and networks are faster, or
 * there is none. Emerald Rapids, AVX2, 10^5 u32 keys of radius 1000, least ms: by vectors 0.99, by
 * a digit 0.35. AVX-512, 4e6 keys of radius 250: 12.8 and 20.9. */
static cpu_words_fn *words_for(const radix_io *io, size_t radius)
{
    bool const           narrow = io->kind == RECORD_K32;
    enum cpu_words const width = narrow ? CPU_WORDS_32 : CPU_WORDS_64;
    if (io->kernels == NULL || (!narrow && io->kind != RECORD_K64) ||
        io->kernels->split[narrow ? CPU_WIDTH_32 : CPU_WIDTH_64] == NULL ||
        window_length(io->n, radius, true) > io->kernels->most_words[width])
        return NULL;
    cpu_words_fn *const *const sorts = io->kernels->sort_words;
    return sorts[width];
}

static size_t windows_scratch(const rough_work *work)
{
    size_t const buffers = ordo_min(work->exec->threads, ordo_div_up(work->n, work->piece));
    return ordo_round_up(work->exec->threads * sizeof(atomic_flag), ORDO_CACHE_LINE) +
           buffers * buffer_bytes(work->window, record_size(work->io->kind));
}

static bool run(rough_work *work, ordo_body *piece, ordo_body *between)
{
    ordo_exec *const exec = work->exec;
    size_t const     borders = ordo_div_up(work->n, work->piece) - 1;
    bool             finished = ordo_loop(exec, work->n, work->piece, piece, work) &&
                    !atomic_load_explicit(&work->stopped, memory_order_relaxed);
    exec->phase++;
    return finished && ordo_loop(exec, borders, 1, between, work);
}

static ordo_status rough_windows(rough_work *work, bool *finished)
{
    ordo_exec *const exec = work->exec;
    void            *scratch;
    work->sort_words = words_for(work->io, work->radius);
    bool const by_vectors = work->sort_words != NULL;
    work->window = window_length(work->n, work->radius, by_vectors);
    work->piece = by_vectors ? piece_length(work->n, work->window, exec->threads) : work->window;
    TRY(ordo_scratch(exec, windows_scratch(work), &scratch));
    work->taken = scratch;
    work->buffers =
        (char *)scratch + ordo_round_up(exec->threads * sizeof(atomic_flag), ORDO_CACHE_LINE);
    for (unsigned i = 0; i < exec->threads; i++)
        atomic_flag_clear(&work->taken[i]);
    *finished = run(work, by_vectors ? words_piece : window_piece, window_borders);
    return ORDO_OK;
}

/* Sorts, and sets *sorted to whether the radius was large enough. On any failure *sorted is false;
 * ORDO_E_NOMEM is returned before a key is moved. */
static ordo_status rough(const radix_io *io, size_t radius, bool *sorted, ordo_exec *exec)
{
    size_t const size = record_size(io->kind);
    rough_work   work = {.exec = exec, .io = io, .n = io->n};
    bool         finished;
    exec->algorithm = "windows";
    exec->isa = (io->kernels != NULL ? io->kernels : &cpu_kernels_generic)->loops->isa;
    *sorted = io->n < 2;
    if (*sorted)
        return ORDO_OK;
    atomic_init(&work.wrong, false);
    atomic_init(&work.stopped, false);
    atomic_init(&work.uneven, 0);
    work.radius = ordo_min(ordo_max(radius, 1), io->n - 1);
    if (in_networks(size, work.radius)) {
        work.piece = ORDO_ROUGH_SHORTEST;
        finished = run(&work, network_piece, network_borders);
    } else {
        finished = false;
        TRY(rough_windows(&work, &finished));
    }
    *sorted = finished && !is_wrong(&work);
    return cpu_done(finished);
}

/* ---- Keys ---- */

ordo_status cpu_rough_try(const cpu_kernels *kernels, const ordo_sort_job *job, size_t radius,
                          bool *sorted, ordo_exec *exec)
{
    radix_io const io = records_of_keys(kernels, job);
    return rough(&io, radius, sorted, exec);
}

/* A smaller radius may give shorter windows, and then more windows are in use at once. */
size_t cpu_rough_try_scratch(const ordo_sort_job *job, size_t radius, unsigned threads)
{
    size_t const size = ordo_type_size(job->type), n = job->n;
    if (n < 2 || in_networks(size, radius))
        return 0;
    size_t const longest = ordo_max(radius >= n / 4 ? n : 2 * radius + 2, ORDO_TUNE_ROUGH_WINDOW);
    size_t const keys = ordo_min(ordo_min(threads * longest, n + longest), 2 * n);
    return ordo_round_up(threads * sizeof(atomic_flag), ORDO_CACHE_LINE) +
           keys * (2 * size + sizeof(uint32_t)) + threads * ORDO_CACHE_LINE;
}

/* ---- Records ---- */

/* The radius of the caller is tried first. If it was too small and the memory for the true radius
 * is refused, the records have already been moved, so they are sorted in place. */
ordo_status cpu_records_windows(const cpu_records *records, const cpu_kernels *kernels,
                                size_t radius, ordo_exec *exec)
{
    radix_io const io = {.kernels = kernels,
                         .kind = records->kind,
                         .n = records->n,
                         .in = records->array,
                         .out = records->array};
    bool           sorted = false;
    size_t         measured = records->n;
    exec->phases = exec->phase + CPU_RADIUS_PHASES + 2 * ROUGH_PHASES;
    exec->facts.tried_radius = radius;
    if (radius > 0)
        TRY(rough(&io, radius, &sorted, exec));
    if (sorted)
        return ORDO_OK;
    exec->facts.radius_failed = radius > 0;
    ordo_status status = cpu_records_radius(records, &measured, exec);
    exec->facts.radius = status == ORDO_OK ? measured : 0;
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
           (3 * n + 2 * ORDO_TUNE_ROUGH_WINDOW) * (record_size(kind) + sizeof(uint32_t) / 2);
}
