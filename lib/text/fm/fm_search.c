/* fm_search.c - ordo_fm_count, ordo_fm_locate and ordo_fm_extract. */
#include "text/fm/fm.h"

#include "text/text_bits.h"
#include "text/word_sort.h"

#include <string.h>

enum {
    PATTERN_GRAIN = ORDO_TUNE(1 << 10, 3),
    LOCATE_GRAIN = ORDO_TUNE(1 << 10, 5),
    EXTRACT_GRAIN = ORDO_TUNE(1 << 12, 7)
};

static const fm_loops *loops_of(const ordo_exec *exec)
{
#if defined(__x86_64__)
    return strcmp(exec->isa, "generic") == 0 ? &fm_loops_generic : &fm_loops_avx2;
#else
    (void)exec;
    return &fm_loops_generic;
#endif
}

typedef struct query {
    const ordo_fm  *fm;
    const fm_loops *loops;
    fm_patterns     patterns;
    size_t          count;
    uint64_t       *rows, *counts;
    uint64_t       *first, *positions;
    atomic_bool     damaged;
    uint64_t        from; /* extract */
    size_t          length;
    uint8_t        *out;
} query;

static ordo_status read_patterns(ordo_exec *exec, const void *patterns, const uint64_t *offsets,
                                 size_t count, query *q)
{
    FAIL_IF(q->fm == NULL, ORDO_E_ARG, "fm is NULL; expected an index of ordo_fm_build");
    TRY(api_check_aligned(exec, offsets, count + (count > 0), sizeof *offsets, "offsets"));
    for (size_t i = 0; i < count; i++)
        FAIL_IF(offsets[i + 1] < offsets[i], ORDO_E_ARG,
                "offsets[%zu] is %llu, but offsets[%zu] is %llu; expected offsets that do not "
                "descend",
                i, (unsigned long long)offsets[i], i + 1, (unsigned long long)offsets[i + 1]);
    size_t const bytes = count > 0 ? (size_t)offsets[count] : 0;
    TRY(api_check_array(exec, patterns, count > 0 && offsets[0] < bytes ? bytes : 0, 1,
                        "patterns"));
    q->loops = loops_of(exec);
    q->patterns = (fm_patterns){patterns, offsets};
    q->count = count;
    return ORDO_OK;
}

static void search_piece(void *arg, size_t lo, size_t hi)
{
    const query *const q = arg;
    q->loops->search(q->fm, &q->patterns, lo, hi, q->rows, q->counts);
}

static ordo_status count_checked(ordo_ctx *ctx, ordo_exec *exec, const void *patterns,
                                 const uint64_t *offsets, query *q, size_t count)
{
    text_work work;
    TRY(read_patterns(exec, patterns, offsets, count, q));
    TRY(api_check_aligned(exec, q->counts, count, sizeof *q->counts, "counts"));
    TRY(text_begin(ctx, exec, "FM-index", &work));
    TRY_SCRATCH(exec, count * sizeof *q->rows, q->rows);
    return text_loop(&work, count, PATTERN_GRAIN, search_piece, q);
}

ordo_status ordo_fm_count(ordo_ctx *ctx, const ordo_fm *fm, const void *patterns,
                          const uint64_t *offsets, size_t count, uint64_t *counts)
{
    query q = {.fm = fm, .counts = counts};
    API_CALL("fm_count", ORDO_U8, count, count_checked(ctx, exec, patterns, offsets, &q, count));
}

/* ---- Positions ---- */

/* Writes the rows of the patterns of a piece of the positions. */
static void list_rows(void *arg, size_t lo, size_t hi)
{
    const query *const q = arg;
    for (size_t i = lo; i < hi; i++)
        for (uint64_t k = 0; k < q->counts[i]; k++)
            q->positions[q->first[i] + k] = q->rows[i] + k;
}

static void locate_piece(void *arg, size_t lo, size_t hi)
{
    query *const q = arg;
    if (!q->loops->locate(q->fm, q->positions + lo, hi - lo))
        atomic_store(&q->damaged, true);
}

/* Sorts the positions of patterns with few of them. */
static void sort_piece(void *arg, size_t lo, size_t hi)
{
    const query *const q = arg;
    uint64_t           spare[LOCATE_GRAIN];
    for (size_t i = lo; i < hi; i++)
        if (q->counts[i] > 1 && q->counts[i] <= LOCATE_GRAIN)
            text_sort_words(q->positions + q->first[i], (size_t)q->counts[i], 0, spare, SIZE_MAX);
}

