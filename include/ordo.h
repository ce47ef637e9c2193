/* ordo.h - sort, rank, select, scan and measure arrays by order, on CPUs and GPUs.
 *
 * Result   every call returns a status, ORDO_OK is 0, and is synchronous (but see Device arrays).
 *          Results come back through out-parameters. Single results (a total, a radius) are
 *          written only on ORDO_OK. Arrays of results are unspecified after ORDO_E_CANCELLED and
 *          ORDO_E_DEVICE and unchanged after other errors, unless a call says otherwise.
 * Memory   the caller owns every array; ordo borrows it until the call returns. Scratch comes
 *          from the context and is kept for the next call. Input arrays are never written,
 *          but for those a call sorts in place.
 * Threads  one context serves one call at a time (a second one gets ORDO_E_BUSY; ordo_cancel is
 *          always allowed); use one context per thread. Contexts are independent of each other.
 * Order    integers by value; floats by value, -0 ties +0, every NaN ties every other NaN and
 *          comes last, ascending and descending alike.
 * Floats   results do not depend on the caller's floating-point mode: calls compute in the default
 *          mode (to nearest, subnormals kept) and leave the caller's mode and exception flags as
 *          they were. ordo_sort_by calls compare in the default mode, too.
 * Counts   n is a size_t everywhere; n == 0 is ordinary, and then arrays may be NULL.
 * Arrays   must be aligned as their element type usually is; nothing more is asked of them.
 *
 * First use:
 *     ordo_ctx *ctx;
 *     float     score[5] = {1.5f, 2.5f, 2.5f, 4.0f, 9.0f};
 *     uint32_t  rank[5];
 *     if (ordo_ctx_create(&ctx, NULL) == ORDO_OK) {
 *         if (ordo_rank_sorted(ctx, ORDO_F32, score, 5, ORDO_U32, rank, NULL) != ORDO_OK)
 *             fprintf(stderr, "%s\n", ordo_last_error(ctx));       // rank is 1 2 2 4 5
 *         ordo_ctx_free(ctx);
 *     }
 */
#ifndef ORDO_H
#define ORDO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORDO_VERSION_MAJOR 0
#define ORDO_VERSION_MINOR 1
#define ORDO_VERSION_PATCH 0

#if defined(__GNUC__)
#define ORDO_API __attribute__((visibility("default")))
#define ORDO_MUST __attribute__((visibility("default"), warn_unused_result))
#else
#define ORDO_API
#define ORDO_MUST
#endif

/* ---- Vocabulary ------------------------------------------------------------------------- */

typedef enum ordo_status { /* values are frozen; new ones are appended                      */
    ORDO_OK = 0,
    ORDO_E_ARG = -1,         /* NULL, misaligned, overlap, unknown enum, size that overflows  */
    ORDO_E_NOMEM = -2,       /* the system refused memory, or the call needs over mem_limit   */
    ORDO_E_UNSUPPORTED = -3, /* no backend of this build or machine does this                 */
    ORDO_E_DEVICE = -4,      /* a device failed; its own words are in ordo_last_error()       */
    ORDO_E_VERSION = -5,     /* the caller uses a field or flag newer than this library       */
    ORDO_E_ORDER = -6,       /* ORDO_CHECK was set and the array is not sorted as it must be  */
    ORDO_E_CANCELLED = -7,   /* ordo_cancel() or the progress callback stopped the call       */
    ORDO_E_BUSY = -8         /* the context is inside another call (a callback re-entered it) */
} ordo_status;

typedef enum ordo_type { /* 0 is never valid: catches unset memory                            */
    ORDO_I8 = 1,
    ORDO_U8 = 2,
    ORDO_I16 = 3,
    ORDO_U16 = 4,
    ORDO_I32 = 5,
    ORDO_U32 = 6,
    ORDO_I64 = 7,
    ORDO_U64 = 8,
    ORDO_F32 = 9,
    ORDO_F64 = 10
} ordo_type;

typedef enum ordo_where { /* who does the work                                                */
    ORDO_AUTO = 0,        /* the fastest backend for the size at hand                         */
    ORDO_CPU = 1,
    ORDO_CUDA = 2,  /* the GPU alone: where it fails, so does the call                  */
    ORDO_HYBRID = 3 /* both, for host arrays; where the GPU fails, the CPU goes on      */
} ordo_where;

typedef enum ordo_ties {   /* what tied keys get; the example ranks 10 20 20 30               */
    ORDO_TIES_MIN = 0,     /* standard competition: 1 2 2 4                                   */
    ORDO_TIES_MAX = 1,     /* modified competition: 1 3 3 4                                   */
    ORDO_TIES_DENSE = 2,   /* 1 2 2 3                                                         */
    ORDO_TIES_ORDINAL = 3, /* 1 2 3 4, in array order                                         */
    ORDO_TIES_AVERAGE = 4  /* fractional: 1 2.5 2.5 4; needs f64 ranks                        */
} ordo_ties;

