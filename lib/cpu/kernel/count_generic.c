/* count_generic.c - count_band.h for every CPU of the target (on aarch64 that is NEON), and the
 * choice among the ISAs. */
#include "core/keybits.h"
#include "cpu/kernel/count_band.h"

#include <string.h>

#define ORDO_TEMPLATE "cpu/kernel/count_band.t.h"
#include "core/for_each_type.h"

CPU_BAND_TABLE(cpu_band_generic);

/* Flags first, a byte each, which compilers turn into vectors. */
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static inline void below_##tag(const key *keys, size_t n, bits pivot, uint64_t *words,         \
                                   bool descending)                                                \
    {                                                                                              \
        for (size_t at = 0; at < n; at += 64) {                                                    \
            uint8_t  flags[64];                                                                    \
            uint64_t word = 0;                                                                     \
            for (size_t i = 0; i < 64; i++)                                                        \
                flags[i] = band_word_##tag(keys[at + i], descending) < pivot;                      \
            for (size_t i = 0; i < 64; i += 8) { /* eight flags' low bits, gathered in one byte */ \
                uint64_t eight;                                                                    \
                memcpy(&eight, flags + i, sizeof eight);                                           \
                word |= (eight * UINT64_C(0x0102040810204080) >> 56) << i;                         \
            }                                                                                      \
            words[at / 64] = word;                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void below_up_##tag(const void *keys, size_t n, uint64_t pivot, uint64_t *words)        \
    {                                                                                              \
        below_##tag(keys, n, (bits)pivot, words, false);                                           \
    }                                                                                              \
    static void below_down_##tag(const void *keys, size_t n, uint64_t pivot, uint64_t *words)      \
    {                                                                                              \
        below_##tag(keys, n, (bits)pivot, words, true);                                            \
    }
#include "core/types.def"

const cpu_below_table cpu_below_generic = {
#define ORDO_TYPE(ID, tag, key, bits) [ORDO_##ID] = {below_up_##tag, below_down_##tag},
#include "core/types.def"
};

cpu_below_fn *cpu_below_choose(const char *isa, ordo_type type, bool descending)
{
#if defined(__x86_64__)
    if (strcmp(isa, "avx512") == 0 && cpu_below_avx512[type][descending] != NULL)
        return cpu_below_avx512[type][descending];
#endif
    (void)isa;
    return cpu_below_generic[type][descending];
}

cpu_band_fn *cpu_band_choose(const char *isa, ordo_type type, bool descending)
{
    const cpu_band_table *table = &cpu_band_generic;
#if defined(__x86_64__)
    if (strcmp(isa, "avx2") == 0)
        table = &cpu_band_avx2;
    else if (strcmp(isa, "avx512") == 0)
        table = cpu_band_avx512[type][descending] != NULL ? &cpu_band_avx512 : &cpu_band_avx2;
#else
    (void)isa;
#endif
    return (*table)[type][descending];
}
