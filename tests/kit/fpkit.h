/* fpkit.h - floating-point modes for tests: rounding, and subnormals flushed to zero. */
#ifndef ORDO_TESTS_FPKIT_H
#define ORDO_TESTS_FPKIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fp_mode {
    const char *name;
    int         rounding; /* for fesetround */
    bool        flushes;  /* subnormal operands and results become zero */
} fp_mode;

enum {
    FP_MODES = 6
};
extern const fp_mode fp_modes[FP_MODES]; /* the default one first */

/* The registers of the calling thread: all that is not a sticky flag, and the flags. */
typedef struct fp_state {
    uint64_t mode, flags;
} fp_state;

fp_state fp_now(void);
/* Sets the mode and, as the only exception flag, divide-by-zero; returns what is then set. */
fp_state fp_enter(const fp_mode *mode);
/* Returns what is set and goes back to the default mode without flags. */
fp_state fp_leave(void);

/* Whether arithmetic obeys the mode here; qemu models what its version knows. */
bool fp_works(const fp_mode *mode);
/* Reports as skipped every mode that does not work. */
void fp_announce(void);

#endif
