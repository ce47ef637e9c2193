/* narrow.c - sort of keys of 8 and 16 bits: count how often each value occurs, then write it so
 * often. One read and one write of memory; no scratch but a table a thread.
 *
 * Counting is bound by the load and store of a counter; four tables, used in turn, keep equal
 * neighbours from waiting for each other. */
#include "core/keybits.h"
#include "cpu/sort/narrow.h"

#include <string.h>

typedef struct narrow_work {
    const ordo_sort_job *job;
    size_t               values; /* 2^8 or 2^16 */
    size_t               share;  /* keys of one thread's piece */
    uint32_t            *tables; /* [piece][value] */
    size_t              *starts; /* [value + 1]: where each value's keys begin in the result */
} narrow_work;

/* ---- Count ---- */

static void count_8(const uint8_t *keys, size_t n, uint32_t *table)
{
    uint32_t part[4][256];
    size_t   i = 0;
    memset(part, 0, sizeof part);
    for (; i + 8 <= n; i += 8) {
        uint64_t word;
        memcpy(&word, keys + i, sizeof word);
        part[0][word & 255]++;
        part[1][word >> 8 & 255]++;
        part[2][word >> 16 & 255]++;
        part[3][word >> 24 & 255]++;
        part[0][word >> 32 & 255]++;
        part[1][word >> 40 & 255]++;
        part[2][word >> 48 & 255]++;
        part[3][word >> 56]++;
    }
    for (; i < n; i++)
        part[0][keys[i]]++;
    for (unsigned v = 0; v < 256; v++)
        table[v] += part[0][v] + part[1][v] + part[2][v] + part[3][v];
}

static void count_16(const uint16_t *keys, size_t n, uint32_t *table)
{
    for (size_t i = 0; i < n; i++)
        table[keys[i]]++;
}

static void count_piece(void *arg, size_t lo, size_t hi)
{
    const narrow_work *const work = arg;
    for (size_t piece = lo; piece < hi; piece++) {
        uint32_t *const table = work->tables + piece * work->values;
        size_t const    begin = piece * work->share;
        size_t const    end = ordo_min(begin + work->share, work->job->n);
        memset(table, 0, work->values * sizeof *table);
        if (work->values == 256)
            count_8((const uint8_t *)work->job->keys + begin, end - begin, table);
        else
            count_16((const uint16_t *)work->job->keys + begin, end - begin, table);
    }
}

/* ---- Write ---- */

/* The unsigned pattern of the v-th value in order. */
static unsigned pattern_of(const ordo_sort_job *job, size_t v)
{
    switch (job->type) {
    case ORDO_I8:
        return (uint8_t)key_of_i8((uint8_t)(job->descending ? 255 - v : v));
    case ORDO_U8:
        return (uint8_t)(job->descending ? 255 - v : v);
    case ORDO_I16:
        return (uint16_t)key_of_i16((uint16_t)(job->descending ? 65535 - v : v));
    default:
        return (uint16_t)(job->descending ? 65535 - v : v);
    }
}

static void fill_16(uint16_t *to, size_t n, uint16_t value)
{
    for (size_t i = 0; i < n; i++)
        to[i] = value;
}

static void write_piece(void *arg, size_t lo, size_t hi)
{
    const narrow_work *const work = arg;
    size_t                   v = 0;
    for (size_t step = work->values / 2; step > 0; step /= 2) /* the value that key lo has */
        if (work->starts[v + step] <= lo)
            v += step;
    while (lo < hi) {
        size_t const end = ordo_min(work->starts[v + 1], hi);
        if (end > lo) {
            unsigned const pattern = pattern_of(work->job, v);
            if (work->values == 256)
                memset((uint8_t *)work->job->keys + lo, (int)pattern, end - lo);
            else
                fill_16((uint16_t *)work->job->keys + lo, end - lo, (uint16_t)pattern);
            lo = end;
        }
        v++;
    }
}

/* ---- Without scratch ---- */

/* The place in order of an unsigned pattern: the inverse of pattern_of. */
static size_t order_of(const ordo_sort_job *job, unsigned pattern)
{
    size_t const most = ordo_type_size(job->type) == 1 ? 255 : 65535;
    size_t const bits = job->type == ORDO_I8    ? key_bits_i8((int8_t)(uint8_t)pattern)
                        : job->type == ORDO_I16 ? key_bits_i16((int16_t)(uint16_t)pattern)
                                                : pattern;
    return job->descending ? most - bits : bits;
}

