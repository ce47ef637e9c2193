/* gen.h - the generators behind ordo_gen and ordo_gen_strings; docs/generators.md defines them.
 *
 * Element i of a result depends only on the job and on i, not on the number of threads: all work
 * is done in blocks of fixed size. The caller has checked the job and filled in its defaults. On a
 * status other than ORDO_OK and ORDO_E_CANCELLED nothing has been written. */
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
    char     *bytes; /* NULL: write only the offsets */
    size_t    capacity;
    uint64_t  seed;
} ordo_gen_text_job;

ordo_status ordo_gen_keys(const ordo_gen_job *job, ordo_exec *exec);
ordo_status ordo_gen_order(const ordo_gen_job *job, ordo_exec *exec);
/* The second half of SHUFFLED: job->out holds sorted keys. One exchange of two keys k places apart;
 * the keys before, between and after them are shuffled in groups of at most k + 1 keys. */
ordo_status ordo_gen_shuffled(const ordo_gen_job *job, ordo_exec *exec);
ordo_status ordo_gen_text(const ordo_gen_text_job *job, ordo_exec *exec);

/* The number of distinct keys of a type, minus one (the number may be 2^64): for KSORTED and
 * RECUR; for FEW, whose floats are in [0, 1). The last function returns the largest key of ZIPF. */
uint64_t ordo_gen_last_place(ordo_type type);
uint64_t ordo_gen_last_fraction(ordo_type type);
uint64_t ordo_gen_zipf_limit(ordo_type type);

#endif