typedef enum ordo_algorithm { /* named algorithms; which call knows which is said there       */
    ORDO_ALGORITHM_AUTO = 0,  /* the production path                                          */
    ORDO_ALGORITHM_SEQUENTIAL = 1,
    ORDO_ALGORITHM_THREADS = 2,
    ORDO_ALGORITHM_RADIX = 3,    /* by digits that differ, most significant first, in cache      */
    ORDO_ALGORITHM_SAMPLE = 4,   /* comparison sample sort: splitter tree, labels, scatter       */
    ORDO_ALGORITHM_MERGE = 5,    /* merge sort                                                   */
    ORDO_ALGORITHM_BITONIC = 6,  /* bitonic network for any n: n lg^2 n                          */
    ORDO_ALGORITHM_SPLIT = 7,    /* one stable split by a binary prefix sum for every bit        */
    ORDO_ALGORITHM_BUBBLE = 8,   /* bubble sort: n (radius + 1)                                  */
    ORDO_ALGORITHM_ROUGH = 9,    /* k-sorted arrays: windows of 2k, then shifted by k            */
    ORDO_ALGORITHM_HALVING = 10, /* k-sorted arrays: halve the radius lg k times                 */
    ORDO_ALGORITHM_NAIVE = 11,   /* GPU: a prefix maximum in lg n launches                       */
    ORDO_ALGORITHM_SHUFFLE = 12, /* GPU: rank and flag in one word, scanned by shuffles          */
    ORDO_ALGORITHM_HYBRID = 13   /* GPU: a warp per 1024 keys, ballots and a binary search       */
} ordo_algorithm;

typedef enum ordo_op { /* of ordo_scan                                                         */
    ORDO_SUM = 1,
    ORDO_MIN = 2,
    ORDO_MAX = 3
} ordo_op;

typedef enum ordo_flags_kind { /* how an array of n flags is stored                            */
    ORDO_FLAG_BITS = 1,        /* ceil(n/8) bytes; flag i is bit i%8 of byte i/8               */
    ORDO_FLAG_BYTES = 2        /* n bytes; any value but 0 is a set flag                       */
} ordo_flags_kind;

enum {                    /* bits of every options struct's flags                             */
    ORDO_DESCENDING = 1,  /* largest first (NaN still last)                                   */
    ORDO_CHECK = 2,       /* verify that the array is sorted first; ORDO_E_ORDER if not       */
    ORDO_EXCLUSIVE = 4,   /* result i does not include element i                              */
    ORDO_UNSET_FIRST = 8, /* ordo_partition: elements whose flag is not set come first       */
    ORDO_STABLE = 16,     /* equal elements keep their order; argsort and pairs always do    */
    ORDO_ON_DEVICE = 32   /* the arrays are memory of the GPU; see Device arrays              */
};

/* Device arrays. With ORDO_ON_DEVICE every array of a call is memory of the context's GPU, used in
 * place; positions (k, q) and single results (a total, a radius, a median) stay on the host. Work
 * is enqueued on opts.stream (a cudaStream_t; NULL: the default stream), and the call returns
 * without waiting for it, unless a single result is asked for (pass NULL for those that may be
 * NULL) or ordo_sort looks at the keys first (AUTO from 64 MiB of keys on, ROUGH). Errors of work
 * under way show in a later CUDA call, as everywhere in CUDA. One context's calls on several
 * streams follow each other. A call whose scratch was reserved (ordo_reserve) allocates nothing and
 * can be captured in a CUDA graph, which uses that scratch until the context is freed: no call on
 * the same context may need more in between. Arrays must stay until the work is done.           */

/* Options. struct_size comes first, so old callers and new libraries meet; in every other field
 * 0 means the default, and opts == NULL means all defaults. Fields are only appended and leave
 * no padding. Unknown flag bits and non-zero fields the library does not know give
 * ORDO_E_VERSION. Use:  &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_DENSE)                   */
#define ORDO_OPTS(type, ...) ((type){.struct_size = sizeof(type), __VA_ARGS__})

/* The ordo_type of the elements p points to: a compile-time check for C callers.              */
/* clang-format off */
#define ORDO_TYPE_OF(p)                                                                          \
    _Generic(*(p), int8_t: ORDO_I8, uint8_t: ORDO_U8, int16_t: ORDO_I16, uint16_t: ORDO_U16,     \
             int32_t: ORDO_I32, uint32_t: ORDO_U32, int64_t: ORDO_I64, uint64_t: ORDO_U64,       \
             float: ORDO_F32, double: ORDO_F64)
/* clang-format on */

ORDO_API const char *ordo_version(void);                /* "0.1.0"                              */
ORDO_API const char *ordo_status_text(ordo_status s);   /* "out of memory"; never NULL          */
ORDO_API size_t      ordo_type_size(ordo_type type);    /* bytes; 0 if it is no type            */
ORDO_API const char *ordo_type_name(ordo_type type);    /* "f32"; NULL if it is no type         */
ORDO_API int         ordo_type_parse(const char *name); /* ORDO_F32 for "f32"; 0 if unknown     */

/* ---- Contexts --------------------------------------------------------------------------- */

typedef struct ordo_ctx ordo_ctx;

/* Called on the calling thread every few milliseconds of a long call, with 0 <= done <= 1. Return 0
 * to go on, else the call returns ORDO_E_CANCELLED. It must not call into the same context.      */
typedef int ordo_progress_fn(void *user, double done);

typedef struct ordo_ctx_opts {
    size_t   struct_size;
    uint32_t where;     /* an ordo_where                                                        */
    uint32_t threads;   /* default: every CPU the process may use (affinity, cgroup limit)      */
    size_t   mem_limit; /* bytes of scratch the context may hold; default: no limit             */
    ordo_progress_fn *progress;
    void             *progress_user;
    /* Where the context takes all its memory from; both or neither. alloc may return NULL.     */
    void *(*alloc)(void *user, size_t bytes);
    void (*release)(void *user, void *block);
    void *alloc_user;
    /* Of the GPU: which one, counted from 1 (default: the first that is usable), and the bytes of
     * its memory that the context may hold, copies of host arrays included (default: no limit).  */
    uint64_t device;
    size_t   device_limit;
    /* where == ORDO_HYBRID: the part of the keys that the CPU sorts, up to 1; negative: none, it
     * only brings the arrays to the GPU and back (default: what is predicted to be best).        */
    double cpu_share;
    /* Not 0: calls note what they spend their time with: ordo_last_profile in ordo_machine.h.    */
    uint64_t profile;
    /* The file of ordo_calibrate; "": none (default: see ordo_machine.h). Copied.                */
    const char *calibration;
    /* Not 0: every call draws its random samples from this seed (default: a new seed for each call,
     * so that no input can be built that a sample misses). Results never depend on it.           */
    uint64_t seed;
    /* Seconds between two progress callbacks; negative: as often as possible (default: 0.005, and
     * more if the callback is slow).                                                             */
    double progress_interval;
} ordo_ctx_opts;

