/* fpkit.c - see fpkit.h. */
#include "fpkit.h"

#include "testkit.h"

#include <fenv.h>
#include <float.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

const fp_mode fp_modes[FP_MODES] = {
    {"default", FE_TONEAREST, false},      {"flush-to-zero", FE_TONEAREST, true},
    {"upward", FE_UPWARD, false},          {"downward", FE_DOWNWARD, false},
    {"toward zero", FE_TOWARDZERO, false}, {"downward, flush-to-zero", FE_DOWNWARD, true},
};

#if defined(__x86_64__)

enum {
    FLAGS = 0x3f,
    FLUSH = 0x8040 /* FTZ and DAZ */
};

fp_state fp_now(void)
{
    uint32_t const now = _mm_getcsr();
    return (fp_state){now & ~(uint32_t)FLAGS, now & FLAGS};
}

static void set_flush(bool flushes)
{
    uint32_t const rest = _mm_getcsr() & ~(uint32_t)FLUSH;
    _mm_setcsr(flushes ? rest | FLUSH : rest);
}

#elif defined(__aarch64__)

#define FLUSH (UINT64_C(1) << 24) /* FZ */

fp_state fp_now(void)
{
    fp_state now;
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(now.mode), "=r"(now.flags));
    return now;
}

static void set_flush(bool flushes)
{
    uint64_t const rest = fp_now().mode & ~FLUSH, next = flushes ? rest | FLUSH : rest;
    __asm__ volatile("msr fpcr, %0" ::"r"(next));
}

#else

fp_state fp_now(void)
{
    return (fp_state){(uint64_t)fegetround(), (uint64_t)fetestexcept(FE_ALL_EXCEPT)};
}

static void set_flush(bool flushes) { (void)flushes; }

#endif

fp_state fp_enter(const fp_mode *mode)
{
    (void)feclearexcept(FE_ALL_EXCEPT);
    (void)feraiseexcept(FE_DIVBYZERO);
    (void)fesetround(mode->rounding);
    set_flush(mode->flushes);
    return fp_now();
}

fp_state fp_leave(void)
{
    fp_state const now = fp_now();
    set_flush(false);
    (void)fesetround(FE_TONEAREST);
    (void)feclearexcept(FE_ALL_EXCEPT);
    return now;
}

bool fp_works(const fp_mode *mode)
{
    volatile double least = DBL_MIN, one = 1, tiny = 1e-30, half, sum, less;
    fp_enter(mode);
    half = least / 2;
    sum = one + tiny;
    less = one - tiny;
    fp_leave();
    bool const flushed = half == 0, up = sum > 1, down = less < 1;
    return flushed == mode->flushes && up == (mode->rounding == FE_UPWARD) &&
           down == (mode->rounding == FE_DOWNWARD || mode->rounding == FE_TOWARDZERO);
}

void fp_announce(void)
{
    for (int m = 0; m < FP_MODES; m++)
        if (!fp_works(&fp_modes[m]))
            testkit_skip("arithmetic does not obey the mode %s here", fp_modes[m].name);
}
