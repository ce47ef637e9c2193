/* tune.h - thresholds with two values: production, and small ones for the test build (ORDO_TINY).
 */
#ifndef ORDO_CORE_TUNE_H
#define ORDO_CORE_TUNE_H

#ifdef ORDO_TINY
#define ORDO_TUNE(production, tiny) (tiny)
#else
#define ORDO_TUNE(production, tiny) (production)
#endif

#if defined(__aarch64__)
#define ORDO_TUNE_NEON(neon, other) (neon)
#else
#define ORDO_TUNE_NEON(neon, other) (other)
#endif

#endif