/* Brings keys with the same high byte together, each key straight to where it belongs. */
static void gather_high(const ordo_sort_job *job, uint16_t *keys, const size_t *starts)
{
    size_t next[256];
    memcpy(next, starts, sizeof next);
    for (unsigned d = 0; d < 256; d++)
        while (next[d] < starts[d + 1]) {
            uint16_t key = keys[next[d]];
            for (size_t home; (home = order_of(job, key) >> 8) != d;) {
                uint16_t const other = keys[next[home]];
                keys[next[home]++] = key;
                key = other;
            }
            keys[next[d]++] = key;
        }
}

/* Writes each value as often as it was counted. */
static void write_counts(const ordo_sort_job *job, const size_t *counts, size_t first, size_t at)
{
    for (size_t v = 0; v < 256; at += counts[v++]) {
        unsigned const pattern = pattern_of(job, first + v);
        if (ordo_type_size(job->type) == 1)
            memset((uint8_t *)job->keys + at, (int)pattern, counts[v]);
        else
            fill_16((uint16_t *)job->keys + at, counts[v], (uint16_t)pattern);
    }
}

ordo_status cpu_narrow_inplace(const ordo_sort_job *job, ordo_exec *exec)
{
    size_t     starts[257] = {0};
    bool const bytes = ordo_type_size(job->type) == 1;
    exec->algorithm = "count in place";
    exec->isa = "generic";
    for (size_t i = 0; i < job->n; i++)
        starts[1 + (bytes ? order_of(job, ((const uint8_t *)job->keys)[i])
                          : order_of(job, ((const uint16_t *)job->keys)[i]) >> 8)]++;
    if (bytes) {
        write_counts(job, starts + 1, 0, 0);
        return ORDO_OK;
    }
    for (unsigned d = 0; d < 256; d++)
        starts[d + 1] += starts[d];
    gather_high(job, job->keys, starts);
    for (unsigned d = 0; d < 256; d++) {
        size_t counts[256] = {0};
        for (size_t i = starts[d]; i < starts[d + 1]; i++)
            counts[order_of(job, ((const uint16_t *)job->keys)[i]) & 255]++;
        write_counts(job, counts, (size_t)d << 8, starts[d]);
    }
    return ORDO_OK;
}

/* ---- All of it ---- */

static size_t piece_count(size_t n, unsigned threads, size_t values)
{
    size_t const least = ordo_max(ORDO_TUNE_ALONE, values); /* keys that are worth a table */
    size_t const most = ordo_div_up(n, (size_t)1 << 31);    /* so that a counter cannot wrap */
    return ordo_max(ordo_max(ordo_min(threads, n / least), most), 1);
}

static size_t values_of(ordo_type type) { return (size_t)1 << 8 * ordo_type_size(type); }

size_t cpu_narrow_scratch(ordo_type type, size_t n, unsigned threads)
{
    size_t const values = values_of(type);
    return ordo_round_up(piece_count(n, threads, values) * values * sizeof(uint32_t),
                         ORDO_CACHE_LINE) +
           ordo_round_up((values + 1) * sizeof(size_t), ORDO_CACHE_LINE);
}

ordo_status cpu_sort_narrow(const ordo_sort_job *job, ordo_exec *exec)
{
    narrow_work  work = {.job = job, .values = values_of(job->type)};
    size_t const pieces = piece_count(job->n, exec->threads, work.values);
    void        *tables, *starts;
    TRY(ordo_scratch(exec, pieces * work.values * sizeof(uint32_t), &tables));
    TRY(ordo_scratch(exec, (work.values + 1) * sizeof(size_t), &starts));
    work.tables = tables;
    work.starts = starts;
    work.share = ordo_div_up(job->n, pieces);
    exec->algorithm = "count";
    exec->isa = "generic";
    if (!ordo_loop(exec, pieces, 1, count_piece, &work))
        return ORDO_E_CANCELLED;
    size_t sum = 0;
    for (size_t v = 0; v < work.values; v++) {
        unsigned const pattern = pattern_of(job, v);
        work.starts[v] = sum;
        for (size_t piece = 0; piece < pieces; piece++)
            sum += work.tables[piece * work.values + pattern];
    }
    work.starts[work.values] = sum;
    if (ordo_poll(exec, 0.5))
        return ORDO_E_CANCELLED;
    exec->changed = true;
    return cpu_done(ordo_loop(exec, job->n, cpu_grain(job->n), write_piece, &work));
}
