/* kernels_generic.c - every kernel in portable C: the reference for the other tables, and the table
 * of CPUs without another. Loops select values instead of branching. */
#include "cpu/base/kernels.h"
#include "cpu/kernel/scan_sum.h"

#define CPU_ISA generic
#include "cpu/kernel/plain_loops.h"

#define ORDO_CLASS_TEMPLATE "cpu/kernel/generic_class.t.h"
#include "cpu/kernel/for_each_class.h"

#define COUNT(T, out_type)                                                                         \
    static void count_##T(const uint64_t *words, size_t n, uint64_t base, void *out, bool bypass)  \
    {                                                                                              \
        out_type *const r = out;                                                                   \
        uint64_t        count = base;                                                              \
        (void)bypass;                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            count += words[i / 64] >> (i % 64) & 1;                                                \
            r[i] = (out_type)count;                                                                \
        }                                                                                          \
    }
COUNT(u32, uint32_t)
COUNT(u64, uint64_t)
COUNT(f64, double)

static size_t pack(const uint8_t *flags, size_t n, uint64_t *words)
{
    size_t total = 0;
    for (size_t i = 0; i < n; i += 64) {
        size_t const count = ordo_min(64, n - i);
        uint64_t     word = 0;
        for (size_t j = 0; j < count; j++)
            word |= (uint64_t)(flags[i + j] != 0) << j;
        words[i / 64] = word;
        total += (size_t)__builtin_popcountll(word);
    }
    return total;
}

/* Signed and unsigned integers have the same sums modulo 2^width, so one function per width serves
 * both. */
SCAN_SUM(8, uint8_t, uint8_t)
SCAN_SUM(16, uint16_t, uint16_t)
SCAN_SUM(32, uint32_t, uint32_t)
SCAN_SUM(64, uint64_t, uint64_t)

const cpu_kernels cpu_kernels_generic = {
    .isa = "generic",
    .rank_last = CPU_PER_PAIR(last),
    .rank_next = CPU_PER_PAIR(next),
    .rank_mean = CPU_PER_CLASS(mean),
    .heads = CPU_PER_CLASS(heads),
    .pack = pack,
    .count = CPU_PER_OUT(count),
    .sum = CPU_PER_WIDTH(sum),
    .scan_sum = CPU_PER_WIDTH(scan_sum),
    .loops = &cpu_loops_generic,
    .sets = &set_loops_generic,
};