/* Reads the environment once: ORDO_THREADS, ORDO_ISA (generic, neon, avx2, avx512) and
 * ORDO_DEVICE (auto, cpu, cuda, cuda:0, cuda:1, ..., hybrid) stand in for options that are not set.
 * libordo_cuda.so is loaded from the folder ORDO_BACKEND_DIR, an absolute path, or else from the
 * folder of the file that holds this library. ORDO_TUNE_FILE, XDG_CACHE_HOME and HOME say where the
 * calibration is. Programs with raised privileges (set-user-ID) ignore all these variables.
 * The GPU is first touched by a call that it would serve faster. On failure *out is NULL and
 * ordo_last_error(NULL) has the reason (kept per thread). Threads start with the first
 * call that needs them.
 * After fork() parent and child may each use and free the context, but a GPU that it had opened is
 * lost to the child. A context that was inside a call at the fork stays so in the child (which gets
 * ORDO_E_BUSY); a child that was forked by a callback must not return from the callback.         */
ORDO_MUST ordo_status ordo_ctx_create(ordo_ctx **out, const ordo_ctx_opts *opts);
/* NULL is fine. A context that is inside a call is not freed.                                   */
ORDO_API void ordo_ctx_free(ordo_ctx *ctx);

/* Why the last call on ctx failed, in a sentence; "" if it did not. Valid until the next call.
 * After ORDO_E_BUSY ordo_last_error(NULL) has the sentence: that of ctx is of the running call.  */
ORDO_API const char *ordo_last_error(const ordo_ctx *ctx);

/* Makes the call now running on ctx return ORDO_E_CANCELLED soon. Safe from any thread and from
 * a signal handler. Without a running call it does nothing.                                     */
ORDO_API void ordo_cancel(ordo_ctx *ctx);

/* Reports. A call records what it found in its input and what it did in numbers and enums;
 * ordo_report_text makes a sentence of them. Values of the enums are frozen; new ones are appended. */
typedef enum ordo_input {     /* what a call found in its keys                                  */
    ORDO_INPUT_ANY = 0,       /* nothing special, or the call did not look                      */
    ORDO_INPUT_SORTED = 1,    /* already in the order asked for                                 */
    ORDO_INPUT_REVERSED = 2,  /* in the opposite order                                          */
    ORDO_INPUT_RUNS = 3,      /* few runs (ordo_facts.runs)                                     */
    ORDO_INPUT_DISPLACED = 4, /* in order except for ordo_facts.displaced keys                  */
    ORDO_INPUT_ROUGH = 5,     /* roughly sorted: the radius is at most ordo_facts.radius        */
    ORDO_INPUT_EQUAL = 6      /* many equal keys                                                */
} ordo_input;

typedef enum ordo_strategy {         /* what a call did                                         */
    ORDO_STRATEGY_PLAIN = 0,         /* nothing to add to the name of the algorithm             */
    ORDO_STRATEGY_REGISTERS = 1,     /* sort: few keys, sorted in registers                     */
    ORDO_STRATEGY_CACHE = 2,         /* sort: by one thread, inside its cache                   */
    ORDO_STRATEGY_TOP_BITS = 3,      /* sort: split into buckets by the top bits of the keys    */
    ORDO_STRATEGY_SPLITTERS = 4,     /* sort: split into buckets by splitters from a sample     */
    ORDO_STRATEGY_IN_PLACE = 5,      /* sort: in place, because scratch was refused             */
    ORDO_STRATEGY_REVERSE = 6,       /* sort: reversed the array                                */
    ORDO_STRATEGY_MERGE_RUNS = 7,    /* sort: merged the runs                                   */
    ORDO_STRATEGY_MERGE_BACK = 8,    /* sort: sorted the displaced keys, merged them back       */
    ORDO_STRATEGY_WINDOWS = 9,       /* sort: sorted overlapping windows of twice the radius    */
    ORDO_STRATEGY_POINTERS = 10,     /* sort_by: sorted pointers, then moved the elements       */
    ORDO_STRATEGY_BRACKETS = 11,     /* select: one pass, between brackets from a sample        */
    ORDO_STRATEGY_CELLS = 12,        /* select: `passes` passes over cells of a sample          */
    ORDO_STRATEGY_MISSED = 13,       /* select: the sample missed; digits outside its brackets  */
    ORDO_STRATEGY_DIGITS = 14,       /* select: digit by digit                                  */
    ORDO_STRATEGY_SORTED_COPY = 15,  /* select, topk: sorted a copy of all keys                 */
    ORDO_STRATEGY_STREAMED = 16,     /* GPU: the host array was sent in chunks                  */
    ORDO_STRATEGY_ROUNDS = 17,       /* GPU: in `rounds` rounds, for want of device memory      */
    ORDO_STRATEGY_BLOCK = 18,        /* GPU: in one thread block                                */
    ORDO_STRATEGY_CLUSTER = 19,      /* GPU: in one cluster of thread blocks                    */
    ORDO_STRATEGY_DEVICE_DIGITS = 20,/* GPU: the device chose which digits to sort by           */
    ORDO_STRATEGY_COUNTING = 21,     /* GPU: counted the values of 8-bit or 16-bit keys         */
    ORDO_STRATEGY_SWEEP = 22,        /* GPU select, topk: a sample, then one pass               */
    ORDO_STRATEGY_SCATTER = 23,      /* GPU rank: each rank written straight to its place       */
    ORDO_STRATEGY_SCATTER_BUCKETS = 24, /* GPU rank: ranks bucketed by index before they are written */
    ORDO_STRATEGY_ONE_PASS = 25,     /* GPU rank_sorted: in one pass                            */
    ORDO_STRATEGY_NO_KEYS = 26,      /* GPU rank_sorted: ordinal ranks need no keys             */
    ORDO_STRATEGY_HEADS = 27,        /* GPU rank_sorted: starts of ties first, then ranks       */
    ORDO_STRATEGY_SUB_ARRAYS = 28    /* GPU median: sorted sub-arrays of `tile` keys, merged    */
} ordo_strategy;

