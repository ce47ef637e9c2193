/* bench_core.h - what the experiments of `ordo bench` share: contexts, arrays, timing, rows.
 *
 * An experiment asks questions ("min ranks of these f32 keys"). For each one it names the
 * contenders with bench_add() and calls bench_measure(), which lets every contender answer once
 * untimed (and compares the answers bit for bit), then times all of them in turn, round after
 * round, so that a drift of the machine meets all alike. Each contender becomes a row; one that
 * this build or machine cannot run is named and left out. */
#ifndef ORDO_BENCH_HARNESS_BENCH_CORE_H
#define ORDO_BENCH_HARNESS_BENCH_CORE_H

#include "bench/harness/bench_peer.h"
#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BENCH_MOST_ROUNDS = 1000,
    BENCH_MOST_PEERS = 256, /* rows of peers for one question                             */
    BENCH_NAME_WIDTH = 10   /* of a contender's column; twice that where there are peers  */
};

typedef struct bench_settings {
    const char *subject; /* "rank", "sort", ...                                           */
    size_t      n;
    unsigned    repeat;  /* rounds: 1 to BENCH_MOST_ROUNDS                                */
    unsigned    threads; /* of "all threads"                                              */
    uint64_t    seed;
    const char *only;     /* sections, separated by commas; NULL: all                         */
    double      patience; /* seconds that one call of a slow algorithm may take           */
    ordo_where  where;    /* ORDO_CPU, ORDO_CUDA                                          */
} bench_settings;

typedef ordo_status bench_call(ordo_ctx *ctx, const void *what);

typedef struct bench_question {
    char        label[40]; /* first column of its rows                                    */
    const char *op;        /* "rank", "sum", ...                                          */
    const char *variant;   /* "min", "bytes"; "" where there is none                      */
    const char *dist;      /* of the keys; NULL where it does not vary                    */
    ordo_type   type;      /* 0 where there is none, here and below                       */
    ordo_type   out_type;
    double      p; /* recurrence probability of the keys; NAN where there is none         */
    double      k; /* radius of the keys, or how many are asked for; NAN the same         */
    size_t      n;
    size_t      bytes;  /* that one answer reads and writes; the copy moves as many       */
    void       *answer; /* every contender leaves its answer here                         */
    size_t      answer_bytes;
    size_t      batch;   /* arrays of n keys that one call answers for; 0 means 1          */
    bench_call *prepare; /* before every call, untimed, with all threads; may be NULL      */
    const void *prepare_what;
} bench_question;

typedef enum bench_role {
    BENCH_CONTENDER,
    BENCH_BASE,       /* speed-ups are over this one                                      */
    BENCH_BASE_LOOSE, /* the same, but its answer is not compared (float sums)            */
    BENCH_BESIDE,     /* timed for comparison: it answers another question                */
    BENCH_COPY        /* the copy with as many threads as the row it is compared with     */
} bench_role;

typedef struct bench_row {
    const char    *section;
    bench_question question;
    const char    *name; /* of the contender                                              */
    bench_role     role;
    unsigned       threads;
    bool           peer; /* from the module of peers                                      */
    bool           skipped;
    bench_call    *call; /* with what: only until measured                                */
    const void    *what;
    size_t         calls;   /* timed together in one round                                */
    double        *seconds; /* of one call, per round, in the order measured              */
    double         median, least;
    double         over_copy, speedup; /* NAN where there is nothing to compare with      */
} bench_row;

typedef struct bench_fact { /* one line of a summary                                      */
    char   name[96];
    double value;
} bench_fact;

typedef struct bench_peer_call {
    const bench_peer *peer;
    bench_peer_task   task;
    size_t            batch, stride, out_stride; /* bytes to the next array of a batch      */
} bench_peer_call;

/* Where the arrays live and how calls are timed, if that is not the host: bench_cuda.c. What
 * returns bool has said on stderr what went wrong when it returns false. */
typedef struct bench_place {
    char                    device[200]; /* "NVIDIA H200, 132 SMs, ..."                   */
    void                   *stream;      /* of the calls that are timed                   */
    const bench_peer_table *peers;
    size_t (*available)(void); /* bytes that arrays may take                              */
    void *(*alloc)(size_t bytes);
    void (*release)(void *array);
    bool (*generate)(ordo_dist dist, ordo_type type, void *out, size_t n,
                     const ordo_gen_opts *opts);
    bool (*copy)(void *dst, const void *src, size_t bytes);
    bool (*wipe)(void *array, size_t bytes); /* here and below also arrays of the host    */
    bool (*fingerprint)(const void *array, size_t bytes, uint64_t *out);
    bool (*start)(void);
    bool (*stop)(double *seconds); /* since start, when all work is done                  */
} bench_place;

