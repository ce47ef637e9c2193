/* play_work.h - the work of the device of playing.c: sorts, packed differences and ranks, by simple
 * loops in host memory, in the order of core/keybits.h. */
#ifndef ORDO_TESTS_PLAY_WORK_H
#define ORDO_TESTS_PLAY_WORK_H

#include "core/keybits.h"
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
        uint64_t const of_rule[] = {[ORDO_TIES_MIN] = start + 1,
                                    [ORDO_TIES_MAX] = end,
                                    [ORDO_TIES_DENSE] = runs,
                                    [ORDO_TIES_ORDINAL] = i + 1,
                                    [ORDO_TIES_AVERAGE] = start + 1 + end};
        numbers[number_at(job->index, width, items[i].at)] = of_rule[job->ties];
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

#endif
