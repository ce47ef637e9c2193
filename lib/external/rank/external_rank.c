/* external_rank.c - ordo_external_rank: the rank of every element, in the order of the input.
 *
 * Phase 1 sorts buffers of keys and writes them as runs (runs.h), without indices. Phase 2 reads
 * ranges of the final order from all runs (ranges.h), ranks each range, and appends the ranks of
 * each run to the run's lane (lanes.h). Phase 3 reads the input again, buffer by buffer. The order
 * of a buffer says which rank of its lane belongs to which element. Ranks of keys that tie across
 * ranges are known only when the ties end, so these elements are counted until then. Volume: input
 * twice, packed keys and packed ranks written and read once, the ranks written. With many runs for
 * the memory: see rank_groups.c. */
#define _GNU_SOURCE
#include "backend/tuning.h"
#include "core/ties.h"
#include "external/disk/crc32c.h"
#include "external/rank/rank_work.h"

#include <stdlib.h>

enum {
    COPY_BYTES = ORDO_TUNE(4 << 20, 1 << 10) /* of a buffer that copies a pipe */
};

/* ---- Keys ---- */

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static void bits_##tag(const element_kind *kind, const char *elements, size_t n, void *out)    \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            key x;                                                                                 \
            memcpy(&x, elements + i * kind->size + kind->key_offset, sizeof x);                    \
            bits const b = key_tie_bits_##tag(x, kind->descending);                                \
            memcpy((bits *)out + i, &b, sizeof b);                                                 \
        }                                                                                          \
    }
#include "core/types.def"

/* Writes the tie bits of the elements' keys to `out`, which may be the elements. */
static void make_bits(const ranker *r, const char *elements, size_t n, void *out)
{
    const element_kind *const kind = &r->call->kind;
    BY_TYPE(kind->type, bits, (kind, elements, n, out));
}

static ordo_type unsigned_of(size_t bytes)
{
    return bytes == 1 ? ORDO_U8 : bytes == 2 ? ORDO_U16 : bytes == 4 ? ORDO_U32 : ORDO_U64;
}

/* ---- Phase 1: runs ---- */

static bool read_elements(void *user, piece *p)
{
    ranker *const r = user;
    p->n = (size_t)ordo_min(r->call->capacity, r->data.n - r->next);
    p->ended = p->n == 0;
    r->next += p->n;
    if (!p->ended && !replay_read(&r->data, r->next - p->n, p->elements, p->n))
        return false;
    p->mark = r->call->sums ? crc32c(p->elements, p->n * r->call->kind.size) : 0;
    return true;
}

static bool sort_bits(void *user, piece *p)
{
    ranker *const r = user;
    make_bits(r, p->elements, p->n, p->elements);
    return external_inner_done(r->call,
                               ordo_sort(r->call->inner, r->bits.type, p->elements, p->n, NULL));
}

static bool write_run(void *user, const piece *p)
{
    ranker *const r = user;
    atomic_fetch_add(&r->call->written, p->n / 2);
    return runs_begin(&r->runs) && runs_append(&r->runs, p->elements, p->n) && runs_end(&r->runs) &&
           resume_save(&r->resume, &r->runs, (uint32_t)p->mark);
}

/* ---- Phase 2: ranks by runs ---- */

/* Key i of a buffer of tie bits. */
static uint64_t key_at(const ranker *r, const char *keys, size_t i)
{
    uint32_t four;
    uint16_t two;
    switch (r->bits.size) {
    case 8:
        return ((const uint64_t *)(const void *)keys)[i];
    case 4:
        memcpy(&four, keys + i * sizeof four, sizeof four);
        return four;
    case 2:
        memcpy(&two, keys + i * sizeof two, sizeof two);
        return two;
    default:
        return (unsigned char)keys[i];
    }
}

/* The rank of the group's keys; for averages twice the rank. */
static uint64_t group_rank(const ranker *r)
{
    const tie_group *const g = &r->group;
    return ordo_tie_rank(r->ties, g->before, g->before + g->count, g->dense, g->before);
}

