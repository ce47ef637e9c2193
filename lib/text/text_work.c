/* text_work.c - the services of text_work.h: loops, sorts of the backend with scratch that is used
 * again, and progress. */
#include "text/text_work.h"

#include "text/text_bits.h"

#include <string.h>

enum {
    CLEAR_GRAIN = 1 << 20,
    HISTOGRAMS = 64
};

static void use(ordo_ctx *ctx, ordo_exec *exec, const ordo_choice *choice, text_work *work)
{
    *work = (text_work){.ctx = ctx,
                        .exec = exec,
                        .backend = choice->backend,
                        .state = choice->state,
                        .device = choice->backend->text};
}

static bool is_cpu(const ordo_choice *choice) { return strcmp(choice->backend->name, "cpu") == 0; }

ordo_status text_begin(ordo_ctx *ctx, ordo_exec *exec, const char *call, text_work *work)
{
    ordo_choice choice;
    TRY(api_choose(ctx, exec, NULL, &choice));
    TRY(api_check_slot(exec, &choice, is_cpu(&choice), call));
    use(ctx, exec, &choice, work);
    return ORDO_OK;
}

ordo_status text_begin_any(ordo_ctx *ctx, ordo_exec *exec, const char *call, size_t n, double ns,
                           double link_bytes, text_work *work)
{
    ordo_load const load = {
        .cpu_ns = ns * (double)n, .link_bytes = link_bytes * (double)n, .n = n, .segmented = true};
    ordo_choice choice;
    TRY(api_choose(ctx, exec, &load, &choice));
    if (!is_cpu(&choice) && choice.backend->text == NULL)
        TRY(api_choose(ctx, exec, NULL, &choice)); /* the CPU, unless a device is demanded */
    TRY(api_check_slot(exec, &choice, is_cpu(&choice) || choice.backend->text != NULL, call));
    use(ctx, exec, &choice, work);
    return ORDO_OK;
}

ordo_status text_on_device(text_work *work, text_slot *slot, const ordo_text_job *job, bool *done)
{
    ordo_choice       choice = {work->backend, work->state};
    ordo_status const status = slot(work->state, job, work->exec);
    *done = status == ORDO_OK;
    if (*done || !api_again(work->ctx, work->exec, status, &choice))
        return status;
    use(work->ctx, work->exec, &choice, work);
    return ORDO_OK;
}

/* Prepares a sort that takes `bytes` of scratch. */
static ordo_exec *sort_begin(text_work *work, size_t bytes)
{
    size_t const padded = bytes + bytes / 64 + 64 * ORDO_CACHE_LINE;
    void        *slab;
    if (padded > work->slab_bytes && ordo_scratch(work->exec, padded, &slab) == ORDO_OK) {
        work->slab = slab;
        work->slab_bytes = padded;
    }
    ordo_inner_begin(&work->inner, work->exec, work->slab, work->slab_bytes);
    work->inner.exec.profile = NULL;
    return &work->inner.exec;
}

ordo_status text_sort_keys(text_work *work, uint64_t *keys, size_t n)
{
    ordo_sort_job const job = {.type = ORDO_U64, .keys = keys, .n = n};
    ordo_exec *const    exec = sort_begin(work, work->backend->sort_scratch(&job, work->exec));
    return work->backend->sort(work->state, &job, exec);
}

ordo_status text_loop(text_work *work, size_t n, size_t grain, ordo_body *body, void *arg)
{
    return n == 0 || ordo_loop(work->exec, n, grain, body, arg) ? ORDO_OK : ORDO_E_CANCELLED;
}

ordo_status text_share(text_work *work, size_t n, size_t least, ordo_body *body, void *arg)
{
    size_t const pieces = work->exec->threads == 1 ? 64 : 8 * (size_t)work->exec->threads;
    return text_loop(work, n, ordo_max(least, ordo_div_up(n, pieces)), body, arg);
}

void text_phase(text_work *work)
{
    if (work->exec->phase + 1 < work->exec->phases)
        work->exec->phase++;
}

static void clear_piece(void *arg, size_t lo, size_t hi) { memset((char *)arg + lo, 0, hi - lo); }

ordo_status text_clear(text_work *work, void *bytes, size_t count)
{
    return text_loop(work, count, CLEAR_GRAIN, clear_piece, bytes);
}

typedef struct histogram {
    const uint8_t *text;
    size_t         grain;
    uint64_t (*counts)[TEXT_BYTES];
} histogram;

static void count_piece(void *arg, size_t lo, size_t hi)
{
    const histogram *const h = arg;
    uint64_t *const        out = h->counts[lo / h->grain];
    memset(out, 0, TEXT_BYTES * sizeof *out);
    for (size_t end; lo < hi; lo = end) {
        uint32_t counts[TEXT_BYTES];
        end = ordo_min(hi, lo + ((size_t)1 << 30));
        text_count(h->text + lo, end - lo, counts);
        for (size_t c = 0; c < TEXT_BYTES; c++)
            out[c] += counts[c];
    }
}

ordo_status text_histogram(text_work *work, const uint8_t *text, size_t n, uint64_t *below)
{
    size_t const grain = ordo_max(TEXT_GRAIN, ordo_div_up(n, HISTOGRAMS));
    histogram    h = {.text = text, .grain = grain};
    TRY_SCRATCH(work->exec, HISTOGRAMS * sizeof *h.counts, h.counts);
    TRY(text_loop(work, n, grain, count_piece, &h));
    uint64_t sum = 0;
    for (size_t c = 0; c < TEXT_BYTES; c++) {
        below[c] = sum;
        for (size_t i = 0; i < ordo_div_up(n, grain); i++)
            sum += h.counts[i][c];
    }
    below[TEXT_BYTES] = sum;
    return ORDO_OK;
}
