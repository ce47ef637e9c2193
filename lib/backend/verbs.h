/* verbs.h - the arrays of every verb, written once.
 *
 * A row of a verb says where the pointer to an array is in the job, how many elements the array
 * has, how large they are, and what the verb does with them. From the rows follow the checks of the
 * arguments (api_check_arrays in api/), the loop over the segments of an array (api/api_verb.c),
 * and the copies to a device and back (cuda/cuda_backend.cu). So a new array of a verb is a field
 * of its job (job.h) and a row here. */
#ifndef ORDO_BACKEND_VERBS_H
#define ORDO_BACKEND_VERBS_H

#include "backend/backend.h"

#include <string.h>

enum {                    /* use of an array */
    ORDO_READ = 1,        /* the verb reads its contents */
    ORDO_WRITTEN = 2,     /* the caller reads what the verb writes */
    ORDO_OPTIONAL = 4,    /* NULL: there is none */
    ORDO_COUNTED = 8,     /* size queries, which have no arrays, assume that there is one */
    ORDO_EACH = 16,       /* results of each segment, not elements of the segments */
    ORDO_HOST = 32,       /* in host memory even if the other arrays are on a device */
    ORDO_HOST_ALONE = 64, /* the same for jobs without segments */
    ORDO_UNCHECKED = 128, /* api/ does not check it */
    ORDO_INSTEAD = 256,   /* if it is given, the array before it is not read */
    ORDO_IN_PLACE = 512,  /* may be the first array, if its elements have the same size */

    /* A result that the caller may not want. */
    ORDO_WANTED = ORDO_WRITTEN | ORDO_OPTIONAL | ORDO_COUNTED,
    /* Numbers for each segment, or a number on the host. */
    ORDO_NUMBERS = ORDO_WRITTEN | ORDO_OPTIONAL | ORDO_EACH | ORDO_HOST_ALONE | ORDO_UNCHECKED,
    /* A result for each group, which is also read: that of a group that does not exist must not
     * change. */
    ORDO_RESULT = ORDO_READ | ORDO_WRITTEN | ORDO_OPTIONAL
};

typedef enum ordo_size_kind { /* what ordo_array.size is */
    ORDO_SIZE_TYPE,           /* where the job has the ordo_type of the elements */
    ORDO_SIZE_BYTES,          /* bytes of an element, a power of 2 */
    ORDO_SIZE_FIELD           /* where the job has the size of an element, which is not aligned */
} ordo_size_kind;

typedef struct ordo_array {
    const char *name;  /* in messages */
    uint16_t    field; /* where the job has the pointer to the array */
    uint16_t    size, size_kind, use;
    /* Where the job has the number of elements, with ORDO_EACH of the results of one segment. 0:
     * as many as the job, with ORDO_EACH 1. */
    uint16_t count;
    size_t (*count_of)(const void *job); /* not NULL: returns that number */
} ordo_array;

#define ORDO_SLOT_ID(slot, job) ORDO_SLOT_##slot,
typedef enum ordo_slot { /* of a backend */
    ORDO_SLOT_none,
    ORDO_SIZED_SLOTS(ORDO_SLOT_ID) ORDO_OTHER_SLOTS(ORDO_SLOT_ID)
} ordo_slot;
#undef ORDO_SLOT_ID

enum {
    ORDO_VERB_ARRAYS = 10
};

typedef struct ordo_verb {
    ordo_slot  slot;          /* that does the whole job, or one segment */
    uint16_t   job_bytes;     /* of the job */
    uint16_t   n, segments;   /* where the job has its number of elements and its segments; 0: none
                               * of these */
    bool       has_columns;   /* the job begins with `columns` and `count` (ordo_lexsort_job) */
    bool       is_never_void; /* a job without elements has results, too */
    ordo_array arrays[ORDO_VERB_ARRAYS]; /* up to the first without a name */
} ordo_verb;

/* ---- Counts ---- */

static inline size_t ordo_count_topk(const void *job)
{
    const ordo_topk_job *const topk = (const ordo_topk_job *)job;
    return topk->segments != NULL ? topk->k : ordo_min(topk->k, topk->n);
}

static inline size_t ordo_count_flags(ordo_flags_kind kind, size_t n)
{
    return kind == ORDO_FLAG_BITS ? ordo_div_up(n, 8) : n;
}

static inline size_t ordo_count_scan_flags(const void *job)
{
    const ordo_bits_job *const bits = (const ordo_bits_job *)job;
    return ordo_count_flags(bits->kind, bits->n);
}

