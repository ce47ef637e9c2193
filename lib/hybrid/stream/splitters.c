/* splitters.c - phase I: chooses the pivot, the device's splitters and the CPU's buckets.
 *
 * Random keys are converted to codes, integers in the order of the sort, and sorted. The pivot is
 * the code that gives the CPU its share, moved to the nearer end of its equal keys, because tied
 * keys must stay on one side. Codes at equal distances before the pivot are the device's splitters.
 * A code that would be two or more splitters is a frequent key: its range needs no sort, so equal
 * keys never unbalance the segments. The CPU's range is divided into cells of equal width; adjacent
 * cells with about the same number of samples form a bucket. Cost: up to 2^17 samples; without a
 * share for the CPU 2^14, which one thread sorts in its cache. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include "core/bisect.h"
#include "core/keybits.h"
#include "core/random.h"

enum {
    MOST_SAMPLES = 1 << 17,                         /* 64 per bucket */
    SPLITTER_SAMPLES = ORDO_TUNE(1 << 14, 1 << 10), /* without buckets: 64 per splitter */
    SAMPLE_ONE_OF = ORDO_TUNE(64, 2), /* of this many keys of a large array one is sampled */
    GRAIN = 1 << 10
};

/* ---- Codes ---- */

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static inline uint64_t code_##tag(key x, bool descending, bool folded)                         \
    {                                                                                              \
        return folded ? key_tie_bits_##tag(x, descending) : key_sort_bits_##tag(x, descending);    \
    }
#include "core/types.def"

static uint64_t code_of(const hybrid_records *records, const void *at)
{
    switch (records->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID: {                                                                              \
        key x;                                                                                     \
        memcpy(&x, at, sizeof x);                                                                  \
        return code_##tag(x, records->descending, records->folded);                                \
    }
#include "core/types.def"
    }
    return 0;
}

/* Converts a code of folded keys to the code of unfolded keys that has the same keys before it, so
 * that a pivot never separates keys that tie. */
static uint64_t plain_code(const hybrid_records *records, uint64_t code)
{
    if (!records->folded || (records->type != ORDO_F32 && records->type != ORDO_F64))
        return code;
    bool const     wide = records->type == ORDO_F64;
    uint64_t const minus_zero = wide ? KEY_MINUS_ZERO_F64 : KEY_MINUS_ZERO_F32;
    uint64_t const inf = wide ? KEY_INF_F64 : KEY_INF_F32;
    if (code > inf) /* the folded code of all NaNs; inf + 1 is the first unfolded one */
        return inf + 1;
    if (records->descending) /* +0 precedes -0: a pivot after the zeros must not lie between them */
        return code == inf - minus_zero ? code + 1 : code;
    return code == minus_zero + 1 ? minus_zero : code; /* a pivot at the zeros moves to -0 */
}

void hybrid_bucket_labels(const hybrid_call *call, const void *keys, size_t n, uint16_t *labels)
{
    const hybrid_records *const records = call->records;
    const uint16_t *const       cells = call->tables->cells;
    uint64_t const              pivot = call->pivot, last = call->cell_count - 1;
    unsigned const              shift = call->cell_shift;
    bool const                  descending = records->descending, folded = records->folded;
    switch (records->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID: {                                                                              \
        const key *const all = keys;                                                               \
        for (size_t i = 0; i < n; i++) {                                                           \
            uint64_t const code = code_##tag(all[i], descending, folded);                          \
            uint64_t const cell = code > pivot ? (code - pivot) >> shift : 0;                      \
            labels[i] = cells[cell < last ? cell : last];                                          \
        }                                                                                          \
        break;                                                                                     \
    }
#include "core/types.def"
    }
}

/* ---- Samples ---- */

typedef struct sample_work {
    const hybrid_records *records;
    uint64_t             *samples, stream;
} sample_work;

static void take_samples(void *arg, size_t lo, size_t hi)
{
    const sample_work *const    work = arg;
    const hybrid_records *const records = work->records;
    for (size_t i = lo; i < hi; i++) {
        size_t const at = (size_t)ordo_random_below(ordo_random_at(work->stream, i), records->n);
        work->samples[i] = code_of(records, records->keys + at * records->key_size);
    }
}

/* Draws the samples and sorts them: codes are in the order of u64 keys. */
static ordo_status sort_samples(hybrid_call *call, uint64_t *samples, size_t count)
{
    sample_work work = {call->records, samples, ordo_random_sequence(call->exec->seed, 1)};
    if (!ordo_loop(call->exec, count, GRAIN, take_samples, &work))
        return ORDO_E_CANCELLED;
    ordo_sort_job const job = {.type = ORDO_U64, .keys = samples, .n = count};
    ordo_status const   status = call->both->cpu->sort(call->both->cpu_state, &job, call->exec);
    call->exec->changed = false; /* only the samples changed */
    call->exec->path = NULL;
    return status;
}

/* ---- The pivot ---- */

static size_t samples_before(const uint64_t *samples, size_t count, uint64_t code)
{
    size_t lo = 0, hi = count;
    ORDO_BISECT(middle, lo, hi, samples[middle] < code);
    return lo;
}

