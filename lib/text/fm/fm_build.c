/* fm_build.c - ordo_fm_build: an FM-index from the suffix array and the transform of a text. */
#include "text/fm/fm.h"

#include "text/text_bits.h"

#include <string.h>

enum {
    PIECES = 64,
    CELL_GRAIN = ORDO_TUNE(1 << 14, FM_CELL) /* least symbols of a piece, a multiple of a cell */
};

typedef struct level_work { /* builds the cells of one level */
    const uint8_t *values;
    size_t         n, grain;
    fm_cell       *cells;
    uint32_t       counts[PIECES + 1][FM_VALUES];
} level_work;

static void count_values(void *arg, size_t lo, size_t hi)
{
    level_work *const w = arg;
    uint32_t *const   counts = w->counts[lo / w->grain];
    for (size_t i = lo; i < hi; i++)
        counts[w->values[i]]++;
}

static void fill_cell(fm_cell *cell, const uint8_t *values, size_t n, const uint32_t *counts)
{
    memset(cell, 0, sizeof *cell);
    memcpy(cell->counts, counts, sizeof cell->counts);
    for (size_t i = 0; i < n; i++)
        for (unsigned bit = 0; bit < 4; bit++)
            cell->planes[bit][i / 64] |= (uint64_t)(values[i] >> bit & 1) << i % 64;
}

static void fill_cells(void *arg, size_t lo, size_t hi)
{
    level_work *const w = arg;
    uint32_t *const   counts = w->counts[lo / w->grain];
    for (size_t at = lo; at < hi; at += FM_CELL) {
        size_t const n = ordo_min(hi - at, FM_CELL);
        fill_cell(&w->cells[at / FM_CELL], w->values + at, n, counts);
        for (size_t i = 0; i < n; i++)
            counts[w->values[at + i]]++;
    }
}

/* Builds n / FM_CELL + 1 cells from values below 16. */
static ordo_status build_level(text_work *work, const uint8_t *values, size_t n, fm_cell *cells)
{
    level_work *w;
    TRY_SCRATCH(work->exec, sizeof *w, w);
    memset(w, 0, sizeof *w);
    *w = (level_work){.values = values, .n = n, .cells = cells};
    w->grain = ordo_round_up(ordo_max(CELL_GRAIN, ordo_div_up(n, PIECES)), FM_CELL);
    TRY(text_loop(work, n, w->grain, count_values, w));
    uint32_t sums[FM_VALUES] = {0};
    for (size_t piece = 0; piece <= PIECES; piece++)
        for (size_t v = 0; v < FM_VALUES; v++) {
            uint32_t const here = w->counts[piece][v];
            w->counts[piece][v] = sums[v];
            sums[v] += here;
        }
    if (n % FM_CELL == 0) /* the last cell is empty */
        fill_cell(&cells[n / FM_CELL], values, 0, sums);
    return text_loop(work, n, w->grain, fill_cells, w);
}

/* ---- Letters ---- */

typedef struct letters_work {
    const uint8_t *bwt;
    uint8_t        code[TEXT_BYTES];
    uint8_t       *high, *low; /* the values of the levels; one level: only high */
    size_t         grain;
    bool           one_level;
    uint64_t (*place)[FM_VALUES]; /* of each piece and high value: the next place in level 1 */
} letters_work;

static void find_high(void *arg, size_t lo, size_t hi)
{
    const letters_work *const w = arg;
    uint64_t *const           counts = w->place[lo / w->grain];
    memset(counts, 0, sizeof *w->place);
    for (size_t i = lo; i < hi; i++) {
        unsigned const code = w->code[w->bwt[i]];
        w->high[i] = (uint8_t)(w->one_level ? code : code / FM_VALUES);
        counts[w->high[i]]++;
    }
}

static void spread_low(void *arg, size_t lo, size_t hi)
{
    const letters_work *const w = arg;
    uint64_t *const           place = w->place[lo / w->grain];
    for (size_t i = lo; i < hi; i++)
        w->low[place[w->high[i]]++] = w->code[w->bwt[i]] % FM_VALUES;
}

