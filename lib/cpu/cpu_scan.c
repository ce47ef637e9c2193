/* cpu_scan.c - prefix sums, minima and maxima.
 *
 * Each piece of the array is reduced first, which brings it into the cache; when its turn comes
 * it takes the carry and leaves the next one; then it is scanned from the cache. Memory is read
 * once and written once. With one thread the reduction is not needed and not done.
 *
 * Integers wrap. Minima and maxima are taken of the key bits, so any order of combining gives
 * the same bytes. Float sums are not associative: their order is fixed by the size of a piece
 * and of the groups within it (scan_float.t.h), both of which depend on n alone. */
#include "core/keybits.h"
#include "core/turn.h"
#include "cpu/cpu.h"

#include <math.h>

typedef union scan_carry { /* between pieces; integers and key bits as bits */
    uint64_t bits;
    double   f64;
    float    f32;
} scan_carry;

/* Both return what the piece comes to on its own, without the carry (min, max: or with it). */
typedef scan_carry scan_reduce_fn(const void *in, size_t n);
typedef scan_carry scan_piece_fn(const void *in, size_t n, scan_carry carry, void *out,
                                 bool exclusive);
typedef scan_carry scan_combine_fn(scan_carry before, scan_carry piece);

typedef struct scan_kind { /* one operation on one type */
    scan_reduce_fn  *reduce;
    scan_piece_fn   *scan;
    scan_combine_fn *combine;
    scan_carry       inclusive, exclusive; /* the carry into the first piece */
    bool             starts_at_inf;        /* exclusive: the first result is +inf, not the carry */
} scan_kind;

typedef struct scan_work {
    const ordo_scan_job *job;
    scan_kind            kind;
    size_t               grain, in_size, out_size;
    bool                 alone;
    ordo_turn            turn;
    scan_carry           carry;
} scan_work;

static scan_carry combine_sum(scan_carry before, scan_carry piece)
{
    return (scan_carry){.bits = before.bits + piece.bits};
}

static scan_carry combine_min(scan_carry before, scan_carry piece)
{
    return before.bits < piece.bits ? before : piece;
}

static scan_carry combine_max(scan_carry before, scan_carry piece)
{
    return before.bits > piece.bits ? before : piece;
}

/* ---- Stamps ---- */

#define ORDO_TEMPLATE "cpu/scan_bound.t.h"
#include "core/for_each_type.h"

#include "cpu/for_each_sum.h"

/* ---- Which stamp ---- */

#define INTEGER_SUM(name)                                                                          \
    (scan_kind) { name##_reduce, name##_scan, combine_sum, {0}, {0}, false }

static scan_kind sum_kind(ordo_type type)
{
    switch (type) {
    case ORDO_I8:
    case ORDO_U8:
        return INTEGER_SUM(sum_8);
    case ORDO_I16:
    case ORDO_U16:
        return INTEGER_SUM(sum_16);
    case ORDO_I32:
    case ORDO_U32:
        return INTEGER_SUM(sum_32);
    case ORDO_I64:
    case ORDO_U64:
        return INTEGER_SUM(sum_64);
    case ORDO_F32:
        return (scan_kind){sum_f32_reduce, sum_f32_scan, sum_f32_combine,
                           {.f32 = -0.0f}, {.f32 = 0},   false};
    case ORDO_F64:
        break;
    }
    return (scan_kind){sum_f64_reduce, sum_f64_scan, sum_f64_combine,
                       {.f64 = -0.0},  {.f64 = 0},   false};
}

static scan_kind wide_kind(ordo_type type)
{
    switch (type) {
    case ORDO_I8:
        return INTEGER_SUM(wide_i8);
    case ORDO_U8:
        return INTEGER_SUM(wide_u8);
    case ORDO_I16:
        return INTEGER_SUM(wide_i16);
    case ORDO_U16:
        return INTEGER_SUM(wide_u16);
    case ORDO_I32:
        return INTEGER_SUM(wide_i32);
    case ORDO_U32:
        return INTEGER_SUM(wide_u32);
    default:
        break;
    }
    return (scan_kind){wide_f32_reduce, wide_f32_scan, wide_f32_combine,
                       {.f64 = -0.0},   {.f64 = 0},    false};
}

/* The neutral carry into minima is the largest key there is. Of floats that is a NaN, which
 * nobody expects to see: the first exclusive minimum is set to +inf. */
static scan_kind bound_kind(ordo_op op, ordo_type type)
{
    scan_kind kind = sum_kind(type); /* for a type that is none */
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits_type)                                                         \
    case ORDO_##ID:                                                                                \
        if (op == ORDO_MIN)                                                                        \
            kind = (scan_kind){min_reduce_##tag,                                                   \
                               min_scan_##tag,                                                     \
                               combine_min,                                                        \
                               {.bits = (bits_type)UINT64_MAX},                                    \
                               {.bits = (bits_type)UINT64_MAX},                                    \
                               false};                                                             \
        else                                                                                       \
            kind = (scan_kind){max_reduce_##tag, max_scan_##tag, combine_max, {0}, {0}, false};    \
        break;
#include "core/types.def"
    }
    kind.starts_at_inf = op == ORDO_MIN && (type == ORDO_F32 || type == ORDO_F64);
    return kind;
}

/* ---- The loop ---- */

static void scan_piece(void *arg, size_t lo, size_t hi)
{
    scan_work *const           work = arg;
    const ordo_scan_job *const job = work->job;
    const void *const          in = (const char *)job->in + lo * work->in_size;
    void *const                out = (char *)job->out + lo * work->out_size;
    size_t const               piece = lo / work->grain;

    if (work->alone) {
        scan_carry const here = work->kind.scan(in, hi - lo, work->carry, out, job->exclusive);
        work->carry = work->kind.combine(work->carry, here);
        return;
    }
    scan_carry const here = work->kind.reduce(in, hi - lo);
    ordo_turn_wait(&work->turn, piece);
    scan_carry const before = work->carry;
    work->carry = work->kind.combine(before, here);
    ordo_turn_pass(&work->turn, piece);
    (void)work->kind.scan(in, hi - lo, before, out, job->exclusive);
}

ordo_status cpu_scan(const cpu_kernels *kernels, const ordo_scan_job *job, ordo_exec *exec)
{
    scan_work work = {.job = job,
                      .grain = cpu_grain(job->n),
                      .in_size = ordo_type_size(job->type),
                      .out_size = ordo_type_size(job->out_type)};
    if (job->op != ORDO_SUM)
        work.kind = bound_kind(job->op, job->type);
    else if (job->out_type == job->type)
        work.kind = sum_kind(job->type);
    else
        work.kind = wide_kind(job->type);
    work.alone = exec->threads == 1 || job->n <= work.grain;
    work.carry = job->exclusive ? work.kind.exclusive : work.kind.inclusive;
    exec->algorithm = "chained";
    exec->isa = kernels->isa;
    if (!ordo_loop(exec, job->n, work.grain, scan_piece, &work))
        return ORDO_E_CANCELLED;
    if (job->exclusive && work.kind.starts_at_inf && job->n > 0) {
        if (job->type == ORDO_F32)
            *(float *)job->out = INFINITY;
        else
            *(double *)job->out = (double)INFINITY;
    }
    return ORDO_OK;
}
