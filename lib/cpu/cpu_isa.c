/* cpu_isa.c - chooses the kernels that this CPU can run. The best ones are last in the list. */
#include "cpu/cpu.h"

#include <string.h>

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

/* The extensions that every AVX-512 CPU since Ice Lake and Zen 4 has. */
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

static bool always(void) { return true; }

static const struct {
    const cpu_kernels *kernels;
    bool (*usable)(void);
} list[] = {
    {&cpu_kernels_generic, always},
#if defined(__aarch64__)
    {&cpu_kernels_neon, always},
#elif defined(__x86_64__)
    {&cpu_kernels_avx2, has_avx2},
    {&cpu_kernels_avx512, has_avx512},
#endif
};

enum {
    KNOWN = sizeof list / sizeof *list
};

const cpu_kernels *cpu_isa_choose(const char *name)
{
    for (size_t i = KNOWN; i-- > 0;) {
        if ((name == NULL || strcmp(name, list[i].kernels->isa) == 0) && list[i].usable())
            return list[i].kernels;
    }
    return NULL;
}

const char *cpu_isa_all(void)
{
#if defined(__aarch64__)
    return "generic neon";
#elif defined(__x86_64__)
    return has_avx512() ? "generic avx2 avx512" : has_avx2() ? "generic avx2" : "generic";
#else
    return "generic";
#endif
}
