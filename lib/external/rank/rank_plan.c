/* rank_plan.c - the sizes with which ordo_external_rank stays within its limit of memory.
 *
 * N elements in R runs, all read side by side, have about 2 R^2 blocks, because a buffer must hold
 * two blocks of each run, and R^2 blocks of lanes. With less memory than these take, the runs are
 * first joined in groups of about the square root of R. Then about R^1.5 blocks are left. */
#define _GNU_SOURCE
#include "backend/tuning.h"
#include "external/rank/rank_work.h"

#include <stdlib.h>

enum {
    LANE_MOST = 1 << 14, /* ranks that a lane collects */
    LANE_LEAST = ORDO_TUNE(512, 8)
};

/* Scratch of the largest call in memory. If all elements fit a buffer, they are ranked there. */
static size_t scratch_of(ranker *r, size_t n)
{
    ordo_ctx *const      inner = r->call->inner;
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties);
    size_t               sort = 0, order = 0, ranks = 0;
    if (ordo_sort_scratch(inner, r->bits.type, n, NULL, &sort) != ORDO_OK ||
        ordo_argsort_scratch(inner, r->bits.type, n, ORDO_U32, NULL, &order) != ORDO_OK ||
        (n == r->data.n &&
         ordo_rank_scratch(inner, r->bits.type, n, r->rank_type, &opts, &ranks) != ORDO_OK))
        return SIZE_MAX / 2;
    return ordo_max(sort, ordo_max(order, ranks));
}

size_t rank_block_of(const ranker *r, size_t capacity, size_t count)
{
    size_t const n = capacity / (2 * count + 2);
    return ordo_max(ordo_min(n, ((size_t)1 << 20) / r->bits.size), 1);
}

size_t rank_lane_of(size_t capacity, size_t count)
{
    return ordo_min(ordo_max(capacity / (count + 1), LANE_LEAST), LANE_MOST);
}

/* Memory for the index of `count` runs, of which `together` are read side by side. */
static size_t index_memory(const ranker *r, size_t capacity, size_t count, size_t together)
{
    size_t const block_n = rank_block_of(r, capacity, together);
    size_t const blocks = (size_t)(r->data.n / block_n) + count;
    return blocks * (RUNS_BLOCK_MEMORY * 3 / 2);
}

/* Memory to read `together` runs side by side, and to append to a lane of each. */
static size_t reader_memory(const ranker *r, size_t capacity, size_t together)
{
    const external_call *const c = r->call;
    size_t const               block_n = rank_block_of(r, capacity, together);
    return ranges_memory(&r->bits, together, block_n, c->staging, c->exec->threads) + c->staging +
           together * (PIPELINE_BUFFERS + 1) * sizeof(uint64_t) +
           together * rank_lane_of(capacity, together) * sizeof(uint64_t);
}

/* Memory for buffers of `capacity` elements if `joined` runs become one. The joined runs are made,
 * read and divided one after the other, but all indices are there at the same time. */
static size_t memory_of(ranker *r, size_t capacity, size_t joined)
{
    size_t const   element = ordo_max(r->call->kind.size, sizeof(uint64_t));
    uint64_t const n = r->data.n;
    size_t const   count = (size_t)ordo_div_up(n, capacity), last = ordo_div_up(count, joined);
    size_t const   buffers =
        capacity * (PIPELINE_BUFFERS * element + RANK_WORK_BYTES) + scratch_of(r, capacity);
    size_t const ranked =
        index_memory(r, capacity, last, last) + lanes_memory(last, rank_lane_of(capacity, last), n);
    if (joined == 1)
        return buffers + ranked + reader_memory(r, capacity, last);
    return buffers + ranked + index_memory(r, capacity, count, joined) +
           lanes_memory(count, rank_lane_of(capacity, joined), n) +
           lanes_memory(last, rank_lane_of(capacity, 1), n) +
           3 * rank_lane_of(capacity, 1) * sizeof(uint64_t) +
           ordo_max(reader_memory(r, capacity, last), reader_memory(r, capacity, joined));
}

/* Looks for the largest buffers, with or without groups of runs; 0 if there are none. */
static size_t find_capacity(ranker *r, bool groups)
{
    const external_call *const c = r->call;
    size_t const               element = ordo_max(c->kind.size, sizeof(uint64_t));
    size_t n = (size_t)ordo_min(c->opts.memory / (PIPELINE_BUFFERS * element), r->data.n);
    for (; n > 0; n -= ordo_div_up(n, 16)) {
        uint64_t const count = ordo_div_up(r->data.n, n);
        r->joined = groups ? external_root(count) : 1;
        uint64_t const together = ordo_max(r->joined, ordo_div_up(count, r->joined));
        if (count > UINT32_MAX || (count > 1 && n < 4 * (together + 1)))
            return 0;
        if (memory_of(r, n, r->joined) <= c->opts.memory)
            break;
    }
    return n;
}

ordo_status rank_plan(ranker *r)
{
    external_call *const c = r->call;
    c->staging = external_staging(c->opts.memory / 64);
    size_t n = find_capacity(r, false);
    if (n == 0 && r->data.n > 0 && c->opts.resume_directory == NULL) {
        c->staging = external_staging(c->staging / 4);
        n = find_capacity(r, true);
    }
    r->needs_pairs = r->data.n > 0 && n == 0;
    if (r->needs_pairs)
        return ORDO_OK;
    TRY(external_buffers(c, ordo_max(n, 1), ordo_max(c->kind.size, sizeof(uint64_t))));
    r->run_count = (size_t)ordo_div_up(r->data.n, c->capacity);
    c->block_n = rank_block_of(r, c->capacity, r->joined == 1 ? r->run_count : r->joined);
    r->work = malloc(c->capacity * RANK_WORK_BYTES);
    return r->work != NULL ? ORDO_OK
                           : ordo_fail(c->exec, ORDO_E_NOMEM, "the system refused memory to rank");
}
