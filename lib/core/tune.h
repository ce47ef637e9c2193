/* tune.h - how thresholds are written: the shipped value and the one of the test build. */
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
