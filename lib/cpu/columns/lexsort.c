/* lexsort.c - the order of rows by several key columns.
 *
 * The range of each column is measured. The bits of (key - least key) of all columns, one after the
 * other, form one string of bits per row. A 64-bit word holds the first bits of the string above
 * the index of the row. One sort of words (cpu_sort) orders the rows. Rows with equal string bits
 * in their words are a group of ties: the next level sorts each group by the following bits, all
 * groups in one job on segments. Few rows are sorted by insertion, comparing whole rows. Most
 * inputs need one level and a few small groups.
 * Scratch: 9 bytes per row, that of cpu_sort, and 16 bytes per group of ties. If the last part is
 * refused, the groups are sorted one after the other. */
#include "core/indices.h"
#include "core/keybits.h"
#include "cpu/columns/columns.h"
#include "cpu/radix/records.h"

#include <string.h>

enum {
    MOST_COLUMNS = 16,
    FEW = ORDO_TUNE(24, 3), /* rows sorted by insertion */
    TILE = 512              /* rows packed at a time */
};

enum { /* values of heads[i], besides ORDO_ROW_*; 0: row i ties with row i - 1 in all levels so
        * far */
    ROW_TIE = 4 /* row i ties with row i - 1 in all columns */
};

typedef struct column_part { /* the bits of a column that a word holds */
    uint64_t base, mask;
    unsigned right, left; /* shifts */
    unsigned column;
} column_part;

#define ORDO_TEMPLATE "cpu/columns/columns.t.h"
#include "core/for_each_type.h"

typedef struct lex_work {
    const cpu_kernels      *kernels;
    const ordo_lexsort_job *job;
    ordo_exec              *exec;
    uint64_t                least[MOST_COLUMNS];
    unsigned                bits[MOST_COLUMNS]; /* bits that each column needs */
    size_t                  total;              /* bits of all columns */
    size_t                  at;                 /* bits that earlier levels have sorted by */
    unsigned                width;              /* bits of this level */
    unsigned                index_bits;
    column_part             parts[MOST_COLUMNS];
    size_t                  part_count;
    uint64_t               *words;
    uint8_t                *heads;
    uint64_t               *offsets;  /* borders of the groups of ties and of the rows between
                                      * them */
    size_t                  capacity; /* entries that offsets can hold */
    uint64_t               *events;   /* group borders before each piece */
    size_t                  grain, longest;
} lex_work;

/* ---- Ranges ---- */

typedef struct extent_work {
    const cpu_kernels     *kernels;
    const ordo_key_column *column;
    _Atomic uint64_t       least, most;
} extent_work;

/* The loops of the ISA fold ties, which only changes floats. */
static void extent_piece(void *arg, size_t lo, size_t hi)
{
    extent_work *const           work = arg;
    const ordo_key_column *const column = work->column;
    cpu_tie_extent               extent = {.least = UINT64_MAX};
    uint64_t                     bits[TILE];
    if (column->folded || (column->type != ORDO_F32 && column->type != ORDO_F64)) {
        const char *const keys = (const char *)column->keys + lo * ordo_type_size(column->type);
        work->kernels->loops->tie_extent[column->type](keys, hi - lo, column->descending, &extent);
        lo = hi;
    }
    for (size_t at = lo, count; at < hi; at += count) {
        count = ordo_min(TILE, hi - at);
        records_bits(work->kernels, column, at, count, bits);
        for (size_t i = 0; i < count; i++) {
            extent.least = bits[i] < extent.least ? bits[i] : extent.least;
            extent.most = bits[i] > extent.most ? bits[i] : extent.most;
        }
    }
    cpu_keep_least(&work->least, extent.least);
    cpu_keep_most(&work->most, extent.most);
}

