/* narrow.c - counting sort of keys of 8 and 16 bits: counts how often each value occurs, then
 * writes the values. One read and one write of memory; scratch: one table for each thread. A few
 * keys of 16 bits are sorted byte by byte instead.
 *
 * The load and the store of a counter limit the speed (V1: 0.57 ns). If there are many keys, they
 * are counted 16 bits at a time, two keys of 8 bits at once, in counters of one byte: a table of 64
 * KB stays in L1, and a counter rarely overflows. V1, ns per key: 8 bits 0.38 (in four tables of
 * 256 counters 0.54); 16 bits 0.76 (in one table of 32-bit counters 1.03). */
#include "cpu/radix/radix.h"
#include "backend/layout.h"

#include <string.h>

typedef struct count_work {
    const void *keys;
    size_t      n;
    size_t      values; /* 2^8 or 2^16 */
    size_t      pieces; /* one thread counts a piece */
    size_t      share;  /* keys of a piece */
    uint32_t   *tables; /* [piece][value] */
    uint8_t    *few;    /* [piece][value of 16 bits], one-byte counters; NULL: too few keys */
    size_t     *starts; /* [value + 1] */
} count_work;

typedef struct write_work {
    const ordo_sort_job *job;
    size_t               values;
    const size_t        *starts; /* [value + 1]: where each value's keys begin in the result */
} write_work;

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

enum {
    ROUND = 256, /* an overflow of a counter of one byte */
    DOUBLES = 1 << 16
};

/* Counts an overflow: adds ROUND to the count of one 16-bit value, or of each of its two bytes. */
static inline void count_round(uint32_t *table, bool bytes, unsigned value)
{
    if (bytes) {
        table[value & 255] += ROUND;
        table[value >> 8] += ROUND;
    } else {
        table[value] += ROUND;
    }
}

static inline void count_double(uint8_t *few, uint32_t *table, bool bytes, unsigned value,
                                unsigned more)
{
    unsigned const before = few[value], count = before + more;
    few[value] = (uint8_t)count;
    if (ORDO_UNLIKELY(count >= ROUND))
        count_round(table, bytes, value);
}

/* Counts n keys, four values of 16 bits at a time. Four equal values are counted at once,
 * because their counters would wait for each other. few is zeroed and has DOUBLES counters. */
static inline __attribute__((always_inline)) void
count_doubles(const void *keys, size_t n, bool bytes, uint8_t *few, uint32_t *table)
{
    const uint8_t *const at = keys;
    size_t const         size = bytes ? 1 : 2, end = n * size;
    uint64_t const       three = UINT64_MAX >> 16;
    size_t               i = 0;
    for (uint64_t word; i + sizeof word <= end; i += sizeof word) {
        memcpy(&word, at + i, sizeof word);
        if (ORDO_UNLIKELY(((word ^ word >> 16) & three) == 0)) {
            count_double(few, table, bytes, (unsigned)(word & 0xffff), 4);
            continue;
        }
        count_double(few, table, bytes, (unsigned)(word & 0xffff), 1);
        count_double(few, table, bytes, (unsigned)(word >> 16 & 0xffff), 1);
        count_double(few, table, bytes, (unsigned)(word >> 32 & 0xffff), 1);
        count_double(few, table, bytes, (unsigned)(word >> 48), 1);
    }
    for (; i < end; i += size)
        table[bytes ? at[i] : ((const uint16_t *)keys)[i / size]]++;
}

static void count_many_8(const uint8_t *keys, size_t n, uint8_t *few, uint32_t *table)
{
    count_doubles(keys, n, true, few, table);
    for (unsigned high = 0; high < 256; high++) {
        const uint8_t *const row = few + 256 * high;
        uint32_t             sum = 0;
        for (unsigned low = 0; low < 256; low++) {
            table[low] += row[low];
            sum += row[low];
        }
        table[high] += sum;
    }
}

static void count_many_16(const uint16_t *keys, size_t n, uint8_t *few, uint32_t *table)
{
    count_doubles(keys, n, false, few, table);
    for (unsigned v = 0; v < DOUBLES; v++)
        table[v] += few[v];
}

static void count_piece(void *arg, size_t lo, size_t hi)
{
    const count_work *const work = arg;
    for (size_t piece = lo; piece < hi; piece++) {
        uint32_t *const       table = work->tables + piece * work->values;
        size_t const          begin = piece * work->share;
        size_t const          end = ordo_min(begin + work->share, work->n);
        const uint8_t *const  bytes = (const uint8_t *)work->keys + begin;
        const uint16_t *const doubles = (const uint16_t *)work->keys + begin;
        memset(table, 0, work->values * sizeof *table);
        if (work->few == NULL) {
            if (work->values == 256)
                count_8(bytes, end - begin, table);
            else
                count_16(doubles, end - begin, table);
            continue;
        }
        uint8_t *const few = work->few + piece * DOUBLES;
        memset(few, 0, DOUBLES);
        if (work->values == 256)
            count_many_8(bytes, end - begin, few, table);
        else
            count_many_16(doubles, end - begin, few, table);
    }
}

