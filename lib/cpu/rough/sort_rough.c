/* sort_rough.c - sorts keys that are at most k places from their own.
 *
 * T. Altman and B. Chlebus, "Sorting roughly sorted sequences in parallel" (1990), as Pfaff and
 * Treadwell run it: sort windows of 2k keys, then windows shifted by k. Only k keys on either side
 * of a border between two sorted windows can be out of order, so the second sort is a merge of two
 * sorted runs, and windows may be longer than 2k, with fewer borders. Windows touch no key of
 * another, and borders none of another border: both are done in place, by any thread, with the same
 * result.
 *
 *   k <= 32, keys of 32 or 64 bits: networks in registers (rough_networks.c), a piece at a time,
 *   no scratch. Keys that are not their own bits are turned into them and back while the piece is
 *   in the cache.
 *
 *   else: windows of 8k keys while these stay in the cache (2k + 2 at least) are sorted in a buffer
 *   of their own: each key goes to its place by one digit, of about as many values as the window
 *   has keys, which leaves keys that are spread evenly at most 8 or 16 places from their own; then
 *   by the networks. Where they are not, by radix over the bits that differ within the window.
 *   Scratch: two windows for each thread and a counter for each key, at most three copies of the
 *   array. O(n) time for a given width of keys; items of 128 bits are merged, O(n lg k).
 *
 * Whether the result is in order shows at the borders and where the network gives keys away. It is
 * not if k was too small. */
#include "core/keybits.h"
#include "cpu/rough/rough.h"
#include "cpu/rough/rough_networks.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    ROUGH_DIGIT = ORDO_TUNE_ROUGH_DIGIT,
    ROUGH_DIGIT_SMALL = ORDO_TUNE_ROUGH_DIGIT_SMALL,
    ROUGH_WIDE = ORDO_TUNE_ROUGH_WIDE,
    ROUGH_SPREAD = ORDO_TUNE_ROUGH_SPREAD,
    ROUGH_LOAD_32 = 1, /* lg of the keys of a digit when a window is spread, and the radius left */
    ROUGH_LEFT_32 = 16,
    ROUGH_LOAD_64 = 0,
    ROUGH_LEFT_64 = 8,
    ROUGH_UNEVEN = 16,      /* windows that may be spread in vain */
    ROUGH_STRIDE = 1 << 20, /* keys between two looks at whether to stop */
    ROUGH_INSERTION = 16,   /* records sorted by insertion */
    LONGEST = ORDO_TUNE_ROUGH_WINDOW > ORDO_TUNE_ROUGH_SHORTEST ? ORDO_TUNE_ROUGH_WINDOW
                                                                : ORDO_TUNE_ROUGH_SHORTEST
};

/* ---- Windows ---- */

typedef struct rough_state { /* of the windows of one call */
    ordo_exec  *exec;
    bool        as_bits; /* keys are their own bits */
    atomic_uint uneven;  /* how many were spread and had keys too far from their places then */
} rough_state;

#define ORDO_TEMPLATE "cpu/rough/rough_key.t.h"
#include "core/for_each_type.h"
#define ORDO_TEMPLATE "cpu/rough/rough_window.t.h"
#include "core/for_each_type.h"

/* Records p64, which are their own key bits. They have no digits: whether they are in order is all
 * that is seen of them, and none are spread. */
#define RECORD record_p64
#define LESS(a, b) record_less_p64(a, b)
#define PICK(take_b, a, b) record_pick_p64(take_b, a, b)
#define KEY record_p64
#define BITS record_p64
#define FN(name) name##_p64
#define ORDO_WHOLE_RECORDS
#include "core/small_sort.t.h"
#include "core/merge.t.h"
#undef ORDO_WHOLE_RECORDS
static inline record_p64 rough_map_p64(record_p64 record, bool descending)
{
    (void)descending;
    return record;
}
#define rough_unmap_p64 rough_map_p64
#define rough_less_p64 record_less_p64

static bool rough_look_p64(const record_p64 *a, size_t count, record_p64 *least, record_p64 *most)
{
    int falls = 0;
    for (size_t i = 1; i < count; i++)
        falls |= record_less_p64(a[i], a[i - 1]);
    *least = *most = a[0];
    return falls == 0;
}