typedef struct ordo_facts { /* a number that does not apply is 0                                 */
    uint32_t input;         /* an ordo_input                                                     */
    uint32_t strategy;      /* an ordo_strategy                                                  */
    uint64_t radius;        /* of the keys, or a bound that was verified                         */
    uint64_t runs;
    uint64_t displaced;     /* keys out of place                                                 */
    uint64_t passes;        /* over the array                                                    */
    uint64_t buckets;       /* of the first split; streamed: buckets that the CPU sorted         */
    uint64_t record_bytes;  /* of one record (key bits, and index or value) in a CPU radix sort  */
    uint64_t tile;          /* keys of a sub-array                                               */
    int32_t  device_status; /* the GPU failed with this ordo_status, and the CPU did the job     */
    uint32_t letter_bits;   /* streamed strings: bits of a letter in a key                       */
    uint64_t rounds;        /* streamed                                                          */
    uint64_t batches;       /* streamed: parts sorted while the next one was sent                */
    uint64_t segments;      /* streamed: parts of the result                                     */
    uint64_t handed_over;   /* streamed: buckets of the CPU that the GPU sorted after all        */
    uint64_t rank_bytes;    /* streamed ranks: bytes of a rank on the link                       */
    uint64_t surveys;       /* streamed strings: passes that chose the letters                   */
    uint64_t groups;        /* streamed strings: groups left to the CPU                          */
    uint64_t device_bytes;  /* rounds: device memory there was                                   */
    uint64_t needed_bytes;  /* rounds: device memory that one round would have needed            */
    double   cpu_share;     /* streamed: the part of the keys that the CPU sorted                */
    double   packed;        /* streamed: bytes of the fetched keys after packing / before        */
    /* Streamed: seconds of phase I, of II and III, of IV. Strings: of the survey, of sending the
     * first and the later keys, of fetching, of the groups, of the CPU.                         */
    double phase_seconds[6];
} ordo_facts;

/* What the last successful call did. The caller sets struct_size; the strings are static. A call
 * that ordo makes inside another one (the sort of a rank) leaves no trace here.                  */
typedef struct ordo_report {
    size_t      struct_size;
    const char *operation; /* "rank_sorted"                                                      */
    const char *backend;   /* "cpu", "cuda", "hybrid"                                            */
    const char *algorithm; /* "sequential"; for AUTO the algorithm that ran                      */
    const char *isa;       /* "generic", "neon", "avx2", "avx512", "sm_90"                       */
    uint32_t    threads;   /* that the call was allowed to use                                   */
    uint32_t    type;      /* ordo_type of the keys; 0 if there are none                         */
    uint64_t    n;
    uint64_t    scratch_bytes;
    double      seconds; /* wall time inside the call                                            */
    /* Predicted seconds for keys in random order; 0 if no prediction was made: the call was small,
     * or the context has not opened that backend (ordo_ctx_info opens the GPU if there is one). */
    double predicted_cpu, predicted_cuda, predicted_hybrid;
    ordo_facts facts;
} ordo_report;
ORDO_MUST ordo_status ordo_last_report(const ordo_ctx *ctx, ordo_report *out);

/* Writes the facts of a report as a sentence, cut to size - 1 bytes and a zero byte, "" if there
 * is nothing to say. Returns the length of the whole sentence, like snprintf.                    */
ORDO_API size_t ordo_report_text(const ordo_report *report, char *text, size_t size);
ORDO_API const char *ordo_input_name(ordo_input input);          /* "sorted"; NULL if unknown    */
ORDO_API const char *ordo_strategy_name(ordo_strategy strategy); /* "streamed"; NULL if unknown  */

/* What a context found on this machine.                                                         */
typedef struct ordo_info {
    size_t      struct_size;
    const char *isa;       /* in use                                                            */
    const char *isa_all;   /* every one this build and CPU could use: "generic neon"            */
    const char *cuda;      /* "" if usable, else why not                                        */
    uint32_t    threads;   /* in use                                                            */
    uint32_t    cpus;      /* online on this machine                                            */
    uint32_t    affinity;  /* of those, that this process may run on                            */
    uint32_t    cgroup;    /* whole CPUs the cgroup grants, rounded up; 0: no limit             */
    uint64_t    mem_limit; /* 0: none                                                           */
    uint64_t    scratch_held;
    const char *devices;      /* every GPU, a line each, and what is wrong with it, if anything   */
    uint64_t    device_held;  /* bytes of GPU memory                                              */
    uint64_t    device_limit; /* 0: none                                                          */
    const char *calibration;  /* its file, there or not; "": none                             */
    const char *calibration_note; /* why it is not used; "": it is, or nobody has made one        */
} ordo_info;
/* Looks for the GPU if no call has yet. The strings last until the next call.                   */
ORDO_MUST ordo_status ordo_ctx_info(ordo_ctx *ctx, ordo_info *out);

