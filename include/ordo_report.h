/* ordo_report.h - what a call found in its input and what it did, in enums and numbers. ordo.h
 * includes this file. ordo_last_report fills an ordo_report, and ordo_report_text puts it in words.
 * Enum values are frozen; new ones are appended. */
#ifndef ORDO_REPORT_H
#define ORDO_REPORT_H

#include <stddef.h>
#include <stdint.h>

enum {
    ORDO_PASS_MOST = 16 /* most keys of a sort whose first pass is reported                      */
};

typedef enum ordo_input {     /* what a call found in its keys                                  */
    ORDO_INPUT_ANY = 0,       /* nothing special, or the call did not look                      */
    ORDO_INPUT_SORTED = 1,    /* already in the order asked for                                 */
    ORDO_INPUT_REVERSED = 2,  /* in the opposite order                                          */
    ORDO_INPUT_RUNS = 3,      /* few runs (ordo_facts.runs)                                     */
    ORDO_INPUT_DISPLACED = 4, /* in order except for ordo_facts.displaced keys                  */
    ORDO_INPUT_ROUGH = 5,     /* roughly sorted (ordo_facts.tried_radius or radius)             */
    ORDO_INPUT_EQUAL = 6      /* many equal keys                                                */
} ordo_input;

typedef enum ordo_strategy {          /* what a call did                                         */
    ORDO_STRATEGY_PLAIN = 0,          /* nothing to add to the name of the algorithm             */
    ORDO_STRATEGY_REGISTERS = 1,      /* sort: few keys, sorted in registers                     */
    ORDO_STRATEGY_CACHE = 2,          /* sort: by one thread, inside its cache                   */
    ORDO_STRATEGY_TOP_BITS = 3,       /* sort: split into buckets by the top bits of the keys    */
    ORDO_STRATEGY_SPLITTERS = 4,      /* sort: split into buckets by splitters from a sample     */
    ORDO_STRATEGY_IN_PLACE = 5,       /* sort: in place, because scratch was refused             */
    ORDO_STRATEGY_REVERSE = 6,        /* sort: reversed the array                                */
    ORDO_STRATEGY_MERGE_RUNS = 7,     /* sort: merged the runs                                   */
    ORDO_STRATEGY_MERGE_BACK = 8,     /* sort: sorted the displaced keys, merged them back       */
    ORDO_STRATEGY_WINDOWS = 9,        /* sort: sorted overlapping windows of twice the radius    */
    ORDO_STRATEGY_POINTERS = 10,      /* sort_by: sorted pointers, then moved the elements       */
    ORDO_STRATEGY_BRACKETS = 11,      /* select: one pass, between brackets from a sample        */
    ORDO_STRATEGY_CELLS = 12,         /* select: `passes` passes over cells of a sample          */
    ORDO_STRATEGY_MISSED = 13,        /* select: the sample missed; digits outside its brackets  */
    ORDO_STRATEGY_DIGITS = 14,        /* select: digit by digit                                  */
    ORDO_STRATEGY_SORTED_COPY = 15,   /* select, topk: sorted a copy of all keys                 */
    ORDO_STRATEGY_STREAMED = 16,      /* GPU: the host array was sent in chunks                  */
    ORDO_STRATEGY_ROUNDS = 17,        /* GPU: in `rounds` rounds; device memory was too small    */
    ORDO_STRATEGY_BLOCK = 18,         /* GPU: in one thread block                                */
    ORDO_STRATEGY_CLUSTER = 19,       /* GPU: in one cluster of thread blocks                    */
    ORDO_STRATEGY_DEVICE_DIGITS = 20, /* GPU: the device chose which digits to sort by           */
    ORDO_STRATEGY_COUNTING = 21,      /* GPU: counted the values of 8-bit or 16-bit keys         */
    ORDO_STRATEGY_SWEEP = 22,         /* GPU select, topk: a sample, then one pass               */
    ORDO_STRATEGY_SCATTER = 23,       /* GPU rank: each rank written straight to its place       */
    ORDO_STRATEGY_BUCKETED = 24,      /* GPU rank: ranks bucketed by index, then written         */
    ORDO_STRATEGY_ONE_PASS = 25,      /* GPU rank_sorted: in one pass                            */
    ORDO_STRATEGY_NO_KEYS = 26,       /* GPU rank_sorted: ordinal ranks need no keys             */
    ORDO_STRATEGY_HEADS = 27,         /* GPU rank_sorted: starts of ties first, then ranks       */
    ORDO_STRATEGY_SUB_ARRAYS = 28,    /* select: sorted sub-arrays of `tile` keys, merged        */
    ORDO_STRATEGY_PHASES = 29,        /* SAMPLE with GPUs: four phases on all devices            */
    ORDO_STRATEGY_VALUES = 30,        /* sort: counted `buckets` values, wrote each as often     */
    ORDO_STRATEGY_SEGMENTS = 31       /* each segment by itself (ordo_segments.h)                */
} ordo_strategy;