static bool rough_spread_p64(const record_p64 *a, record_p64 *b, size_t count, record_p64 least,
                             record_p64 most, record_p64 *out, bool descending, rough_state *state)
{
    (void)a, (void)b, (void)count, (void)least, (void)most, (void)out, (void)descending;
    (void)state;
    return false;
}

/* As the sorts of rough_key.t.h: short ranges by insertion, which is cheap for records near their
 * places, then merges from the bottom up. */
static bool rough_sort_p64(record_p64 *a, record_p64 *b, size_t count, record_p64 least,
                           record_p64 most, record_p64 *out, bool descending, rough_state *state)
{
    (void)least, (void)most, (void)descending;
    for (size_t at = 0; at < count; at += ROUGH_INSERTION)
        insertion_sort_p64(a + at, ordo_min(ROUGH_INSERTION, count - at));
    for (size_t sorted = ROUGH_INSERTION; sorted < count; sorted *= 2) {
        record_p64 *const swap = a;
        for (size_t at = 0; at < count; at += 2 * sorted) {
            size_t const left = ordo_min(sorted, count - at);
            size_t const right = ordo_min(sorted, count - at - left);
            merge_p64(a + at, left, a + at + left, right, b + at);
            if (sorted >= ROUGH_STRIDE && ordo_poll(state->exec, 0))
                return false;
        }
        a = b;
        b = swap;
        if (count > ROUGH_STRIDE && ordo_poll(state->exec, 0))
            return false;
    }
    memcpy(out, a, count * sizeof *a);
    return true;
}

#include "cpu/rough/rough_window.t.h"
#undef FN
#undef BITS
#undef KEY
#undef PICK
#undef LESS
#undef RECORD

/* ---- What a call works on ---- */

typedef bool rough_window_fn(void *keys, size_t count, bool descending, void *buffer,
                             rough_state *state);
typedef bool rough_border_fn(void *keys, size_t begin, size_t middle, size_t end, size_t reach,
                             bool descending, void *buffer);
typedef void rough_map_fn(void *keys, size_t count, bool descending);

typedef struct rough_kind {
    rough_window_fn *window;
    rough_border_fn *border;
    rough_map_fn    *enter, *leave; /* to bits in place, and back */
    size_t           size;
} rough_kind;

typedef struct rough_work {
    ordo_exec   *exec;
    void        *keys;
    size_t       n, radius, window;
    bool         descending;
    rough_kind   kind;
    char        *buffers; /* one for each body that runs */
    atomic_flag *taken;   /* whose turn a buffer is */
    atomic_bool  wrong, stopped;
    rough_state  state;
} rough_work;

static rough_kind kind_of(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return (rough_kind){rough_window_##tag, rough_border_##tag, rough_enter_##tag,             \
                            rough_leave_##tag, sizeof(key)};
#include "core/types.def"
    }
    return (rough_kind){0};
}

static void note(atomic_bool *flag) { atomic_store_explicit(flag, true, memory_order_relaxed); }

/* The radius was too small somewhere: what is left of the array need not be touched. */
static bool is_wrong(const rough_work *work)
{
    return atomic_load_explicit(&work->wrong, memory_order_relaxed);
}

/* ---- The loops ---- */

/* The border at `at`, between two stretches of `length` keys (the right one may end with the
 * array). */
static void border(rough_work *work, size_t at, size_t begin, size_t end, void *buffer)
{
    if (!work->kind.border(work->keys, begin, at, end, work->radius, work->descending, buffer))
        note(&work->wrong);
}

/* A piece by networks. */
static void lanes_piece(void *arg, size_t lo, size_t hi)
{
    rough_work *const work = arg;
    char *const       keys = (char *)work->keys + lo * work->kind.size;
    if (is_wrong(work))
        return;
    if (!work->state.as_bits)
        work->kind.enter(keys, hi - lo, work->descending);
    if (!rough_networks(keys, hi - lo, work->kind.size, work->radius))
        note(&work->wrong);
    if (!work->state.as_bits)
        work->kind.leave(keys, hi - lo, work->descending);
}

static void lanes_border(void *arg, size_t lo, size_t hi)
{
    rough_work *const work = arg;
    uint64_t          buffer[2 * ROUGH_NETWORK_REACH];
    for (size_t i = lo; i < hi && !is_wrong(work); i++) {
        size_t const at = (i + 1) * work->window;
        border(work, at, at - work->window, ordo_min(at + work->window, work->n), buffer);
    }
}