/* ---- Write ---- */

/* The bits to flip between the rank of a value in order and its pattern in memory. */
static unsigned flip_of(ordo_type type, bool descending)
{
    unsigned const all = ordo_type_size(type) == 1 ? 0xff : 0xffff;
    bool const     is_signed = type == ORDO_I8 || type == ORDO_I16;
    return (descending ? all : 0) ^ (is_signed ? (all >> 1) + 1 : 0);
}

static void fill_16(uint16_t *to, size_t n, uint16_t value)
{
    for (size_t i = 0; i < n; i++)
        to[i] = value;
}

/* Writes the values from v on to [lo, hi), which begins with keys of v. Eight keys are stored at
 * once; the next value overwrites surplus keys, except in the last eight places. So a rare value
 * costs no mispredicted branch on its count. */
static void write_16(uint16_t *keys, const size_t *starts, size_t v, unsigned flip, size_t lo,
                     size_t hi)
{
    enum {
        EIGHT = 8
    };
    for (; lo + EIGHT <= hi; v++) {
        size_t const end = ordo_min(starts[v + 1], hi);
        uint16_t     eight[EIGHT];
        for (unsigned j = 0; j < EIGHT; j++)
            eight[j] = (uint16_t)(v ^ flip);
        memcpy(keys + lo, eight, sizeof eight);
        for (size_t i = lo + EIGHT; i < end; i += EIGHT)
            memcpy(keys + ordo_min(i, hi - EIGHT), eight, sizeof eight);
        lo = end;
    }
    for (; lo < hi; v++)
        for (size_t const end = ordo_min(starts[v + 1], hi); lo < end; lo++)
            keys[lo] = (uint16_t)(v ^ flip);
}

static void write_piece(void *arg, size_t lo, size_t hi)
{
    const write_work *const work = arg;
    unsigned const          flip = flip_of(work->job->type, work->job->descending);
    size_t                  v = 0;
    for (size_t step = work->values / 2; step > 0; step /= 2) /* the value of key lo */
        if (work->starts[v + step] <= lo)
            v += step;
    if (work->values != 256) {
        write_16(work->job->keys, work->starts, v, flip, lo, hi);
        return;
    }
    for (; lo < hi; v++) {
        size_t const end = ordo_min(work->starts[v + 1], hi);
        memset((uint8_t *)work->job->keys + lo, (int)(v ^ flip), end - lo);
        lo = end;
    }
}

/* ---- Without scratch ---- */

