/* dist_call.c - the agreement of all processes, and the collective operations (see dist_call.h).
 *
 * A call costs one allgather at its beginning and one sum of a number in each dist_agree(). Only if
 * that sum says that a process has failed do the processes send each other their messages. */
#define _POSIX_C_SOURCE 200809L
#include "dist/call/dist_call.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct greeting { /* what a process says at the beginning of a call */
    char     verb[40];
    uint64_t version, type, flags, facts[4]; /* the same on every process */
    uint64_t n, failed;
} greeting;

enum {
    REASON_SIZE = 256
};

typedef struct reason { /* why a rank failed */
    int32_t status;
    char    text[REASON_SIZE - sizeof(int32_t)];
} reason;

/* ---- The transport ---- */

/* The other processes cannot know that this one has left the call, so the transport tells them. */
static void leave(dist_call *c)
{
    c->broken = true;
    if (c->comm.give_up != NULL)
        c->comm.give_up(c->comm.user);
}

/* All memory of the agreement, so that no later step of it can fail. */
static ordo_status take_memory(dist_call *c, size_t size)
{
    TRY_SCRATCH(c->exec, size * sizeof *c->counts, c->counts);
    TRY_SCRATCH(c->exec, size * sizeof *c->same_bytes, c->same_bytes);
    TRY_SCRATCH(c->exec, size * sizeof(greeting), c->greetings);
    TRY_SCRATCH(c->exec, size * sizeof(reason), c->reasons);
    return ORDO_OK;
}

ordo_status dist_open(dist_call *c, ordo_ctx *ctx, ordo_exec *exec, const ordo_comm *comm)
{
    c->ctx = ctx;
    c->exec = exec;
    FAIL_IF(comm == NULL, ORDO_E_ARG, "comm is NULL; expected an ordo_comm");
    TRY(api_read_struct(exec, &c->comm, sizeof c->comm, comm, "comm"));
    FAIL_IF(c->comm.size < 1 || c->comm.size > DIST_MOST_RANKS, ORDO_E_ARG,
            "comm.size is %d; expected 1 to %d ranks", (int)c->comm.size, (int)DIST_MOST_RANKS);
    FAIL_IF(c->comm.rank < 0 || c->comm.rank >= c->comm.size, ORDO_E_ARG,
            "comm.rank is %d; expected 0 to %d", (int)c->comm.rank, (int)c->comm.size - 1);
    FAIL_IF(c->comm.allgather == NULL || c->comm.sum == NULL || c->comm.prefix == NULL ||
                c->comm.exchange == NULL,
            ORDO_E_ARG, "a function of comm is NULL; expected allgather, sum, prefix and exchange");
    size_t const      size = (size_t)c->comm.size;
    ordo_status const status = take_memory(c, size);
    if (status != ORDO_OK)
        leave(c);
    return status;
}

ordo_status dist_moved(dist_call *c, const char *operation, int failed)
{
    if (failed == 0)
        return ORDO_OK;
    leave(c);
    return ordo_fail(c->exec, ORDO_E_IO,
                     "rank %d: %s of the transport failed, or another rank left the call",
                     (int)c->comm.rank, operation);
}

ordo_status dist_allgather_parts(dist_call *c, const void *mine, const uint64_t *bytes_of,
                                 void *all)
{
    c->report.collective += bytes_of[c->comm.rank];
    return dist_moved(c, "allgather", c->comm.allgather(c->comm.user, mine, bytes_of, all));
}

ordo_status dist_allgather(dist_call *c, const void *mine, size_t bytes, void *all)
{
    for (int32_t r = 0; r < c->comm.size; r++)
        c->same_bytes[r] = bytes;
    return dist_allgather_parts(c, mine, c->same_bytes, all);
}

ordo_status dist_sum(dist_call *c, uint64_t *values, size_t count)
{
    c->report.collective += count * sizeof *values;
    return count == 0 ? ORDO_OK : dist_moved(c, "sum", c->comm.sum(c->comm.user, values, count));
}

ordo_status dist_prefix(dist_call *c, uint64_t *values, size_t count)
{
    c->report.collective += count * sizeof *values;
    return count == 0 ? ORDO_OK
                      : dist_moved(c, "prefix", c->comm.prefix(c->comm.user, values, count));
}

void dist_count_moved(dist_call *c, const uint64_t *send_bytes)
{
    for (int32_t r = 0; r < c->comm.size; r++)
        c->report.moved += r != c->comm.rank ? send_bytes[r] : 0;
}

