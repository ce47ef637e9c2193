/* fpmode.h - the floating-point mode of a thread: rounding, flush-to-zero, traps, sticky flags.
 *
 * The library computes in the default mode: round to nearest, subnormals kept, no traps. A public
 * call enters this mode and restores the caller's mode and sticky exception flags at its end.
 * Worker threads enter the mode when they start, because a new thread inherits the mode of its
 * creator. Registers are written only if they differ, because reading costs only about a
 * nanosecond. */
#ifndef ORDO_CORE_FPMODE_H
#define ORDO_CORE_FPMODE_H

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef struct ordo_fpmode {
    uint32_t mxcsr;
} ordo_fpmode;

enum {
    ORDO_MXCSR_FLAGS = 0x3f,    /* the sticky flags */
    ORDO_MXCSR_DEFAULT = 0x1f80 /* all exceptions masked */
};

/* The memory clobbers keep stores of results inside the changed mode. */
static inline ordo_fpmode ordo_fpmode_enter(void)
{
    ordo_fpmode const before = {_mm_getcsr()};
    if ((before.mxcsr & ~(uint32_t)ORDO_MXCSR_FLAGS) != ORDO_MXCSR_DEFAULT)
        _mm_setcsr(ORDO_MXCSR_DEFAULT);
    __asm__ volatile("" ::: "memory");
    return before;
}

static inline void ordo_fpmode_leave(ordo_fpmode before)
{
    __asm__ volatile("" ::: "memory");
    if (_mm_getcsr() != before.mxcsr)
        _mm_setcsr(before.mxcsr);
}

#elif defined(__aarch64__)

typedef struct ordo_fpmode {
    uint64_t fpcr, fpsr; /* mode and traps; sticky flags */
} ordo_fpmode;

static inline ordo_fpmode ordo_fpmode_get(void)
{
    ordo_fpmode now;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(now.fpcr), "=r"(now.fpsr)::"memory");
    return now;
}

static inline ordo_fpmode ordo_fpmode_enter(void)
{
    ordo_fpmode const before = ordo_fpmode_get();
    if (before.fpcr != 0)
        __asm__ volatile("msr fpcr, %0" ::"r"(UINT64_C(0)) : "memory");
    return before;
}

static inline void ordo_fpmode_leave(ordo_fpmode before)
{
    ordo_fpmode const now = ordo_fpmode_get();
    if (now.fpcr != before.fpcr)
        __asm__ volatile("msr fpcr, %0" ::"r"(before.fpcr) : "memory");
    if (now.fpsr != before.fpsr)
        __asm__ volatile("msr fpsr, %0" ::"r"(before.fpsr) : "memory");
}

#else
#include <fenv.h>

typedef struct ordo_fpmode {
    fenv_t environment;
} ordo_fpmode;

static inline ordo_fpmode ordo_fpmode_enter(void)
{
    ordo_fpmode before;
    fegetenv(&before.environment);
    fesetenv(FE_DFL_ENV);
    return before;
}

static inline void ordo_fpmode_leave(ordo_fpmode before) { fesetenv(&before.environment); }

#endif
#endif
