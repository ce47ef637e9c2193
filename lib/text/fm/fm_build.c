/* fm_build.c - ordo_fm_build: an FM-index from the suffix array and the transform of a text. */
#include "text/fm/fm.h"

#include "text/text_bits.h"

#include <string.h>

enum {
    PIECES = 64
};

typedef struct samples_work {
    const uint32_t *sa;
    size_t          n, grain;
    uint32_t        sample;
    uint64_t        inverse; /* 2^64 / sample, rounded up; modulo 2^64 */
    uint32_t       *marks;
    uint8_t        *offsets;
    uint32_t       *samples, *rows;
    uint64_t        before[PIECES + 1];
} samples_work;

/* Row r is the suffix sa[r - 1]. The product is a test for a multiple without a division (Lemire,
 * Kaser and Kurz, "Faster Remainder by Direct Computation"). */
static inline bool is_marked(const samples_work *w, size_t row)
{
    return row > 0 && w->inverse * w->sa[row - 1] <= w->inverse - 1;
}

static void count_marks(void *arg, size_t lo, size_t hi)
{
    samples_work *const w = arg;
    uint64_t            count = 0;
    for (size_t row = lo; row < hi; row++)
        count += is_marked(w, row);
    w->before[lo / w->grain] = count;
}

static void write_samples(void *arg, size_t lo, size_t hi)
{
    const samples_work *const w = arg;
    size_t                    at = (size_t)w->before[lo / w->grain];
    for (size_t row = lo; row < hi; row++) {
        if (row % FM_BLOCK == 0)
            w->marks[row / FM_BLOCK] = (uint32_t)at;
        if (is_marked(w, row)) {
            uint32_t const multiple = w->sa[row - 1] / w->sample;
            w->offsets[at] = (uint8_t)(row % FM_BLOCK);
            w->samples[at++] = multiple;
            w->rows[multiple] = (uint32_t)row;
        }
    }
}

static ordo_status build_samples(text_work *work, samples_work *w)
{
    size_t const rows = w->n + 1;
    w->grain = ordo_round_up(ordo_max(TEXT_GRAIN, ordo_div_up(rows, PIECES)), FM_BLOCK);
    w->inverse = UINT64_MAX / w->sample + 1;
    TRY(text_loop(work, rows, w->grain, count_marks, w));
    uint64_t const all = ordo_sums_before_64(w->before, ordo_div_up(rows, w->grain));
    TRY(text_loop(work, rows, w->grain, write_samples, w));
    w->marks[ordo_div_up(rows, FM_BLOCK)] = w->marks[rows / FM_BLOCK + 1] = (uint32_t)all;
    return ORDO_OK;
}

/* ---- The index ---- */

static void fill_header(fm_header *h, const uint64_t *below, uint32_t sample)
{
    memset(h, 0, sizeof *h);
    memcpy(h->magic, FM_MAGIC, sizeof h->magic);
    h->order = FM_ORDER;
    h->version = FM_VERSION;
    h->n = below[TEXT_BYTES];
    h->sample = sample;
    for (size_t c = 0; c < TEXT_BYTES; c++)
        if (below[c + 1] > below[c]) {
            h->letter[h->letters] = (uint8_t)c;
            h->below[h->letters++] = below[c];
        }
    for (size_t c = h->letters; c <= FM_LETTERS; c++)
        h->below[c] = h->n;
}

/* Fills the parts behind the header, whose fields but for the primary index are complete. */
static ordo_status fill_index(text_work *work, const text_args *args, const fm_tree *tree,
                              const fm_parts *parts, char *block)
{
    uint8_t         *bwt;
    uint32_t        *sa;
    samples_work    *w;
    fm_header *const header = (fm_header *)(void *)block;
    TRY_SCRATCH(work->exec, args->n + FM_SPARE, bwt);
    TRY_SCRATCH(work->exec, args->n * sizeof *sa, sa);
    TRY_SCRATCH(work->exec, sizeof *w, w);
    if (args->n > 0)
        TRY(text_transform(work, args, sa, bwt, &header->primary));
    TRY(fm_build_levels(work, header, tree, bwt, (fm_counts *)(void *)(block + parts->groups),
                        (fm_cell *)(void *)(block + parts->cells)));
    memset(w, 0, sizeof *w);
    *w = (samples_work){.sa = sa,
                        .n = args->n,
                        .sample = header->sample,
                        .marks = (uint32_t *)(void *)(block + parts->marks),
                        .offsets = (uint8_t *)block + parts->offsets,
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
    uint32_t  sample;
    fm_header header;
    fm_tree   tree;
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
    fill_header(&header, below, sample);
    fm_tree_build(&tree, header.below, header.letters);
    fm_parts const parts = fm_layout(n, tree.cells, sample);
    header.bytes = parts.end;
    TRY(fm_new(ctx, exec, parts.end, &fm, &block));
    memset(block, 0, parts.end);
    memcpy(block, &header, sizeof header);
    ordo_status const status = fill_index(&work, &args, &tree, &parts, block);
    if (status != ORDO_OK) {
        ordo_fm_free(fm);
        return status;
    }
    fm->tree = tree;
    fm_open(fm);
    *out = fm;
    return ORDO_OK;
}

ordo_status ordo_fm_build(ordo_ctx *ctx, const void *text, size_t n, const ordo_fm_opts *opts,
                          ordo_fm **out)
{
    API_CALL("fm_build", ORDO_U8, n, build_checked(ctx, exec, text, n, opts, out));
}