/* Takes bytes of GPU memory as scratch now and keeps them: calls on device arrays whose
 * ordo_*_scratch (asked with ORDO_ON_DEVICE) is no more than this allocate nothing.             */
ORDO_MUST ordo_status ordo_reserve(ordo_ctx *ctx, size_t bytes);

/* ---- Sort ------------------------------------------------------------------------------- */

typedef struct ordo_sort_opts {
    size_t   struct_size;
    uint64_t flags;     /* ORDO_DESCENDING, ORDO_STABLE                                          */
    uint64_t radius;    /* ROUGH, HALVING: no key is further than this from its place; 0: measure */
    uint32_t algorithm; /* AUTO; RADIX, SAMPLE, MERGE, BITONIC, SPLIT, BUBBLE, ROUGH, HALVING     */
    uint32_t reserved;  /* 0                                                                     */
    void    *stream;    /* of ORDO_ON_DEVICE                                                     */
    const void *from;   /* ordo_sort: the keys are here, and stay; NULL: they are in keys        */
} ordo_sort_opts;

/* Sorts keys[0..n) in place. Every algorithm writes the same bytes: -0 before +0 (descending:
 * after it), NaNs last with their bit patterns kept, in the order of their key bits.
 * AUTO looks at a part of the array first and takes the cheapest way: in order already, reversed,
 * few runs, roughly sorted, few bits that differ, or the general one (ordo_report.algorithm and
 * .facts say what it saw). A radius that is too small is noticed, and the array sorted all the
 * same. If scratch is refused, AUTO and RADIX sort in place, more slowly: they need no scratch and
 * never return ORDO_E_NOMEM. Nor do BITONIC, BUBBLE and HALVING with a radius, for keys of 32 and
 * 64 bits. The other algorithms do.
 * With opts.from, n keys that may not overlap with keys, keys alone is written: the sort of a copy,
 * without the time of one; whatever goes wrong, keys is unspecified then.
 * On ORDO_E_CANCELLED ordo_last_error() says whether keys is unchanged or unspecified. A GPU that
 * is lost while it brings the result back leaves it unspecified where the context is for the GPU
 * alone (ORDO_E_DEVICE); else the CPU sorts. After any other error it is unchanged.              */
ORDO_MUST ordo_status ordo_sort(ordo_ctx *ctx, ordo_type type, void *keys, size_t n,
                                const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_sort_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                        const ordo_sort_opts *opts, size_t *bytes);

/* Sorts keys and moves values[i] with keys[i]; equal keys (all NaNs; -0 and +0) keep their order,
 * whatever the algorithm. value_size is 1 to 16 bytes, values need no alignment. The arrays may
 * not overlap. Errors as in ordo_sort, for both arrays. If scratch is refused, AUTO and RADIX sort
 * in place; the other algorithms return ORDO_E_NOMEM.                                            */
ORDO_MUST ordo_status ordo_sort_pairs(ordo_ctx *ctx, ordo_type type, void *keys, size_t n,
                                      void *values, size_t value_size, const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_sort_pairs_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                              size_t value_size, const ordo_sort_opts *opts,
                                              size_t *bytes);

/* index[i] = which key comes i-th: keys[index[0]] is first; equal keys by index. index_type is
 * ORDO_U32 (n <= 2^32) or ORDO_U64. The arrays may not overlap. If scratch is refused, AUTO and
 * RADIX sort the index in place; the other algorithms return ORDO_E_NOMEM. On ORDO_E_CANCELLED,
 * and on ORDO_E_DEVICE of a context for the GPU alone, index is unspecified.                     */
ORDO_MUST ordo_status ordo_argsort(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                   ordo_type index_type, void *index, const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_argsort_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                           ordo_type index_type, const ordo_sort_opts *opts,
                                           size_t *bytes);

/* < 0: a comes before b; > 0: after; 0: neither. Called from several threads at once.            */
typedef int ordo_compare_fn(void *user, const void *a, const void *b);

/* Sorts n elements of size bytes each, any size, by a caller's comparison, in at most a constant
 * times n lg n calls of it. A comparison that contradicts itself gives some order of the
 * elements, never anything worse. algorithm: AUTO, SAMPLE, or MERGE (which is stable, and what
 * ORDO_STABLE takes). Needs scratch for n elements; elements are moved by memcpy.
 * On ORDO_E_CANCELLED the array holds its elements in some order; after any other error it is
 * unchanged.                                                                                     */
ORDO_MUST ordo_status ordo_sort_by(ordo_ctx *ctx, void *base, size_t n, size_t size,
                                   ordo_compare_fn *compare, void *user,
                                   const ordo_sort_opts *opts);

/* ---- Rank ------------------------------------------------------------------------------- */

typedef struct ordo_rank_opts {
    size_t   struct_size;
    uint64_t flags;     /* ORDO_DESCENDING, ORDO_CHECK                                           */
    uint32_t ties;      /* an ordo_ties                                                          */
    uint32_t algorithm; /* AUTO; of ordo_rank_sorted: SEQUENTIAL: one loop; THREADS: one segment a
                         * thread, its first rank by binary search; NAIVE, SHUFFLE, HYBRID on a
                         * GPU; of ordo_rank: as ordo_sort                                       */
    void    *stream;    /* of ORDO_ON_DEVICE                                                     */
} ordo_rank_opts;

