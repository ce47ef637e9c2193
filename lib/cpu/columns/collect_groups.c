/* collect_groups.c - the keys of each group, for group keys that are integers of a narrow range.
 *
 * The code of a row is its group key less the least one. Each chunk of rows counts its codes, the
 * counts become places, and each chunk moves its keys to the places of their groups: a counting
 * sort by group. Then each group is sorted by itself (segments/cpu_segments.c). The range may be a
 * quarter of the number of rows; the counts of all chunks take at most 8 bytes a row.
 * Cost: two reads of the group keys, one scattered write of the keys, sorts of the groups.
 * Scratch: up to 12 bytes a row and a copy of the keys, in one piece. */
#include "backend/layout.h"
#include "core/keybits.h"
#include "cpu/columns/columns.h"
#include "cpu/radix/records.h"

#include <string.h>

enum {
    RANGE_SHARE = 4, /* rows for each code, at least */
    COUNTS_EACH = 2, /* counters for each row, at most */
    TILE = 512,      /* rows whose codes are computed at a time */
    AHEAD = 24,      /* rows whose places are prefetched */
    POLL_TILES = 64
};

#define ORDO_TEMPLATE "cpu/columns/group_keys.t.h"
#include "core/for_each_type.h"

typedef struct collect_work {
    void             *state;
    ordo_collect_job *job;
    ordo_exec        *exec;
    ordo_key_column   column;
    uint64_t          least;
    size_t            range; /* number of codes */
    size_t            chunks, chunk;
    uint32_t         *counts; /* [chunk][code]: counts, then places */
    uint32_t         *codes;  /* the code of each group */
} collect_work;

/* codes[i] = the code of row at + i. */
static void read_codes(const collect_work *work, size_t at, size_t count, uint64_t *codes)
{
    records_bits(work->state, &work->column, at, count, codes);
    for (size_t i = 0; i < count; i++)
        codes[i] -= work->least;
}

/* Lists the groups and turns counts into places: code after code, chunk after chunk. */
static void place_groups(const collect_work *work)
{
    ordo_collect_job *const job = work->job;
    size_t                  sum = 0, groups = 0;
    for (size_t code = 0; code < work->range; code++) {
        size_t const start = sum;
        for (size_t c = 0; c < work->chunks; c++) {
            uint32_t *const place = &work->counts[c * work->range + code];
            size_t const    here = *place;
            *place = (uint32_t)sum;
            sum += here;
        }
        job->starts[groups] = start;
        work->codes[groups] = (uint32_t)code;
        groups += sum > start;
    }
    job->starts[groups] = sum;
    job->count = groups;
    BY_TYPE(job->group_type, put_keys, (work->least, work->codes, groups, job->unique));
}

/* Moves keys[i] to the place of its group. */
static void move_tile(const void *keys, const uint64_t *codes, size_t count, size_t size,
                      uint32_t *places, void *to)
{
#define MOVE(word)                                                                                 \
    do {                                                                                           \
        word *const       words = to;                                                              \
        const word *const from = keys;                                                             \
        size_t            i = 0;                                                                   \
        for (; i + AHEAD < count; i++) {                                                           \
            __builtin_prefetch(&words[places[codes[i + AHEAD]]], 1);                               \
            words[places[codes[i]]++] = from[i];                                                   \
        }                                                                                          \
        for (; i < count; i++)                                                                     \
            words[places[codes[i]]++] = from[i];                                                   \
    } while (0)
    switch (size) {
    case 1:
        MOVE(uint8_t);
        break;
    case 2:
        MOVE(uint16_t);
        break;
    case 4:
        MOVE(uint32_t);
        break;
    default:
        MOVE(uint64_t);
        break;
    }
#undef MOVE
}

/* Counts the codes of the chunks [lo, hi), or moves their keys to the places of their groups. */
static void do_chunks(const collect_work *work, size_t lo, size_t hi, bool moves)
{
    const ordo_collect_job *const job = work->job;
    size_t const                  size = ordo_type_size(job->type);
    for (size_t c = lo; c < hi; c++) {
        size_t const    begin = c * work->chunk, end = ordo_min(begin + work->chunk, job->n);
        uint32_t *const counts = work->counts + c * work->range;
        uint64_t        codes[TILE];
        if (!moves)
            memset(counts, 0, work->range * sizeof *counts);
        for (size_t at = begin, count, tiles = 1; at < end; at += count, tiles++) {
            count = ordo_min(TILE, end - at);
            read_codes(work, at, count, codes);
            if (moves)
                move_tile((const char *)job->keys + at * size, codes, count, size, counts,
                          job->sorted);
            for (size_t i = 0; !moves && i < count; i++)
                counts[codes[i]]++;
            if (tiles % POLL_TILES == 0 && ordo_poll(work->exec, (double)at / (double)end))
                return;
        }
    }
}

