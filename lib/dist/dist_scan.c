/* dist_scan.c - ordo_dist_scan and ordo_dist_is_sorted: each process works on its own part, and one
 * allgather of a few bytes connects the parts. */
#define _POSIX_C_SOURCE 200809L
#include "core/keybits.h"
#include "dist/device/device.h"

#include <math.h>
#include <string.h>

typedef struct scan_part {
    ordo_op   op;
    void     *out;
    uint64_t  carry; /* the result of all earlier ranks, as the bytes of the result type */
    bool      exclusive;
    ordo_type out_type;
} scan_part;

/* Integers wrap; a NaN sum has one bit pattern, as in ordo_scan. */
#define ORDO_INTEGER_ADD(tag, key, wide)                                                           \
    static key scan_add_##tag(key a, key b) { return (key)((wide)a + (wide)b); }
ORDO_INTEGER_ADD(i8, int8_t, uint8_t)
ORDO_INTEGER_ADD(u8, uint8_t, uint8_t)
ORDO_INTEGER_ADD(i16, int16_t, uint16_t)
ORDO_INTEGER_ADD(u16, uint16_t, uint16_t)
ORDO_INTEGER_ADD(i32, int32_t, uint32_t)
ORDO_INTEGER_ADD(u32, uint32_t, uint32_t)
ORDO_INTEGER_ADD(i64, int64_t, uint64_t)
ORDO_INTEGER_ADD(u64, uint64_t, uint64_t)
#undef ORDO_INTEGER_ADD
static float  scan_add_f32(float a, float b) { return isnan(a + b) ? NAN : a + b; }
static double scan_add_f64(double a, double b) { return isnan(a + b) ? (double)NAN : a + b; }

#define ORDO_TEMPLATE "dist/dist_scan.t.h"
#include "core/for_each_type.h"

static uint64_t fold(const scan_part *s, uint64_t before, uint64_t here)
{
    return BY_TYPE(s->out_type, scan_fold, (s->op, before, here));
}

static void carry_body(void *arg, size_t lo, size_t hi)
{
    const scan_part *const s = arg;
    BY_TYPE(s->out_type, scan_carry, (s, lo, hi));
}

/* ---- Scan ---- */

typedef struct scan_options {
    const void *in;
    scan_part   part;
    uint64_t    last;  /* the last element, in the type of the results */
    uint64_t    total; /* the result of this process's elements */
} scan_options;

/* The last element as a result: an inclusive scan of one element. The array may be overwritten
 * later, so this comes first. */
static ordo_status read_last(dist_call *c, scan_options *w)
{
    uint64_t key;
    TRY(device_copy(c, &key, (const char *)w->in + (c->n - 1) * c->key_size, c->key_size));
    TRY(device_finish(c));
    return dist_inner(
        c, ordo_scan(c->inner, w->part.op, c->type, &key, 1, w->part.out_type, &w->last, NULL));
}

/* Joins this process's results with those of the processes before it. */
static ordo_status carry_over(dist_call *c, scan_options *w)
{
    ordo_carry_job const job = {.op = w->part.op,
                                .type = w->part.out_type,
                                .values = w->part.out,
                                .n = c->n,
                                .carry = w->part.carry,
                                .exclusive = w->part.exclusive};
    if (!dist_on_device(c))
        return dist_loop(c, c->n, 1 << 16, carry_body, &w->part);
    TRY(c->device.backend->dist->carry(c->device.state, &job, c->exec));
    return device_finish(c);
}

/* The scan of this process's elements, and the last result. */
static ordo_status scan_part_of(dist_call *c, scan_options *w)
{
    const scan_part *const part = &w->part;
    size_t const           size = ordo_type_size(part->out_type);
    ordo_scan_opts const   opts =
        ORDO_OPTS(ordo_scan_opts, .flags = part->exclusive ? ORDO_EXCLUSIVE : 0);
    ordo_scan_job const job = {.op = part->op,
                               .type = c->type,
                               .in = w->in,
                               .n = c->n,
                               .out_type = part->out_type,
                               .out = part->out,
                               .exclusive = part->exclusive};
    if (c->n == 0)
        return ORDO_OK;
    TRY(read_last(c, w));
    TRY(dist_on_device(c) ? c->device.backend->scan(c->device.state, &job, c->exec)
                          : dist_inner(c, ordo_scan(c->inner, part->op, c->type, w->in, c->n,
                                                    part->out_type, part->out, &opts)));
    TRY(device_copy(c, &w->total, (const char *)part->out + (c->n - 1) * size, size));
    TRY(device_finish(c));
    if (part->exclusive)
        w->total = c->n == 1 ? w->last : fold(part, w->total, w->last);
    return ORDO_OK;
}

static ordo_status scan_run(dist_call *c, scan_options *w)
{
    void *memory;
    TRY(dist_agree(c, ordo_scratch(c->exec, (size_t)c->comm.size * sizeof w->total, &memory)));
    TRY(dist_agree(c, scan_part_of(c, w)));
    uint64_t *const totals = memory;
    TRY(dist_allgather(c, &w->total, sizeof w->total, totals));
    bool any = false;
    for (int32_t r = 0; r < c->comm.rank; r++) {
        if (c->counts[r] == 0)
            continue;
        w->part.carry = any ? fold(&w->part, w->part.carry, totals[r]) : totals[r];
        any = true;
    }
    return dist_agree(c, any ? carry_over(c, w) : ORDO_OK);
}

