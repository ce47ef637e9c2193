/* kernels_generic.c - every kernel in portable C: the reference the ISA files are held against,
 * and what runs where there is none. The loops are selects, not branches. */
#include "cpu/kernel/kernels.h"

#include "core/keybits.h"

#define ORDO_CLASS_TEMPLATE "cpu/kernel/generic_class.t.h"
#include "cpu/kernel/for_each_class.h"
#define ORDO_OUT_TEMPLATE "cpu/kernel/generic_out.t.h"
#include "cpu/kernel/for_each_out.h"
#undef ORDO_OUT_TEMPLATE

#include "cpu/kernel/for_each_width.h"

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
};