static ordo_status find_positions(text_work *work, query *q)
{
    ordo_exec *const exec = work->exec;
    size_t const     all = (size_t)q->first[q->count];
    exec->phases = 4;
    TRY(text_loop(work, q->count, PATTERN_GRAIN, list_rows, q));
    text_phase(work);
    TRY(text_loop(work, all, LOCATE_GRAIN, locate_piece, q));
    FAIL_IF(atomic_load(&q->damaged), ORDO_E_ARG, "the index is damaged: a walk finds no sample");
    text_phase(work);
    TRY(text_loop(work, q->count, PATTERN_GRAIN, sort_piece, q));
    text_phase(work);
    for (size_t i = 0; i < q->count; i++)
        if (q->counts[i] > LOCATE_GRAIN)
            TRY(text_sort_keys(work, q->positions + q->first[i], (size_t)q->counts[i]));
    return ORDO_OK;
}

static ordo_status locate_checked(ordo_ctx *ctx, ordo_exec *exec, const void *patterns,
                                  const uint64_t *offsets, query *q, size_t count, size_t capacity)
{
    text_work work;
    uint64_t  sum = 0;
    TRY(read_patterns(exec, patterns, offsets, count, q));
    FAIL_IF(q->first == NULL, ORDO_E_ARG, "first is NULL; expected %zu elements", count + 1);
    TRY(api_check_aligned(exec, q->first, count + 1, sizeof *q->first, "first"));
    if (q->positions != NULL)
        TRY(api_check_aligned(exec, q->positions, capacity, sizeof *q->positions, "positions"));
    TRY(text_begin(ctx, exec, "FM-index", &work));
    TRY_SCRATCH(exec, count * sizeof *q->rows, q->rows);
    TRY_SCRATCH(exec, count * sizeof *q->counts, q->counts);
    TRY(text_loop(&work, count, PATTERN_GRAIN, search_piece, q));
    for (size_t i = 0; i <= count; i++) {
        q->first[i] = sum;
        sum += i < count ? q->counts[i] : 0;
    }
    if (q->positions == NULL)
        return ORDO_OK;
    FAIL_IF(sum > capacity, ORDO_E_ARG, "capacity is %zu; expected at least %llu positions",
            capacity, (unsigned long long)sum);
    return find_positions(&work, q);
}

ordo_status ordo_fm_locate(ordo_ctx *ctx, const ordo_fm *fm, const void *patterns,
                           const uint64_t *offsets, size_t count, uint64_t *first,
                           uint64_t *positions, size_t capacity)
{
    query q = {.fm = fm, .first = first, .positions = positions};
    API_CALL("fm_locate", ORDO_U8, count,
             locate_checked(ctx, exec, patterns, offsets, &q, count, capacity));
}

/* ---- Text ---- */

/* Walks back from the next stored row, or from the end of the text. */
static void extract_piece(void *arg, size_t lo, size_t hi)
{
    const query *const   q = arg;
    const ordo_fm *const fm = q->fm;
    uint8_t              extra[FM_MOST_SAMPLE + EXTRACT_GRAIN];
    uint64_t const       end = q->from + hi;
    uint64_t const       multiple = end / fm->sample + (end % fm->sample != 0);
    bool const           inside = multiple * fm->sample < fm->n;
    uint64_t const       stored = inside ? multiple * fm->sample : fm->n;
    uint64_t const row = inside ? ordo_min(fm->rows[multiple], fm->n) : 0; /* a view may lie */
    q->loops->extract(fm, row, (size_t)(stored - q->from - lo), extra);
    memcpy(q->out + lo, extra, hi - lo);
}

static ordo_status extract_checked(ordo_ctx *ctx, ordo_exec *exec, query *q)
{
    text_work            work;
    const ordo_fm *const fm = q->fm;
    FAIL_IF(fm == NULL, ORDO_E_ARG, "fm is NULL; expected an index of ordo_fm_build");
    TRY(api_check_array(exec, q->out, q->length, 1, "out"));
    FAIL_IF(q->from > fm->n || q->length > fm->n - q->from, ORDO_E_ARG,
            "from is %llu and length is %zu; the text has %llu bytes", (unsigned long long)q->from,
            q->length, (unsigned long long)fm->n);
    TRY(text_begin(ctx, exec, "FM-index", &work));
    q->loops = loops_of(exec);
    return text_loop(&work, q->length, EXTRACT_GRAIN, extract_piece, q);
}

ordo_status ordo_fm_extract(ordo_ctx *ctx, const ordo_fm *fm, uint64_t from, size_t length,
                            void *out)
{
    query q = {.fm = fm, .from = from, .length = length, .out = out};
    API_CALL("fm_extract", ORDO_U8, length, extract_checked(ctx, exec, &q));
}