/* The tie group has ended: appends the rank of its keys to the lanes. */
static bool close_group(ranker *r)
{
    for (size_t i = 0; i < r->runs.count && r->group.open; i++) {
        if (!lanes_append(&r->lanes, i, group_rank(r), r->tied[i]))
            return false;
        r->tied[i] = 0;
    }
    r->group.open = false;
    return true;
}

/* In place of the rank of a key: it ties with the open group, or with the largest key of the range,
 * whose group may continue. */
#define RANK_JOINS 0
#define RANK_CONTINUES UINT64_MAX

/* Writes the ranks of the keys of a range, given their order; for averages twice the rank. *last is
 * the group that it opens. */
static void rank_range(ranker *r, const piece *p, const uint32_t *index, uint64_t *ranks,
                       tie_group *last)
{
    for (size_t begin = 0, end; begin < p->n; begin = end) {
        uint64_t const key = key_at(r, p->elements, index[begin]), before = r->before;
        for (end = begin + 1; end < p->n && key_at(r, p->elements, index[end]) == key;)
            end++;
        bool const joins = r->group.open && key == r->group.key;
        bool const continues = end == p->n && r->ties != ORDO_TIES_ORDINAL;
        r->group.count += joins ? end - begin : 0;
        r->distinct += !joins;
        for (size_t i = begin; i < end; i++)
            ranks[index[i]] = joins       ? RANK_JOINS
                              : continues ? RANK_CONTINUES
                                          : ordo_tie_rank(r->ties, before + begin, before + end,
                                                          r->distinct, before + i);
        *last = (tie_group){.open = continues && !joins,
                            .key = key,
                            .before = before + begin,
                            .count = end - begin,
                            .dense = r->distinct};
    }
}

/* Counts the elements of each run whose rank is `rank`. */
static void count_tied(ranker *r, const size_t *given, const uint64_t *ranks, uint64_t rank)
{
    for (size_t which = 0, i = 0; which < r->runs.count; which++)
        for (size_t left = given[which]; left > 0; left--)
            r->tied[which] += ranks[i++] == rank;
}

/* Appends the ranks that are known to the lanes. */
static bool append_ranks(ranker *r, const size_t *given, const uint64_t *ranks)
{
    for (size_t which = 0, i = 0; which < r->runs.count; which++)
        for (size_t left = given[which]; left > 0; left--, i++)
            if (ranks[i] != RANK_JOINS && ranks[i] != RANK_CONTINUES &&
                !lanes_append(&r->lanes, which, ranks[i], 1))
                return false;
    return true;
}

static bool rank_piece(void *user, piece *p)
{
    ranker *const       r = user;
    uint64_t *const     ranks = (uint64_t *)(void *)r->work;
    uint32_t *const     index = (uint32_t *)(void *)(ranks + r->call->capacity);
    const size_t *const given = r->given[external_buffer_of(r->call, p)];
    tie_group           last = {.open = false};
    r->call->report.ranges++;
    /* Less scratch than ordo_rank. */
    if (!external_inner_done(r->call, ordo_argsort(r->call->inner, r->bits.type, p->elements, p->n,
                                                   ORDO_U32, index, NULL)))
        return false;
    rank_range(r, p, index, ranks, &last);
    r->before += p->n;
    if (r->group.open)
        count_tied(r, given, ranks, RANK_JOINS);
    if (last.open && !close_group(r))
        return false;
    if (!append_ranks(r, given, ranks))
        return false;
    if (last.open) {
        count_tied(r, given, ranks, RANK_CONTINUES);
        r->group = last;
    }
    return true;
}

static bool drop_piece(void *user, const piece *p)
{
    ranker *const r = user;
    atomic_fetch_add(&r->call->written, p->n / 4);
    return true;
}

static bool no_memory(const ranker *r)
{
    return failure_record(&r->call->failure, ORDO_E_NOMEM, "the system refused memory to rank");
}

