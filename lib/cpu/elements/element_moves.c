/* element_moves.c - gather and scatter of elements of any size by an index.
 *
 * Common sizes have their own loop with a copy of constant length. A gather prefetches the
 * elements, because their addresses are known and each is a cache miss if the array is larger than
 * the cache. Elements need no alignment. */
#include "cpu/elements/elements.h"
#include "cpu/radix/lines.h"

#include <string.h>

enum {
    AHEAD = 24,        /* elements that are prefetched ahead of their copy */
    LINES_AHEAD = 4,   /* lines of an element that are prefetched */
    CHECK_BLOCK = 1024 /* indices that are checked between two tests */
};

/* Runs LOOP(bytes), with a constant number of bytes if `size` is a common size. */
#define BY_ELEMENT_SIZE(size, LOOP)                                                                \
    switch (size) {                                                                                \
    case 1:                                                                                        \
        LOOP(1);                                                                                   \
        break;                                                                                     \
    case 2:                                                                                        \
        LOOP(2);                                                                                   \
        break;                                                                                     \
    case 4:                                                                                        \
        LOOP(4);                                                                                   \
        break;                                                                                     \
    case 8:                                                                                        \
        LOOP(8);                                                                                   \
        break;                                                                                     \
    case 12:                                                                                       \
        LOOP(12);                                                                                  \
        break;                                                                                     \
    case 16:                                                                                       \
        LOOP(16);                                                                                  \
        break;                                                                                     \
    case 24:                                                                                       \
        LOOP(24);                                                                                  \
        break;                                                                                     \
    case 32:                                                                                       \
        LOOP(32);                                                                                  \
        break;                                                                                     \
    case 40:                                                                                       \
        LOOP(40);                                                                                  \
        break;                                                                                     \
    case 48:                                                                                       \
        LOOP(48);                                                                                  \
        break;                                                                                     \
    case 64:                                                                                       \
        LOOP(64);                                                                                  \
        break;                                                                                     \
    default:                                                                                       \
        LOOP(size);                                                                                \
    }

static inline void prefetch_element(const char *element, size_t size)
{
    for (size_t line = 0; line < size && line < (size_t)LINES_AHEAD * ORDO_CACHE_LINE;
         line += ORDO_CACHE_LINE)
        __builtin_prefetch(element + line);
}

/* Copies element PLACE(i) of `from` to place i for lo <= i < hi. */
#define GATHER_BY(PLACE, bytes)                                                                    \
    do {                                                                                           \
        size_t i = lo;                                                                             \
        for (; i + AHEAD < hi; i++) {                                                              \
            prefetch_element(from + PLACE(i + AHEAD) * (bytes), (bytes));                          \
            memcpy(to + i * (bytes), from + PLACE(i) * (bytes), (bytes));                          \
        }                                                                                          \
        for (; i < hi; i++)                                                                        \
            memcpy(to + i * (bytes), from + PLACE(i) * (bytes), (bytes));                          \
    } while (0)

static void gather_u32(char *to, const char *from, size_t size, const uint32_t *index, size_t lo,
                       size_t hi)
{
#define PLACE(i) (size_t) index[i]
#define LOOP(bytes) GATHER_BY(PLACE, (size_t)(bytes))
    BY_ELEMENT_SIZE(size, LOOP)
#undef PLACE
}

static void gather_u64(char *to, const char *from, size_t size, const uint64_t *index, size_t lo,
                       size_t hi)
{
#define PLACE(i) (size_t) index[i]
    BY_ELEMENT_SIZE(size, LOOP)
#undef PLACE
}

void element_gather(char *to, const char *from, size_t size, const void *index, bool narrow,
                    size_t lo, size_t hi)
{
    if (narrow)
        gather_u32(to, from, size, index, lo, hi);
    else
        gather_u64(to, from, size, index, lo, hi);
}

static void gather_packed(char *to, const char *from, size_t size, const uint64_t *records,
                          size_t hi)
{
    size_t const lo = 0;
#define PLACE(i) (size_t)(uint32_t) records[i]
    BY_ELEMENT_SIZE(size, LOOP)
#undef PLACE
}

static void gather_wide(char *to, const char *from, size_t size, const uint64_t *records, size_t hi)
{
    size_t const lo = 0;
#define PLACE(i) (size_t) records[2 * (i) + 1]
    BY_ELEMENT_SIZE(size, LOOP)
#undef PLACE
#undef LOOP
}

void element_gather_records(char *to, const char *from, size_t size, const void *records,
                            bool packed, size_t count)
{
    if (packed)
        gather_packed(to, from, size, records, count);
    else
        gather_wide(to, from, size, records, count);
}

/* ---- To buckets ---- */

