/* unbwt.c - ordo_unbwt: the inverse of the Burrows-Wheeler transform.
 *
 * next[row] is the row of the suffix one byte later, and the bytes of the text are the first bytes
 * of the rows next[primary], next[next[primary]], ... Each step of this walk is a cache miss that
 * waits for the one before. So many chains start at rows that are spread over the transform. Each
 * ends where another chain starts. A thread walks several chains at once; then the chains are put
 * in order, which begins with that of the primary row. The chains write to pages, because their
 * lengths are not known before. */
#include "text/text_args.h"
#include "core/bisect.h"
#include "text/text_bits.h"

#include <string.h>

enum {
    UNBWT_WIDTH = 24,                      /* chains that a thread walks at once; an estimate */
    UNBWT_PAGE = ORDO_TUNE(4096, 32),      /* bytes of a page, with its header */
    UNBWT_CHAIN = ORDO_TUNE(1 << 14, 100), /* mean bytes of a chain */
    UNBWT_CHAINS = 1 << 16,                /* most chains */
    UNBWT_PIECES = 64,
    UNBWT_TABLE = 12 /* bits of the table that finds the byte of a row */
};

#define MOST_NARROW ORDO_TUNE((size_t)1 << 31, (size_t)2000) /* rows of 32 bits have a mark */

typedef struct unbwt_page { /* is followed by the bytes of a chain */
    uint32_t next;          /* page of the chain; 0: none */
} unbwt_page;

typedef struct unbwt_chain {
    uint64_t end_row;  /* where it ends: 0, or the first row of a chain */
    uint64_t length;   /* bytes */
    uint32_t page;     /* the first one */
    uint32_t last;     /* the current one */
    uint32_t in_pages; /* full pages before the current one */
} unbwt_chain;

typedef struct unbwt_work {
    ordo_exec     *exec;
    const uint8_t *bwt;
    size_t         n, primary, grain;
    uint64_t (*counts)[TEXT_BYTES]; /* of each piece: the next row of each byte */
    uint64_t     ends[TEXT_BYTES];  /* the end of the rows of each byte */
    unsigned     shift;
    uint8_t      table[1 << UNBWT_TABLE]; /* the byte of row i << shift */
    size_t       chains;
    size_t       stride; /* rows between the first rows of chains */
    unbwt_chain *chain;
    char        *pages;
    atomic_uint  used; /* pages */
    uint8_t     *out;
} unbwt_work;

/* The chains start at the primary row and at the multiples of the stride. */
static size_t unbwt_first_row(const unbwt_work *u, size_t chain)
{
    size_t const before = (u->primary + u->stride - 1) / u->stride; /* multiples below, from 1 */
    if (chain + 1 < before)
        return (chain + 1) * u->stride;
    if (chain + 1 == before)
        return u->primary;
    return u->primary % u->stride == 0 ? (chain + 1) * u->stride : chain * u->stride;
}

/* The first chain whose first row is not below `row`. */
static size_t unbwt_chain_from(const unbwt_work *u, size_t row)
{
    size_t lo = 0, hi = u->chains;
    ORDO_BISECT(middle, lo, hi, unbwt_first_row(u, middle) < row);
    return lo;
}

static inline uint8_t unbwt_byte(const unbwt_work *u, uint64_t row)
{
    size_t byte = u->table[row >> u->shift];
    while (row >= u->ends[byte])
        byte++;
    return (uint8_t)byte;
}

static unbwt_page *page_at(const unbwt_work *u, uint32_t page)
{
    return (unbwt_page *)(void *)(u->pages + (size_t)page * UNBWT_PAGE);
}

/* Page 0 stands for none, so pages count from 1. */
static uint32_t take_page(unbwt_work *u)
{
    uint32_t const page = 1 + atomic_fetch_add_explicit(&u->used, 1, memory_order_relaxed);
    page_at(u, page)->next = 0;
    return page;
}

static uint8_t *bytes_of(const unbwt_work *u, uint32_t page, uint8_t **end)
{
    uint8_t *const bytes = (uint8_t *)page_at(u, page);
    *end = bytes + UNBWT_PAGE;
    return bytes + sizeof(unbwt_page);
}

static uint8_t *unbwt_open(unbwt_work *u, size_t chain, uint8_t **end)
{
    unbwt_chain *const c = &u->chain[chain];
    c->page = c->last = take_page(u);
    c->in_pages = 0;
    return bytes_of(u, c->page, end);
}

static uint8_t *unbwt_turn(unbwt_work *u, size_t chain, uint8_t **end)
{
    unbwt_chain *const c = &u->chain[chain];
    uint32_t const     page = take_page(u);
    page_at(u, c->last)->next = page;
    c->last = page;
    c->in_pages++;
    return bytes_of(u, page, end);
}

static void unbwt_close(unbwt_work *u, size_t chain, const uint8_t *to, uint64_t end_row)
{
    unbwt_chain *const c = &u->chain[chain];
    uint8_t           *end;
    c->length = (uint64_t)c->in_pages * (UNBWT_PAGE - sizeof(unbwt_page)) +
                (uint64_t)(to - bytes_of(u, c->last, &end));
    c->end_row = end_row;
}

#define ORDO_TEMPLATE "text/unbwt.t.h"
#include "core/for_each_word.h"

static void count_bytes(void *arg, size_t lo, size_t hi)
{
    const unbwt_work *const u = arg;
    uint64_t *const         counts = u->counts[lo / u->grain];
    memset(counts, 0, sizeof u->counts[0]);
    for (size_t i = lo; i < hi; i++)
        counts[u->bwt[i]]++;
}