/* Moves every key to the range of its high byte, in place. */
static void gather_high(uint16_t *keys, const size_t *starts, unsigned flip)
{
    size_t next[256];
    memcpy(next, starts, sizeof next);
    for (unsigned d = 0; d < 256; d++)
        while (next[d] < starts[d + 1]) {
            uint16_t key = keys[next[d]];
            for (size_t home; (home = (key ^ flip) >> 8) != d;) {
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
    unsigned const flip = flip_of(job->type, job->descending);
    for (size_t v = 0; v < 256; at += counts[v++]) {
        unsigned const pattern = (unsigned)(first + v) ^ flip;
        if (ordo_type_size(job->type) == 1)
            memset((uint8_t *)job->keys + at, (int)pattern, counts[v]);
        else
            fill_16((uint16_t *)job->keys + at, counts[v], (uint16_t)pattern);
    }
}

ordo_status cpu_narrow_inplace(const ordo_sort_job *job, ordo_exec *exec)
{
    size_t         starts[257] = {0};
    bool const     bytes = ordo_type_size(job->type) == 1;
    unsigned const flip = flip_of(job->type, job->descending);
    exec->algorithm = "count in place";
    exec->isa = "generic";
    for (size_t i = 0; i < job->n; i++)
        starts[1 + (bytes ? ((const uint8_t *)job->keys)[i] ^ flip
                          : (((const uint16_t *)job->keys)[i] ^ flip) >> 8)]++;
    if (bytes) {
        write_counts(job, starts + 1, 0, 0);
        return ORDO_OK;
    }
    for (unsigned d = 0; d < 256; d++)
        starts[d + 1] += starts[d];
    gather_high(job->keys, starts, flip);
    for (unsigned d = 0; d < 256; d++) {
        size_t counts[256] = {0};
        for (size_t i = starts[d]; i < starts[d + 1]; i++)
            counts[(((const uint16_t *)job->keys)[i] ^ flip) & 255]++;
        write_counts(job, counts, (size_t)d << 8, starts[d]);
    }
    return ORDO_OK;
}

/* ---- Few keys ---- */

/* Whether keys are so few that clearing and summing a counter per value would take most of the
 * time: fewer than values. Sapphire Rapids, i16, one thread, us for 100, 1600 and 51200 keys: 1.1,
 * 5.7, 151; 102400 keys in counters: 275. */
static bool is_by_bytes(ordo_type type, size_t n)
{
    return ordo_type_size(type) == 2 && n < ORDO_TUNE_NARROW_MANY / 4;
}

/* Sorts keys of 16 bits by the low byte, then by the high byte, through scratch for n keys. */
static ordo_status sort_by_bytes(const ordo_sort_job *job, ordo_exec *exec)
{
    unsigned const  flip = flip_of(job->type, job->descending);
    uint32_t        place[2][256] = {{0}};
    uint16_t *const keys = job->keys;
    uint16_t       *spare;
    exec->algorithm = "radix";
    TRY_SCRATCH(exec, job->n * sizeof *keys, spare);
    for (size_t i = 0; i < job->n; i++) {
        unsigned const value = keys[i] ^ flip;
        place[0][value & 255]++;
        place[1][value >> 8]++;
    }
    (void)ordo_sums_before_32(place[0], 256);
    (void)ordo_sums_before_32(place[1], 256);
    for (size_t i = 0; i < job->n; i++)
        spare[place[0][(keys[i] ^ flip) & 255]++] = keys[i];
    exec->changed = true;
    for (size_t i = 0; i < job->n; i++)
        keys[place[1][(spare[i] ^ flip) >> 8]++] = spare[i];
    return ORDO_OK;
}

/* ---- The whole sort ---- */

static size_t values_of(ordo_type type) { return (size_t)1 << 8 * ordo_type_size(type); }

static count_work count_of(ordo_type type, const void *keys, size_t n, unsigned threads)
{
    size_t const values = values_of(type);
    size_t const least = ordo_max(ORDO_TUNE_ALONE, values); /* least keys per table */
    size_t const most = ordo_div_up(n, (size_t)1 << 31);    /* so that a counter cannot wrap */
    size_t const pieces = ordo_max(ordo_max(ordo_min(threads, n / least), most), 1);
    return (count_work){
        .keys = keys, .n = n, .values = values, .pieces = pieces, .share = ordo_div_up(n, pieces)};
}

static void lay_out(void *arg, ordo_layout *layout)
{
    count_work *const work = arg;
    work->tables = ordo_lay(layout, work->pieces * work->values, sizeof *work->tables);
    if (work->n / work->pieces >= ORDO_TUNE_NARROW_MANY)
        work->few = ordo_lay(layout, work->pieces, DOUBLES);
    work->starts = ordo_lay(layout, work->values + 1, sizeof *work->starts);
}

size_t cpu_narrow_scratch(ordo_type type, size_t n, unsigned threads)
{
    count_work work = count_of(type, NULL, n, threads);
    return (is_by_bytes(type, n) ? ordo_round_up(n * sizeof(uint16_t), ORDO_CACHE_LINE) : 0) +
           ordo_layout_bytes(lay_out, &work);
}

ordo_status cpu_narrow_count(ordo_type type, const void *keys, size_t n, bool descending,
                             const size_t **result, ordo_exec *exec)
{
    unsigned const flip = flip_of(type, descending);
    count_work     work = count_of(type, keys, n, exec->threads);
    size_t         sum = 0;
    TRY(ordo_lay_out(exec, lay_out, &work));
    if (!ordo_loop(exec, work.pieces, 1, count_piece, &work))
        return ORDO_E_CANCELLED;
    for (size_t v = 0; v < work.values; v++) {
        work.starts[v] = sum;
        for (size_t piece = 0; piece < work.pieces; piece++)
            sum += work.tables[piece * work.values + (v ^ flip)];
    }
    work.starts[work.values] = sum;
    *result = work.starts;
    return ORDO_OK;
}

ordo_status cpu_sort_narrow(const ordo_sort_job *job, ordo_exec *exec)
{
    write_work work = {.job = job, .values = values_of(job->type)};
    exec->algorithm = "count";
    exec->isa = "generic";
    if (is_by_bytes(job->type, job->n))
        return sort_by_bytes(job, exec);
    TRY(cpu_narrow_count(job->type, job->keys, job->n, job->descending, &work.starts, exec));
    if (ordo_poll(exec, 0.5))
        return ORDO_E_CANCELLED;
    exec->changed = true;
    return cpu_done(ordo_loop(exec, job->n, cpu_grain(job->n), write_piece, &work));
}