ordo_status columns_extent(const cpu_kernels *kernels, const ordo_key_column *column, size_t n,
                           ordo_exec *exec, uint64_t *least, uint64_t *most)
{
    extent_work extent = {.kernels = kernels, .column = column};
    atomic_init(&extent.least, UINT64_MAX);
    atomic_init(&extent.most, 0);
    if (!ordo_loop(exec, n, cpu_grain(n + 1), extent_piece, &extent))
        return ORDO_E_CANCELLED;
    *least = atomic_load_explicit(&extent.least, memory_order_relaxed);
    *most = atomic_load_explicit(&extent.most, memory_order_relaxed);
    return ORDO_OK;
}

static ordo_status measure(lex_work *work)
{
    const ordo_lexsort_job *const job = work->job;
    for (size_t c = 0; c < job->count; c++) {
        uint64_t most;
        TRY(columns_extent(work->kernels, &job->columns[c], job->n, work->exec, &work->least[c],
                           &most));
        work->bits[c] = ordo_bit_length(most - work->least[c]);
        work->total += work->bits[c];
    }
    return ORDO_OK;
}

/* ---- Words ---- */

/* Chooses the bits of the next level for groups of at most n rows. */
static void choose_parts(lex_work *work, size_t n)
{
    size_t start = 0;
    work->index_bits = ordo_bit_length(n - 1);
    work->width = (unsigned)ordo_min(64 - work->index_bits, work->total - work->at);
    work->part_count = 0;
    size_t const end = work->at + work->width;
    for (unsigned c = 0; c < work->job->count; c++, start += work->bits[c - 1]) {
        size_t const first = ordo_max(start, work->at);
        size_t const last = ordo_min(start + work->bits[c], end);
        if (first >= last)
            continue;
        work->parts[work->part_count++] =
            (column_part){.base = work->least[c],
                          .mask = UINT64_MAX >> (64 - (last - first)),
                          .right = (unsigned)(start + work->bits[c] - last),
                          .left = (unsigned)(end - last) + work->index_bits,
                          .column = c};
    }
}

static bool is_last_level(const lex_work *work) { return work->at + work->width == work->total; }

/* words[i] = the bits of this level and i, for lo <= i < hi. The i-th row is index[i]; NULL: i. */
static void pack(const lex_work *work, const void *index, size_t lo, size_t hi, uint64_t *words)
{
    uint64_t rows[TILE], bits[TILE];
    for (size_t at = lo, count; at < hi; at += count) {
        count = ordo_min(TILE, hi - at);
        for (size_t i = 0; i < count; i++)
            words[at + i] = at + i;
        for (size_t i = 0; i < count && index != NULL; i++)
            rows[i] = ordo_index_at(work->job->index_type, index, at + i);
        for (size_t p = 0; p < work->part_count; p++) {
            column_part const            part = work->parts[p];
            const ordo_key_column *const column = &work->job->columns[part.column];
            if (index == NULL)
                records_bits(work->kernels, column, at, count, bits);
            else
                BY_TYPE(column->type, bits_of_rows, (column, rows, count, bits));
            for (size_t i = 0; i < count; i++)
                words[at + i] |= ((bits[i] - part.base) >> part.right & part.mask) << part.left;
        }
    }
}

static void pack_piece(void *arg, size_t lo, size_t hi)
{
    const lex_work *const work = arg;
    pack(work, NULL, lo, hi, work->words);
}

static ordo_status sort_words(const lex_work *work, uint64_t *words, size_t n, ordo_exec *exec)
{
    ordo_sort_job const job = {.type = ORDO_U64, .keys = words, .n = n};
    ordo_exec           part = *exec;
    return cpu_sort((void *)work->kernels, &job, &part);
}

static inline uint64_t index_mask(const lex_work *work)
{
    return work->index_bits == 0 ? 0 : UINT64_MAX >> (64 - work->index_bits);
}

/* The byte of heads for a word; `differ`: the word XOR the word before it. */
static inline uint8_t head_of(const lex_work *work, uint64_t differ, bool last)
{
    return differ >> work->index_bits != 0 ? ORDO_ROW_HEAD : last ? ROW_TIE : 0;
}

/* ---- The first level ---- */

