/* element_moves.c - gather and scatter of elements of any size by an index.
 *
 * Common sizes have their own loop with a copy of constant length. A gather prefetches the
 * elements, because their addresses are known and each is a cache miss if the array is larger than
 * the cache; a scatter prefetches its places. Elements need no alignment. */
#include "core/indices.h"
#include "cpu/base/by_size.h"
#include "cpu/elements/elements.h"
#include "cpu/radix/lines.h"

#include <string.h>

enum {
    AHEAD = 24,         /* elements that are prefetched ahead of their copy */
    LINES_AHEAD = 4,    /* lines of an element that are prefetched */
    CHECK_BLOCK = 1024, /* indices that are checked between two tests */
    POLL_EVERY = 4096   /* elements moved along cycles between two checks for cancel */
};

/* Copies an element. If its size is not a constant, steps of 64 bytes, of which the last two may
 * overlap, take less time than a call of memcpy. V1, a sort of structs of 256 and of 100 bytes, CPU
 * ns each: 107 and 37 with calls, 56 and 32 with steps; structs of 56 bytes by steps of 16: 25 and
 * 30. */
static inline void copy_element(char *restrict to, const char *restrict from, size_t size)
{
    enum {
        STEP = 64
    };
    if (__builtin_constant_p(size) || size < STEP) {
        memcpy(to, from, size);
        return;
    }
    for (size_t at = 0; at + STEP < size; at += STEP)
        memcpy(to + at, from + at, STEP);
    memcpy(to + size - STEP, from + size - STEP, STEP);
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
            copy_element(to + i * (bytes), from + PLACE(i) * (bytes), (bytes));                    \
        }                                                                                          \
        for (; i < hi; i++)                                                                        \
            copy_element(to + i * (bytes), from + PLACE(i) * (bytes), (bytes));                    \
    } while (0)

static void gather_u32(char *to, const char *from, size_t size, const uint32_t *index, size_t lo,
                       size_t hi)
{
#define PLACE(i) (size_t) index[i]
#define LOOP(bytes) GATHER_BY(PLACE, (size_t)(bytes))
    BY_ELEMENT_SIZE(size, LOOP)
#undef PLACE
}

/* The same for bits of every `step`-th word. */
static void gather_words(char *to, const char *from, size_t size, const uint64_t *words,
                         size_t step, uint64_t mask, size_t lo, size_t hi)
{
#define PLACE(i) (size_t)(words[(i)*step] & mask)
    BY_ELEMENT_SIZE(size, LOOP)
#undef PLACE
#undef LOOP
}

void element_gather(char *to, const char *from, size_t size, const void *index, bool narrow,
                    size_t lo, size_t hi)
{
    if (narrow)
        gather_u32(to, from, size, index, lo, hi);
    else
        gather_words(to, from, size, index, 1, UINT64_MAX, lo, hi);
}

void element_gather_records(char *to, const char *from, size_t size, const void *records,
                            bool packed, size_t count)
{
    if (packed)
        gather_words(to, from, size, records, 1, UINT32_MAX, 0, count);
    else
        gather_words(to, from, size, (const uint64_t *)records + 1, 2, UINT64_MAX, 0, count);
}

static void gather_piece(void *arg, size_t lo, size_t hi)
{
    const ordo_move_job *const job = arg;
    element_gather(job->out, job->in, job->size, job->index, job->index_type == ORDO_U32, lo, hi);
}

ordo_status element_gather_all(const ordo_move_job *job, ordo_exec *exec)
{
    return cpu_done(ordo_loop(exec, job->count, cpu_grain(job->count), gather_piece, (void *)job));
}

/* ---- In place ---- */

bool element_permute(char *base, size_t size, size_t n, void *index, bool narrow, char *room,
                     ordo_exec *exec)
{
    ordo_type const type = narrow ? ORDO_U32 : ORDO_U64;
    size_t          steps = 0;
    for (size_t i = 0; i < n; i++) {
        bool   stop = false;
        size_t hole = i;
        if (ordo_index_at(type, index, i) != i) {
            memcpy(room, base + i * size, size);
            for (size_t from; !stop && (from = ordo_index_at(type, index, hole)) != i;
                 hole = from) {
                memcpy(base + hole * size, base + from * size, size);
                ordo_put_index(type, index, hole, hole);
                stop = ++steps % POLL_EVERY == 0 && ordo_poll(exec, (double)i / (double)n);
            }
            memcpy(base + hole * size, room, size);
            ordo_put_index(type, index, hole, hole);
        }
        if (stop || (++steps % POLL_EVERY == 0 && ordo_poll(exec, (double)i / (double)n)))
            return false;
    }
    return true;
}

/* ---- To buckets ---- */

bool element_streams(size_t bytes)
{
#if defined(__SSE2__)
    return cpu_bypasses_cache(bytes);
#else
    (void)bytes; /* lines_stream has no store past the cache */
    return false;
#endif
}

/* Writes the block that begins at byte `start` of the result, without the part before `first`,
 * which belongs to another bucket. */
static void flush_block(const element_scatter *scatter, const char *block, size_t start,
                        size_t first)
{
    if (first > start)
        memcpy(scatter->to + first, block + (first - start), start + ELEMENT_BLOCK - first);
    else
        lines_stream(scatter->to + start, block, ELEMENT_BLOCK);
}

/* A block holds the bytes of the result from a multiple of ELEMENT_BLOCK on. An element that does
 * not fit is split: its end begins the next block. */