static bool rank_runs(ranker *r)
{
    external_call *const c = r->call;
    r->tied = calloc(r->runs.count + 1, sizeof *r->tied);
    if (r->tied == NULL)
        return no_memory(r);
    r->together = r->runs.count;
    r->ranges = ranges_open(&r->runs, 0, r->runs.count, c->capacity, c->exec->threads);
    bool const ok = r->ranges != NULL &&
                    external_pipeline(c, r, rank_read_range, rank_piece, drop_piece) &&
                    close_group(r) && lanes_end(&r->lanes);
    ranges_close(r->ranges);
    r->ranges = NULL;
    return ok;
}

/* ---- Phase 3: ranks by elements ---- */

static bool place_ranks(void *user, piece *p)
{
    ranker *const        r = user;
    external_call *const c = r->call;
    uint64_t *const      ranks = (uint64_t *)(void *)r->work;
    uint64_t *const      bits = ranks + c->capacity;
    uint32_t *const      index = (uint32_t *)(void *)(bits + c->capacity);
    make_bits(r, p->elements, p->n, bits);
    if (!external_inner_done(
            c, ordo_argsort(c->inner, r->bits.type, bits, p->n, ORDO_U32, index, NULL)) ||
        !lanes_read(&r->lanes, r->buffer++, ranks))
        return false;
    for (size_t i = 0; i < p->n; i++)
        rank_store(r->ties, r->rank_type, p->elements, index[i], ranks[i]);
    return true;
}

static bool write_ranks(void *user, const piece *p)
{
    ranker *const r = user;
    atomic_fetch_add(&r->call->written, p->n / 4);
    return external_write(r->call, p->elements, p->n * ordo_type_size(r->rank_type));
}

/* All elements are in one buffer. */
static bool rank_in_memory(ranker *r)
{
    external_call *const c = r->call;
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r->ties);
    size_t const         n = (size_t)r->data.n;
    make_bits(r, c->buffers[0], n, c->buffers[0]);
    return external_inner_done(r->call, ordo_rank(c->inner, r->bits.type, c->buffers[0], n,
                                                  r->rank_type, c->buffers[1], &opts)) &&
           external_write(c, c->buffers[1], n * ordo_type_size(r->rank_type));
}

/* ---- The call ---- */

/* Phase 1, from the last run of an earlier call on. */
static bool make_runs(ranker *r)
{
    external_call *const c = r->call;
    r->next = r->runs.count > 0 ? atomic_load(&c->read) : 0;
    atomic_store(&c->read, r->data.n);
    external_phase(c, "runs", (r->data.n - r->next) * c->kind.size);
    return external_pipeline(c, r, read_elements, sort_bits, write_run);
}

/* Memory to count the elements of each run in a range. */
static bool make_counts(ranker *r)
{
    size_t const last = ordo_div_up(r->run_count, r->joined);
    for (size_t i = 0; i < PIPELINE_BUFFERS; i++) {
        r->given[i] = calloc(ordo_max(r->joined, last) + 1, sizeof *r->given[i]);
        if (r->given[i] == NULL)
            return no_memory(r);
    }
    return lanes_open(&r->lanes, last, rank_lane_of(r->call->capacity, last), &r->call->spill);
}

/* Phase 2, before and after it the steps for groups of runs. */
static bool rank_all_runs(ranker *r)
{
    external_call *const c = r->call;
    if (r->joined > 1) {
        external_phase(c, "longer runs", c->report.packed);
        if (!rank_join_runs(r))
            return false;
    }
    external_phase(c, "ranges", c->report.packed);
    if (!rank_runs(r))
        return false;
    if (r->joined == 1)
        return true;
    external_phase(c, "ranks of runs", 0);
    return rank_divide_lanes(r);
}