static ordo_status scan_check(dist_call *c, scan_options *w, const ordo_dist_opts *opts)
{
    ordo_exec *const exec = c->exec;
    TRY(dist_check(c, opts, ORDO_EXCLUSIVE));
    w->part.exclusive = (c->opts.flags & ORDO_EXCLUSIVE) != 0;
    TRY(api_check_type(exec, w->part.out_type, "out_type"));
    TRY(api_check_aligned(exec, w->part.out, c->n, ordo_type_size(w->part.out_type), "out"));
    FAIL_IF(w->part.op != ORDO_SUM && w->part.op != ORDO_MIN && w->part.op != ORDO_MAX, ORDO_E_ARG,
            "op is %d; expected ORDO_SUM, ORDO_MIN or ORDO_MAX", (int)w->part.op);
    if (w->part.out == w->in && w->part.out_type == c->type)
        return ORDO_OK;
    return api_check_apart(exec, w->in, c->n * c->key_size, "in", w->part.out,
                           c->n * ordo_type_size(w->part.out_type), "out");
}

ordo_status ordo_dist_scan(ordo_ctx *ctx, const ordo_comm *comm, ordo_op op, ordo_type type,
                           const void *in, size_t n, ordo_type out_type, void *out,
                           const ordo_dist_opts *opts)
{
    dist_call    c = {.type = type, .keys = in, .n = n};
    scan_options w = {.in = in, .part = {.op = op, .out = out, .out_type = out_type}};
    DIST_CALL("dist_scan", &c, scan_check(&c, &w, opts), scan_run(&c, &w), "ordo_dist_scan",
              {(uint64_t)op, (uint64_t)out_type});
}

/* ---- Is it sorted? ---- */

typedef struct ends {     /* of the part of a process */
    uint64_t first, last; /* orders */
    uint64_t where;       /* the first key before its predecessor; n: none */
} ends;

static ordo_status look(dist_call *c, ends *mine)
{
    ordo_order_of const   order = {c->type, c->descending, true};
    ordo_order_opts const opts =
        ORDO_OPTS(ordo_order_opts, .flags = c->descending ? ORDO_DESCENDING : 0);
    uint64_t const       places[2] = {0, c->n - 1};
    uint64_t             orders[2];
    size_t               where = 0;
    int                  sorted;
    ordo_order_job const job = {
        .type = c->type, .keys = c->keys, .n = c->n, .descending = c->descending, .where = &where};
    if (c->n == 0)
        return ORDO_OK;
    TRY(dist_on_device(c) ? c->device.backend->is_sorted(c->device.state, &job, c->exec)
                          : dist_inner(c, ordo_is_sorted(c->inner, c->type, c->keys, c->n, &sorted,
                                                         &where, &opts)));
    TRY(device_orders(c, &order, c->keys, places, 2, orders));
    *mine = (ends){orders[0], orders[1], where};
    return ORDO_OK;
}

/* The first place of the global array that is out of order; the total if there is none. */
static uint64_t first_disorder(const dist_call *c, const ends *all)
{
    const ends *before = NULL;
    uint64_t    offset = 0;
    for (int32_t r = 0; r < c->comm.size; offset += c->counts[r++]) {
        if (c->counts[r] == 0)
            continue;
        if (before != NULL && all[r].first < before->last)
            return offset;
        if (all[r].where < c->counts[r])
            return offset + all[r].where;
        before = &all[r];
    }
    return c->total;
}

static ordo_status sorted_check(dist_call *c, const int *sorted, const ordo_dist_opts *opts)
{
    ordo_exec *const exec = c->exec;
    TRY(dist_check(c, opts, ORDO_DESCENDING));
    FAIL_IF(sorted == NULL, ORDO_E_ARG, "sorted is NULL; expected the address of an int");
    return ORDO_OK;
}

static ordo_status sorted_run(dist_call *c, int *sorted, uint64_t *where)
{
    ends              mine = {0};
    void             *memory = NULL;
    ordo_status const taken = ordo_scratch(c->exec, (size_t)c->comm.size * sizeof mine, &memory);
    TRY(dist_agree(c, taken == ORDO_OK ? look(c, &mine) : taken));
    TRY(dist_allgather(c, &mine, sizeof mine, memory));
    uint64_t const found = first_disorder(c, memory);
    *sorted = found == c->total;
    if (where != NULL)
        *where = found;
    return ORDO_OK;
}

ordo_status ordo_dist_is_sorted(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                const void *keys, size_t n, int *sorted, uint64_t *where,
                                const ordo_dist_opts *opts)
{
    dist_call c = {.type = type, .keys = keys, .n = n};
    DIST_CALL("dist_is_sorted", &c, sorted_check(&c, sorted, opts), sorted_run(&c, sorted, where),
              "ordo_dist_is_sorted", {0});
}
