/* cpu_scan.c - prefix sums, products, minima and maxima.
 *
 * A thread reduces a piece of the array, which brings the piece into the cache. It waits for the
 * carry of the piece before, passes its own carry on, and scans the piece from the cache. Memory is
 * read once and written once. One thread alone scans without reducing first.
 *
 * Integers wrap. Minima and maxima are those of the key bits, so any order of combining gives the
 * same bytes. Float sums are not associative: the order of additions follows from the size of a
 * piece and of the groups in it (scan_float.t.h), which depend on n alone. Float products are
 * multiplied one by one, piece after piece: a product of later keys alone may overflow. */
#define _POSIX_C_SOURCE 200809L
#include "core/keybits.h"
#include "core/lists.h"
#include "core/sequencer.h"
#include "cpu/base/cpu.h"
#include "cpu/kernel/scan_sum.h"

#include <math.h>
#include <string.h>

typedef uint64_t scan_combine_fn(uint64_t before, uint64_t piece);

/* Scans rows of n elements, 1 to FEW, without gaps, each from the same carry. */
typedef void scan_few_fn(const void *in, size_t n, size_t rows, uint64_t carry, void *out,
                         bool exclusive);

enum {
    FEW = 4
};

typedef struct scan_kind { /* one operation on one type; a carry is an integer or a float's bits */
    cpu_reduce_fn   *reduce; /* NULL: a piece starts when the one before is done */
    cpu_scan_fn     *scan;
    scan_combine_fn *combine;
    uint64_t         inclusive, exclusive; /* the carry into the first piece */
    bool             starts_at_inf;        /* exclusive: the first result is +inf, not the carry */
    bool             ordered;              /* the order of additions changes the result */
    scan_few_fn     *few;                  /* or NULL */
} scan_kind;

typedef struct scan_work {
    const ordo_scan_job *job;
    scan_kind            kind;
    size_t               grain, in_size, out_size;
    size_t               ahead; /* elements from a piece to the next piece of the same thread */
    bool                 alone, bypass;
    ordo_sequencer       turn;
    uint64_t             carry;
} scan_work;

static uint64_t add_bits(uint64_t before, uint64_t piece) { return before + piece; }
static uint64_t min_bits(uint64_t before, uint64_t piece)
{
    return before < piece ? before : piece;
}
static uint64_t max_bits(uint64_t before, uint64_t piece)
{
    return before > piece ? before : piece;
}

static uint64_t multiply_bits(uint64_t before, uint64_t piece) { return before * piece; }
static uint64_t last_bits(uint64_t before, uint64_t piece)
{
    (void)before;
    return piece;
}

#define ORDO_TEMPLATE "cpu/scan/scan_bound.t.h"
#include "core/for_each_type.h"

/* Integers summed in 64 bits; sums of their own width are kernels. */
SCAN_SUM(i8, int8_t, uint64_t)
SCAN_SUM(u8, uint8_t, uint64_t)
SCAN_SUM(i16, int16_t, uint64_t)
SCAN_SUM(u16, uint16_t, uint64_t)
SCAN_SUM(i32, int32_t, uint64_t)
SCAN_SUM(u32, uint32_t, uint64_t)

/* Products of integers: in their own width, then in 64 bits. */
#define KEY uint8_t
#define RESULT uint8_t
#define SFN(name) name##_8
#include "cpu/scan/scan_product.t.h"
#define KEY uint16_t
#define RESULT uint16_t
#define SFN(name) name##_16
#include "cpu/scan/scan_product.t.h"
#define KEY uint32_t
#define RESULT uint32_t
#define SFN(name) name##_32
#include "cpu/scan/scan_product.t.h"
#define KEY uint64_t
#define RESULT uint64_t
#define SFN(name) name##_64
#include "cpu/scan/scan_product.t.h"
#define KEY int8_t
#define RESULT uint64_t
#define SFN(name) name##_i8_64
#include "cpu/scan/scan_product.t.h"
#define KEY uint8_t
#define RESULT uint64_t
#define SFN(name) name##_u8_64
#include "cpu/scan/scan_product.t.h"
#define KEY int16_t
#define RESULT uint64_t
#define SFN(name) name##_i16_64
#include "cpu/scan/scan_product.t.h"
#define KEY uint16_t
#define RESULT uint64_t
#define SFN(name) name##_u16_64
#include "cpu/scan/scan_product.t.h"
#define KEY int32_t
#define RESULT uint64_t
#define SFN(name) name##_i32_64
#include "cpu/scan/scan_product.t.h"
#define KEY uint32_t
#define RESULT uint64_t
#define SFN(name) name##_u32_64
#include "cpu/scan/scan_product.t.h"