/* Returns the number of samples before the pivot. */
static size_t choose_pivot(hybrid_call *call, const uint64_t *samples, size_t count, double share)
{
    size_t const wanted = (size_t)((double)count * (1 - share));
    call->divided = false;
    call->share = 0;
    if (wanted >= count)
        return count;
    uint64_t const code = samples[wanted];
    size_t const   lower = samples_before(samples, count, code);
    size_t const   upper = code == UINT64_MAX >> (64 - 8 * call->records->key_size)
                               ? count
                               : samples_before(samples, count, code + 1);
    bool const     up = upper - wanted < wanted - lower;
    size_t const   below = up ? upper : lower;
    if (below == count)
        return count;
    call->divided = true;
    call->share = 1 - (double)below / (double)count;
    call->pivot = up ? code + 1 : code;
    call->plain_pivot = plain_code(call->records, call->pivot);
    return below;
}

/* ---- Splitters and buckets ---- */

static void add_splitter(hybrid_call *call, uint64_t code, bool equal)
{
    call->tables->splitters[call->splitter_count++] = (hybrid_splitter){code, equal};
}

/* The first splitter is the least code, so every key follows a splitter. */
static void make_splitters(hybrid_call *call, const uint64_t *samples, size_t count)
{
    call->splitter_count = 0;
    add_splitter(call, 0, false);
    for (size_t i = 1; i < HYBRID_SPLITTERS && count > 0; i++) {
        uint64_t const         code = samples[i * count / HYBRID_SPLITTERS];
        hybrid_splitter *const last = &call->tables->splitters[call->splitter_count - 1];
        if (code == last->code) {
            last->equal = true;
            continue;
        }
        if (last->equal) /* end of the frequent key's range */
            add_splitter(call, last->code + 1, false);
        if (call->tables->splitters[call->splitter_count - 1].code < code)
            add_splitter(call, code, false);
    }
    hybrid_splitter const last = call->tables->splitters[call->splitter_count - 1];
    if (last.equal && last.code != UINT64_MAX)
        add_splitter(call, last.code + 1, false);
}

/* Codes above the largest sample belong to the last cell. */
static void make_buckets(hybrid_call *call, const uint64_t *samples, size_t count, size_t wanted)
{
    uint64_t const range = samples[count - 1] - call->pivot;
    size_t         cell = 0; /* cells before this one have a bucket */
    call->cell_shift = 0;
    while (range >> call->cell_shift >= HYBRID_CELLS)
        call->cell_shift++;
    call->cell_count = (size_t)(range >> call->cell_shift) + 1;
    call->bucket_count = 1;
    for (size_t i = 0; i < count; i++) {
        size_t const here = (size_t)((samples[i] - call->pivot) >> call->cell_shift);
        if (here < cell) /* same cell as the previous sample */
            continue;
        while (cell < here)
            call->tables->cells[cell++] = (uint16_t)(call->bucket_count - 1);
        if (i > 0 && i >= call->bucket_count * count / wanted)
            call->bucket_count++;
        call->tables->cells[cell++] = (uint16_t)(call->bucket_count - 1);
    }
}

static size_t sample_count(const hybrid_call *call, size_t most)
{
    size_t const n = call->records->n;
    return ordo_max(ordo_min(n, HYBRID_SPLITTERS), ordo_min(most, n / SAMPLE_ONE_OF));
}

size_t hybrid_sample_host_bytes(const hybrid_call *call)
{
    ordo_sort_job const job = {.type = ORDO_U64, .n = sample_count(call, SPLITTER_SAMPLES)};
    return job.n * sizeof(uint64_t) + call->both->cpu->sort_scratch(&job, call->exec) +
           (HYBRID_SCRATCH_TAKES + 1) * ORDO_CACHE_LINE;
}

static ordo_status sorted_samples(hybrid_call *call, size_t most, uint64_t **samples, size_t *count)
{
    *count = sample_count(call, most);
    TRY_SCRATCH(call->exec, *count * sizeof(uint64_t), *samples);
    return sort_samples(call, *samples, *count);
}

ordo_status hybrid_choose_splitters(hybrid_call *call)
{
    uint64_t *samples;
    size_t    count;
    TRY(sorted_samples(call, call->wanted_share > 0 ? MOST_SAMPLES : SPLITTER_SAMPLES, &samples,
                       &count));
    size_t const device_count = choose_pivot(call, samples, count, call->wanted_share);
    make_splitters(call, samples, device_count);
    if (call->divided) {
        double const records = call->share * (double)call->records->n;
        size_t const wanted = ordo_min(HYBRID_MOST_BUCKETS, (size_t)(records / ORDO_HYBRID_BUCKET));
        make_buckets(call, samples + device_count, count - device_count, ordo_max(1, wanted));
    }
    return ORDO_OK;
}

ordo_status hybrid_choose_ranges(hybrid_call *call, size_t wanted)
{
    uint64_t *samples;
    size_t    count;
    TRY(sorted_samples(call, MOST_SAMPLES, &samples, &count));
    call->divided = true;
    call->pivot = samples[0]; /* codes before it also belong to the first cell */
    make_buckets(call, samples, count, wanted);
    return ORDO_OK;
}
