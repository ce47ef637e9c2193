/* bench_loops.c - prefix scans as plain sequential loops with one accumulator.
 *
 * They are the base of the speed-ups of `ordo bench scan`; the integer loops also check the
 * answers. They are compiled with the same flags as the library. */
#include "bench/subjects/bench_order.h"

#include <string.h>

static void loop_sum_u32(const void *in, size_t n, void *out)
{
    const uint32_t *const from = in;
    uint32_t *const       to = out;
    uint32_t              sum = 0;
    for (size_t i = 0; i < n; i++)
        to[i] = sum += from[i];
}

static void loop_sum_u32_u64(const void *in, size_t n, void *out)
{
    const uint32_t *const from = in;
    uint64_t *const       to = out;
    uint64_t              sum = 0;
    for (size_t i = 0; i < n; i++)
        to[i] = sum += from[i];
}

static void loop_sum_u8_u64(const void *in, size_t n, void *out)
{
    const uint8_t *const from = in;
    uint64_t *const      to = out;
    uint64_t             sum = 0;
    for (size_t i = 0; i < n; i++)
        to[i] = sum += from[i];
}

static void loop_sum_f32(const void *in, size_t n, void *out)
{
    const float *const from = in;
    float *const       to = out;
    float              sum = 0;
    for (size_t i = 0; i < n; i++)
        to[i] = sum += from[i];
}

static void loop_sum_f64(const void *in, size_t n, void *out)
{
    const double *const from = in;
    double *const       to = out;
    double              sum = 0;
    for (size_t i = 0; i < n; i++)
        to[i] = sum += from[i];
}

static void loop_min_i32(const void *in, size_t n, void *out)
{
    const int32_t *const from = in;
    int32_t *const       to = out;
    int32_t              least = INT32_MAX;
    for (size_t i = 0; i < n; i++)
        to[i] = least = from[i] < least ? from[i] : least;
}

static void loop_max_i32(const void *in, size_t n, void *out)
{
    const int32_t *const from = in;
    int32_t *const       to = out;
    int32_t              most = INT32_MIN;
    for (size_t i = 0; i < n; i++)
        to[i] = most = from[i] > most ? from[i] : most;
}

static void loop_count_bytes(const void *in, size_t n, void *out)
{
    const uint8_t *const from = in;
    uint32_t *const      to = out;
    uint32_t             count = 0;
    for (size_t i = 0; i < n; i++)
        to[i] = count += from[i] != 0;
}

static void loop_count_bits(const void *in, size_t n, void *out)
{
    const uint8_t *const from = in;
    uint32_t *const      to = out;
    uint32_t             count = 0;
    for (size_t i = 0; i < n; i++)
        to[i] = count += ((uint32_t)from[i / 8] >> i % 8) & 1u;
}

bench_loop *bench_loop_for(const char *op, ordo_type type, ordo_type out_type)
{
    static const struct {
        const char *op;
        ordo_type   type, out_type;
        bench_loop *loop;
    } loops[] = {
        {"sum", ORDO_U32, ORDO_U32, loop_sum_u32},   {"sum", ORDO_U32, ORDO_U64, loop_sum_u32_u64},
        {"sum", ORDO_U8, ORDO_U64, loop_sum_u8_u64}, {"sum", ORDO_F32, ORDO_F32, loop_sum_f32},
        {"sum", ORDO_F64, ORDO_F64, loop_sum_f64},   {"min", ORDO_I32, ORDO_I32, loop_min_i32},
        {"max", ORDO_I32, ORDO_I32, loop_max_i32},   {"bytes", 0, ORDO_U32, loop_count_bytes},
        {"bits", 0, ORDO_U32, loop_count_bits},
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (strcmp(loops[i].op, op) == 0 && loops[i].type == type && loops[i].out_type == out_type)
            return loops[i].loop;
    return NULL;
}

/* Eight independent sums keep up with memory. */
uint64_t bench_read(const void *memory, size_t bytes)
{
    const unsigned char *const from = memory;
    uint64_t                   sum[8] = {0}, word[8];

    for (size_t at = 0; bytes - at >= sizeof word; at += sizeof word) {
        memcpy(word, from + at, sizeof word);
        for (int i = 0; i < 8; i++)
            sum[i] += word[i];
    }
    return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}