/* Ranks of an array in any order, 1-based: ranks[i] is the rank of keys[i] (with ORDO_DESCENDING
 * the largest key has rank 1). NaNs come last and tie. rank_type is ORDO_U32 (n < 2^32), ORDO_U64
 * or ORDO_F64; ORDO_TIES_AVERAGE needs ORDO_F64. The arrays may not overlap. Needs scratch for
 * two records of 8 or 16 bytes for each key. On ORDO_E_CANCELLED and ORDO_E_DEVICE ranks is
 * unspecified.                                                                                   */
ORDO_MUST ordo_status ordo_rank(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                ordo_type rank_type, void *ranks, const ordo_rank_opts *opts);
ORDO_MUST ordo_status ordo_rank_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                        ordo_type rank_type, const ordo_rank_opts *opts,
                                        size_t *bytes);

/* Ranks of a sorted array, 1-based: ranks[i] is the rank of sorted[i]. rank_type is ORDO_U32
 * (n < 2^32), ORDO_U64 or ORDO_F64; ORDO_TIES_AVERAGE needs ORDO_F64. The arrays may not
 * overlap. If sorted is not in order and ORDO_CHECK is not set, the ranks are unspecified.
 * On ORDO_E_CANCELLED the contents of ranks are unspecified; on other errors it is untouched.   */
ORDO_MUST ordo_status ordo_rank_sorted(ordo_ctx *ctx, ordo_type type, const void *sorted, size_t n,
                                       ordo_type rank_type, void *ranks,
                                       const ordo_rank_opts *opts);
ORDO_MUST ordo_status ordo_rank_sorted_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                               ordo_type rank_type, const ordo_rank_opts *opts,
                                               size_t *bytes);

/* ---- Select ----------------------------------------------------------------------------- */

typedef enum ordo_nans { /* what NaNs are to a selection                                        */
    ORDO_NANS_LAST = 0,  /* keys like others, behind all of them                               */
    ORDO_NANS_OMIT = 1,  /* not there; n is the number of the other keys                       */
    ORDO_NANS_PROPAGATE = 2 /* one NaN makes every result NaN                                     */
} ordo_nans;

typedef struct ordo_select_opts {
    size_t   struct_size;
    uint64_t flags;     /* ORDO_DESCENDING: count from the largest key                           */
    uint32_t nans;      /* an ordo_nans                                                          */
    uint32_t algorithm; /* AUTO: sample, bracket, one pass; RADIX: digit by digit; BITONIC: sort
                         * by the bitonic network and look                                       */
    void    *stream;    /* of ORDO_ON_DEVICE                                                     */
} ordo_select_opts;

/* out[j] = the k[j]-th key in order, k[j] = 0 being the first; the k need no order and may repeat.
 * Of -0 and +0, and of NaNs with different bits, it is the one that ordo_sort puts there.
 * ORDO_E_ARG if a k[j] is not below n (below the number of keys that are not NaN, if those are
 * omitted). keys is not changed. out may overlap nothing.                                        */
ORDO_MUST ordo_status ordo_select(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                  const size_t *k, size_t count, void *out,
                                  const ordo_select_opts *opts);
ORDO_MUST ordo_status ordo_select_scratch(ordo_ctx *ctx, ordo_type type, size_t n, size_t count,
                                          const ordo_select_opts *opts, size_t *bytes);

typedef enum ordo_method {   /* definitions of a sample quantile; 1 to 9 as Hyndman and Fan number
                            * them; ordo_method_parse knows NumPy's names                         */
    ORDO_METHOD_DEFAULT = 0, /* linear                                                           */
    ORDO_METHOD_INVERTED_CDF = 1,
    ORDO_METHOD_AVERAGED_INVERTED_CDF = 2,
    ORDO_METHOD_CLOSEST_OBSERVATION = 3,
    ORDO_METHOD_INTERPOLATED_INVERTED_CDF = 4,
    ORDO_METHOD_HAZEN = 5,
    ORDO_METHOD_WEIBULL = 6,
    ORDO_METHOD_LINEAR = 7,
    ORDO_METHOD_MEDIAN_UNBIASED = 8,
    ORDO_METHOD_NORMAL_UNBIASED = 9,
    ORDO_METHOD_LOWER = 10,
    ORDO_METHOD_HIGHER = 11,
    ORDO_METHOD_MIDPOINT = 12,
    ORDO_METHOD_NEAREST = 13
} ordo_method;
ORDO_API int         ordo_method_parse(const char *name); /* 0 if unknown                         */
ORDO_API const char *ordo_method_name(ordo_method method); /* "linear"; NULL if it is no method   */

typedef struct ordo_quantile_opts {
    size_t   struct_size;
    uint64_t flags;     /* none                                                                  */
    uint32_t nans;      /* an ordo_nans                                                          */
    uint32_t method;    /* an ordo_method                                                        */
    uint32_t algorithm; /* as ordo_select                                                        */
    uint32_t reserved;  /* 0                                                                     */
    void    *stream;    /* of ORDO_ON_DEVICE                                                     */
} ordo_quantile_opts;

/* out[j] = the q[j]-quantile of the keys, 0 <= q[j] <= 1, as f64, for every type. n == 0 (or all
 * NaN and omitted) gives NaN. All q share one pass. ordo_median is q = 0.5, linear. 64-bit integers
 * are rounded to the nearest f64 first, which is exact up to 2^53. A result lies between its two
 * neighbouring keys, so that finite keys have finite quantiles. Beside an infinite key it is that
 * key, unless the other one has all the weight; between -inf and +inf it is NaN.                 */