/* A buffer for as long as a body runs: there are as many as bodies run at once. */
static size_t take_buffer(rough_work *work)
{
    size_t i = 0;
    while (atomic_flag_test_and_set_explicit(&work->taken[i], memory_order_acquire))
        i = i + 1 < work->exec->threads ? i + 1 : 0;
    return i;
}

/* Two windows, and as many counters as one has keys. */
static size_t buffer_bytes(size_t window, size_t size)
{
    return 2 * window * size + ordo_round_up(window * sizeof(uint32_t), ORDO_CACHE_LINE);
}

static void *buffer_at(const rough_work *work, size_t i)
{
    return work->buffers + i * buffer_bytes(work->window, work->kind.size);
}

static void give_buffer(rough_work *work, size_t i)
{
    atomic_flag_clear_explicit(&work->taken[i], memory_order_release);
}

static void window_piece(void *arg, size_t lo, size_t hi)
{
    rough_work *const work = arg;
    size_t const      i = take_buffer(work);
    char *const       keys = (char *)work->keys + lo * work->kind.size;
    if (!work->kind.window(keys, hi - lo, work->descending, buffer_at(work, i), &work->state))
        note(&work->stopped);
    give_buffer(work, i);
}

static void window_border(void *arg, size_t lo, size_t hi)
{
    rough_work *const work = arg;
    size_t const      buffer = take_buffer(work);
    for (size_t i = lo; i < hi && !is_wrong(work); i++) {
        size_t const at = (i + 1) * work->window;
        border(work, at, at - work->window, ordo_min(at + work->window, work->n),
               buffer_at(work, buffer));
    }
    give_buffer(work, buffer);
}

/* ---- How long a window is, and what it takes ---- */

static bool in_lanes(size_t size, size_t radius)
{
    return (size == 4 || size == 8) && radius <= ROUGH_NETWORK_REACH;
}

/* Two borders never meet, nor the keys next to them; and there is one window, or it is at most half
 * of the array or of the usual length. */
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
 * ORDO_E_NOMEM comes before a key is moved. */
static ordo_status rough(rough_work *work, bool *sorted)
{
    ordo_exec *const exec = work->exec;
    bool             finished;
    *sorted = false;
    atomic_init(&work->wrong, false);
    atomic_init(&work->stopped, false);
    atomic_init(&work->state.uneven, 0);
    work->state.exec = exec;
    work->radius = ordo_min(ordo_max(work->radius, 1), work->n - 1);
    if (in_lanes(work->kind.size, work->radius) && work->kind.enter != NULL) {
        work->window = ORDO_TUNE_ROUGH_PIECE;
        finished = run(work, lanes_piece, lanes_border);
    } else {
        void *scratch;
        TRY(ordo_scratch(exec,
                         windows_scratch(work->kind.size, work->n, work->radius, exec->threads),
                         &scratch));
        size_t const flags = ordo_round_up(exec->threads * sizeof(atomic_flag), ORDO_CACHE_LINE);
        work->taken = scratch;
        work->buffers = (char *)scratch + flags;
        work->window = window_length(work->n, work->radius);
        for (unsigned i = 0; i < exec->threads; i++)
            atomic_flag_clear(&work->taken[i]);
        finished = run(work, window_piece, window_border);
    }
    *sorted = finished && !is_wrong(work);
    return cpu_done(finished);
}

/* ---- Keys ---- */

enum {
    ROUGH_PHASES = 2
};

ordo_status cpu_rough_try(const ordo_sort_job *job, size_t radius, bool *sorted, ordo_exec *exec)
{
    rough_work work = {.exec = exec,
                       .keys = job->keys,
                       .n = job->n,
                       .radius = radius,
                       .descending = job->descending,
                       .kind = kind_of(job->type),
                       .state.as_bits =
                           !job->descending && (job->type == ORDO_U32 || job->type == ORDO_U64)};
    exec->algorithm = "rough";
    exec->isa = "generic";
    if (job->n < 2) {
        *sorted = true;
        return ORDO_OK;
    }
    return rough(&work, sorted);
}

