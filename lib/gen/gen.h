/* gen.h - the generators behind ordo_gen and ordo_gen_strings; docs/generators.md defines them.
 *
 * Element i of a result depends on the job and on i, never on threads: all work is done in
 * blocks of fixed size. A job arrives checked, with its defaults filled in. On a status other
 * than ORDO_OK and ORDO_E_CANCELLED nothing has been written. */
#ifndef ORDO_GEN_GEN_H
#define ORDO_GEN_GEN_H

#include "backend/exec.h"

typedef struct ordo_gen_job {
    ordo_dist dist;
    ordo_type type;
    void     *out;
    size_t    n; /* > 0 */
    uint64_t  seed;
    uint64_t  k;
    double    p;
} ordo_gen_job;

typedef struct ordo_gen_text_job {
    ordo_dist dist;
    size_t    n;
    uint64_t *offsets;
    char     *bytes; /* NULL: offsets alone */
    size_t    capacity;
    uint64_t  seed;
} ordo_gen_text_job;

ordo_status ordo_gen_keys(const ordo_gen_job *job, ordo_exec *exec);    /* UNIFORM to ZIPF      */
ordo_status ordo_gen_order(const ordo_gen_job *job, ordo_exec *exec);   /* SORTED to SAWTOOTH   */
ordo_status ordo_gen_recur(const ordo_gen_job *job, ordo_exec *exec);   /* RECUR                */
ordo_status ordo_gen_ksorted(const ordo_gen_job *job, ordo_exec *exec); /* KSORTED              */
ordo_status ordo_gen_buckets(const ordo_gen_job *job, ordo_exec *exec); /* DUPES to BUCKET      */
ordo_status ordo_gen_text(const ordo_gen_text_job *job, ordo_exec *exec);

/* The name people write: "uniform"; NULL if it is no distribution. */
const char *ordo_gen_name(ordo_dist dist);

/* How many different keys a type offers, less one (the number itself may be 2^64): to KSORTED
 * and RECUR; to FEW, which keeps floats in [0, 1). And the largest key of ZIPF. */
uint64_t ordo_gen_last_place(ordo_type type);
uint64_t ordo_gen_last_fraction(ordo_type type);
uint64_t ordo_gen_zipf_limit(ordo_type type);

#endif