ORDO_MUST ordo_status ordo_quantiles(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                     const double *q, size_t count, double *out,
                                     const ordo_quantile_opts *opts);
ORDO_MUST ordo_status ordo_median(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                  double *out, const ordo_quantile_opts *opts);

/* The k first keys in order, with their indices: values[0] is the smallest key (ORDO_DESCENDING:
 * the largest), equal keys by index, NaNs last (nans: LAST or OMIT). values and index may each be
 * NULL. index_type is ORDO_U32 (n <= 2^32) or ORDO_U64. *found (may be NULL) gets how many there
 * are: k, or fewer if n is smaller or NaNs were omitted; what lies behind them is not written.   */
ORDO_MUST ordo_status ordo_topk(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t k,
                                void *values, ordo_type index_type, void *index, size_t *found,
                                const ordo_select_opts *opts);
ORDO_MUST ordo_status ordo_topk_scratch(ordo_ctx *ctx, ordo_type type, size_t n, size_t k,
                                        const ordo_select_opts *opts, size_t *bytes);

/* ---- Strings ---------------------------------------------------------------------------- */

/* n strings of bytes, in one of two forms; the other pointers are NULL. Compared byte by byte as
 * unsigned numbers, a string before those it begins; in the first form any byte may occur. On
 * ORDO_E_CANCELLED results are unspecified, but ordo_sort_pointers leaves its array as it was.   */
typedef struct ordo_strings {
    size_t             struct_size;
    const char        *bytes;    /* string i is bytes[offsets[i] .. offsets[i + 1])               */
    const uint64_t    *offsets;  /* n + 1, not decreasing; a string is shorter than 2^32 bytes    */
    const char *const *pointers; /* or: n strings that end with a zero byte                       */
} ordo_strings;

/* index[i] = which string comes i-th, equal strings by index. Options as for ordo_argsort, AUTO
 * alone. The time is bounded by the bytes that tell strings apart, each looked at a few times.   */
ORDO_MUST ordo_status ordo_argsort_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                                           ordo_type index_type, void *index,
                                           const ordo_sort_opts *opts);
/* The strings in order: out_offsets[0..n] and out_bytes (offsets[n] - offsets[0] bytes) get them;
 * nothing may overlap. First form only.                                                          */
ORDO_MUST ordo_status ordo_sort_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                                        char *out_bytes, uint64_t *out_offsets,
                                        const ordo_sort_opts *opts);
/* The second form in place: the pointers are put in the order of their strings.                  */
ORDO_MUST ordo_status ordo_sort_pointers(ordo_ctx *ctx, const char **pointers, size_t n,
                                         const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_rank_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                                        ordo_type rank_type, void *ranks,
                                        const ordo_rank_opts *opts);
/* index[j] = which string is the k[j]-th in order (0 the first), equal ones by index.            */
ORDO_MUST ordo_status ordo_select_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                                          const size_t *k, size_t count, uint64_t *index,
                                          const ordo_sort_opts *opts);

/* ---- Scan ------------------------------------------------------------------------------- */

typedef struct ordo_scan_opts {
    size_t   struct_size;
    uint64_t flags;  /* ORDO_EXCLUSIVE                                                            */
    void    *stream; /* of ORDO_ON_DEVICE                                                     */
} ordo_scan_opts;

/* Prefix sums, minima or maxima: out[i] = in[0] op ... op in[i] (exclusive: op in[i-1]).
 * out_type is type; for sums also the 64-bit type of the same kind (i8..i32 -> i64, u8..u32 ->
 * u64, f32 -> f64). Integer sums wrap modulo 2^width. Float sums are added in an order that
 * depends on n alone, so the bytes are the same for any number of threads and any ISA
 * (a NaN sum is the default NaN). Minima and maxima follow the total order of the key
 * bits: -0 below +0, NaN above +inf. The first result of an exclusive scan is 0, the type's
 * largest value or +inf (min), its least or -inf (max).
 * out == in is allowed if the types are equal; any other overlap is not.
 * On ORDO_E_CANCELLED out is unspecified (so in too when they are one array).                    */
ORDO_MUST ordo_status ordo_scan(ordo_ctx *ctx, ordo_op op, ordo_type type, const void *in, size_t n,
                                ordo_type out_type, void *out, const ordo_scan_opts *opts);
ORDO_MUST ordo_status ordo_scan_scratch(ordo_ctx *ctx, ordo_op op, ordo_type type, size_t n,
                                        ordo_type out_type, const ordo_scan_opts *opts,
                                        size_t *bytes);

/* Binary prefix sum: counts[i] = number of set flags among the first i+1 (exclusive: i).
 * count_type is ORDO_U32 (n < 2^32) or ORDO_U64. counts == NULL asks for the total alone;
 * total may be NULL. The arrays may not overlap.                                                 */
ORDO_MUST ordo_status ordo_scan_bits(ordo_ctx *ctx, ordo_flags_kind kind, const void *flags,
                                     size_t n, ordo_type count_type, void *counts, uint64_t *total,
                                     const ordo_scan_opts *opts);
ORDO_MUST ordo_status ordo_scan_bits_scratch(ordo_ctx *ctx, ordo_flags_kind kind, size_t n,
                                             ordo_type count_type, const ordo_scan_opts *opts,
                                             size_t *bytes);

/* ---- Split ------------------------------------------------------------------------------ */