/* Turns the counts into the next row of each byte in each piece; row 0 is the sentinel. */
static void sum_counts(unbwt_work *u)
{
    size_t const pieces = ordo_div_up(u->n, u->grain);
    uint64_t     row = 1;
    for (size_t c = 0; c < TEXT_BYTES; c++) {
        for (size_t i = 0; i < pieces; i++) {
            uint64_t const here = u->counts[i][c];
            u->counts[i][c] = row;
            row += here;
        }
        u->ends[c] = row;
    }
    u->shift = 0;
    while (u->n >> u->shift >= (size_t)1 << UNBWT_TABLE)
        u->shift++;
    for (size_t i = 0, c = 0; i <= u->n >> u->shift; i++) {
        while (u->ends[c] <= i << u->shift)
            c++;
        u->table[i] = (uint8_t)c;
    }
}

typedef struct unbwt_copy {
    const unbwt_work *work;
    const uint64_t   *place; /* of each chain in the text; UINT64_MAX: it is not part of it */
} unbwt_copy;

static void copy_chains(void *arg, size_t lo, size_t hi)
{
    const unbwt_copy *const copy = arg;
    const unbwt_work *const u = copy->work;
    for (size_t i = lo; i < hi; i++) {
        uint64_t left = copy->place[i] != UINT64_MAX ? u->chain[i].length : 0;
        uint8_t *out = u->out + (left > 0 ? copy->place[i] : 0), *end;
        for (uint32_t page = u->chain[i].page; left > 0; page = page_at(u, page)->next) {
            const uint8_t *const bytes = bytes_of(u, page, &end);
            size_t const         here = ordo_min((size_t)left, (size_t)(end - bytes));
            memcpy(out, bytes, here);
            out += here;
            left -= here;
        }
    }
}

/* Follows the chains from the primary row to row 0 and copies their bytes. */
static ordo_status join_chains(text_work *work, unbwt_work *u)
{
    ordo_exec *const exec = work->exec;
    uint64_t        *place, length = 0;
    TRY_SCRATCH(exec, u->chains * sizeof *place, place);
    memset(place, 0xff, u->chains * sizeof *place);
    for (uint64_t row = u->primary; row != 0;) {
        size_t const chain = unbwt_chain_from(u, (size_t)row);
        if (place[chain] != UINT64_MAX)
            break; /* a cycle */
        place[chain] = length;
        length += u->chain[chain].length;
        row = u->chain[chain].end_row;
    }
    FAIL_IF(length != u->n, ORDO_E_ARG,
            "bwt is not the transform of a text with primary index %zu: its walk ends after %llu "
            "of %zu bytes",
            u->primary, (unsigned long long)length, u->n);
    unbwt_copy copy = {u, place};
    return text_share(work, u->chains, 16, copy_chains, &copy);
}

static ordo_status unbwt(text_work *work, unbwt_work *u)
{
    ordo_exec *const exec = work->exec;
    u->grain = ordo_max(TEXT_GRAIN, ordo_div_up(u->n, UNBWT_PIECES));
    size_t const wanted = ordo_min(u->n / UNBWT_CHAIN + 1, UNBWT_CHAINS);
    u->stride = u->n / wanted + 1;
    u->chains = u->n / u->stride + (u->primary % u->stride != 0);
    size_t const pages = u->n / (UNBWT_PAGE - sizeof(unbwt_page)) + u->chains + 2;
    TRY_SCRATCH(exec, UNBWT_PIECES * sizeof *u->counts, u->counts);
    TRY_SCRATCH(exec, u->chains * sizeof *u->chain, u->chain);
    TRY_SCRATCH(exec, pages * UNBWT_PAGE, u->pages);
    exec->phases = 4;
    TRY(text_loop(work, u->n, u->grain, count_bytes, u));
    sum_counts(u);
    text_phase(work);
    TRY(u->n < MOST_NARROW ? invert_32(work, u) : invert_64(work, u));
    text_phase(work);
    return join_chains(work, u);
}

static ordo_status unbwt_checked(ordo_ctx *ctx, ordo_exec *exec, const void *bwt, size_t n,
                                 uint64_t primary, void *text, const ordo_text_opts *opts)
{
    text_args   args;
    text_work   work;
    unbwt_work *u;
    TRY(text_read_args(exec, bwt, n, opts, false, &args));
    TRY(text_one_only(exec, &args, "ordo_unbwt"));
    TRY(api_check_array(exec, text, n, 1, "text"));
    TRY(api_check_apart(exec, bwt, n, "bwt", text, n, "text"));
    FAIL_IF(primary > n || (primary == 0) != (n == 0), ORDO_E_ARG,
            "primary is %llu; expected %s for %zu bytes", (unsigned long long)primary,
            n == 0 ? "0" : "1 to n", n);
    /* EMR, one thread, 48 MB of English: 14 ns a byte. */
    TRY(text_begin_any(ctx, exec, "inverse transforms of text", n, 14, 2, &work));
    if (n == 0)
        return ORDO_OK;
    ordo_text_job job = text_device_job(&args);
    job.bwt = text;
    job.primary = &primary;
    TEXT_ON_DEVICE(work, unbwt, job);
    TRY_SCRATCH(exec, sizeof *u, u);
    memset(u, 0, sizeof *u);
    u->exec = exec;
    u->bwt = bwt;
    u->n = n;
    u->primary = (size_t)primary;
    u->out = text;
    return unbwt(&work, u);
}

ordo_status ordo_unbwt(ordo_ctx *ctx, const void *bwt, size_t n, uint64_t primary, void *text,
                       const ordo_text_opts *opts)
{
    API_CALL("unbwt", ORDO_U8, n, unbwt_checked(ctx, exec, bwt, n, primary, text, opts));
}