ordo_status dist_exchange(dist_call *c, const void *send, const uint64_t *send_at,
                          const uint64_t *send_bytes, void *receive, const uint64_t *receive_at,
                          const uint64_t *receive_bytes)
{
    dist_count_moved(c, send_bytes);
    return dist_moved(c, "exchange",
                      c->comm.exchange(c->comm.user, send, send_at, send_bytes, receive, receive_at,
                                       receive_bytes));
}

/* ---- Agreement ---- */

/* All processes send their reasons; the first process that failed decides. */
static ordo_status share_reasons(dist_call *c, ordo_status status)
{
    size_t const size = (size_t)c->comm.size;
    reason mine = {.status = status}, *const all = c->reasons;
    if (status != ORDO_OK)
        snprintf(mine.text, sizeof mine.text, "%.*s", (int)sizeof mine.text - 1, c->ctx->error);
    TRY(dist_allgather(c, &mine, sizeof mine, all));
    size_t first = 0;
    while (first + 1 < size && all[first].status == ORDO_OK)
        first++;
    all[first].text[sizeof all[first].text - 1] = 0;
    return ordo_fail(c->exec, (ordo_status)all[first].status, "rank %zu: %s", first,
                     all[first].text);
}

ordo_status dist_share(dist_call *c, ordo_status status)
{
    if (status == ORDO_OK && c->ctx->refused) /* the others must know before this process leaves */
        status = ordo_fail(c->exec, ORDO_E_CANCELLED, "the call was cancelled");
    uint64_t failed = status != ORDO_OK;
    if (c->broken)
        return status;
    TRY(dist_sum(c, &failed, 1));
    return failed == 0 ? ORDO_OK : share_reasons(c, status);
}

ordo_status dist_cancelled(dist_call *c)
{
    return ordo_fail(c->exec, ORDO_E_CANCELLED, "the call was cancelled");
}

ordo_status dist_gather(dist_call *c, const void *mine, size_t bytes, void **all, size_t *all_bytes)
{
    uint64_t const here = bytes;
    void          *bytes_of;
    TRY(dist_agree(c, ordo_scratch(c->exec, (size_t)c->comm.size * sizeof here, &bytes_of)));
    TRY(dist_allgather(c, &here, sizeof here, bytes_of));
    *all_bytes = 0;
    for (int32_t r = 0; r < c->comm.size; r++)
        *all_bytes += (size_t)((const uint64_t *)bytes_of)[r];
    TRY(dist_agree(c, ordo_scratch(c->exec, *all_bytes + 1, all)));
    return dist_allgather_parts(c, mine, bytes_of, *all);
}

ordo_status dist_loop(dist_call *c, size_t n, size_t grain, ordo_body *body, void *arg)
{
    return ordo_loop(c->exec, n, grain, body, arg) ? ORDO_OK : dist_cancelled(c);
}

ordo_status dist_inner(dist_call *c, ordo_status status)
{
    return status == ORDO_OK ? ORDO_OK
                             : ordo_fail(c->exec, status, "%s", ordo_last_error(c->inner));
}

/* ---- Begin and end ---- */

/* The first difference between what two ranks say; NULL if there is none. */
static const char *difference(const greeting *a, const greeting *b)
{
    return memcmp(a->verb, b->verb, sizeof a->verb) != 0 ? "another function"
           : a->version != b->version                    ? "another version of the library"
           : a->type != b->type                          ? "another type of keys"
           : a->flags != b->flags                        ? "other flags"
           : memcmp(a->facts, b->facts, sizeof a->facts) != 0
               ? "other arguments (sizes, types of results, rules or positions)"
               : NULL;
}

/* All processes see the same greetings, so all of them find the same difference. */
static ordo_status compare(dist_call *c, const greeting *all)
{
    ordo_exec *const exec = c->exec;
    for (int32_t r = 1; r < c->comm.size; r++) {
        const char *const differs = difference(&all[0], &all[r]);
        FAIL_IF(differs != NULL, ORDO_E_ARG,
                "rank %d calls %.40s with %s than rank 0, which calls %.40s; expected the same "
                "call on every rank",
                (int)r, all[r].verb, differs, all[0].verb);
    }
    return ORDO_OK;
}

ordo_status dist_add_counts(dist_call *c, const char *elements)
{
    ordo_exec *const exec = c->exec;
    c->total = c->offset = 0;
    for (int32_t r = 0; r < c->comm.size; r++) {
        if (r == c->comm.rank)
            c->offset = c->total;
        FAIL_IF(__builtin_add_overflow(c->total, c->counts[r], &c->total) || c->total > INT64_MAX,
                ORDO_E_ARG, "the %s of ranks 0 to %d are more than 2^63 - 1", elements, (int)r);
    }
    c->report.total = c->total;
    c->report.offset = c->offset;
    return ORDO_OK;
}