typedef struct ordo_partition_opts {
    size_t   struct_size;
    uint64_t flags;  /* ORDO_UNSET_FIRST                                                          */
    void    *stream; /* of ORDO_ON_DEVICE                                                     */
} ordo_partition_opts;

/* Stable split: the elements of in whose flag is set come first in out, then the others, each
 * group in its old order. elem_size is 1 to 16 bytes, elements need no alignment. *n_first (may
 * be NULL) gets the size of the first group. out may not overlap flags or in. On
 * ORDO_E_CANCELLED out is unspecified.                                                           */
ORDO_MUST ordo_status ordo_partition(ordo_ctx *ctx, ordo_flags_kind kind, const void *flags,
                                     const void *in, size_t n, size_t elem_size, void *out,
                                     size_t *n_first, const ordo_partition_opts *opts);
ORDO_MUST ordo_status ordo_partition_scratch(ordo_ctx *ctx, ordo_flags_kind kind, size_t n,
                                             size_t elem_size, const ordo_partition_opts *opts,
                                             size_t *bytes);

/* ---- Measure ---------------------------------------------------------------------------- */

typedef struct ordo_order_opts {
    size_t   struct_size;
    uint64_t flags;     /* ORDO_DESCENDING                                                       */
    uint32_t algorithm; /* of ordo_radius: AUTO; SEQUENTIAL: prefix maxima and suffix minima      */
    uint32_t reserved;  /* 0                                                                     */
    void    *stream;    /* of ORDO_ON_DEVICE                                                     */
} ordo_order_opts;

/* *sorted = 1 if keys[0..n) is in order, else 0; *where (may be NULL) gets the least i with
 * keys[i] before keys[i-1], or n.                                                                */
ORDO_MUST ordo_status ordo_is_sorted(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                     int *sorted, size_t *where, const ordo_order_opts *opts);

/* *radius = the least k such that every two keys more than k places apart are in order, so 0 if
 * and only if the array is sorted; equal keys are in order either way. The array is k-sorted, and
 * no key is further than k from its place in a stable sort.                                      */
ORDO_MUST ordo_status ordo_radius(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                  size_t *radius, const ordo_order_opts *opts);
ORDO_MUST ordo_status ordo_radius_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                          const ordo_order_opts *opts, size_t *bytes);
/* *runs = the number of maximal stretches in order: 0 if n is 0, 1 if the array is sorted.       */
ORDO_MUST ordo_status ordo_runs(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                size_t *runs, const ordo_order_opts *opts);

/* memcpy by every thread of the context: the physical limit that results are compared with.      */
ORDO_MUST ordo_status ordo_copy(ordo_ctx *ctx, void *dst, const void *src, size_t bytes);

/* ---- Generate --------------------------------------------------------------------------- */

typedef enum ordo_dist {   /* what each draws is said in docs/generators.md                       */
    ORDO_DIST_UNIFORM = 1, /* integers: the whole range; floats: [0, 1)                           */
    ORDO_DIST_GAUSSIAN,    /* the mean of four uniform draws                                      */
    ORDO_DIST_ZERO,        /* all 0                                                               */
    ORDO_DIST_FEW,         /* k distinct values (default 100), equally likely                     */
    ORDO_DIST_ZIPF,      /* 1..k (default 2^20 or what fits) with probability proportional to 1/x */
    ORDO_DIST_SORTED,    /* ascending, evenly spread with jitter                                */
    ORDO_DIST_REVERSE,   /* ORDO_DIST_SORTED backwards                                          */
    ORDO_DIST_ORGANPIPE, /* up to the middle, then down again                                   */
    ORDO_DIST_SAWTOOTH,  /* k ascending teeth (default 16)                                      */
    ORDO_DIST_RECUR,     /* sorted; a key repeats its predecessor with probability p            */
    ORDO_DIST_KSORTED,   /* radius exactly k                                                    */
    ORDO_DIST_DUPES,     /* Helman-Bader-JaJa deterministic duplicates over k buckets           */
    ORDO_DIST_STAGGERED, /* Helman-Bader-JaJa staggered over k buckets                          */
    ORDO_DIST_BUCKET,    /* Helman-Bader-JaJa bucket sorted over k buckets                      */
    ORDO_DIST_STRINGS,   /* ordo_gen_strings: 1 to 500 random printable characters              */
    ORDO_DIST_FASTA      /* ordo_gen_strings: protein records of up to 120 residues             */
} ordo_dist;

typedef struct ordo_gen_opts {
    size_t   struct_size;
    uint64_t seed;
    uint64_t k; /* FEW, ZIPF: values; SAWTOOTH: teeth; KSORTED: radius; DUPES...: buckets (16)    */
    double   p; /* RECUR: 0 = all keys differ, 1 = all are equal                                  */
} ordo_gen_opts;

/* Fills out[0..n) with keys of a numeric distribution. The same arguments give the same bytes
 * on every machine and for any number of threads. ORDO_E_ARG if the type cannot hold what is
 * asked (RECUR with p == 0 or KSORTED over more keys than the type has values, k >= n).          */
ORDO_MUST ordo_status ordo_gen(ordo_ctx *ctx, ordo_dist dist, ordo_type type, void *out, size_t n,
                               const ordo_gen_opts *opts);

/* Fills offsets[0..n] so that string i is bytes[offsets[i] .. offsets[i+1]); with bytes == NULL
 * that is all, and offsets[n] tells how many bytes a second call needs. ORDO_E_ARG if capacity
 * is smaller than that.                                                                          */
ORDO_MUST ordo_status ordo_gen_strings(ordo_ctx *ctx, ordo_dist dist, size_t n, uint64_t *offsets,
                                       char *bytes, size_t capacity, const ordo_gen_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