/* Writes the block that begins at byte `start` of the result, without the part before `first`,
 * which belongs to another bucket. */
static void flush_block(const element_scatter *scatter, const char *block, size_t start,
                        size_t first)
{
    if (first > start)
        memcpy(scatter->to + first, block + (first - start), start + ELEMENT_BLOCK - first);
    else if (scatter->streams)
        lines_stream(scatter->to + start, block, ELEMENT_BLOCK);
    else
        memcpy(scatter->to + start, block, ELEMENT_BLOCK);
}

/* A block holds the bytes of the result from a multiple of ELEMENT_BLOCK on. An element that does
 * not fit is split: its end begins the next block. */
void element_scatter_labels(const element_scatter *scatter, const char *from,
                            const uint16_t *labels, size_t count)
{
    size_t const  stride = element_block_bytes(scatter->size);
    size_t *const places = scatter->places;
#define LOOP(bytes)                                                                                \
    for (size_t i = 0; i < count; i++) {                                                           \
        size_t const b = labels[i], place = places[b], at = place % ELEMENT_BLOCK;                 \
        char *const  block = scatter->blocks + b * stride;                                         \
        memcpy(block + at, from + i * (bytes), (bytes));                                           \
        places[b] = place + (bytes);                                                               \
        if (at + (bytes) >= ELEMENT_BLOCK) {                                                       \
            flush_block(scatter, block, place - at, scatter->firsts[b]);                           \
            memcpy(block, block + ELEMENT_BLOCK, (bytes));                                         \
        }                                                                                          \
    }
    BY_ELEMENT_SIZE(scatter->size, LOOP)
#undef LOOP
}

void element_scatter_end(const element_scatter *scatter)
{
    size_t const stride = element_block_bytes(scatter->size);
    for (size_t b = 0; b < scatter->buckets; b++) {
        size_t const end = scatter->places[b], start = end - end % ELEMENT_BLOCK;
        size_t const begin = ordo_max(start, scatter->firsts[b]);
        memcpy(scatter->to + begin, scatter->blocks + b * stride + (begin - start), end - begin);
    }
    if (scatter->streams)
        lines_fence();
}

/* ---- The verbs gather and scatter ---- */

typedef struct move_work {
    const ordo_move_job *job;
    _Atomic uint64_t     most; /* the largest index */
} move_work;

static inline uint64_t index_at(const ordo_move_job *job, size_t i)
{
    return job->index_type == ORDO_U32 ? ((const uint32_t *)job->index)[i]
                                       : ((const uint64_t *)job->index)[i];
}

static void check_piece(void *arg, size_t lo, size_t hi)
{
    move_work *const work = arg;
    uint64_t         most = 0;
    for (size_t at = lo; at < hi; at += CHECK_BLOCK) {
        size_t const end = ordo_min(at + CHECK_BLOCK, hi);
        for (size_t i = at; i < end; i++) {
            uint64_t const index = index_at(work->job, i);
            most = index > most ? index : most;
        }
    }
    cpu_keep_most(&work->most, most);
}

static void gather_piece(void *arg, size_t lo, size_t hi)
{
    const move_work *const     work = arg;
    const ordo_move_job *const job = work->job;
    element_gather(job->out, job->in, job->size, job->index, job->index_type == ORDO_U32, lo, hi);
}

static void scatter_piece(void *arg, size_t lo, size_t hi)
{
    const move_work *const     work = arg;
    const ordo_move_job *const job = work->job;
    char *const                to = job->out;
    const char *const          from = job->in;
#define LOOP(bytes)                                                                                \
    for (size_t i = lo; i < hi; i++)                                                               \
    memcpy(to + (size_t)index_at(job, i) * (bytes), from + i * (bytes), (bytes))
    BY_ELEMENT_SIZE(job->size, LOOP)
#undef LOOP
}

ordo_status cpu_move(void *state, const ordo_move_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    move_work                work = {.job = job};
    size_t const             grain = cpu_grain(job->count);
    exec->algorithm = job->scatters ? "scatter" : "gather";
    exec->isa = kernels->isa;
    if (job->count == 0)
        return ORDO_OK;
    exec->phases = 2;
    atomic_init(&work.most, 0);
    if (!ordo_loop(exec, job->count, grain, check_piece, &work))
        return ORDO_E_CANCELLED;
    uint64_t const most = atomic_load_explicit(&work.most, memory_order_relaxed);
    if (most >= job->n)
        return ordo_fail(exec, ORDO_E_ARG, "an index is %llu; expected less than n = %zu",
                         (unsigned long long)most, job->n);
    exec->phase = 1;
    return cpu_done(
        ordo_loop(exec, job->count, grain, job->scatters ? scatter_piece : gather_piece, &work));
}