static inline size_t ordo_count_partition_flags(const void *job)
{
    const ordo_partition_job *const partition = (const ordo_partition_job *)job;
    return ordo_count_flags(partition->kind, partition->n);
}

static inline size_t ordo_count_moved(const void *job)
{
    const ordo_move_job *const move = (const ordo_move_job *)job;
    return move->scatters ? move->count : move->n;
}

static inline size_t ordo_count_moved_to(const void *job)
{
    const ordo_move_job *const move = (const ordo_move_job *)job;
    return move->scatters ? move->n : move->count;
}

static inline size_t ordo_count_group_results(const void *job)
{
    const ordo_groups_job *const groups = (const ordo_groups_job *)job;
    return groups->capacity * groups->each;
}

static inline size_t ordo_count_group_out(const void *job)
{
    const ordo_groups_job *const groups = (const ordo_groups_job *)job;
    return groups->verb == ORDO_GROUP_TOPK ? ordo_count_group_results(job) : groups->n;
}

/* ---- The arrays of the verbs ---- */

#define AT(job, field) (uint16_t) offsetof(ordo_##job##_job, field)
#define TYPE(job, field) AT(job, field), ORDO_SIZE_TYPE
#define BYTES(bytes) bytes, ORDO_SIZE_BYTES
#define SIZE(job, field) AT(job, field), ORDO_SIZE_FIELD
#define ALL 0, NULL /* as many elements as the job, or one result for each segment */
#define COUNT(job, field) AT(job, field), NULL
#define COUNT_OF(function) 0, function
#define SEGMENTED(slot, job, n, segments)                                                          \
    ORDO_SLOT_##slot, sizeof(ordo_##job##_job), AT(job, n), AT(job, segments), false, false
