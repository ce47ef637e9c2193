/* play_work.h - the work of the device of playing.c: sorts, packed differences and ranks, by simple
 * loops in host memory, in the order of core/keybits.h. */
#ifndef ORDO_TESTS_PLAY_WORK_H
#define ORDO_TESTS_PLAY_WORK_H

#include "core/keybits.h"
#include "core/ties.h"
#include "backend/pack.h"
#include "backend/backend.h"

#include <stdlib.h>
#include <string.h>

static uint64_t code_of(ordo_type type, bool descending, bool folded, const void *key)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key_type, bits_type)                                                    \
    case ORDO_##ID: {                                                                              \
        key_type x;                                                                                \
        memcpy(&x, key, sizeof x);                                                                 \
        if (folded)                                                                                \
            return descending ? key_desc_##tag(x) : key_fold_##tag(x);                             \
        return descending ? key_turn_##tag(key_bits_##tag(x)) : key_bits_##tag(x);                 \
    }
#include "core/types.def"
    }
    return 0;
}

static size_t size_of(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key_type, bits_type)                                                    \
    case ORDO_##ID:                                                                                \
        return sizeof(key_type);
#include "core/types.def"
    }
    return 0;
}

typedef struct play_item {
    uint64_t code;
    size_t   at;
} play_item;