typedef struct bench {
    bench_settings     set;
    const bench_place *place;    /* NULL: the host */
    ordo_ctx         **contexts; /* by number of threads, made when first asked for           */
    unsigned          *thread_counts;
    unsigned           thread_count_count;
    char              *src, *dst, *flags; /* on huge pages where there are any, touched       */
    size_t             src_bytes, dst_bytes, flags_bytes;
    bench_row         *rows;
    size_t             row_count, row_capacity;
    size_t             last;    /* first row of the last question measured                    */
    size_t             pending; /* first row not measured yet                                 */
    bench_fact        *facts;
    size_t             fact_count, fact_capacity;
    const char        *section;
    const bench_peer_table *peers; /* NULL: there are none, and peers_why says why        */
    char                    peers_why[200];
    bench_peer_call        *peer_calls; /* of the question that is being put together     */
    size_t                  peer_call_count;
    double batch_seconds; /* above 0: a round times many calls, about this long    */
    double unit;          /* of the table's times, in seconds                      */
    int    label_width, name_width;
    bool   terminal; /* progress may be shown                                     */
} bench;

/* An experiment. The arrays it needs are given in bytes per key. */
typedef struct bench_section {
    const char *name;
    size_t      src_per_key, dst_per_key, flags_per_key;
    bool (*run)(bench *b);
    bool peers; /* it measures peers, where there are any                                 */
} bench_section;

extern const bench_section bench_rank_sections[];
extern const bench_section bench_scan_sections[];
extern const bench_section bench_sort_sections[];
extern const bench_section bench_argsort_sections[];
extern const bench_section bench_select_sections[];
extern const bench_section bench_radius_sections[];
extern const bench_section bench_strings_sections[];
extern const bench_section bench_hybrid_sections[];
void                       bench_hybrid_close(void); /* gives its contexts back           */
bool bench_hybrid_strings(bench *b);        /* bench_hybrid_strings.c: a section of hybrid       */
bool bench_hybrid_python(bench *b);         /* bench_hybrid_python.c: another                    */
bool bench_hybrid_keys(bench *b, size_t n); /* a question of both: u32 keys by each side  */
extern const bench_section bench_cuda_rank_sections[];
extern const bench_section bench_cuda_scan_sections[];
extern const bench_section bench_cuda_sort_sections[];
extern const bench_section bench_cuda_argsort_sections[];
extern const bench_section bench_cuda_select_sections[];
extern const bench_section bench_cuda_radius_sections[];
bool bench_rank_unsorted(bench *b);       /* bench_argsort.c: a section of rank           */
bool bench_rank_unsorted_small(bench *b); /* a part of one                                */
bool bench_rough(bench *b);               /* bench_radius.c: a section of sort            */
bool bench_hybrid_rank(bench *b);         /* bench_hybrid_rank.c: a section of hybrid     */

/* Everything below that returns bool has said on stderr what went wrong when it returns false. */

/* place is NULL for the host. */
bool bench_open(bench *b, const bench_settings *set, const bench_place *place,
                const bench_section *sections);
void bench_close(bench *b);
bool bench_selected(const char *only, const char *section);

ordo_ctx *bench_context(bench *b, unsigned threads); /* NULL on failure                   */
bool      bench_generate(bench *b, ordo_dist dist, ordo_type type, void *out, size_t n, double p);
bool      bench_generate_k(bench *b, ordo_dist dist, ordo_type type, void *out, size_t n, size_t k);

/* what must live until bench_measure() returns. */
bool bench_add(bench *b, const char *name, unsigned threads, bench_role role, bench_call *call,
               const void *what);
/* Adds the copies of question->bytes / 2 bytes, measures, computes and prints the rows. */
bool bench_measure(bench *b, const bench_question *question);

/* Why a call that used another context than it was given failed. */
void bench_because(const char *why);

/* The median of a contender in the last question measured; NAN if it was not in it. */
double bench_last_median(const bench *b, const char *name, unsigned threads);

/* Four independent chains over the bytes, at the speed of memory. */
uint64_t bench_fingerprint(const char *bytes, size_t size);

/* Adds a line to the summary in the results; printing it is the caller's. */
bool bench_note(bench *b, const char *name, double value);

/* bench_table.c */
/* Opens the table of a section; n is 0 where it differs from row to row. */
void bench_heading(bench *b, const char *title, size_t n, const char *label, int label_width);
void bench_print_rows(const bench *b, size_t first, size_t last);
void bench_print_skipped(const bench *b, const bench_row *row, const char *why);
bool bench_summary(bench *b, const char *name, bool spread);
void bench_progress(const bench *b, const char *label, unsigned round);
void bench_progress_clear(const bench *b);
/* 128000000 as 128,000,000. */
const char *bench_count(char buffer[32], size_t n);

/* bench_loops.c: the plain loop for a scan, as any C program would write it; NULL if we have
 * none. All of them read in[0..n) and write out[0..n). */
typedef void bench_loop(const void *in, size_t n, void *out);
bench_loop  *bench_loop_for(const char *op, ordo_type type, ordo_type out_type);
uint64_t     bench_read(const void *memory, size_t bytes); /* one read of everything: a sum */

#endif