static void scatter_by_blocks(const element_scatter *scatter, const char *from,
                              const uint16_t *labels, size_t count)
{
    size_t const  stride = element_block_bytes(scatter->size);
    size_t *const places = scatter->places;
#define LOOP(bytes)                                                                                \
    for (size_t i = 0; i < count; i++) {                                                           \
        size_t const b = labels[i], place = places[b], at = place % ELEMENT_BLOCK;                 \
        char *const  block = scatter->blocks + b * stride;                                         \
        copy_element(block + at, from + i * (bytes), (bytes));                                     \
        places[b] = place + (bytes);                                                               \
        if (at + (bytes) >= ELEMENT_BLOCK) {                                                       \
            flush_block(scatter, block, place - at, scatter->firsts[b]);                           \
            memcpy(block, block + ELEMENT_BLOCK, (bytes));                                         \
        }                                                                                          \
    }
    BY_ELEMENT_SIZE(scatter->size, LOOP)
#undef LOOP
}

/* Ordinary stores. The lines after the place of the bucket's next element are prefetched for the
 * write. */
static void scatter_directly(const element_scatter *scatter, const char *from,
                             const uint16_t *labels, size_t count)
{
    char *const   to = scatter->to;
    size_t *const places = scatter->places;
#define LOOP(bytes)                                                                                \
    for (size_t i = 0; i < count; i++) {                                                           \
        size_t const b = labels[i], place = places[b], next = place + (bytes);                     \
        copy_element(to + place, from + i * (bytes), (bytes));                                     \
        places[b] = next;                                                                          \
        for (size_t line = 0; line < (bytes); line += ORDO_CACHE_LINE)                             \
            __builtin_prefetch(to + next + ORDO_CACHE_LINE + line, 1);                             \
    }
    BY_ELEMENT_SIZE(scatter->size, LOOP)
#undef LOOP
}

void element_scatter_labels(const element_scatter *scatter, const char *from,
                            const uint16_t *labels, size_t count)
{
    (scatter->streams ? scatter_by_blocks : scatter_directly)(scatter, from, labels, count);
}

void element_scatter_end(const element_scatter *scatter)
{
    size_t const stride = element_block_bytes(scatter->size);
    if (!scatter->streams)
        return;
    for (size_t b = 0; b < scatter->buckets; b++) {
        size_t const end = scatter->places[b], start = end - end % ELEMENT_BLOCK;
        size_t const begin = ordo_max(start, scatter->firsts[b]);
        memcpy(scatter->to + begin, scatter->blocks + b * stride + (begin - start), end - begin);
    }
    lines_fence();
}

/* ---- The verbs gather and scatter ---- */

typedef struct move_work {
    const ordo_move_job *job;
    _Atomic uint64_t     most; /* the largest index */
} move_work;

static void check_piece(void *arg, size_t lo, size_t hi)
{
    move_work *const           work = arg;
    const ordo_move_job *const job = work->job;
    uint64_t                   most = 0;
    for (size_t at = lo; at < hi; at += CHECK_BLOCK) {
        size_t const end = ordo_min(at + CHECK_BLOCK, hi);
        for (size_t i = at; i < end; i++) {
            uint64_t const index = ordo_index_at(job->index_type, job->index, i);
            most = index > most ? index : most;
        }
    }
    cpu_keep_most(&work->most, most);
}

/* Copies element i of `from` to place PLACE(i) for lo <= i < hi. The places of elements that fill
 * half a cache line are prefetched for the write. V1, 5 * 10^6 elements in random order, ns each
 * with and without: 8 bytes 18.4 and 10.0, 32 bytes 18.2 and 25.9, 100 bytes 22.4 and 35.1. */
#define SCATTER_BY(PLACE, bytes)                                                                   \
    do {                                                                                           \
        size_t const ahead = (bytes) >= ORDO_CACHE_LINE / 2 ? AHEAD : 0;                           \
        size_t const most = (size_t)LINES_AHEAD * ORDO_CACHE_LINE;                                 \
        for (size_t i = lo; i < hi; i++) {                                                         \
            size_t const next = ahead > 0 && i + ahead < hi ? PLACE(i + ahead) : 0;                \
            for (size_t line = 0; ahead > 0 && line < ordo_min((bytes), most);                     \
                 line += ORDO_CACHE_LINE)                                                          \
                __builtin_prefetch(to + next * (bytes) + line, 1);                                 \
            copy_element(to + PLACE(i) * (bytes), from + i * (bytes), (bytes));                    \
        }                                                                                          \
    } while (0)
#define PLACE(i) (size_t) index[i]
#define LOOP(bytes) SCATTER_BY(PLACE, (size_t)(bytes))

static void scatter_u32(char *to, const char *from, size_t size, const uint32_t *index, size_t lo,
                        size_t hi)
{
    BY_ELEMENT_SIZE(size, LOOP)
}

static void scatter_u64(char *to, const char *from, size_t size, const uint64_t *index, size_t lo,
                        size_t hi)
{
    BY_ELEMENT_SIZE(size, LOOP)
}
#undef LOOP
#undef PLACE

static void scatter_piece(void *arg, size_t lo, size_t hi)
{
    const move_work *const     work = arg;
    const ordo_move_job *const job = work->job;
    if (job->index_type == ORDO_U32)
        scatter_u32(job->out, job->in, job->size, job->index, lo, hi);
    else
        scatter_u64(job->out, job->in, job->size, job->index, lo, hi);
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
    return job->scatters ? cpu_done(ordo_loop(exec, job->count, grain, scatter_piece, &work))
                         : element_gather_all(job, exec);
}