static int by_code(const void *a, const void *b)
{
    const play_item *const x = a, *const y = b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void permute(void *array, size_t size, const play_item *items, size_t n)
{
    char *const copy = malloc(n * size + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, array, n * size);
    for (size_t i = 0; i < n; i++)
        memcpy((char *)array + i * size, copy + items[i].at * size, size);
    free(copy);
}

static void sort_now(const ordo_pairs_job *job)
{
    const ordo_sort_job *const keys = &job->keys;
    play_item *const           items = malloc(keys->n * sizeof *items + 1);
    size_t const               size = size_of(keys->type);
    if (items == NULL)
        abort();
    for (size_t i = 0; i < keys->n; i++)
        items[i] = (play_item){code_of(keys->type, keys->descending, job->value_size != 0,
                                       (char *)keys->keys + i * size),
                               i};
    qsort(items, keys->n, sizeof *items, by_code);
    permute(keys->keys, size, items, keys->n);
    if (job->value_size != 0)
        permute(job->values, job->value_size, items, keys->n);
    free(items);
}

static uint64_t difference(const ordo_pack_job *job, const char *key)
{
    size_t const   size = size_of(job->type);
    uint64_t const code = code_of(job->type, job->descending, false, key);
    uint64_t const before = code_of(job->type, job->descending, false, key - size);
    return (code - before) & UINT64_MAX >> (64 - 8 * size);
}

static uint64_t widest_of(const ordo_pack_job *job, const char *keys, size_t n)
{
    size_t const size = size_of(job->type), chain = ordo_pack_chain(n);
    uint64_t     widest = 0;
    for (size_t i = 0; i < n; i++)
        if (i % chain != 0)
            widest = ordo_max(widest, difference(job, keys + i * size));
    return widest;
}

static void pack_now(const ordo_pack_job *job)
{
    size_t const size = size_of(job->type);
    for (size_t piece = 0; piece * job->piece < job->n; piece++) {
        const char *const keys = (const char *)job->keys + piece * job->piece * size;
        char *const       to = (char *)job->packed + piece * ordo_pack_stride(job->piece, size);
        size_t const      n = ordo_min(job->piece, job->n - piece * job->piece);
        size_t const      chain = ordo_pack_chain(n);
        job->widest[piece] = widest_of(job, keys, n);
        size_t const width = ordo_pack_width(job->widest[piece]);
        for (size_t i = 0; i < n && width < size; i++) {
            uint64_t const code = code_of(job->type, job->descending, false, keys + i * size);
            uint64_t const d = i % chain == 0 ? 0 : difference(job, keys + i * size);
            if (i % chain == 0)
                for (size_t b = 0; b < size; b++)
                    to[i / chain * size + b] = (char)(code >> (8 * b));
            for (size_t b = 0; b < width; b++)
                to[ORDO_PACK_CHAINS * size + i * width + b] = (char)(d >> (8 * b));
        }
    }
}

static uint64_t number_at(const void *numbers, size_t width, size_t i)
{
    uint32_t narrow;
    uint64_t wide;
    if (width == sizeof wide) {
        memcpy(&wide, (const char *)numbers + i * width, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)numbers + i * width, sizeof narrow);
    return narrow;
}

/* Writes all ranks to job->work, for ranks_now. Writes nothing if a stretch is not sorted. */
static void number_now(const ordo_put_job *job, size_t width)
{
    play_item *const items = malloc(job->n * sizeof *items + 1);
    uint64_t *const  numbers = job->work;
    size_t const     size = size_of(job->type);
    if (items == NULL)
        abort();
    for (size_t i = 0; i < job->n; i++) {
        items[i] = (play_item){
            code_of(job->type, job->descending, true, (const char *)job->sorted + i * size), i};
        if (i > 0 && i != job->split && items[i].code < items[i - 1].code) {
            free(items);
            return;
        }
    }
    qsort(items, job->n, sizeof *items, by_code);
    for (size_t i = 0, start = 0, end = 0, runs = 0; i < job->n; i++) {
        if (i == end) { /* a new group of ties */
            start = i;
            runs++;
            while (end < job->n && items[end].code == items[start].code)
                end++;
        }
        numbers[number_at(job->index, width, items[i].at)] =
            ordo_tie_rank(job->ties, start, end, runs, i);
    }
    free(items);
}

static void ranks_now(const ordo_put_job *job)
{
    size_t const width = job->index_type == ORDO_U32 ? 4 : 8, stretch = job->total / job->parts;
    bool const   last = job->part + 1 == job->parts;
    if (job->part == 0)
        number_now(job, width);
    for (size_t i = job->part * stretch; i < (last ? job->total : (job->part + 1) * stretch); i++) {
        uint64_t const wide = ((const uint64_t *)job->work)[i];
        uint32_t const narrow = (uint32_t)wide;
        memcpy((char *)job->ranks + i * width,
               width == 4 ? (const void *)&narrow : (const void *)&wide, width);
    }
}

/* ---- Steps of the hybrid sample sort ---- */

static const char *play_record(const ordo_sample_job *job, const void *records, size_t i)
{
    return (const char *)records + i * job->record_size;
}

/* Compares whole records: the key bits, then the index. */
static int compare_records(const ordo_sample_job *job, const void *a, const void *b)
{
    if (job->record_size == 4) {
        uint32_t x, y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        return x < y ? -1 : x > y;
    }
    uint64_t x[2] = {0}, y[2] = {0};
    memcpy(x, a, job->record_size);
    memcpy(y, b, job->record_size);
    int const high = x[0] < y[0] ? -1 : x[0] > y[0];
    return high != 0 ? high : x[1] < y[1] ? -1 : x[1] > y[1];
}

static void make_record(const ordo_sample_job *job, size_t i, void *record)
{
    uint64_t const code = code_of(job->type, job->descending, job->indexed,
                                  (const char *)job->keys + i * size_of(job->type));
    uint64_t const wide[2] = {code, job->first + i};
    uint32_t const narrow = (uint32_t)code;
    uint64_t const both = code << 32 | (uint32_t)(job->first + i);
    const void    *from = job->record_size == 4    ? (const void *)&narrow
                          : job->record_size == 16 ? (const void *)wide
                          : job->indexed           ? (const void *)&both
                                                   : (const void *)&code;
    memcpy(record, from, job->record_size);
}

static void label_now(const ordo_sample_job *job)
{
    size_t const splitters = ((size_t)1 << job->lg) - 1;
    for (size_t i = 0; i < job->n; i++) {
        char *const record = (char *)job->records + i * job->record_size;
        size_t      below = 0;
        make_record(job, i, record);
        for (size_t step = (splitters + 1) / 2; step > 0; step /= 2)
            if (compare_records(job, play_record(job, job->splitters, below + step - 1), record) <
                0)
                below += step;
        bool const equal =
            below < splitters &&
            compare_records(job, play_record(job, job->splitters, below), record) == 0;
        job->labels[i] = (uint16_t)(2 * below + equal);
    }
}

static char *bucket_array(const ordo_sample_job *job, size_t bucket)
{
    bool const stays = bucket >= job->bucket_first && bucket < job->bucket_end;
    return !stays ? job->outbox : bucket % 2 == 1 ? job->finished : job->scattered;
}

static void scatter_now(const ordo_sample_job *job)
{
    uint64_t *const places = malloc(((size_t)2 << job->lg) * sizeof *places);
    if (places == NULL)
        abort();
    memcpy(places, job->places, ((size_t)2 << job->lg) * sizeof *places);
    for (size_t i = 0; i < job->n; i++) {
        size_t const b = job->labels[i];
        memcpy(bucket_array(job, b) + places[b]++ * job->record_size,
               play_record(job, job->records, i), job->record_size);
    }
    free(places);
}

static void place_now(const ordo_sample_job *job)
{
    size_t const entries = (size_t)2 << job->lg;
    for (size_t e = 0; e < entries; e++)
        memcpy(bucket_array(job, e) + job->to[e] * job->record_size,
               play_record(job, job->inbox, job->from[e]),
               (job->from[e + 1] - job->from[e]) * job->record_size);
}

static _Thread_local const ordo_sample_job *compared; /* the comparison needs its record size */

static int compare_for_qsort(const void *a, const void *b)
{
    return compare_records(compared, a, b);
}

static void sort_buckets_now(const ordo_sample_job *job)
{
    size_t const size = job->record_size;
    for (size_t b = job->bucket_first; b < job->bucket_end; b++) {
        char *const  to = (char *)job->finished + job->starts[b] * size;
        size_t const n = job->starts[b + 1] - job->starts[b];
        if (b % 2 == 1)
            continue;
        memcpy(to, play_record(job, job->scattered, job->starts[b]), n * size);
        compared = job;
        qsort(to, n, size, compare_for_qsort);
        /* It is scratch of the step. */
        memset((char *)job->records + job->starts[b] * size, 0x55, n * size);
    }
}

static void uncode(const ordo_sample_job *job, uint64_t code, void *key)
{
    switch (job->type) {
#define ORDO_TYPE(ID, tag, key_type, bits_type)                                                    \
    case ORDO_##ID: {                                                                              \
        key_type const x = key_of_sort_bits_##tag((bits_type)code, job->descending);               \
        memcpy(key, &x, sizeof x);                                                                 \
        break;                                                                                     \
    }
#include "core/types.def"
    }
}