/* The bits of a word that hold the first column; 0: the word does not hold the whole column. */
static uint64_t first_column_mask(const lex_work *work)
{
    unsigned const bits = work->bits[0];
    return bits == 0 || bits > work->width
               ? 0
               : (UINT64_MAX >> (64 - bits)) << (work->index_bits + work->width - bits);
}

static void heads_piece(void *arg, size_t lo, size_t hi)
{
    const lex_work *const work = arg;
    uint64_t const        first = first_column_mask(work);
    bool const            last = is_last_level(work);
    for (size_t i = lo; i < hi; i++) {
        uint64_t const differ = i == 0 ? 0 : work->words[i] ^ work->words[i - 1];
        work->heads[i] = i == 0 ? ORDO_ROW_HEAD | ORDO_ROW_FIRST
                                : (uint8_t)(head_of(work, differ, last) |
                                            ((differ & first) != 0 ? ORDO_ROW_FIRST : 0));
    }
}

static void index_piece(void *arg, size_t lo, size_t hi)
{
    const lex_work *const work = arg;
    uint64_t const        mask = index_mask(work);
    for (size_t i = lo; i < hi; i++)
        ordo_put_index(work->job->index_type, work->job->index, i, work->words[i] & mask);
}

/* ---- Groups of ties ---- */

/* The number of groups that end before row i or begin with row i: 0 to 2. */
static inline unsigned borders_at(const lex_work *work, size_t i)
{
    size_t const n = work->job->n;
    bool const   ends = i > 0 && work->heads[i - 1] == 0 && (i == n || work->heads[i] != 0);
    bool const   begins = i + 1 < n && work->heads[i] != 0 && work->heads[i + 1] == 0;
    return (unsigned)ends + begins;
}

static void count_borders(void *arg, size_t lo, size_t hi)
{
    lex_work *const work = arg;
    uint64_t        events = 0;
    for (size_t i = lo; i < hi; i++)
        events += borders_at(work, i);
    work->events[lo / work->grain] = events;
}

static void list_borders(void *arg, size_t lo, size_t hi)
{
    lex_work *const work = arg;
    uint64_t        at = work->events[lo / work->grain] + 1;
    for (size_t i = lo; i < hi; i++)
        for (unsigned b = borders_at(work, i); b > 0; b--)
            work->offsets[at++] = i;
}

/* Lists the borders of all groups: offsets[1] and offsets[2] are those of the first group, and
 * so on. Sets *count to the number of segments, 1 if there are no ties. ORDO_E_NOMEM changes
 * nothing. */
static ordo_status list_groups(lex_work *work, size_t *count)
{
    ordo_exec *const exec = work->exec;
    size_t const     n = work->job->n, pieces = ordo_div_up(n + 1, work->grain);
    if (!ordo_loop(exec, n + 1, work->grain, count_borders, work))
        return ORDO_E_CANCELLED;
    size_t const borders = (size_t)ordo_sums_before_64(work->events, pieces);
    *count = borders + 1;
    if (borders == 0)
        return ORDO_OK;
    if (borders + 2 > work->capacity) {
        TRY_SCRATCH(exec, (borders + 2) * sizeof *work->offsets, work->offsets);
        work->capacity = borders + 2;
    }
    work->offsets[0] = 0;
    work->offsets[borders + 1] = n;
    if (!ordo_loop(exec, n + 1, work->grain, list_borders, work))
        return ORDO_E_CANCELLED;
    work->longest = 0;
    for (size_t b = 1; b < borders; b += 2)
        work->longest = ordo_max(work->longest, (size_t)(work->offsets[b + 1] - work->offsets[b]));
    return ORDO_OK;
}

static int compare_rows(const ordo_lexsort_job *job, size_t a, size_t b)
{
    int order = 0;
    for (size_t c = 0; c < job->count && order == 0; c++)
        order = BY_TYPE(job->columns[c].type, compare_rows, (&job->columns[c], a, b));
    return order;
}