static ordo_status build_levels(text_work *work, const fm_header *header, const uint8_t *bwt,
                                fm_cell *const *levels)
{
    size_t const n = (size_t)header->n;
    letters_work w = {.bwt = bwt, .grain = ordo_max(TEXT_GRAIN, ordo_div_up(n, PIECES))};
    w.one_level = header->letters <= FM_VALUES;
    for (size_t c = 0; c < header->letters; c++)
        w.code[header->letter[c]] = (uint8_t)c;
    TRY_SCRATCH(work->exec, n, w.high);
    TRY_SCRATCH(work->exec, PIECES * sizeof *w.place, w.place);
    TRY(text_loop(work, n, w.grain, find_high, &w));
    TRY(build_level(work, w.high, n, levels[0]));
    if (w.one_level)
        return ORDO_OK;
    TRY_SCRATCH(work->exec, n, w.low);
    uint64_t sum = 0;
    for (size_t v = 0; v < FM_VALUES; v++)
        for (size_t piece = 0; piece < ordo_div_up(n, w.grain); piece++) {
            uint64_t const here = w.place[piece][v];
            w.place[piece][v] = sum;
            sum += here;
        }
    TRY(text_loop(work, n, w.grain, spread_low, &w));
    return build_level(work, w.low, n, levels[1]);
}

/* ---- Samples ---- */

typedef struct samples_work {
    const uint32_t *sa;
    size_t          n, grain;
    uint32_t        sample;
    fm_mark        *marks;
    uint32_t       *samples, *rows;
    uint64_t        before[PIECES + 1];
} samples_work;

/* Row r is the suffix sa[r - 1]. */
static void find_marks(void *arg, size_t lo, size_t hi)
{
    samples_work *const w = arg;
    uint64_t            count = 0;
    for (size_t row = lo; row < hi; row++) {
        bool const marked = row > 0 && w->sa[row - 1] % w->sample == 0;
        if (row % 64 == 0)
            w->marks[row / 64] = (fm_mark){count, 0};
        w->marks[row / 64].bits |= (uint64_t)marked << row % 64;
        count += marked;
    }
    w->before[lo / w->grain] = count;
}

static void write_samples(void *arg, size_t lo, size_t hi)
{
    const samples_work *const w = arg;
    uint64_t const            before = w->before[lo / w->grain];
    uint64_t                  at = before;
    for (size_t row = lo; row < hi; row++) {
        fm_mark *const mark = &w->marks[row / 64];
        if (row % 64 == 0)
            mark->before += before;
        if ((mark->bits >> row % 64 & 1) != 0) {
            uint32_t const multiple = w->sa[row - 1] / w->sample;
            w->samples[at++] = multiple;
            w->rows[multiple] = (uint32_t)row;
        }
    }
}

static ordo_status build_samples(text_work *work, samples_work *w)
{
    size_t const rows = w->n + 1;
    w->grain = ordo_round_up(ordo_max(TEXT_GRAIN, ordo_div_up(rows, PIECES)), 64);
    TRY(text_loop(work, rows, w->grain, find_marks, w));
    uint64_t const all = ordo_sums_before_64(w->before, ordo_div_up(rows, w->grain));
    TRY(text_loop(work, rows, w->grain, write_samples, w));
    if (rows % 64 == 0) /* the last mark has no rows */
        w->marks[rows / 64] = (fm_mark){all, 0};
    return ORDO_OK;
}

/* ---- The index ---- */

static void fill_header(fm_header *h, const fm_parts *parts, const uint64_t *below, uint32_t sample,
                        uint64_t primary)
{
    memset(h, 0, sizeof *h);
    memcpy(h->magic, FM_MAGIC, sizeof h->magic);
    h->order = FM_ORDER;
    h->version = FM_VERSION;
    h->bytes = parts->end;
    h->n = below[TEXT_BYTES];
    h->primary = primary;
    h->sample = sample;
    for (size_t c = 0; c < TEXT_BYTES; c++)
        if (below[c + 1] > below[c]) {
            h->letter[h->letters] = (uint8_t)c;
            h->below[h->letters++] = below[c];
        }
    for (size_t c = h->letters; c <= FM_LETTERS; c++)
        h->below[c] = h->n;
}