static void pairs_now(const ordo_sample_job *job)
{
    size_t const size = size_of(job->type), value_size = job->value_size;
    for (size_t i = 0; i < job->owned; i++) {
        uint64_t words[2] = {0};
        memcpy(words, play_record(job, job->finished, i), job->record_size);
        bool const   wide = job->record_size == 16;
        size_t const index = wide ? (size_t)words[1] : (uint32_t)words[0];
        if (job->step == ORDO_SAMPLE_RESULT)
            uncode(job, wide ? words[0] : words[0] >> 32, (char *)job->result + i * size);
        else
            memcpy((char *)job->result_values + i * value_size,
                   (const char *)job->values + index * value_size, value_size);
    }
}

static void result_now(const ordo_sample_job *job)
{
    if (job->value_size != 0) {
        pairs_now(job);
        return;
    }
    size_t const out = job->indexed ? size_of(job->index_type) : size_of(job->type);
    for (size_t i = 0; i < job->owned; i++) {
        uint64_t wide[2] = {0};
        char    *to = (char *)job->result + i * out;
        uint32_t narrow;
        memcpy(wide, play_record(job, job->finished, i), job->record_size);
        memcpy(&narrow, wide, sizeof narrow);
        if (!job->indexed) {
            uncode(job, job->record_size == 4 ? narrow : wide[0], to);
            continue;
        }
        uint64_t const index = job->record_size == 16 ? wide[1] : (uint32_t)wide[0];
        narrow = (uint32_t)index;
        memcpy(to, out == 4 ? (const void *)&narrow : (const void *)&index, out);
    }
}

static void sample_now(const ordo_sample_job *job)
{
    switch (job->step) {
    case ORDO_SAMPLE_LABEL:
        label_now(job);
        break;
    case ORDO_SAMPLE_COUNT:
        memset(job->counts, 0, ((size_t)2 << job->lg) * sizeof *job->counts);
        for (size_t i = 0; i < job->n; i++)
            job->counts[job->labels[i]]++;
        break;
    case ORDO_SAMPLE_SCATTER:
        scatter_now(job);
        break;
    case ORDO_SAMPLE_PLACE:
        place_now(job);
        break;
    case ORDO_SAMPLE_SORT:
        sort_buckets_now(job);
        break;
    case ORDO_SAMPLE_RESULT:
    case ORDO_SAMPLE_VALUES:
        result_now(job);
        break;
    case ORDO_SAMPLE_SPLIT:
        abort();
    }
}

#endif