static bool rank_all(ranker *r)
{
    external_call *const c = r->call;
    if (!runs_open(&r->runs, &r->bits, c->block_n, c->staging, &c->spill) ||
        !resume_open(&r->resume, c, &r->runs, c->capacity))
        return false;
    if (r->run_count <= 1)
        return (r->data.n == 0 || replay_read(&r->data, 0, c->buffers[0], (size_t)r->data.n)) &&
               rank_in_memory(r);
    if (!make_counts(r) || !make_runs(r))
        return false;
    c->report.unpacked = r->data.n * r->bits.size;
    for (size_t i = 0; i < r->runs.blocks; i++)
        c->report.packed += r->runs.index[i].bytes;
    c->report.runs = r->runs.count;
    c->report.levels = 1;
    r->next = 0;
    if (!rank_all_runs(r))
        return false;
    external_phase(c, "ranks", r->data.n * c->kind.size);
    return external_pipeline(c, r, read_elements, place_ranks, write_ranks);
}

static void end(ranker *r)
{
    ranges_close(r->ranges);
    runs_close(&r->runs);
    runs_close(&r->longer);
    lanes_close(&r->lanes);
    lanes_close(&r->sources);
    replay_close(&r->data);
    for (size_t i = 0; i < PIPELINE_BUFFERS; i++)
        free(r->given[i]);
    free(r->tied);
    free(r->work);
}

static ordo_status rank_begun(ranker *r)
{
    external_call *const c = r->call;
    size_t const         copied =
        ordo_max(ordo_min(COPY_BYTES, (size_t)c->opts.memory / 8) / c->kind.size, 1);
    uint64_t source[RESUME_FACTS];
    if (c->opts.resume_directory != NULL && !resume_find_source(c, source))
        return external_status(c);
    TRY(external_buffers(c, copied, c->kind.size));
    if (!replay_open(&r->data, c))
        return external_status(c);
    atomic_store(&c->read, r->data.n);
    TRY(api_check_rank_count(c->exec, r->rank_type, (size_t)r->data.n));
    external_free_buffers(c);
    TRY(rank_plan(r));
    if (r->needs_pairs && c->opts.resume_directory != NULL)
        return ordo_fail(c->exec, ORDO_E_NOMEM,
                         "%llu bytes of memory are too few for ranks of %llu keys that can be "
                         "resumed; expected more memory, or no resume directory",
                         (unsigned long long)c->opts.memory, (unsigned long long)r->data.n);
    if (r->needs_pairs)
        return rank_pairs(r);
    return rank_all(r) ? ORDO_OK : external_status(c);
}

/* r: ties and rank_type, as the caller gave them. */
static ordo_status rank_entered(ordo_ctx *ctx, ordo_exec *exec, ranker r,
                                const ordo_elements *elements, const ordo_source *from,
                                const ordo_sink *to, const ordo_external_opts *opts,
                                ordo_external_report *report)
{
    external_call  c = {.ctx = ctx, .exec = exec, .failure = FAILURE_NONE, .resumes = "rank"};
    ordo_rank_opts options;
    r.call = &c;
    TRY(external_arguments(&c, elements, from, opts, report));
    TRY(external_sink(&c, to));
    TRY(api_check_ranks(exec, r.rank_type, &ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)r.ties),
                        &options));
    FAIL_IF((c.opts.flags & ORDO_UNIQUE) != 0, ORDO_E_UNSUPPORTED,
            "opts.flags has ORDO_UNIQUE; expected it only for a sort");
    size_t const width = ordo_type_size(c.kind.type);
    r.bits = (element_kind){.size = width, .type = unsigned_of(width), .keys_only = true};
    ordo_status status = external_begin(&c);
    if (status == ORDO_OK)
        status = rank_begun(&r);
    resume_close(&r.resume, status == ORDO_OK);
    end(&r);
    external_end(&c);
    return status == ORDO_OK ? external_report(&c) : status;
}

ordo_status ordo_external_rank(ordo_ctx *ctx, const ordo_elements *elements,
                               const ordo_source *from, ordo_ties ties, ordo_type rank_type,
                               const ordo_sink *to, const ordo_external_opts *opts,
                               ordo_external_report *report)
{
    ranker const r = {.ties = ties, .rank_type = rank_type};
    API_CALL("external_rank", (ordo_type)0, 0,
             rank_entered(ctx, exec, r, elements, from, to, opts, report));
}