typedef struct ordo_facts { /* a number that does not apply is 0                                 */
    uint32_t input;         /* an ordo_input                                                     */
    uint32_t strategy;      /* an ordo_strategy                                                  */
    uint64_t radius;        /* of the keys, as measured; 0: not measured                         */
    uint64_t runs;
    uint64_t displaced;     /* keys out of place                                                 */
    uint64_t passes;        /* over the array                                                    */
    uint64_t buckets;       /* of the first split; streamed: buckets that the CPU sorted         */
    uint64_t record_bytes;  /* of one record (key bits, and index or value) in a CPU radix sort  */
    uint64_t tile;          /* keys of a sub-array                                               */
    int32_t  device_status; /* the GPU failed with this ordo_status, and the CPU did the job     */
    uint32_t letter_bits;   /* streamed strings: bits of a letter in a key                       */
    uint64_t rounds;        /* streamed; HALVING: that halved the radius; PREFIX: of doubling    */
    uint64_t batches;       /* streamed: parts sorted while the next one was sent                */
    uint64_t segments;      /* streamed: parts of the result                                     */
    uint64_t handed_over;   /* streamed: buckets of the CPU that the GPU sorted after all        */
    uint64_t rank_bytes;    /* streamed ranks: bytes of a rank on the link                       */
    uint64_t surveys;       /* streamed strings: passes that chose the letters                   */
    uint64_t groups;        /* streamed strings: groups left to the CPU                          */
    uint64_t device_bytes;  /* rounds: device memory that was available                         */
    uint64_t needed_bytes;  /* rounds: device memory that one round would have needed            */
    double   cpu_share;     /* streamed: the part of the keys that the CPU sorted                */
    double   packed;        /* streamed: bytes of the fetched keys after packing / before        */
    /* Streamed: seconds of phase I, of II and III, of IV. Strings: of the survey, of sending the
     * first and the later keys, of fetching, of the groups, of the CPU. Sub-arrays: of sorting
     * them (on a GPU without copies), of merging; 0 for MERGE on a GPU, which does not wait.    */
    double phase_seconds[6];
    /* SAMPLE: seconds of each of the four phases (labels; histograms; scatter; sorting the
     * buckets), and of these the seconds in which the CPU computed, and in which the GPU did: of
     * several GPUs the one that computed longest. Copies to and from GPUs are counted apart:
     * copy_seconds. A device is idle when it neither computes nor takes part in a copy. */
    double   sample_seconds[4];
    double   cpu_seconds[4];
    double   device_seconds[4];
    double   copy_seconds;
    double   cpu_idle_seconds;
    double   device_idle_seconds;
    uint64_t devices; /* SAMPLE: number of GPUs                                                  */
    uint64_t shares_unused; /* 1: the context has shares (cpu_share, devices), but one device did
                             * the job                                                           */
    /* Sorts of k-sorted keys: the radius that the caller gave or a sample suggested, and 1 if it
     * was too small, so that the keys were sorted again.                                         */
    uint64_t tried_radius, radius_failed;
    /* SAMPLE and INTERVALS of at most ORDO_PASS_MOST keys, on the CPU or on the CPU and GPUs: the
     * first pass. pass_n is 0 if there was none. The CPU labelled the first pass_cpu keys. Label
     * 2 b: b splitters are less than the key; 2 b + 1: the next splitter is equal. In sorts of
     * pairs and indices and in ranks, equal keys count as ordered by their places.               */
    uint32_t pass_n, pass_cpu;
    uint16_t pass_labels[ORDO_PASS_MOST];
} ordo_facts;

/* A path: one of the ways in which the CPU or the GPU does a call. AUTO takes the first path in the
 * table of its verb that suits the keys. A failed call, a named algorithm that is no path, and a
 * call on several devices have none. The texts are static.                                       */
typedef struct ordo_path {
    const char *backend;  /* "cpu", "cuda"                                                       */
    const char *verb;     /* "sort"                                                              */
    const char *name;     /* "runs"                                                              */
    const char *when;     /* the reason to take it: "a sample of neighbours shows few runs"      */
    const char *fallback; /* the path that takes over if scratch is refused; NULL: none          */
} ordo_path;

/* The strings are static. Helper steps of a call (sorting a sample, sorting a copy for a selection)
 * are not reported.                                                                              */
typedef struct ordo_report {
    size_t      struct_size;
    const char *operation; /* "rank_sorted"                                                      */
    const char *backend;   /* "cpu", "cuda", "hybrid"                                            */
    const char *algorithm; /* "sequential"; for AUTO the algorithm that ran                      */
    const char *isa;       /* "generic", "neon", "avx2", "avx512", "sm_90"                       */
    uint32_t    threads;   /* of the CPU that took part, at most                                 */
    uint32_t    type;      /* ordo_type of the keys; 0 if there are none                         */
    uint64_t    n;
    uint64_t    scratch_bytes;
    double      seconds; /* wall time inside the call                                            */
    /* Predicted seconds for keys in random order; 0 if no prediction was made: the call was small,
     * or the context has not opened that backend (ordo_ctx_info opens the GPU if there is one). */
    double     predicted_cpu, predicted_cuda, predicted_hybrid;
    ordo_facts facts;
} ordo_report;

#endif