static void count_chunk(void *arg, size_t lo, size_t hi) { do_chunks(arg, lo, hi, false); }

static void move_chunk(void *arg, size_t lo, size_t hi) { do_chunks(arg, lo, hi, true); }

/* ---- Sorts of the groups ---- */

static ordo_status sort_group(const void *arg, size_t i, size_t n, void *const *at, ordo_exec *exec)
{
    const collect_work *const work = arg;
    ordo_sort_job const       job = {.type = work->job->type, .keys = at[0], .n = n};
    (void)i;
    return cpu_sort(work->state, &job, exec);
}

static ordo_status sort_short(const void *arg, size_t i, size_t count, size_t n, void *const *at,
                              ordo_exec *exec)
{
    const collect_work *const work = arg;
    ordo_rows_job const       job = {.type = work->job->type, .keys = at[0], .rows = count, .n = n};
    (void)i;
    (void)exec;
    cpu_sort_rows(work->state, &job);
    return ORDO_OK;
}

static size_t sort_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const collect_work *const work = arg;
    ordo_sort_job const       job = {.type = work->job->type, .n = n};
    return cpu_sort_scratch(&job, exec);
}

static ordo_status sort_groups(const collect_work *work)
{
    const ordo_collect_job *const job = work->job;
    ordo_exec                     part = *work->exec;
    ordo_segment_view const       view = {
              .count = job->count, .offsets = job->starts, .step = 1, .group = 1};
    ordo_segments_job const each = {
        .view = &view,
        .arrays = {{job->sorted, ordo_type_size(job->type), true, true}},
        .one = sort_group,
        .rows = sort_short,
        .rows_most = ORDO_ROW_KEYS,
        .scratch = sort_scratch,
        .arg = work};
    return cpu_segments(work->state, &each, &part);
}

/* ---- The job ---- */

/* In one piece, so that a refusal leaves the memory for the caller. */
static void lay_out(void *arg, ordo_layout *layout)
{
    collect_work *const     work = arg;
    ordo_collect_job *const job = work->job;
    size_t const range = work->range, key_size = job->keys == NULL ? 0 : ordo_type_size(job->type);
    work->counts = ordo_lay_line(layout, work->chunks * range, sizeof *work->counts);
    work->codes = ordo_lay_line(layout, range, sizeof *work->codes);
    job->starts = ordo_lay_line(layout, range + 1, sizeof *job->starts);
    job->unique = ordo_lay_line(layout, range, ordo_type_size(job->group_type));
    job->sorted = ordo_lay_line(layout, job->n, key_size);
}

ordo_status cpu_collect(void *state, ordo_collect_job *job, ordo_exec *exec)
{
    size_t const n = job->n;
    collect_work work = {.state = state,
                         .job = job,
                         .exec = exec,
                         .column = {job->group_keys, job->group_type, false, true}};
    uint64_t     most;
    job->count = 0;
    if (n < RANGE_SHARE || n > UINT32_MAX)
        return ORDO_OK;
    exec->phase = 0;
    exec->phases = job->keys == NULL ? 2 : 4;
    TRY(columns_extent(state, &work.column, n, exec, &work.least, &most));
    if (most - work.least >= n / RANGE_SHARE)
        return ORDO_OK;
    work.range = (size_t)(most - work.least) + 1;
    work.chunks = ordo_max(
        ordo_min(exec->threads, ordo_min(n / ORDO_TUNE_PIECE + 1, COUNTS_EACH * n / work.range)),
        1);
    work.chunk = ordo_div_up(n, work.chunks);
    work.chunks = ordo_div_up(n, work.chunk);
    ordo_status const taken = ordo_lay_out(exec, lay_out, &work);
    if (taken != ORDO_OK)
        return taken == ORDO_E_NOMEM ? ORDO_OK : taken;
    exec->phase = 1;
    if (!ordo_loop(exec, work.chunks, 1, count_chunk, &work))
        return ORDO_E_CANCELLED;
    place_groups(&work);
    exec->algorithm = "counted groups";
    exec->isa = ((const cpu_kernels *)state)->isa;
    if (job->keys == NULL)
        return ORDO_OK;
    exec->phase = 2;
    if (!ordo_loop(exec, work.chunks, 1, move_chunk, &work))
        return ORDO_E_CANCELLED;
    exec->phase = 3;
    return sort_groups(&work);
}
