/* model.h - the expected time of a distributed sort: measured constants and a formula.
 *
 *     local     n * sort * w
 *     cuts      (P - 1) rounds * count + collectives * step * lg P
 *               + (P - 1) rounds * (4 P + 768) * taper / B
 *     exchange  (P - 1) * latency + n * key bytes * (1 - 1/P) * taper / B
 *     merge     n * lg P * merge * w
 *
 * for P ranks with n keys each. A key has w times the bytes of a key of the measurement. counts.h
 * has the rounds, the collectives and the bytes of the search for cuts. No two steps overlap. */
#ifndef ORDO_MPI_MODEL_H
#define ORDO_MPI_MODEL_H

#include "mpi/job.h"

typedef struct model {
    double ranks, keys, key_bytes; /* of the measurement; keys of a rank             */
    double latency, bandwidth;     /* of messages between two ranks: s, bytes/s      */
    double exchange_latency;       /* of a partner in an exchange of all ranks: s    */
    double exchange_bandwidth;     /* bytes/s that a rank sends in such an exchange  */
    double step;                   /* a sum of one number, divided by lg P: s        */
    double sort;                   /* s for a key                                    */
    double count;                  /* s for a cut in a round                         */
    double merge;                  /* s for a key and a doubling of the ranks        */
    double measured;               /* a sort of keys * ranks keys: s                 */
} model;

typedef struct prediction {
    double n, rounds, local, cuts, exchange, merge, total;
    double wire; /* the bytes of the exchange at full bandwidth */
} prediction;

prediction model_time(const model *m, double ranks, double keys, double key_bytes, double taper);

/* The commands. */
bool model_tune(job *j);
bool model_predict(job *j);

/* Text: a name, a number and a comment on each line. The array has an entry for each number. */
typedef struct model_line {
    const char *name;
    size_t      offset;
    const char *meaning;
} model_line;

enum {
    MODEL_LINES = 12
};

extern const model_line model_lines[MODEL_LINES];

#endif