/* Sorts few rows by insertion. The rows come in ascending order of their indices. */
static void insert_rows(const lex_work *work, void *index, size_t n, uint8_t *heads)
{
    const ordo_lexsort_job *const job = work->job;
    size_t                        rows[FEW];
    for (size_t i = 0; i < n; i++) {
        size_t const row = ordo_index_at(work->job->index_type, index, i);
        size_t       j = i;
        for (; j > 0 && compare_rows(job, row, rows[j - 1]) < 0; j--)
            rows[j] = rows[j - 1];
        rows[j] = row;
    }
    for (size_t i = 0; i < n; i++) {
        ordo_put_index(work->job->index_type, index, i, rows[i]);
        if (i > 0)
            heads[i] = compare_rows(job, rows[i - 1], rows[i]) != 0 ? ORDO_ROW_HEAD : ROW_TIE;
    }
}

/* Sorts a group of ties by the bits of this level. */
static ordo_status sort_group(const lex_work *work, uint64_t *words, void *index, uint8_t *heads,
                              size_t n, ordo_exec *exec)
{
    uint64_t const mask = index_mask(work);
    bool const     last = is_last_level(work);
    if (n <= FEW) {
        insert_rows(work, index, n, heads);
        return ORDO_OK;
    }
    pack(work, index, 0, n, words);
    TRY(sort_words(work, words, n, exec));
    for (size_t i = 1; i < n; i++)
        heads[i] = head_of(work, words[i] ^ words[i - 1], last);
    for (size_t i = 0; i < n; i++)
        words[i] = ordo_index_at(work->job->index_type, index, (size_t)(words[i] & mask));
    for (size_t i = 0; i < n; i++)
        ordo_put_index(work->job->index_type, index, i, words[i]);
    return ORDO_OK;
}

/* Every second segment is a group. */
static ordo_status segment_one(const void *arg, size_t i, size_t n, void *const *at,
                               ordo_exec *exec)
{
    const lex_work *const work = arg;
    return i % 2 == 0 ? ORDO_OK : sort_group(work, at[0], at[1], at[2], n, exec);
}

static size_t group_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const lex_work *const work = arg;
    ordo_sort_job const   job = {.type = ORDO_U64, .n = n};
    return n > work->longest || n <= FEW ? 0 : cpu_sort_scratch(&job, exec);
}

static ordo_status sort_groups(lex_work *work, size_t count)
{
    const ordo_lexsort_job *const job = work->job;
    ordo_exec                     part = *work->exec;
    ordo_segment_view const       view = {
              .count = count, .offsets = work->offsets, .step = 1, .group = 1};
    ordo_segments_job const each = {
        .view = &view,
        .arrays = {{work->words, sizeof *work->words, true, true},
                   {job->index, ordo_type_size(job->index_type), true, true},
                   {work->heads, 1, true, true}},
        .one = segment_one,
        .scratch = group_scratch,
        .arg = work};
    return cpu_segments((void *)work->kernels, &each, &part);
}

/* Sorts one group after the other, if there is no memory for the borders. */
static ordo_status sort_groups_in_turn(lex_work *work)
{
    size_t const n = work->job->n, size = ordo_type_size(work->job->index_type);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && work->heads[end] == 0;)
            end++;
        if (end - i > 1)
            TRY(sort_group(work, work->words + i, (char *)work->job->index + i * size,
                           work->heads + i, end - i, work->exec));
        if (ordo_poll(work->exec, (double)end / (double)n))
            return ORDO_E_CANCELLED;
    }
    return ORDO_OK;
}

/* ---- The whole sort ---- */

/* If the words of the first level do not hold the whole first column, marks the borders of that
 * column by comparing keys. */
static void first_piece(void *arg, size_t lo, size_t hi)
{
    const lex_work *const         work = arg;
    const ordo_lexsort_job *const job = work->job;
    const ordo_key_column *const  column = &job->columns[0];
    for (size_t i = ordo_max(lo, 1); i < hi; i++) {
        if ((work->heads[i] & ORDO_ROW_HEAD) == 0)
            continue;
        size_t const a = ordo_index_at(job->index_type, job->index, i - 1),
                     b = ordo_index_at(job->index_type, job->index, i);
        if (BY_TYPE(column->type, compare_rows, (column, a, b)) != 0)
            work->heads[i] |= ORDO_ROW_FIRST;
    }
}

