/* bench_sample.h - what the sections of the hybrid sample sort share: contenders and questions. */
#ifndef ORDO_BENCH_SUBJECTS_BENCH_SAMPLE_H
#define ORDO_BENCH_SUBJECTS_BENCH_SAMPLE_H

#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"

typedef enum sample_verb {
    KEYS,
    PAIRS
} sample_verb;

typedef enum sample_device {
    CPU,
    GPU,
    BOTH,
    STREAMED_GPU, /* the production sorts: not the paper's algorithm */
    STREAMED_BOTH,
    MERGE_GPU,     /* a merge sort on the GPU alone, with the copies both ways */
    INTERVALS_CPU, /* the sample sort with a splitter for every sqrt(n) keys */
    INTERVALS_GPU,
    INTERVALS_BOTH,
    SIDES
} sample_device;

enum {
    PHASES = 4,
    COPIES = PHASES,
    CPU_IDLE,
    GPU_IDLE,
    GPU_IDLE_II, /* in phase II: its time less that in which the GPU counts */
    PARTS        /* of the time of a call */
};

typedef struct sample_side { /* one contender */
    ordo_where  where;
    unsigned    threads, sms; /* sms: multiprocessors of the GPU; 0: all */
    sample_verb verb;
    ordo_type   type;
    double      share;
    uint32_t    algorithm;
    size_t      n, value_size;
    char       *keys, *values;
    ordo_ctx   *ctx; /* made by the first call */
    bool        profile;
    bool        absent; /* not measured */
    size_t      calls;  /* the first one is not timed */
    double      parts[PARTS][BENCH_MOST_ROUNDS];
} sample_side;

typedef struct sample_case { /* one question */
    sample_verb verb;
    ordo_type   type;
    size_t      n;
    ordo_dist   dist;
    const char *dist_name;
    double      share, sms; /* NAN: not what the question is about */
    const char *label;
    const char *variant; /* NULL: "sample" */
} sample_case;

extern sample_side       sample_sides[SIDES];
extern const char *const sample_names[SIDES];

/* CPU, GPU, and both with the given share; the other sorts are absent. */
void sample_open_sides(unsigned threads, double share);
void sample_add(sample_device first, sample_device last); /* after it: with these sorts, too */
void sample_close_sides(void);
/* Measures one question with all sides. The CPU, which exists everywhere, is the base. */
bool sample_measure(bench *b, const sample_case *c);
/* Times calls of one side after one that is not timed; the context of the last call is s->ctx.
 * Infinity if there is no GPU. */
double sample_try(bench *b, const sample_case *c, sample_side *s);
/* The share with the least time of BOTH or INTERVALS_BOTH, as the paper finds its threshold for
 * each machine; 0 without a GPU. Fills b->src with the keys. */
double sample_best_share(bench *b, const sample_case *c, sample_device both);

#endif