/* Floats; f32_f64 sums and multiplies f32 in f64. */
#define KEY float
#define RESULT float
#define SFN(name) name##_f32
#include "cpu/scan/scan_float.t.h"
#define KEY double
#define RESULT double
#define SFN(name) name##_f64
#include "cpu/scan/scan_float.t.h"
#define KEY float
#define RESULT double
#define SFN(name) name##_f32_f64
#include "cpu/scan/scan_float.t.h"

/* ---- Which stamp ---- */

static scan_kind own_sum(const cpu_kernels *kernels, enum cpu_width width)
{
    return (scan_kind){
        kernels->sum[width], kernels->scan_sum[width], add_bits, 0, 0, false, false, NULL};
}

#define WIDE_SUM(name)                                                                             \
    (scan_kind) { sum_##name, scan_sum_##name, add_bits, 0, 0, false, false, NULL }

/* Inclusive float sums start from -0, because -0 + -0 is -0. */
#define FLOAT_SUM(name)                                                                            \
    (scan_kind)                                                                                    \
    {                                                                                              \
        sum_##name, scan_sum_##name, add_##name, to_carry_##name(-0.0), 0, false, true,            \
            scan_few_##name                                                                        \
    }

static scan_kind sum_kind(const cpu_kernels *kernels, ordo_type type, bool wide)
{
    if (type == ORDO_F64)
        return FLOAT_SUM(f64);
    if (type == ORDO_F32)
        return wide ? FLOAT_SUM(f32_f64) : FLOAT_SUM(f32);
    if (!wide)
        return own_sum(kernels, (enum cpu_width)(ordo_bit_length(ordo_type_size(type)) - 1));
    return type == ORDO_I8    ? WIDE_SUM(i8)
           : type == ORDO_U8  ? WIDE_SUM(u8)
           : type == ORDO_I16 ? WIDE_SUM(i16)
           : type == ORDO_U16 ? WIDE_SUM(u16)
           : type == ORDO_I32 ? WIDE_SUM(i32)
                              : WIDE_SUM(u32);
}

#define PRODUCT(name)                                                                              \
    (scan_kind) { product_##name, scan_product_##name, multiply_bits, 1, 1, false, false, NULL }

#define FLOAT_PRODUCT(name)                                                                        \
    (scan_kind)                                                                                    \
    {                                                                                              \
        NULL, scan_product_##name, last_bits, to_carry_##name(1), to_carry_##name(1), false, true, \
            NULL                                                                                   \
    }

static scan_kind product_kind(ordo_type type, bool wide)
{
    if (type == ORDO_F64)
        return FLOAT_PRODUCT(f64);
    if (type == ORDO_F32)
        return wide ? FLOAT_PRODUCT(f32_f64) : FLOAT_PRODUCT(f32);
    if (!wide)
        return ordo_type_size(type) == 1   ? PRODUCT(8)
               : ordo_type_size(type) == 2 ? PRODUCT(16)
               : ordo_type_size(type) == 4 ? PRODUCT(32)
                                           : PRODUCT(64);
    return type == ORDO_I8    ? PRODUCT(i8_64)
           : type == ORDO_U8  ? PRODUCT(u8_64)
           : type == ORDO_I16 ? PRODUCT(i16_64)
           : type == ORDO_U16 ? PRODUCT(u16_64)
           : type == ORDO_I32 ? PRODUCT(i32_64)
                              : PRODUCT(u32_64);
}

/* Minima start from the largest key bits. For floats these are a NaN, so the first exclusive
 * minimum is replaced by +inf. */
static scan_kind min_kind(ordo_type type)
{
    uint64_t const most = UINT64_MAX >> (64 - 8 * ordo_type_size(type));
    return (scan_kind){BY_TYPE(type, min_reduce, ),
                       BY_TYPE(type, min_scan, ),
                       min_bits,
                       most,
                       most,
                       ordo_is_float(type),
                       false,
                       NULL};
}

static scan_kind max_kind(ordo_type type)
{
    return (scan_kind){
        BY_TYPE(type, max_reduce, ), BY_TYPE(type, max_scan, ), max_bits, 0, 0, false, false, NULL};
}

static scan_kind kind_of(const cpu_kernels *kernels, const ordo_scan_job *job)
{
    if (job->op == ORDO_MIN)
        return min_kind(job->type);
    if (job->op == ORDO_MAX)
        return max_kind(job->type);
    if (job->op == ORDO_PRODUCT)
        return product_kind(job->type, job->out_type != job->type);
    return sum_kind(kernels, job->type, job->out_type != job->type);
}

/* ---- The loop ---- */

/* Scans a reduced piece from the cache in short steps, and prefetches the piece that this thread
 * will probably get next. The reduction is limited by memory and the scan by arithmetic, so both
 * overlap (V1, sums of u32 by 2 threads: 19.0 ms without prefetch, 14.7 with). Float sums are
 * scanned in one step, because the order of additions is that of a whole piece. */
static void scan_fetching(const scan_work *work, size_t lo, size_t hi, uint64_t carry)
{
    const ordo_scan_job *const job = work->job;
    enum {
        STEP = 1024
    };
    size_t const step = work->kind.ordered ? hi - lo : STEP;
    for (size_t at = lo; at < hi; at += step) {
        size_t const      count = ordo_min(step, hi - at);
        const char *const in = (const char *)job->in + at * work->in_size;
        if (count == STEP && job->n - at > work->ahead + STEP)
            for (size_t byte = 0; byte < STEP * work->in_size; byte += ORDO_CACHE_LINE)
                __builtin_prefetch(in + work->ahead * work->in_size + byte, 0, 2);
        uint64_t const here = work->kind.scan(
            in, count, carry, (char *)job->out + at * work->out_size, job->exclusive, work->bypass);
        carry = work->kind.combine(carry, here);
    }
}

static void scan_piece(void *arg, size_t lo, size_t hi)
{
    scan_work *const           work = arg;
    const ordo_scan_job *const job = work->job;
    const void *const          in = (const char *)job->in + lo * work->in_size;
    void *const                out = (char *)job->out + lo * work->out_size;
    size_t const               piece = lo / work->grain;

    if (work->alone) {
        uint64_t const here =
            work->kind.scan(in, hi - lo, work->carry, out, job->exclusive, work->bypass);
        work->carry = work->kind.combine(work->carry, here);
        return;
    }
    if (work->kind.reduce == NULL) {
        ordo_sequencer_wait(&work->turn, piece);
        work->carry = work->kind.scan(in, hi - lo, work->carry, out, job->exclusive, work->bypass);
        ordo_sequencer_pass(&work->turn, piece);
        return;
    }
    uint64_t const here = work->kind.reduce(in, hi - lo);
    ordo_sequencer_wait(&work->turn, piece);
    uint64_t const before = work->carry;
    work->carry = work->kind.combine(before, here);
    ordo_sequencer_pass(&work->turn, piece);
    scan_fetching(work, lo, hi, before);
}

/* Minima of floats start from a NaN, so an exclusive scan writes its first result at the end. */
static void put_inf(ordo_type type, void *out)
{
    if (type == ORDO_F32)
        *(float *)out = INFINITY;
    else
        *(double *)out = (double)INFINITY;
}

_Static_assert((int)ORDO_SCAN_ROW <= (int)ORDO_TUNE_ALONE, "a row is one piece, as in cpu_scan");

void cpu_scan_rows(void *state, const ordo_scan_job *job, size_t rows)
{
    scan_kind const kind = kind_of(state, job);
    uint64_t const  carry = job->exclusive ? kind.exclusive : kind.inclusive;
    size_t const    in_size = job->n * ordo_type_size(job->type);
    size_t const    out_size = job->n * ordo_type_size(job->out_type);
    if (kind.few != NULL && job->n > 0 && job->n <= FEW) {
        kind.few(job->in, job->n, rows, carry, job->out, job->exclusive);
        return;
    }
    for (size_t r = 0; r < rows; r++) {
        char *const out = (char *)job->out + r * out_size;
        (void)kind.scan((const char *)job->in + r * in_size, job->n, carry, out, job->exclusive,
                        false);
        if (job->exclusive && kind.starts_at_inf)
            put_inf(job->type, out);
    }
}

ordo_status cpu_scan(void *state, const ordo_scan_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    scan_work                work = {.job = job,
                                     .kind = kind_of(kernels, job),
                                     .grain = cpu_grain(job->n),
                                     .in_size = ordo_type_size(job->type),
                                     .out_size = ordo_type_size(job->out_type)};
    work.ahead = work.grain * exec->threads;
    work.alone = exec->threads == 1 || job->n <= work.grain;
    work.bypass = (uintptr_t)job->out % ORDO_CACHE_LINE == 0 && job->in != job->out &&
                  cpu_bypasses_cache(job->n * work.out_size);
    work.carry = job->exclusive ? work.kind.exclusive : work.kind.inclusive;
    exec->algorithm = "chained";
    exec->isa = kernels->isa;
    if (!ordo_loop(exec, job->n, work.grain, scan_piece, &work))
        return ORDO_E_CANCELLED;
    if (job->exclusive && work.kind.starts_at_inf && job->n > 0)
        put_inf(job->type, job->out);
    return ORDO_OK;
}