#define WHOLE(job, n, has_columns, is_never_void)                                                  \
    ORDO_SLOT_none, sizeof(ordo_##job##_job), AT(job, n), 0, has_columns, is_never_void

static const ordo_verb ordo_verb_sort = {
    SEGMENTED(sort, sort, n, segments),
    {{"keys", AT(sort, keys), TYPE(sort, type), ORDO_READ | ORDO_WRITTEN, ALL},
     {"opts.source", AT(sort, source), TYPE(sort, type), ORDO_READ | ORDO_OPTIONAL | ORDO_INSTEAD,
      ALL}}};

static const ordo_verb ordo_verb_sort_pairs = {
    SEGMENTED(sort_pairs, pairs, keys.n, keys.segments),
    {{"keys", AT(pairs, keys.keys), TYPE(pairs, keys.type), ORDO_READ | ORDO_WRITTEN, ALL},
     {"values", AT(pairs, values), SIZE(pairs, value_size), ORDO_READ | ORDO_WRITTEN, ALL}}};

static const ordo_verb ordo_verb_argsort = {
    SEGMENTED(argsort, argsort, n, segments),
    {{"keys", AT(argsort, keys), TYPE(argsort, type), ORDO_READ, ALL},
     {"index", AT(argsort, index), TYPE(argsort, index_type), ORDO_WRITTEN, ALL}}};

static const ordo_verb ordo_verb_rank = {
    SEGMENTED(rank, rank, n, segments),
    {{"keys", AT(rank, keys), TYPE(rank, type), ORDO_READ, ALL},
     {"ranks", AT(rank, ranks), TYPE(rank, rank_type), ORDO_WRITTEN, ALL}}};

static const ordo_verb ordo_verb_rank_sorted = {
    SEGMENTED(rank_sorted, rank_sorted, n, segments),
    {{"sorted", AT(rank_sorted, sorted), TYPE(rank_sorted, type), ORDO_READ, ALL},
     {"ranks", AT(rank_sorted, ranks), TYPE(rank_sorted, rank_type), ORDO_WRITTEN, ALL}}};

/* Without segments the results of a selection may be on the host although the keys are on a
 * device. */
static const ordo_verb ordo_verb_select = {
    SEGMENTED(select, select, n, segments),
    {{"keys", AT(select, keys), TYPE(select, type), ORDO_READ, ALL},
     {"k", AT(select, k), BYTES(sizeof(size_t)), ORDO_READ | ORDO_HOST, COUNT(select, count)},
     {"out", AT(select, out), TYPE(select, type), ORDO_WRITTEN | ORDO_EACH | ORDO_HOST_ALONE,
      COUNT(select, count)}}};

static const ordo_verb ordo_verb_quantiles = {
    SEGMENTED(select, select, n, segments),
    {{"keys", AT(select, keys), TYPE(select, type), ORDO_READ, ALL},
     {"q", AT(select, q), BYTES(sizeof(double)), ORDO_READ | ORDO_HOST, COUNT(select, count)},
     {"out", AT(select, out), BYTES(sizeof(double)), ORDO_WRITTEN | ORDO_EACH | ORDO_HOST_ALONE,
      COUNT(select, count)}}};

static const ordo_verb ordo_verb_topk = {
    SEGMENTED(topk, topk, n, segments),
    {{"keys", AT(topk, keys), TYPE(topk, type), ORDO_READ, ALL},
     {"values", AT(topk, values), TYPE(topk, type), ORDO_WANTED | ORDO_EACH,
      COUNT_OF(ordo_count_topk)},
     {"index", AT(topk, index), TYPE(topk, index_type), ORDO_WANTED | ORDO_EACH,
      COUNT_OF(ordo_count_topk)},
     {"found", AT(topk, found), BYTES(sizeof(size_t)), ORDO_NUMBERS | ORDO_COUNTED, ALL}}};

static const ordo_verb ordo_verb_nth = {
    SEGMENTED(nth, nth, n, segments),
    {{"keys", AT(nth, keys), TYPE(nth, type), ORDO_READ, ALL},
     {"out", AT(nth, out), TYPE(nth, type), ORDO_WANTED, ALL},
     {"index", AT(nth, index), TYPE(nth, index_type), ORDO_WANTED, ALL}}};

static const ordo_verb ordo_verb_scan = {
    SEGMENTED(scan, scan, n, segments),
    {{"in", AT(scan, in), TYPE(scan, type), ORDO_READ, ALL},
     {"out", AT(scan, out), TYPE(scan, out_type), ORDO_WRITTEN | ORDO_IN_PLACE, ALL}}};

static const ordo_verb ordo_verb_scan_bits = {
    WHOLE(bits, n, false, false),
    {{"flags", AT(bits, flags), BYTES(1), ORDO_READ, COUNT_OF(ordo_count_scan_flags)},
     {"counts", AT(bits, counts), TYPE(bits, count_type), ORDO_WANTED, ALL}}};

static const ordo_verb ordo_verb_partition = {
    WHOLE(partition, n, false, false),
    {{"flags", AT(partition, flags), BYTES(1), ORDO_READ, COUNT_OF(ordo_count_partition_flags)},
     {"in", AT(partition, in), SIZE(partition, elem_size), ORDO_READ, ALL},
     {"out", AT(partition, out), SIZE(partition, elem_size), ORDO_WRITTEN, ALL}}};

static const ordo_verb ordo_verb_is_sorted = {
    SEGMENTED(is_sorted, order, n, segments),
    {{"keys", AT(order, keys), TYPE(order, type), ORDO_READ, ALL},
     {"sorted", AT(order, sorted), BYTES(sizeof(int)), ORDO_NUMBERS, ALL},
     {"where", AT(order, where), BYTES(sizeof(size_t)), ORDO_NUMBERS, ALL}}};

static const ordo_verb ordo_verb_radius = {
    SEGMENTED(radius, radius, n, segments),
    {{"keys", AT(radius, keys), TYPE(radius, type), ORDO_READ, ALL},
     {"opts.lr", AT(radius, lr), TYPE(radius, type), ORDO_WRITTEN | ORDO_OPTIONAL, ALL},
     {"opts.rl", AT(radius, rl), TYPE(radius, type), ORDO_WRITTEN | ORDO_OPTIONAL, ALL},
     {"opts.dm", AT(radius, dm), BYTES(sizeof(uint64_t)), ORDO_WRITTEN | ORDO_OPTIONAL, ALL},
     {"radius", AT(radius, radius), BYTES(sizeof(size_t)), ORDO_NUMBERS | ORDO_COUNTED, ALL}}};

static const ordo_verb ordo_verb_runs = {
    SEGMENTED(runs, runs, n, segments),
    {{"keys", AT(runs, keys), TYPE(runs, type), ORDO_READ, ALL},
     {"runs", AT(runs, runs), BYTES(sizeof(size_t)), ORDO_NUMBERS, ALL}}};

static const ordo_verb ordo_verb_count_nans = {
    WHOLE(count, n, false, false), {{"keys", AT(count, keys), TYPE(count, type), ORDO_READ, ALL}}};

static const ordo_verb ordo_verb_moving = {
    SEGMENTED(moving, moving, n, segments),
    {{"in", AT(moving, in), TYPE(moving, type), ORDO_READ, ALL},
     {"out", AT(moving, out), TYPE(moving, out_type), ORDO_WRITTEN, ALL},
     {"opts.first", AT(moving, first), BYTES(sizeof(size_t)), ORDO_READ | ORDO_OPTIONAL, ALL}}};

#define WEIGHTED                                                                                   \
    ORDO_SLOT_weighted, sizeof(ordo_weighted_job), AT(weighted, n), AT(weighted, segments), false, \
        true
#define WEIGHTED_KEYS                                                                              \
    {"keys", AT(weighted, keys), TYPE(weighted, type), ORDO_READ, ALL},                            \
    {                                                                                              \
        "opts.weights", AT(weighted, weights), TYPE(weighted, weight_type), ORDO_READ, ALL         \
    }
static const ordo_verb ordo_verb_weighted = {
    WEIGHTED,
    {WEIGHTED_KEYS,
     {"out", AT(weighted, out), BYTES(sizeof(double)), ORDO_WRITTEN | ORDO_EACH | ORDO_HOST_ALONE,
      COUNT(weighted, count)}}};

static const ordo_verb ordo_verb_weighted_rank = {
    WEIGHTED,
    {WEIGHTED_KEYS, {"ranks", AT(weighted, ranks), TYPE(weighted, rank_type), ORDO_WRITTEN, ALL}}};
#undef WEIGHTED
#undef WEIGHTED_KEYS

static const ordo_verb ordo_verb_unique = {
    WHOLE(unique, n, false, false),
    {{"keys", AT(unique, keys), TYPE(unique, type), ORDO_READ, ALL},
     {"out", AT(unique, out), TYPE(unique, type), ORDO_WRITTEN, ALL}}};

static const ordo_verb ordo_verb_search = {
    WHOLE(needles, n, false, false),
    {{"sorted", AT(needles, sorted), TYPE(needles, type), ORDO_READ, ALL},
     {"needles", AT(needles, needles), TYPE(needles, type), ORDO_READ, COUNT(needles, count)},
     {"index", AT(needles, index), TYPE(needles, index_type), ORDO_WRITTEN,
      COUNT(needles, count)}}};

static const ordo_verb ordo_verb_sort_records = {
    WHOLE(records, n, false, false),
    {{"base", AT(records, base), SIZE(records, size), ORDO_READ | ORDO_WRITTEN, ALL}}};

/* A scatter also reads `out`: elements that no index names do not change. */
static const ordo_verb ordo_verb_move = {
    WHOLE(move, count, false, false),
    {{"in", AT(move, in), SIZE(move, size), ORDO_READ, COUNT_OF(ordo_count_moved)},
     {"index", AT(move, index), TYPE(move, index_type), ORDO_READ, ALL},
     {"out", AT(move, out), SIZE(move, size), ORDO_WRITTEN, COUNT_OF(ordo_count_moved_to)}}};
static const ordo_verb ordo_verb_scatter = {
    WHOLE(move, count, false, false),
    {{"in", AT(move, in), SIZE(move, size), ORDO_READ, COUNT_OF(ordo_count_moved)},
     {"index", AT(move, index), TYPE(move, index_type), ORDO_READ, ALL},
     {"out", AT(move, out), SIZE(move, size), ORDO_READ | ORDO_WRITTEN,
      COUNT_OF(ordo_count_moved_to)}}};

static const ordo_verb ordo_verb_copy = {WHOLE(copy, bytes, false, false),
                                         {{"dst", AT(copy, dst), BYTES(1), ORDO_WRITTEN, ALL},
                                          {"src", AT(copy, src), BYTES(1), ORDO_READ, ALL}}};

static const ordo_verb ordo_verb_lexsort = {
    WHOLE(lexsort, n, true, false),
    {{"index", AT(lexsort, index), TYPE(lexsort, index_type), ORDO_WRITTEN, ALL}}};

static const ordo_verb ordo_verb_lexrank = {
    WHOLE(lexrank, n, true, false),
    {{"ranks", AT(lexrank, ranks), TYPE(lexrank, rank_type), ORDO_WRITTEN, ALL}}};

#define GROUP_ARRAYS(index_or_ranks)                                                               \
    {"groups.keys", AT(groups, group_keys), TYPE(groups, group_type), ORDO_READ, ALL},             \
        {"keys", AT(groups, keys), TYPE(groups, type), ORDO_READ | ORDO_OPTIONAL, ALL},            \
        {"groups.unique", AT(groups, unique), TYPE(groups, group_type), ORDO_RESULT,               \
         COUNT(groups, capacity)},                                                                 \
        {"groups.sizes", AT(groups, sizes), BYTES(sizeof(uint64_t)), ORDO_RESULT,                  \
         COUNT(groups, capacity)},                                                                 \
        {"groups.count", AT(groups, groups), BYTES(sizeof(size_t)), ORDO_RESULT | ORDO_EACH, ALL}, \
        {index_or_ranks, AT(groups, out), TYPE(groups, out_type), ORDO_RESULT,                     \
         COUNT_OF(ordo_count_group_out)},                                                          \
        {"out", AT(groups, quantiles), BYTES(sizeof(double)), ORDO_RESULT,                         \
         COUNT_OF(ordo_count_group_results)},                                                      \
        {"values", AT(groups, values), TYPE(groups, type), ORDO_RESULT,                            \
         COUNT_OF(ordo_count_group_results)},                                                      \
    {                                                                                              \
        "found", AT(groups, found), BYTES(sizeof(uint64_t)), ORDO_RESULT, COUNT(groups, capacity)  \
    }
static const ordo_verb ordo_verb_groups = {WHOLE(groups, n, false, true), {GROUP_ARRAYS("index")}};
static const ordo_verb ordo_verb_group_rank = {WHOLE(groups, n, false, true),
                                               {GROUP_ARRAYS("ranks")}};

/* The job of groups is the first field of this job. */
static const ordo_verb ordo_verb_weighted_groups = {
    WHOLE(groups, n, false, true),
    {GROUP_ARRAYS("ranks"),
     {"opts.weights", AT(weighted_groups, weights), TYPE(weighted_groups, weight_type), ORDO_READ,
      ALL}}};
#undef GROUP_ARRAYS

#undef AT
#undef TYPE
#undef BYTES
#undef SIZE
#undef ALL
#undef COUNT
#undef COUNT_OF
#undef SEGMENTED
#undef WHOLE

/* ---- A verb and its job ---- */

/* The same as ordo_type_size, for backends that link to nothing in libordo. */
static inline size_t ordo_size_of(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return sizeof(key);
#include "core/types.def"
    }
    return 0;
}

