/* bench_core.h - the state of one run of `ordo bench`: settings, contexts, arrays, rows.
 *
 * For each question, for example "min ranks of these f32 keys", a section adds the contenders with
 * bench_add() and calls bench_measure() (bench_measure.h). That runs every contender once untimed,
 * compares their answers byte for byte, and then times all of them once in every round. Each
 * contender becomes a row. A contender that this build or machine cannot run is printed as "left
 * out" and gets no row. Calls between the files of this folder go one way:
 *     bench_cuda, bench_peers, bench_measure -> bench_json -> bench_score -> bench_table
 *     -> bench_core -> bench_machine */
#ifndef ORDO_BENCH_HARNESS_BENCH_CORE_H
#define ORDO_BENCH_HARNESS_BENCH_CORE_H

#include "bench/harness/bench_peer.h"
#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BENCH_MOST_ROUNDS = 1000,
    /* On the host, results start this many bytes after a page. Otherwise the addresses of key i and
     * of result i agree in their low 12 bits if both have the same size, and a processor may delay
     * the load because it seems to depend on the store. In such rows of an Emerald Rapids Xeon the
     * sequential ranking loop took twice as long as in rows with results of another size. */
    BENCH_STAGGER = 17 * 64,
    BENCH_MOST_PEERS = 256 /* rows of peers for one question */
};

typedef struct bench_settings {
    const char *subject; /* "rank", "sort", ...                                             */
    size_t      n;
    unsigned    repeat;  /* rounds: 1 to BENCH_MOST_ROUNDS                                  */
    unsigned    threads; /* the largest number of threads: "all threads" in headings        */
    uint64_t    seed;
    const char *only;     /* names of sections, separated by commas; NULL: all              */
    const char *revision; /* revision of the source, for the JSON; NULL: not known */
    const char *command;  /* the command without files and revision, for the JSON; NULL: none */
    double      patience; /* limit in seconds for one call of a slow algorithm              */
    ordo_where  where;    /* ORDO_CPU or ORDO_CUDA                                          */
    bool        cpu_time; /* times are CPU seconds of all threads                           */
} bench_settings;

typedef ordo_status bench_call(ordo_ctx *ctx, const void *what);

typedef struct bench_question {
    char        label[40]; /* first column of its rows                                      */
    const char *op;        /* "rank", "sum", ...                                            */
    const char *variant;   /* "min", "bytes"; "" if the operation has no variants           */
    const char *dist;      /* distribution of the keys; NULL if the section has only one    */
    const char *figures;   /* figures of the paper that the question is from; NULL: none */
    ordo_type   type;      /* type of the keys; 0: none */
    ordo_type   out_type;  /* type of the answer; 0: none */
    double      p;         /* recurrence probability of the keys, or the CPU's share; NAN   */
    double      k;         /* radius, keys selected, or multiprocessors of the GPU; NAN     */
    size_t      n;
    size_t      bytes;  /* read and written by one call; the copy moves as many bytes       */
    void       *answer; /* every contender writes its answer here                           */
    size_t      answer_bytes;
    size_t      batch;   /* arrays of n keys that one call works on; 0 means 1              */
    bench_call *prepare; /* runs before every call, untimed, with all threads; may be NULL  */
    const void *prepare_what;
    unsigned    singles;     /* above 0: a round times this many separate calls, each prepared */
    size_t     *call_number; /* with singles: the number of the call, for prepare          */
    bool        fresh; /* each round has new keys in b->src, because a processor learns the branches
                        * of keys that it has seen                                           */
    size_t     *round; /* NULL, or the number of the round, for prepare                     */
    unsigned    arrays; /* with round: the number of arrays that prepare takes in turn       */
} bench_question;

/* The generator of keys, to make others of the same kind. */
typedef struct bench_keys {
    ordo_dist     dist;
    ordo_type     type;
    size_t        n; /* 0: nothing was generated */
    ordo_gen_opts opts;
    uint64_t     *offsets; /* NULL, or those of n strings instead of keys; n + 1 of them */
} bench_keys;

/* What a contender differs in from the others of its question. 0 in a field: the row has no such
 * parameter, or the default. */
typedef struct bench_parameters {
    ordo_where where;     /* the device that computes; ORDO_AUTO: that of the arrays          */
    double     share;     /* the CPU's part of the keys; written for ORDO_HYBRID, too, if 0   */
    size_t     sub_array; /* keys of a sub-array                                             */
    size_t     splitters; /* of a sample sort                                                */
    unsigned   sms;       /* multiprocessors that the GPU may use                            */
    bool       pinned;    /* the host arrays are pinned                                       */
} bench_parameters;

typedef enum bench_role {
    BENCH_CONTENDER,
    BENCH_BASE,       /* speed-ups are relative to this row                                 */
    BENCH_BASE_LOOSE, /* the same, but its answer is not compared (float sums)              */
    BENCH_BESIDE,     /* timed for comparison; it answers a different question              */
    BENCH_COPY        /* the copy, with the same number of threads as the compared row      */
} bench_role;

typedef struct bench_row {
    const char      *section;
    const char      *name;  /* name of the contender */
    size_t           first; /* the index of the first row of its question                     */
    bench_call      *call;  /* call and what are NULL once the row is measured                */
    const void      *what;
    size_t           calls;                       /* calls that one round times together */
    double          *seconds;                     /* seconds of one call, for each round */
    double           median, least, quartiles[2]; /* quartiles: the first and the third       */
    double           over_copy, speedup; /* NAN if there is no row to compare with            */
    bench_question   question;
    bench_role       role;
    bench_parameters parameters;
    unsigned         threads;
    unsigned         arrays; /* whose times the row has; more than 1 if each round had new keys */
    unsigned         phase;  /* not 0: the time is phase_seconds[phase - 1] of the report      */
    bool             peer;   /* from the module of peers                                       */
    bool             skipped;
} bench_row;

