/* ordo_gen.h - generators of keys and strings, for tests and benchmarks. ordo.h includes this file.
 * docs/generators.md defines the distributions. The rules of ordo.h apply. */
#ifndef ORDO_GEN_H
#define ORDO_GEN_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ordo_dist {   /* docs/generators.md defines the distributions                        */
    ORDO_DIST_UNIFORM = 1, /* integers: the whole range; floats: [0, 1)                           */
    ORDO_DIST_GAUSSIAN,    /* the mean of four uniform draws                                      */
    ORDO_DIST_ZERO,        /* all keys are 0                                                      */
    ORDO_DIST_FEW,         /* k distinct values (default 100), equally likely                     */
    ORDO_DIST_ZIPF,      /* 1..k (default 2^20 or what fits) with probability proportional to 1/x */
    ORDO_DIST_SORTED,    /* ascending, evenly spread with jitter                                */
    ORDO_DIST_REVERSE,   /* ORDO_DIST_SORTED in reverse                                         */
    ORDO_DIST_ORGANPIPE, /* rises up to the middle, then falls                                  */
    ORDO_DIST_SAWTOOTH,  /* k ascending teeth (default 16)                                      */
    ORDO_DIST_RECUR,     /* sorted; a key repeats its predecessor with probability p            */
    ORDO_DIST_KSORTED,   /* radius exactly k                                                    */
    ORDO_DIST_DUPES,     /* Helman-Bader-JaJa deterministic duplicates over k buckets           */
    ORDO_DIST_STAGGERED, /* Helman-Bader-JaJa staggered over k buckets                          */
    ORDO_DIST_BUCKET,    /* Helman-Bader-JaJa bucket sorted over k buckets                      */
    ORDO_DIST_STRINGS,   /* ordo_gen_strings: 1 to 500 random printable characters              */
    ORDO_DIST_FASTA,     /* ordo_gen_strings: protein records of up to 120 residues             */
    ORDO_DIST_SHUFFLED,  /* uniform keys, sorted; one exchange at distance k, groups shuffled   */
    ORDO_DIST_SIGNED,    /* uniform around 0: floats in [-1, 1); integers: half of the range    */
    ORDO_DIST_NORMAL,    /* the sum of twelve draws; floats have mean 0 and deviation 1         */
    ORDO_DIST_LOGUNIFORM, /* a random number of leading zeros; floats: a random exponent        */
    ORDO_DIST_OUTLIERS,   /* ORDO_DIST_SORTED; one key in k (default 100) is uniform            */
    ORDO_DIST_TIMESTAMPS, /* ascending in bursts of k keys (default 1000), some keys late       */
    ORDO_DIST_PRICES,     /* log-normal, in cents; half of the prices end in 99                 */
    ORDO_DIST_SENSORS     /* k sensors (default 100) in turn: noise, constants, missing values  */
} ordo_dist;

typedef struct ordo_gen_opts {
    size_t   struct_size;
    uint64_t seed;
    uint64_t k; /* FEW, ZIPF: values; SAWTOOTH: teeth; KSORTED, SHUFFLED: radius; DUPES...:
                 * buckets (16); OUTLIERS, TIMESTAMPS, SENSORS: see there                         */
    double   p; /* RECUR: 0 = all keys differ, 1 = all keys are equal                             */
} ordo_gen_opts;

/* Fills out[0..n) with keys of a numeric distribution. The same arguments give the same bytes on
 * every machine and for any number of threads. ORDO_E_ARG if the type has fewer than n values
 * (RECUR with p == 0, KSORTED) or k is not below n (KSORTED, SHUFFLED).                          */
ORDO_MUST ordo_status ordo_gen(ordo_ctx *ctx, ordo_dist dist, ordo_type type, void *out, size_t n,
                               const ordo_gen_opts *opts);

/* Fills offsets[0..n] and bytes so that string i is bytes[offsets[i] .. offsets[i+1]). With
 * bytes == NULL only the offsets are written; offsets[n] is then the number of bytes that a second
 * call needs. ORDO_E_ARG if capacity is smaller than that.                                       */
ORDO_MUST ordo_status ordo_gen_strings(ordo_ctx *ctx, ordo_dist dist, size_t n, uint64_t *offsets,
                                       char *bytes, size_t capacity, const ordo_gen_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