/* Windows of any smaller radius may be shorter, and more of them in use at once. */
size_t cpu_rough_try_scratch(const ordo_sort_job *job, size_t radius, unsigned threads)
{
    size_t const size = ordo_type_size(job->type), n = job->n;
    if (n < 2 || in_lanes(size, radius))
        return 0;
    size_t const longest = ordo_max(radius >= n / 4 ? n : 2 * radius + 2, LONGEST);
    size_t const keys = ordo_min(ordo_min(threads * longest, n + longest), 2 * n);
    return ordo_round_up(threads * sizeof(atomic_flag), ORDO_CACHE_LINE) +
           keys * (2 * size + sizeof(uint32_t)) + threads * ORDO_CACHE_LINE;
}

/* In place, when a radius was too small and the memory for the true one is refused: the keys have
 * been moved already, so they must be sorted. */
static ordo_status without_scratch(const ordo_sort_job *job, ordo_exec *exec)
{
    radix_io const    io = records_of_keys(NULL, job);
    cpu_records const records = {io.kind, job->keys, job->n};
    TRY(records_load(&io, &records, exec));
    TRY(cpu_records_inplace(&records, exec));
    TRY(records_store(&io, &records, exec));
    exec->algorithm = "rough";
    return ORDO_OK;
}

/* A radius that the caller gives is believed, unless the keys are short: then the way out would
 * need a third sort, and measuring costs little beside it. */
ordo_status cpu_sort_rough(const ordo_sort_job *job, size_t radius, ordo_exec *exec)
{
    bool const believed = radius > 0 && ordo_type_size(job->type) >= 4;
    bool       sorted = false;
    exec->phases = exec->phase + CPU_RADIUS_PHASES + 2 * ROUGH_PHASES;
    if (believed)
        TRY(cpu_rough_try(job, radius, &sorted, exec));
    if (sorted)
        return ORDO_OK;
    size_t      measured = job->n;
    ordo_status status = cpu_radius_bits(job, &measured, exec);
    if (status == ORDO_OK)
        status = cpu_rough_try(job, measured, &sorted, exec);
    if (status == ORDO_E_NOMEM && believed)
        return without_scratch(job, exec);
    return status;
}

/* For any radius: windows up to half the array, and one more than fit. */
static size_t any_scratch(enum record_kind kind, size_t size, size_t n, unsigned threads)
{
    return cpu_records_radius_scratch(kind, n) + 4 * ORDO_CACHE_LINE + /* a second block's head */
           ordo_round_up(threads * sizeof(atomic_flag), ORDO_CACHE_LINE) +
           threads * ORDO_CACHE_LINE + (3 * n + 2 * LONGEST) * (size + sizeof(uint32_t) / 2);
}

size_t cpu_sort_rough_scratch(const ordo_sort_job *job, unsigned threads)
{
    size_t const size = ordo_type_size(job->type);
    return any_scratch(records_kind_of_keys(job->type), size, job->n, threads);
}

/* ---- Records ---- */

static ordo_status rough_p64(const cpu_records *records, size_t radius, ordo_exec *exec)
{
    rough_work work = {.exec = exec,
                       .keys = records->array,
                       .n = records->n,
                       .radius = radius,
                       .kind = {.window = rough_window_p64,
                                .border = rough_border_p64,
                                .size = sizeof(record_p64)}};
    bool       sorted = false;
    exec->algorithm = "rough";
    exec->isa = "generic";
    exec->phases = exec->phase + CPU_RADIUS_PHASES + 2 * ROUGH_PHASES;
    if (records->n < 2)
        return ORDO_OK;
    if (radius > 0)
        TRY(rough(&work, &sorted));
    if (sorted)
        return ORDO_OK;
    size_t      measured = records->n;
    ordo_status status = cpu_records_radius(records, &measured, exec);
    work.radius = measured;
    if (status == ORDO_OK)
        status = rough(&work, &sorted);
    if (status == ORDO_E_NOMEM && radius > 0) {
        status = cpu_records_inplace(records, exec);
        exec->algorithm = "rough";
    }
    return status;
}

ordo_status cpu_records_rough(const cpu_records *records, size_t radius, ordo_exec *exec)
{
    if (records->kind == RECORD_P64)
        return rough_p64(records, radius, exec);
    ordo_sort_job const job = {.type = records->kind == RECORD_K32 ? ORDO_U32 : ORDO_U64,
                               .keys = records->array,
                               .n = records->n};
    return cpu_sort_rough(&job, radius, exec);
}

size_t cpu_records_rough_scratch(enum record_kind kind, size_t n, unsigned threads)
{
    return any_scratch(kind, record_size(kind), n, threads);
}