typedef struct bench_fact { /* one line of a summary */
    char   name[96];
    double value;
} bench_fact;

typedef struct bench_peer_call {
    const bench_peer *peer;
    bench_peer_task   task;
    size_t            batch, stride, out_stride; /* bytes to the next array of a batch      */
} bench_peer_call;

/* How arrays on a device are allocated and calls are timed (bench_cuda.c). A function that returns
 * bool prints a message to stderr before it returns false. */
typedef struct bench_place {
    char                    device[200]; /* "NVIDIA H200, 132 SMs, ..."                     */
    void                   *stream;      /* stream of the timed calls */
    const bench_peer_table *peers;
    size_t (*available)(void); /* bytes that can be allocated                               */
    void *(*alloc)(size_t bytes);
    void (*release)(void *array);
    bool (*generate)(ordo_dist dist, ordo_type type, void *out, size_t n,
                     const ordo_gen_opts *opts);
    bool (*copy)(void *dst, const void *src, size_t bytes);
    bool (*wipe)(void *array, size_t bytes); /* wipe and fingerprint also take host arrays  */
    bool (*fingerprint)(const void *array, size_t bytes, uint64_t *out);
    bool (*start)(void);
    bool (*stop)(double *seconds); /* waits for the device; seconds since start             */
} bench_place;

typedef struct bench {
    bench_settings          set;
    const bench_place      *place;    /* NULL: the host                                          */
    ordo_ctx              **contexts; /* by number of threads, created on first use              */
    unsigned               *thread_counts;
    unsigned                thread_count_count;
    char                   *src, *dst, *flags;
    char                   *dst_block; /* the allocation that dst is in                     */
    size_t                  src_bytes, dst_bytes, flags_bytes;
    unsigned                arrays; /* that the last measured question had in its rounds */
    bench_keys              keys;   /* the last ones that were generated in src */
    bench_row              *rows;
    size_t                  row_count, row_capacity;
    size_t                  last;    /* first row of the last measured question                  */
    size_t                  pending; /* first row not measured yet                               */
    bench_fact             *facts;
    size_t                  fact_count, fact_capacity;
    const char             *section;
    const bench_peer_table *peers; /* NULL if there are none; peers_why gives the reason    */
    char                    peers_why[200];
    bench_peer_call        *peer_calls; /* calls of the peers of the pending question */
    size_t                  peer_call_count;
    double batch_seconds; /* above 0: a round times many calls and takes about this long    */
    double unit;          /* unit of the times in the table, in seconds */
    int    label_width, name_width;
    bool   terminal; /* stderr is a terminal: show progress                                 */
} bench;

/* Each section says how many bytes per key its arrays need. */
typedef struct bench_section {
    const char *name;
    size_t      src_per_key, dst_per_key, flags_per_key;
    bool (*run)(bench *b);
    bool peers; /* the section measures peers if there are any                              */
} bench_section;

/* Functions that return bool print a message to stderr before they return false. */

/* place is NULL for the host. The caller opens the peers (bench_peers.h). */
bool bench_open(bench *b, const bench_settings *set, const bench_place *place,
                const bench_section *sections);
void bench_close(bench *b);

/* An array on the host that free() frees, on huge pages if the system gives them. The caller
 * touches it before it is timed. NULL after a message. */
char *bench_host_array(size_t bytes);

/* Whether the comma-separated list `only` contains the name; true if only is NULL. */
bool bench_selected(const char *only, const char *name);

ordo_ctx *bench_context(bench *b, unsigned threads); /* NULL on failure */
bool      bench_generate(bench *b, ordo_dist dist, ordo_type type, void *out, size_t n, double p);
bool      bench_generate_k(bench *b, ordo_dist dist, ordo_type type, void *out, size_t n, size_t k);

/* Generates n strings in b->src of the host, and their n + 1 offsets. */
bool bench_generate_strings(bench *b, ordo_dist dist, size_t n, uint64_t *offsets);

/* Generates the keys or strings of round `round` in b->src: those of the last call that generated
 * some there, with another seed. Other strings have other offsets and other numbers of bytes. */
bool bench_renew(bench *b, unsigned round);

/* Adds a row to the pending question. `what` must stay valid until bench_measure() returns. */
bool bench_add(bench *b, const char *name, unsigned threads, bench_role role, bench_call *call,
               const void *what);

/* Sets the parameters of the row that was added last. */
void bench_describe(bench *b, bench_parameters parameters);

/* Adds a row with the time of one phase of the row before it, with the parameters of that row,
 * which must have as many threads. Takes the time from the report of that row's call
 * (ordo_facts.phase_seconds); phases count from 1. */
bool bench_add_phase(bench *b, const char *name, unsigned threads, unsigned phase);

/* Adds a row with known times, one for each round, for bench_take_times() (bench_measure.h). */
bool bench_add_times(bench *b, const char *name, unsigned threads, bench_role role,
                     const double *seconds);

/* The median time of a contender in the last measured question; NAN if it was not in it. */
double bench_last_median(const bench *b, const char *name, unsigned threads);

/* Sorts times, and returns the value at a share of sorted times, between two of them by linear
 * interpolation. */
void   bench_sort_times(double *times, unsigned count);
double bench_quantile(const double *sorted, unsigned count, double share);

/* Adds a line to the summary in the results. The caller prints it. */
bool bench_note(bench *b, const char *name, double value);

/* A hash of the bytes. Four independent chains keep up with memory. */
uint64_t bench_fingerprint(const char *bytes, size_t size);

#endif
