/* spill_sort.c - a sort over all processes through local disks (see spill_sort.h). */
#define _GNU_SOURCE
#include "dist/spill/spill_sort.h"

#include "backend/tuning.h"
#include "dist/exchange/runs.h"

enum {
    EXTRA = 24,                     /* bytes of scratch for an element, beside its copies */
    SMALLER = ORDO_TUNE(1, 1 << 6), /* divides a chunk, so that small tests have many rounds */
    LEAST_CHUNK = 16                /* elements of such a round, if they fit the memory */
};

/* ---- The local sort ---- */

ordo_status spill_sort_local(spill_sort *s)
{
    dist_call *const     c = s->c;
    double const         started = dist_clock();
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    ordo_sink const      to = ORDO_OPTS(ordo_sink, .write = sorted_file_write, .user = &s->file,
                                        .name = "a temporary file");
    ordo_ctx            *side = NULL;
    bool const           tmpfs = (s->opts.flags & ORDO_SPILL_IN_MEMORY) != 0;
    const char *const    directory =
        s->opts.directory_count > 0 ? s->opts.directories[0] : spill_default();
    TRY(sorted_file_open(c->exec, &s->file, directory, tmpfs));
    TRY(dist_side(c, 0, &side));
    ordo_status status = ordo_external_sort(side, &s->elements, &s->from, &to, &s->opts, &report);
    if (status != ORDO_OK && failure_seen(&s->file.failure))
        status = ordo_fail(c->exec, (ordo_status)atomic_load(&s->file.failure.status), "%s",
                           s->file.failure.text);
    else if (status != ORDO_OK)
        status = ordo_fail(c->exec, status, "%s", ordo_last_error(side));
    ordo_ctx_free(side);
    TRY(status);
    s->opts.memory = report.memory;
    TRY(sorted_file_map(c->exec, &s->file, &s->n));
    c->report.spilled += report.spilled + s->file.keys.bytes + s->file.values.bytes;
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

void spill_sort_close(spill_sort *s) { sorted_file_close(&s->file); }

/* ---- A round ---- */

typedef struct turns {
    spill_sort     *s;
    ordo_ctx       *side;
    const void     *keys;   /* of this process, in order */
    const char     *values; /* NULL: none */
    const uint64_t *wanted; /* elements of each process's result */
    /* Of a round: where the elements of each process begin in the global order, and how many. */
    uint64_t *begins, *counts;
    uint64_t  done;  /* elements of the longest result */
    uint64_t  most;  /* of all results */
    uint64_t  chunk; /* of a result in a round */
    size_t    bytes; /* of an element */
    char     *buffer, *buffer_values;
    char     *out, *out_values; /* of the round */
} turns;

typedef struct arrival { /* what the other processes send */
    pieces p;
    char  *keys, *values;
} arrival;

static ordo_status take_arrival(const dist_call *c, const turns *t, arrival *a)
{
    size_t const count = (size_t)t->counts[c->comm.rank];
    a->keys = t->out;
    if (!runs_are_sorted_again(c, t->values))
        TRY_SCRATCH(c->exec, count * c->key_size + 1, a->keys);
    if (t->values != NULL)
        TRY_SCRATCH(c->exec, count * t->s->file.value_size + 1, a->values);
    return ORDO_OK;
}

/* Elements are sent from the sorted arrays, so only what arrives takes memory. */
static ordo_status run_round(dist_call *c, const turns *t)
{
    size_t const value_size = t->s->file.value_size;
    arrival      a = {.values = NULL};
    TRY(dist_agree(c, take_arrival(c, t, &a)));
    TRY(pieces_of_sorted(c, t->values != NULL, t->keys, t->begins, t->counts, &a.p));
    TRY(pieces_exchange(&a.p, t->keys, c->key_size, a.keys));
    if (t->values != NULL)
        TRY(pieces_exchange(&a.p, t->values, value_size, a.values));
    return dist_agree(c, runs_merge(&(runs_job){.pieces = &a.p,
                                                .keys = a.keys,
                                                .out = t->out,
                                                .values = a.values,
                                                .out_values = t->out_values,
                                                .value_size = value_size}));
}

/* A call of its own, so that its scratch is free afterwards. */
static ordo_status call_round(ordo_ctx *ctx, const ordo_comm *comm, const turns *t,
                              ordo_dist_report *report)
{
    spill_sort *const s = t->s;
    dist_call         c = {.type = s->c->type,
                           .key_size = s->file.key_size,
                           .keys = t->keys,
                           .n = s->n,
                           .descending = s->c->descending,
                           .opts = {.report = report}};
    DIST_CALL("dist_range", &c, ORDO_OK, run_round(&c, t), "a round of ordo_dist_sort",
              {s->file.value_size});
}

/* ---- All rounds ---- */

/* Sets the counts of all processes. */
static ordo_status share_counts(turns *t)
{
    spill_sort *const s = t->s;
    dist_call *const  c = s->c;
    ordo_exec *const  exec = c->exec;
    uint64_t const    mine = s->n;
    uint64_t          results = 0;
    TRY(dist_allgather(c, &mine, sizeof mine, c->counts));
    t->wanted = s->wanted != NULL ? s->wanted : c->counts;
    TRY(dist_add_counts(c, "elements"));
    for (int32_t r = 0; r < c->comm.size; r++) {
        t->most = t->wanted[r] > t->most ? t->wanted[r] : t->most;
        results += t->wanted[r];
    }
    FAIL_IF(results != c->total, ORDO_E_IO, "the sources have %llu elements; expected %llu",
            (unsigned long long)c->total, (unsigned long long)results);
    return ORDO_OK;
}

/* The smallest chunk of all processes, with which each stays in its memory. */
static ordo_status agree_on_chunk(turns *t, uint64_t memory)
{
    spill_sort *const s = t->s;
    dist_call *const  c = s->c;
    uint64_t const    copies = s->out != NULL ? 3 : 4;
    uint64_t const    fits = ordo_max(memory / (copies * t->bytes + EXTRA), 1);
    uint64_t const    mine = ordo_min(ordo_max(fits / SMALLER, LEAST_CHUNK), fits);
    void             *scratch;
    TRY(dist_agree(c, ordo_scratch(c->exec, (size_t)c->comm.size * sizeof mine, &scratch)));
    uint64_t *const chunks = scratch;
    TRY(dist_allgather(c, &mine, sizeof mine, chunks));
    t->chunk = t->most > 0 ? t->most : 1;
    for (int32_t r = 0; r < c->comm.size; r++)
        t->chunk = chunks[r] < t->chunk ? chunks[r] : t->chunk;
    return ORDO_OK;
}

/* A buffer for the results of a round, and the context of the rounds. */
static ordo_status take_memory(turns *t, uint64_t memory)
{
    spill_sort *const s = t->s;
    dist_call *const  c = s->c;
    ordo_exec *const  exec = c->exec;
    size_t const      size = (size_t)c->comm.size;
    uint64_t          buffered = 0;
    TRY_SCRATCH(c->exec, size * sizeof *t->begins, t->begins);
    TRY_SCRATCH(c->exec, size * sizeof *t->counts, t->counts);
    if (s->out == NULL) {
        buffered = t->chunk * t->bytes;
        FAIL_IF(buffered > memory / 2, ORDO_E_NOMEM,
                "%llu bytes of memory are too few to exchange elements of %zu bytes",
                (unsigned long long)memory, s->file.size);
        TRY_SCRATCH(c->exec, (size_t)t->chunk * s->file.key_size, t->buffer);
        TRY_SCRATCH(c->exec, (size_t)t->chunk * s->file.value_size + 1, t->buffer_values);
    }
    return dist_side(c, memory - buffered, &t->side);
}

static void add_report(dist_call *c, const ordo_dist_report *more)
{
    ordo_dist_report *const sum = &c->report;
    sum->rounds += more->rounds;
    sum->collective += more->collective;
    sum->moved += more->moved;
    sum->exchanges++;
    sum->cut_seconds += more->cut_seconds;
    sum->exchange_seconds += more->exchange_seconds;
    sum->merge_seconds += more->merge_seconds;
}

/* Sets what each process gets in the next round, and where this one puts it. */
static void set_round(turns *t)
{
    spill_sort *const      s = t->s;
    const dist_call *const c = s->c;
    uint64_t               before = 0; /* results of earlier processes */
    for (int32_t r = 0; r < c->comm.size; before += t->wanted[r++]) {
        uint64_t const from = ordo_min(t->done, t->wanted[r]);
        t->begins[r] = before + from;
        t->counts[r] = ordo_min(t->wanted[r] - from, t->chunk);
    }
    uint64_t const from = ordo_min(t->done, t->wanted[c->comm.rank]);
    t->out = t->buffer;
    t->out_values = t->buffer_values;
    if (s->out != NULL) {
        t->out = (char *)s->out + from * s->file.key_size;
        t->out_values = s->out_values + from * s->file.value_size;
    }
}

static ordo_status one_turn(turns *t)
{
    spill_sort *const s = t->s;
    dist_call *const  c = s->c;
    ordo_dist_report  report = ORDO_OPTS(ordo_dist_report, .total = 0);
    set_round(t);
    size_t const count = (size_t)t->counts[c->comm.rank];
    ordo_status  status = call_round(t->side, &c->comm, t, &report);
    if (status != ORDO_OK) /* the same on every process, or the transport failed */
        return ordo_fail(c->exec, status, "%s", ordo_last_error(t->side));
    add_report(c, &report);
    if (s->out == NULL && count > 0)
        status = s->put(s->user, t->out, t->out_values, count);
    t->done += t->chunk;
    return dist_agree(c, status);
}

static ordo_status all_turns(turns *t)
{
    while (t->done < t->most) {
        ordo_status const status = one_turn(t);
        if (status == ORDO_E_NOMEM && t->chunk > 1)
            t->chunk /= 2;
        else
            TRY(status);
    }
    return ORDO_OK;
}

ordo_status spill_sort_rounds(spill_sort *s)
{
    static const uint64_t nothing[1];
    const char *const     none = (const char *)nothing;
    dist_call *const      c = s->c;
    const sorted_file    *file = &s->file;
    uint64_t const        memory = s->opts.memory;
    turns                 t = {.s = s, .bytes = file->key_size + file->value_size};
    TRY(share_counts(&t));
    TRY(agree_on_chunk(&t, memory));
    t.keys = file->keys.map != NULL ? file->keys.map : none;
    if (file->value_size > 0)
        t.values = file->values.map != NULL ? file->values.map : none;
    ordo_status status = dist_agree(c, take_memory(&t, memory));
    if (status == ORDO_OK)
        status = all_turns(&t);
    ordo_ctx_free(t.side);
    return status;
}