static ordo_status fill_index(text_work *work, const text_args *args, const uint64_t *below,
                              uint32_t sample, const fm_parts *parts, char *block)
{
    uint8_t         *bwt;
    uint32_t        *sa;
    uint64_t         primary = 0;
    samples_work    *w;
    fm_header *const header = (fm_header *)(void *)block;
    TRY_SCRATCH(work->exec, args->n, bwt);
    TRY_SCRATCH(work->exec, args->n * sizeof *sa, sa);
    TRY_SCRATCH(work->exec, sizeof *w, w);
    if (args->n > 0)
        TRY(text_transform(work, args, sa, bwt, &primary));
    memset(block, 0, sizeof *header);
    fill_header(header, parts, below, sample, primary);
    fm_cell *const levels[2] = {(fm_cell *)(void *)(block + parts->levels[0]),
                                (fm_cell *)(void *)(block + parts->levels[1])};
    TRY(build_levels(work, header, bwt, levels));
    memset(w, 0, sizeof *w);
    *w = (samples_work){.sa = sa,
                        .n = args->n,
                        .sample = sample,
                        .marks = (fm_mark *)(void *)(block + parts->marks),
                        .samples = (uint32_t *)(void *)(block + parts->samples),
                        .rows = (uint32_t *)(void *)(block + parts->rows)};
    TRY(build_samples(work, w));
    header->checksum = fm_checksum(block, parts->end);
    return ORDO_OK;
}

static ordo_status read_opts(ordo_exec *exec, const ordo_fm_opts *opts, uint32_t *sample)
{
    ordo_fm_opts options;
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(api_check_place(exec, options.flags, 0, NULL));
    FAIL_IF(options.reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(options.sample > FM_MOST_SAMPLE, ORDO_E_ARG, "opts.sample is %u; expected 1 to %d",
            options.sample, FM_MOST_SAMPLE);
    *sample = options.sample != 0 ? options.sample : FM_SAMPLE;
    return ORDO_OK;
}

static ordo_status build_checked(ordo_ctx *ctx, ordo_exec *exec, const void *text, size_t n,
                                 const ordo_fm_opts *opts, ordo_fm **out)
{
    text_args args;
    text_work work;
    uint64_t  below[TEXT_BYTES + 1] = {0};
    uint32_t  sample, letters = 0;
    ordo_fm  *fm;
    char     *block;
    TRY(read_opts(exec, opts, &sample));
    TRY(text_read_args(exec, text, n, NULL, false, &args));
    FAIL_IF(out == NULL, ORDO_E_ARG, "out is NULL; expected the address of a pointer");
    FAIL_IF(n >= FM_MOST, ORDO_E_UNSUPPORTED, "n is %zu; an FM-index takes fewer than 2^32 bytes",
            n);
    args.index_type = ORDO_U32;
    TRY(text_begin(ctx, exec, "FM-index", &work));
    if (n > 0)
        TRY(text_histogram(&work, args.text, n, below));
    for (size_t c = 0; c < TEXT_BYTES; c++)
        letters += below[c + 1] > below[c];
    fm_parts const parts = fm_layout(n, letters, sample);
    TRY(fm_new(ctx, exec, parts.end, &fm, &block));
    memset(block, 0, parts.end);
    ordo_status const status = fill_index(&work, &args, below, sample, &parts, block);
    if (status != ORDO_OK) {
        ordo_fm_free(fm);
        return status;
    }
    fm_open(fm);
    *out = fm;
    return ORDO_OK;
}

ordo_status ordo_fm_build(ordo_ctx *ctx, const void *text, size_t n, const ordo_fm_opts *opts,
                          ordo_fm **out)
{
    API_CALL("fm_build", ORDO_U8, n, build_checked(ctx, exec, text, n, opts, out));
}