/* The array after the last one of a verb. */
static inline const ordo_array *ordo_arrays_end(const ordo_verb *verb)
{
    const ordo_array *array = verb->arrays;
    while (array < verb->arrays + ORDO_VERB_ARRAYS && array->name != NULL)
        array++;
    return array;
}

static inline size_t ordo_size_in(const void *job, uint16_t offset)
{
    size_t value;
    memcpy(&value, (const char *)job + offset, sizeof value);
    return value;
}

static inline void *ordo_pointer_in(const void *job, uint16_t offset)
{
    void *pointer;
    memcpy(&pointer, (const char *)job + offset, sizeof pointer);
    return pointer;
}

/* Bytes of an element. */
static inline size_t ordo_array_size(const ordo_array *array, const void *job)
{
    ordo_type type;
    if (array->size_kind == ORDO_SIZE_BYTES)
        return array->size;
    if (array->size_kind == ORDO_SIZE_FIELD)
        return ordo_size_in(job, array->size);
    memcpy(&type, (const char *)job + array->size, sizeof type);
    return ordo_size_of(type);
}

static inline const ordo_segment_view *ordo_segments_of(const ordo_verb *verb, const void *job)
{
    return verb->segments == 0 ? NULL
                               : (const ordo_segment_view *)ordo_pointer_in(job, verb->segments);
}

/* The elements of the array, or the results for one segment. */
static inline size_t ordo_array_each(const ordo_verb *verb, const ordo_array *array,
                                     const void *job)
{
    if (array->count_of != NULL)
        return array->count_of(job);
    if (array->count != 0)
        return ordo_size_in(job, array->count);
    return (array->use & ORDO_EACH) != 0 ? 1 : ordo_size_in(job, verb->n);
}

/* The elements of the array. */
static inline size_t ordo_array_count(const ordo_verb *verb, const ordo_array *array,
                                      const void *job)
{
    const ordo_segment_view *const segments = ordo_segments_of(verb, job);
    size_t const                   each = ordo_array_each(verb, array, job);
    return (array->use & ORDO_EACH) != 0 && segments != NULL ? segments->count * each : each;
}

/* Whether a job has nothing to do. A segment without elements has results, too. */
static inline bool ordo_is_void(const ordo_verb *verb, const void *job)
{
    if (ordo_size_in(job, verb->n) > 0 || verb->is_never_void)
        return false;
    for (const ordo_array *array = verb->arrays; array < ordo_arrays_end(verb); array++)
        if ((array->use & ORDO_EACH) != 0 && ordo_segments_of(verb, job) != NULL)
            return false;
    return true;
}

#endif