static ordo_status take_memory(lex_work *work)
{
    size_t const n = work->job->n;
    TRY_SCRATCH(work->exec, n * sizeof *work->words, work->words);
    TRY_SCRATCH(work->exec, ordo_div_up(n + 1, work->grain) * sizeof *work->events, work->events);
    work->heads = work->job->heads;
    if (work->heads == NULL)
        TRY_SCRATCH(work->exec, n, work->heads);
    return ORDO_OK;
}

/* Sorts groups of ties, level after level, until there are none. */
static ordo_status sort_ties(lex_work *work)
{
    while (!is_last_level(work)) {
        size_t            count = 0;
        ordo_status const listed = list_groups(work, &count);
        if (listed == ORDO_OK && count == 1)
            return ORDO_OK;
        if (listed != ORDO_OK && listed != ORDO_E_NOMEM)
            return listed;
        work->at += work->width;
        choose_parts(work, listed == ORDO_OK ? work->longest : work->job->n);
        TRY(listed == ORDO_OK ? sort_groups(work, count) : sort_groups_in_turn(work));
    }
    return ORDO_OK;
}

static ordo_status order_rows(lex_work *work)
{
    const ordo_lexsort_job *const job = work->job;
    ordo_exec *const              exec = work->exec;
    TRY(measure(work));
    exec->phase = 1;
    choose_parts(work, job->n);
    bool const is_whole = first_column_mask(work) != 0 || work->bits[0] == 0;
    if (!ordo_loop(exec, job->n, work->grain, pack_piece, work))
        return ORDO_E_CANCELLED;
    TRY(sort_words(work, work->words, job->n, exec));
    exec->phase = 2;
    if (!ordo_loop(exec, job->n, work->grain, heads_piece, work) ||
        !ordo_loop(exec, job->n, work->grain, index_piece, work))
        return ORDO_E_CANCELLED;
    TRY(sort_ties(work));
    exec->phase = 3;
    if (job->heads != NULL && !is_whole)
        return cpu_done(ordo_loop(exec, job->n, work->grain, first_piece, work));
    return ORDO_OK;
}

ordo_status cpu_lexsort(void *state, const ordo_lexsort_job *job, ordo_exec *exec)
{
    lex_work work = {.kernels = state, .job = job, .exec = exec, .grain = cpu_grain(job->n + 1)};
    exec->algorithm = "packed words";
    exec->isa = work.kernels->isa;
    if (job->n == 0)
        return ORDO_OK;
    exec->phase = 0;
    exec->phases = 4;
    TRY(take_memory(&work));
    return order_rows(&work);
}

/* Scratch of the threads that sort groups of ties. A group that one thread sorts has at most 1 / (2
 * threads) of the cost, where a row costs at most 17 (cpu_segments.c). */
static size_t workers_scratch(size_t n, size_t threads)
{
    size_t const        part = n / (2 * threads + 16) * 17 + 17 + ORDO_TUNE_ALONE;
    ordo_sort_job const job = {.type = ORDO_U64, .n = ordo_min(n, part)};
    ordo_exec const     alone = {.threads = 1};
    return threads * (cpu_sort_scratch(&job, &alone) + 4096);
}

/* Counts the words, the heads, a border per row, the sort of all words, and the sorts of groups:
 * one by all threads, or one by each. */
size_t cpu_lexsort_scratch(const ordo_lexsort_job *job, const ordo_exec *exec)
{
    size_t const        n = job->n;
    ordo_sort_job const sort = {.type = ORDO_U64, .n = n};
    if (n == 0)
        return 0;
    return n * (sizeof(uint64_t) + 1) + (n + 2) * sizeof(uint64_t) +
           (ordo_div_up(n + 1, cpu_grain(n + 1)) + 1) * sizeof(uint64_t) +
           2 * cpu_sort_scratch(&sort, exec) + workers_scratch(n, exec->threads);
}