static int watch_inner(void *user, double done)
{
    dist_call *const c = user;
    return ordo_poll(c->exec, done) ? 1 : 0;
}

/* The inner context takes its memory from the scratch of this call, which the outer context keeps:
 * a second call finds it mapped. */
static void *take_scratch(void *user, size_t bytes)
{
    ordo_ctx *const ctx = user;
    return ordo_arena_take(&ctx->arena, bytes);
}

static void leave_scratch(void *user, void *block)
{
    (void)user;
    (void)block; /* the call ends soon */
}

void dist_give_back(dist_call *c, const void *scratch, size_t bytes)
{
    ordo_arena_give_back(&c->ctx->arena, scratch, bytes);
}

ordo_status dist_side(dist_call *c, uint64_t memory, ordo_ctx **out)
{
    TRY(api_sibling(c->ctx,
                    &ORDO_OPTS(ordo_ctx_opts, .where = (uint32_t)c->ctx->plan.where,
                               .threads = c->exec->threads, .progress = watch_inner,
                               .progress_user = c),
                    out));
    (*out)->arena.limit = (size_t)memory;
    return ORDO_OK;
}

ordo_status dist_greet(dist_call *c, const dist_options *options, ordo_status status)
{
    size_t const size = (size_t)c->comm.size;
    if (status == ORDO_OK) /* before any work, because all processes must get the same status */
        status = api_check_report(c->exec, c->opts.report);
    greeting        mine = {.version = ORDO_VERSION_MAJOR * 1000 + ORDO_VERSION_MINOR,
                            .type = (uint64_t)c->type,
                            .flags = c->opts.flags,
                            .n = c->n,
                            .failed = status != ORDO_OK};
    greeting *const all = c->greetings;
    strncpy(mine.verb, options->verb, sizeof mine.verb - 1);
    memcpy(mine.facts, options->facts, sizeof mine.facts);
    TRY(dist_allgather(c, &mine, sizeof mine, all));
    bool failed = false;
    for (size_t r = 0; r < size; r++)
        failed = failed || all[r].failed != 0;
    if (failed)
        return share_reasons(c, status);
    TRY(compare(c, all));
    for (size_t r = 0; r < size; r++)
        c->counts[r] = all[r].n;
    TRY(dist_add_counts(c, "keys"));
    uint32_t const where = dist_on_device(c) ? ORDO_CPU : (uint32_t)c->ctx->plan.where;
    return dist_agree(
        c,
        api_sibling(c->ctx,
                    &ORDO_OPTS(ordo_ctx_opts, .where = where, .threads = c->exec->threads,
                               .progress = watch_inner, .progress_user = c, .alloc = take_scratch,
                               .release = leave_scratch, .alloc_user = c->ctx),
                    &c->inner));
}

ordo_status dist_end(dist_call *c, ordo_status status)
{
    ordo_ctx_free(c->inner);
    device_close(c);
    if (status == ORDO_OK && c->opts.report != NULL)
        return api_copy_out(c->exec, c->opts.report, &c->report, sizeof c->report);
    return status;
}

ordo_status dist_read_opts(dist_call *c, const ordo_dist_opts *opts, uint64_t known_flags)
{
    ordo_exec *const exec = c->exec;
    TRY(api_opts_read(exec, &c->opts, sizeof c->opts, opts));
    TRY(api_check_place(exec, c->opts.flags, known_flags, c->opts.stream));
    c->descending = (c->opts.flags & ORDO_DESCENDING) != 0;
    return ORDO_OK;
}

ordo_status dist_check(dist_call *c, const ordo_dist_opts *opts, uint64_t known_flags)
{
    ordo_exec *const exec = c->exec;
    TRY(dist_read_opts(c, opts, known_flags | ORDO_ON_DEVICE));
    TRY(api_check_type(exec, c->type, "type"));
    c->key_size = ordo_type_size(c->type);
    TRY(api_check_aligned(exec, c->keys, c->n, c->key_size, "keys"));
    return exec->on_device ? device_open(c) : ORDO_OK;
}

/* ---- Small helpers ---- */

uint64_t dist_hash(const void *array, size_t bytes) /* FNV-1a */
{
    const unsigned char *const at = array;
    uint64_t                   hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

double dist_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
