/* dist_call.h - what all calls over several processes share: the agreement about arguments and
 * failures, the collective operations, and the context that works on this process's part.
 *
 * Every process makes the same sequence of collective operations. So a process that fails must not
 * leave a call on its own: it takes its status to the next dist_agree(), where all processes learn
 * of it. */
#ifndef ORDO_DIST_CALL_DIST_CALL_H
#define ORDO_DIST_CALL_DIST_CALL_H

#include "api/api_ctx.h"
#include "dist/kernel/loops.h"
#include "ordo_dist.h"

enum {
    DIST_MOST_RANKS = 16384
};

typedef struct dist_device {     /* of arrays in its memory (device/device.h) */
    const ordo_backend *backend; /* NULL: the arrays are host memory */
    void               *state;
    char               *memory; /* of the call */
    size_t              bytes, used;
} dist_device;

typedef struct dist_call {
    ordo_ctx        *ctx;
    ordo_exec       *exec;
    ordo_ctx        *inner; /* sorts and ranks this process's part */
    ordo_comm        comm;
    ordo_dist_opts   opts;
    ordo_type        type;
    const void      *keys;
    size_t           n, key_size;
    bool             descending;
    bool             broken; /* the transport failed */
    uint64_t         total, offset;
    uint64_t        *counts; /* keys of each process */
    uint64_t        *same_bytes;
    void            *greetings, *reasons;
    ordo_dist_report report;
    dist_device      device;
} dist_call;

/* Sets total and offset from the counts of all processes. */
ordo_status dist_add_counts(dist_call *c, const char *elements);

/* What every process must say alike. */
typedef struct dist_options {
    const char *verb;
    uint64_t    facts[4]; /* of the verb: sizes, rules, hashes of positions */
} dist_options;

/* Reads the table of the transport; the only check whose failure is not agreed upon. */
ordo_status dist_open(dist_call *c, ordo_ctx *ctx, ordo_exec *exec, const ordo_comm *comm);

/* Agrees on the arguments: `status` is what this process's own checks found. Sets counts, total and
 * offset, and makes the inner context. Call dist_end() afterwards in any case. */
ordo_status               dist_greet(dist_call *c, const dist_options *options, ordo_status status);
static inline ordo_status dist_begin(dist_call *c, const dist_options *options, ordo_status status)
{
    ordo_status const agreed = dist_greet(c, options, status);
    return agreed == ORDO_OK ? status : agreed;
}
ordo_status dist_end(dist_call *c, ordo_status status);

/* The body of a public function with the parameters ctx and comm. `checked` is the status of its
 * own checks, `run` that of the work, and a dist_options follows. */
#define DIST_CALL(operation, call, checked, run, ...)                                              \
    do {                                                                                           \
        ordo_exec *exec;                                                                           \
        TRY(api_enter(ctx, operation, (ordo_type)0, (call)->n, &exec));                            \
        ordo_status status = dist_open(call, ctx, exec, comm);                                     \
        if (status == ORDO_OK) {                                                                   \
            ordo_status const  own = (checked);                                                    \
            dist_options const options = {__VA_ARGS__};                                            \
            status = dist_begin(call, &options, own);                                              \
            if (status == ORDO_OK)                                                                 \
                status = (run);                                                                    \
            status = dist_end(call, status);                                                       \
        }                                                                                          \
        return api_leave(ctx, status);                                                             \
    } while (0)

static inline bool dist_on_device(const dist_call *c) { return c->device.backend != NULL; }

/* device/device.c: finds the device of the context. Not collective. */
ordo_status device_open(dist_call *c);
/* Waits for all work and gives the call's memory back. Host arrays: does nothing. */
void device_close(dist_call *c);

/* Reads the options; dist_check also checks the type and the address of the keys. */
ordo_status dist_read_opts(dist_call *c, const ordo_dist_opts *opts, uint64_t known_flags);
ordo_status dist_check(dist_call *c, const ordo_dist_opts *opts, uint64_t known_flags);

/* The status of the first process that failed, or ORDO_OK. If this process failed, it is not
 * ORDO_OK. */
ordo_status               dist_share(dist_call *c, ordo_status status);
static inline ordo_status dist_agree(dist_call *c, ordo_status status)
{
    ordo_status const agreed = dist_share(c, status);
    return agreed == ORDO_OK ? status : agreed;
}

/* Another context for calls of this process, with memory of its own, at most `memory` bytes (0:
 * any). ordo_ctx_free() it. */
ordo_status dist_side(dist_call *c, uint64_t memory, ordo_ctx **out);

/* Gives back scratch of `bytes` before the call ends, if it was the last piece of its block. */
void dist_give_back(dist_call *c, const void *scratch, size_t bytes);

/* Options of a sort in the order of the call. */
static inline ordo_sort_opts dist_sort_opts(const dist_call *c)
{
    return ORDO_OPTS(ordo_sort_opts, .flags = c->descending ? ORDO_DESCENDING : 0);
}

/* A loop of this process's threads (ordo_loop), and the status of one that was cancelled. */
ordo_status dist_loop(dist_call *c, size_t n, size_t grain, ordo_body *body, void *arg);
ordo_status dist_cancelled(dist_call *c);

/* The status of a call of the inner context, with its message. */
ordo_status dist_inner(dist_call *c, ordo_status status);

/* Counts what an exchange moves to other processes, and turns a failure of the transport into a
 * status: for exchanges that call the transport themselves. */
void        dist_count_moved(dist_call *c, const uint64_t *send_bytes);
ordo_status dist_moved(dist_call *c, const char *operation, int failed);

/* Collective operations. They fail with ORDO_E_IO, after which no other operation may follow. */
ordo_status dist_allgather(dist_call *c, const void *mine, size_t bytes, void *all);
ordo_status dist_allgather_parts(dist_call *c, const void *mine, const uint64_t *bytes_of,
                                 void *all);
/* Arrays of different sizes, one behind the other in scratch of `all_bytes` bytes. */
ordo_status dist_gather(dist_call *c, const void *mine, size_t bytes, void **all,
                        size_t *all_bytes);
ordo_status dist_sum(dist_call *c, uint64_t *values, size_t count);
ordo_status dist_prefix(dist_call *c, uint64_t *values, size_t count);
ordo_status dist_exchange(dist_call *c, const void *send, const uint64_t *send_at,
                          const uint64_t *send_bytes, void *receive, const uint64_t *receive_at,
                          const uint64_t *receive_bytes);

/* The loops for the instruction set of the context. */
static inline const dist_loops *dist_loops_of(const dist_call *c)
{
    return dist_loops_for(c->ctx->plan.cpu->isa(c->ctx->plan.cpu_state));
}

/* dist_threads.c: whether comm has ranks that are threads of this process. They exchange arrays
 * of any kind of memory by a function that copies it; `finish` waits for the copies. */
typedef struct dist_copier {
    void (*copy)(void *user, void *to, const void *from, size_t bytes);
    void (*finish)(void *user);
    void *user;
} dist_copier;
bool dist_has_threads(const ordo_comm *comm);
int  dist_threads_exchange(void *user, const dist_copier *copier, const char *send,
                           const uint64_t *send_at, const uint64_t *send_bytes, char *receive,
                           const uint64_t *receive_at, const uint64_t *receive_bytes);

/* A hash of an array that must be the same on every process. */
uint64_t dist_hash(const void *array, size_t bytes);

/* Seconds of a clock that only goes forward. */
double dist_clock(void);

#endif
