/* ordo.h - sort, rank, select and scan arrays, and measure how sorted they are, on CPUs and GPUs.
 *
 * Results  Every call returns a status; ORDO_OK is 0. Calls are synchronous, except on device
 *          arrays (see there). Results are written to out-parameters, which may be NULL only where
 *          the call says so: ORDO_E_ARG otherwise. A single result (a total, a radius) is written
 *          only on ORDO_OK. An array of results is unspecified after ORDO_E_CANCELLED and
 *          ORDO_E_DEVICE and unchanged after other errors, unless the call says otherwise.
 * Memory   The caller owns every array; ordo uses it until the call returns. A call writes to its
 *          input only if it sorts in place. The context keeps scratch memory for later calls: at
 *          most 128 MiB beside the scratch of the last call that needed more than there was.
 * Threads  A context serves one call at a time: a second call gets ORDO_E_BUSY; only ordo_cancel is
 *          always allowed. Use one context per thread. Contexts are independent of each other.
 * Order    Integers are ordered by value. Floats are ordered by value; -0 and +0 tie; all NaNs tie
 *          and come last, in ascending and in descending order.
 * Floats   Results do not depend on the caller's floating-point mode. Calls compute in the default
 *          mode (round to nearest, subnormals kept) and restore the caller's mode and exception
 *          flags. Comparison functions of ordo_sort_by are called in the default mode, too.
 * Counts   All counts are size_t. n == 0 is valid, and arrays may be NULL then.
 * Arrays   An array must be aligned for its element type. There are no other requirements.
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

#include "ordo_report.h"
#include "ordo_segments.h"

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

/* ---- Types and options ------------------------------------------------------------------ */

typedef enum ordo_status { /* values are frozen; new ones are appended                      */
    ORDO_OK = 0,
    ORDO_E_ARG = -1,         /* NULL, misaligned, overlapping, unknown enum, size overflow    */
    ORDO_E_NOMEM = -2,       /* the system refused memory, or the call exceeds mem_limit      */
    ORDO_E_UNSUPPORTED = -3, /* no backend of this build or machine supports this             */
    ORDO_E_DEVICE = -4,      /* the GPU failed; ordo_last_error() has the driver's message    */
    ORDO_E_VERSION = -5,     /* the caller uses a field or flag newer than this library       */
    ORDO_E_ORDER = -6,       /* ORDO_CHECK was set and the array is not sorted                */
    ORDO_E_CANCELLED = -7,   /* ordo_cancel() or the progress callback stopped the call       */
    ORDO_E_BUSY = -8,        /* the context is inside another call (a callback re-entered it) */
    ORDO_E_IO = -9           /* a file or a callback of the caller failed                     */
} ordo_status;

typedef enum ordo_type { /* 0 is not a type, so that unset memory is rejected                 */
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

typedef enum ordo_where { /* which backend a context uses                                     */
    ORDO_AUTO = 0,        /* the backend with the lowest predicted time                       */
    ORDO_CPU = 1,
    ORDO_CUDA = 2,  /* the GPU only; if the GPU fails, the call fails                   */
    ORDO_HYBRID = 3 /* both, for host arrays; if the GPU fails, the CPU does the job    */
} ordo_where;

typedef enum ordo_ties {   /* the ranks of tied keys; example: ranks of 10 20 20 30           */
    ORDO_TIES_MIN = 0,     /* standard competition: 1 2 2 4                                   */
    ORDO_TIES_MAX = 1,     /* modified competition: 1 3 3 4                                   */
    ORDO_TIES_DENSE = 2,   /* 1 2 2 3                                                         */
    ORDO_TIES_ORDINAL = 3, /* 1 2 3 4, in array order                                         */
    ORDO_TIES_AVERAGE = 4  /* fractional: 1 2.5 2.5 4; needs f64 ranks                        */
} ordo_ties;

typedef enum ordo_algorithm { /* each call lists the algorithms it accepts                    */
    ORDO_ALGORITHM_AUTO = 0,  /* the fastest one; the others exist for comparison             */
    ORDO_ALGORITHM_SEQUENTIAL = 1,
    ORDO_ALGORITHM_THREADS = 2,
    ORDO_ALGORITHM_RADIX = 3,    /* radix sort, most significant digit first                     */
    ORDO_ALGORITHM_SAMPLE = 4,   /* comparison sample sort: splitter tree, labels, scatter       */
    ORDO_ALGORITHM_MERGE = 5,    /* merge sort                                                   */
    ORDO_ALGORITHM_BITONIC = 6,  /* bitonic network for any n; time n lg^2 n                     */
    ORDO_ALGORITHM_SPLIT = 7,    /* one stable split per bit, by a binary prefix sum             */
    ORDO_ALGORITHM_BUBBLE = 8,   /* bubble sort; time n (radius + 1)                             */
    ORDO_ALGORITHM_ROUGH = 9,    /* k-sorted arrays: sorts segments of 2k, then shifted by k     */
    ORDO_ALGORITHM_HALVING = 10, /* k-sorted arrays: halves the radius lg k times                */
    ORDO_ALGORITHM_NAIVE = 11,   /* GPU: prefix maximum in lg n launches                         */
    ORDO_ALGORITHM_SHUFFLE = 12, /* GPU: rank and flag in one word, scanned by warp shuffles     */
    ORDO_ALGORITHM_HYBRID = 13,  /* GPU: one warp per 1024 keys, ballots and binary search       */
    ORDO_ALGORITHM_WINDOWS = 14, /* k-sorted arrays: overlapping windows that fit the cache      */
    ORDO_ALGORITHM_PREFIX = 15,  /* GPU: radius by prefix maxima and suffix minima, by doubling  */
    ORDO_ALGORITHM_BALLOT = 16,  /* GPU: prefix sum of a block by ballots                        */
    ORDO_ALGORITHM_SHARED = 17,  /* GPU: binary prefix sum of a block in shared memory           */
    ORDO_ALGORITHM_SCANS = 18,   /* GPU: PREFIX with one scan for each sequence                  */
    ORDO_ALGORITHM_INSERTION = 19, /* GPU: ROUGH that sorts short segments by insertion          */
    ORDO_ALGORITHM_GLOBAL = 20,    /* GPU: SPLIT with three kernels over the whole array per bit */
    ORDO_ALGORITHM_INTERVALS = 21  /* SAMPLE with a splitter every sqrt(n) keys (at most 16383)  */
} ordo_algorithm;

typedef enum ordo_op { /* operation of ordo_scan                                               */
    ORDO_SUM = 1,
    ORDO_MIN = 2,
    ORDO_MAX = 3,
    ORDO_PRODUCT = 4
} ordo_op;

typedef enum ordo_flags_kind { /* how an array of n flags is stored                            */
    ORDO_FLAG_BITS = 1,        /* ceil(n/8) bytes; flag i is bit i%8 of byte i/8               */
    ORDO_FLAG_BYTES = 2        /* n bytes; a flag is set if its byte is not 0                  */
} ordo_flags_kind;

enum {                    /* bits of the field `flags` of options structs                     */
    ORDO_DESCENDING = 1,  /* largest first (NaNs are still last)                              */
    ORDO_CHECK = 2,       /* first check that the array is sorted; ORDO_E_ORDER if it is not  */
    ORDO_EXCLUSIVE = 4,   /* result i does not include element i                              */
    ORDO_UNSET_FIRST = 8, /* ordo_partition: elements whose flag is not set come first        */
    ORDO_STABLE = 16,     /* equal elements keep their order; argsort and pairs always do so  */
    ORDO_ON_DEVICE = 32,  /* the arrays are GPU memory; see Device arrays                     */
    ORDO_ANY_ORDER = 64   /* ordo_nth: the keys on each side of place k may get any order     */
};

/* Device arrays. With ORDO_ON_DEVICE every array of a call is memory of the context's GPU and is
 * used in place. Positions (k, q) and single results (a total, a radius, a median) are host memory.
 * The work is enqueued on opts.stream (a cudaStream_t; NULL: the default stream). The call returns
 * without waiting, with three exceptions: it waits for a single result (pass NULL where that is
 * allowed to avoid this), ordo_sort waits when it inspects the keys first (AUTO from 128 MiB of
 * keys on, WINDOWS) or checks a radius (ROUGH, INSERTION, HALVING; also pairs and argsort), and a
 * selection by BITONIC merges on the host. As always in CUDA, errors of work in progress appear in
 * a later CUDA call. Calls of one context on several streams run one after the other. A call whose
 * scratch was reserved (ordo_reserve) allocates nothing and can be captured in a CUDA graph. The
 * graph uses that scratch until the context is freed, so no call on the context may need more in
 * between. Arrays must exist until the work is done. */

/* Options. struct_size comes first, so that callers and libraries of different versions work
 * together. In every other field 0 means the default; opts == NULL means all defaults. New fields
 * are only appended, without padding. An unknown flag bit, or a field that is not 0 and that the
 * library does not know, gives ORDO_E_VERSION.
 * Use:  &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_DENSE)                                      */
#define ORDO_OPTS(type, ...) ((type){.struct_size = sizeof(type), __VA_ARGS__})

/* The ordo_type of the elements p points to, which may be char, long and long long too. Other
 * element types do not compile. C++: ordo.hpp.                                                  */
/* clang-format off */
#define ORDO_TYPE_OF(p)                                                                          \
    _Generic(*(p), signed char: ORDO_I8, unsigned char: ORDO_U8,                                 \
             char: (ordo_type)(ORDO_I8 + ('\xff' > 0)),                                          \
             short: ORDO_I16, unsigned short: ORDO_U16, int: ORDO_I32, unsigned: ORDO_U32,       \
             long: (ordo_type)(ORDO_I32 + 2 * (sizeof(long) == 8)),                              \
             unsigned long: (ordo_type)(ORDO_U32 + 2 * (sizeof(long) == 8)),                     \
             long long: ORDO_I64, unsigned long long: ORDO_U64, float: ORDO_F32, double: ORDO_F64)
/* clang-format on */

ORDO_API const char *ordo_version(void);                /* "0.1.0"                              */
ORDO_API const char *ordo_status_text(ordo_status s);   /* "out of memory"; never NULL          */
ORDO_API size_t      ordo_type_size(ordo_type type);    /* bytes; 0 if it is not a type        */
ORDO_API const char *ordo_type_name(ordo_type type);    /* "f32"; NULL if it is not a type     */
ORDO_API int         ordo_type_parse(const char *name); /* ORDO_F32 for "f32"; 0 if unknown     */
ORDO_API ordo_type   ordo_type_wide(ordo_type type);    /* the 64-bit type that sums widen to   */

/* ---- Contexts --------------------------------------------------------------------------- */

typedef struct ordo_ctx ordo_ctx;

/* Progress callback. It is called on the calling thread every few milliseconds of a long call, with
 * 0 <= done <= 1. Return 0 to continue; any other value makes the call return ORDO_E_CANCELLED. The
 * callback must not make calls on the same context.                                              */
typedef int ordo_progress_fn(void *user, double done);

/* One of several GPUs, counted from 1, and its part of the keys.                               */
typedef struct ordo_device_share {
    uint64_t device;
    double   share; /* above 0; the shares of all GPUs add up to at most 1                      */
} ordo_device_share;

typedef struct ordo_ctx_opts {
    size_t   struct_size;
    uint32_t where;     /* an ordo_where                                                        */
    uint32_t threads;   /* default: every CPU the process may use (affinity, cgroup limit)      */
    size_t   mem_limit; /* bytes of scratch the context may hold; default: no limit             */
    ordo_progress_fn *progress;
    void             *progress_user;
    /* Allocator for all memory of the context; set both or neither. alloc may return NULL.     */
    void *(*alloc)(void *user, size_t bytes);
    void (*release)(void *user, void *block);
    void *alloc_user;
    /* The GPU, counted from 1 (default: the first usable one), and the bytes of its memory the
     * context may hold, including copies of host arrays (default: no limit).                     */
    uint64_t device;
    size_t   device_limit;
    /* where == ORDO_HYBRID: the part of the keys that the CPU sorts, from 0 to 1. -1: none; the CPU
     * only copies arrays to and from the GPU. 0 (default): the share with the best prediction. With
     * another `where`, ORDO_AUTO included, it must be 0. Sorts, argsorts and ranks of one host
     * array of at least 2^16 numbers or strings use a share above 0 or fail with ORDO_E_ARG:
     * numbers are shared by AUTO, RADIX and SAMPLE, strings by SAMPLE only. Every other call
     * (fewer keys, segments, structs, several columns, ordo_sort_by, selections, scans, arrays on a
     * GPU) runs on one device, and its report has facts.shares_unused.                           */
    double cpu_share;
    /* Not 0: record how calls spend their time, for ordo_last_profile in ordo_machine.h.         */
    uint64_t profile;
    /* The file of ordo_calibrate; "": none (default: see ordo_machine.h). The string is copied.  */
    const char *calibration;
    /* Not 0: every call draws its random samples from this seed. Default: a new seed for each call,
     * so that no input can be built that a sample misses. Results never depend on the seed.      */
    uint64_t seed;
    /* Seconds between two progress callbacks; negative: as often as possible. Default: 0.005, and
     * more if the callback is slow.                                                              */
    double progress_interval;
    /* where == ORDO_HYBRID: at most 8 GPUs for SAMPLE, with the share of each. The CPU gets the
     * rest; cpu_share and `device` must be 0. Sorts, argsorts and ranks of one host array of at
     * least 2^16 numbers or strings by another algorithm fail with ORDO_E_ARG. Every other call
     * uses one device, the CPU or the first GPU of the list. A GPU may be listed more than once.
     * The list is copied. Default: only `device`.                                                */
    const ordo_device_share *devices;
    size_t                   device_count;
    /* Multiprocessors of each GPU that calls on host arrays may use, to measure slower GPUs; the
     * driver rounds the number up, on Hopper to a multiple of 8, and ordo_info.device_sms says to
     * what. More than the GPU has, or a driver older than CUDA 12.5: the GPU is not usable, and
     * ordo_info.cuda says why. Calls with ORDO_ON_DEVICE run on the caller's stream, which is not
     * limited. Predictions do not know of the limit. Default: all.                               */
    uint32_t device_sms;
    uint32_t reserved; /* 0                                                                       */
} ordo_ctx_opts;

/* Makes a context. On failure *out is NULL and ordo_last_error(NULL) has the reason.
 * Environment variables are read once, here. They replace options that are not set: ORDO_THREADS,
 * ORDO_ISA (generic, neon, avx2, avx512) and ORDO_DEVICE (auto, cpu, cuda, cuda:0, cuda:1, ...,
 * hybrid). libordo_cuda.so is loaded from the folder ORDO_BACKEND_DIR, an absolute path, or else
 * from the folder of this library. ORDO_TUNE_FILE, XDG_CACHE_HOME and HOME give the place of the
 * calibration file. A program with raised privileges (set-user-ID) ignores all these variables.
 * Threads start with the first call that needs them, and the GPU is opened by the first call that
 * would be faster there.
 * After fork() the parent and the child may both use and free the context, but the child cannot use
 * a GPU that was open before the fork. A context that was inside a call during the fork stays busy
 * in the child (ORDO_E_BUSY); a child that was forked by a callback must not return from it.     */
ORDO_MUST ordo_status ordo_ctx_create(ordo_ctx **out, const ordo_ctx_opts *opts);
/* ctx may be NULL. A context that is inside a call is not freed.                                */
ORDO_API void ordo_ctx_free(ordo_ctx *ctx);

/* Why the last call on ctx failed; "" if it succeeded. Valid until the next call. After ORDO_E_BUSY
 * use ordo_last_error(NULL), because the text of ctx belongs to the call in progress.            */
ORDO_API const char *ordo_last_error(const ordo_ctx *ctx);

/* Makes the call in progress on ctx return ORDO_E_CANCELLED soon. Safe from any thread and from a
 * signal handler. Without a call in progress it does nothing.                                    */
ORDO_API void ordo_cancel(ordo_ctx *ctx);

/* The report of the last successful call (ordo_report.h). The caller sets struct_size.           */
ORDO_MUST ordo_status ordo_last_report(const ordo_ctx *ctx, ordo_report *out);

/* Writes the facts of a report as a sentence, cut to size - 1 bytes and a zero byte, "" if there
 * is nothing to say. Returns the length of the whole sentence, like snprintf.                    */
ORDO_API size_t      ordo_report_text(const ordo_report *report, char *text, size_t size);
ORDO_API const char *ordo_input_name(ordo_input input);          /* "sorted"; NULL if unknown    */
ORDO_API const char *ordo_strategy_name(ordo_strategy strategy); /* "streamed"; NULL if unknown  */

/* The path (ordo_report.h) of the last call, or of one of the calls it is made of; NULL: none. Path
 * i of the CPU, then of the GPU if the context has looked for one; NULL: there are fewer.        */
ORDO_API const ordo_path *ordo_last_path(const ordo_ctx *ctx);
ORDO_API const ordo_path *ordo_path_at(const ordo_ctx *ctx, size_t i);

/* What a context found on this machine.                                                         */
typedef struct ordo_info {
    size_t      struct_size;
    const char *isa;       /* in use                                                            */
    const char *isa_all;   /* all that this build and CPU support: "generic neon"               */
    const char *cuda;      /* "" if CUDA is usable, else the reason why not                     */
    uint32_t    threads;   /* in use                                                            */
    uint32_t    cpus;      /* CPUs of this machine that are online                              */
    uint32_t    affinity;  /* CPUs that this process may run on                                 */
    uint32_t    cgroup;    /* CPUs that the cgroup grants, rounded up; 0: no limit              */
    uint64_t    mem_limit; /* 0: no limit                                                       */
    uint64_t    scratch_held;
    const char *devices;      /* one line per GPU, with the reason if the GPU is not usable       */
    uint64_t    device_held;  /* bytes of GPU memory                                              */
    uint64_t    device_limit; /* 0: no limit                                                      */
    const char *calibration;  /* path of the calibration file, which may not exist; "": none  */
    const char *calibration_note; /* why the file is ignored; "" if it is in use or missing       */
    uint64_t    device_sms;       /* multiprocessors of the GPU in use; 0: no GPU is usable       */
} ordo_info;
/* Opens the GPU if no call has done so. The strings are valid until the next call.              */
ORDO_MUST ordo_status ordo_ctx_info(ordo_ctx *ctx, ordo_info *out);

/* Allocates `bytes` of GPU memory now and keeps them as scratch. A call on device arrays allocates
 * nothing if its ordo_*_scratch (asked with ORDO_ON_DEVICE) is at most `bytes`.                  */
ORDO_MUST ordo_status ordo_reserve(ordo_ctx *ctx, size_t bytes);

/* ---- Sort ------------------------------------------------------------------------------- */

typedef struct ordo_sort_opts {
    size_t   struct_size;
    uint64_t flags;     /* ORDO_DESCENDING, ORDO_STABLE                                          */
    uint64_t radius;    /* ROUGH, HALVING, WINDOWS, INSERTION: no key is further than this from
                         * its place, below n; 0: measure                                         */
    uint32_t algorithm; /* AUTO, RADIX, SAMPLE, INTERVALS, MERGE, BITONIC, SPLIT, BUBBLE, ROUGH,
                         * HALVING, WINDOWS; on a GPU also INSERTION, GLOBAL                      */
    uint32_t reserved;  /* 0                                                                     */
    void    *stream;    /* for ORDO_ON_DEVICE                                                    */
    const void *source; /* ordo_sort: the array to read; NULL: sort keys in place                */
    const ordo_segments *segments; /* many arrays in one call; NULL: one (ordo_segments.h)       */
} ordo_sort_opts;

/* Sorts keys[0..n) in place. All algorithms write the same bytes: -0 before +0 (descending: after
 * it), NaNs last, with their bit patterns, in the order of their key bits.
 * AUTO first inspects a part of the array and then uses the cheapest method for keys that are
 * sorted, reversed, in few runs or roughly sorted, or else the general one. ordo_report says which.
 * SAMPLE and INTERVALS with ORDO_HYBRID are the hybrid sample sort: the CPU and the GPUs label,
 * count, scatter and sort their parts at the same time (from 9 keys on; fewer are sorted by the
 * CPU). ordo_facts has the times of the four phases, and of few keys the labels.
 * A radius that is too small is detected, and the array is sorted nevertheless. A radius that is
 * not below n is an error, unless n is 0.
 * With opts.source, ordo_sort reads n keys from there and writes only keys, as if it sorted a copy
 * but without the time of the copy. source and keys must not overlap. After any error keys is
 * unspecified.
 * If scratch is refused, AUTO and RADIX sort in place, which is slower: they never return
 * ORDO_E_NOMEM. BITONIC, BUBBLE, and ROUGH and HALVING with a radius need no scratch for keys of
 * 32 and 64 bits. All other cases may return ORDO_E_NOMEM.
 * After ORDO_E_CANCELLED ordo_last_error() says whether keys is unchanged or unspecified. If a GPU
 * fails while the result is copied back, the CPU sorts the array; with SAMPLE, and in a context
 * for the GPU only, the call returns ORDO_E_DEVICE, and keys is unspecified. After any other error
 * keys is unchanged.                                                                             */
ORDO_MUST ordo_status ordo_sort(ordo_ctx *ctx, ordo_type type, void *keys, size_t n,
                                const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_sort_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                        const ordo_sort_opts *opts, size_t *bytes);

/* Sorts keys and moves values[i] with keys[i]. Tied keys (all NaNs; -0 and +0) keep their order,
 * with every algorithm. value_size is 1 to 16 bytes; values need no alignment. The arrays must not
 * overlap. Errors are as in ordo_sort, for both arrays. If scratch is refused, AUTO and RADIX sort
 * in place; the other algorithms return ORDO_E_NOMEM.                                            */
ORDO_MUST ordo_status ordo_sort_pairs(ordo_ctx *ctx, ordo_type type, void *keys, size_t n,
                                      void *values, size_t value_size, const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_sort_pairs_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                              size_t value_size, const ordo_sort_opts *opts,
                                              size_t *bytes);

/* Writes the order of the keys: keys[index[0]] is the first key, keys[index[n-1]] the last. Tied
 * keys are in the order of their indices. index_type is ORDO_U32 (n <= 2^32) or ORDO_U64. The
 * arrays must not overlap. If scratch is refused, AUTO and RADIX sort the index in place; the other
 * algorithms return ORDO_E_NOMEM. After ORDO_E_CANCELLED, and after ORDO_E_DEVICE in a context for
 * the GPU only, index is unspecified.                                                            */
ORDO_MUST ordo_status ordo_argsort(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                   ordo_type index_type, void *index, const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_argsort_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                           ordo_type index_type, const ordo_sort_opts *opts,
                                           size_t *bytes);

/* ---- Rank ------------------------------------------------------------------------------- */

typedef struct ordo_rank_opts {
    size_t   struct_size;
    uint64_t flags;     /* ORDO_DESCENDING; ordo_rank_sorted: also ORDO_CHECK                    */
    uint32_t ties;      /* an ordo_ties                                                          */
    uint32_t algorithm; /* ordo_rank: as ordo_sort. ordo_rank_sorted: AUTO; SEQUENTIAL: one loop;
                         * THREADS: one segment per thread, its first rank by binary search;
                         * NAIVE, SHUFFLE, HYBRID: on a GPU                                      */
    void    *stream;    /* for ORDO_ON_DEVICE                                                    */
    const ordo_segments *segments; /* many arrays in one call; NULL: one (ordo_segments.h)       */
    const void *weights; /* ordo_rank: of the keys; NULL: all 1. See ordo_windows.h              */
    uint32_t weight_type, reserved; /* of weights: an ordo_type, 0 without; reserved is 0        */
} ordo_rank_opts;

/* Ranks the keys of an array in any order: ranks[i] is the 1-based rank of keys[i]; with
 * ORDO_DESCENDING the largest key has rank 1. NaNs come last and tie. rank_type is ORDO_U32
 * (n < 2^32), ORDO_U64 or ORDO_F64; ORDO_TIES_AVERAGE needs ORDO_F64. The arrays must not overlap.
 * Needs scratch for two records of 8 or 16 bytes per key. After ORDO_E_CANCELLED and ORDO_E_DEVICE
 * ranks is unspecified.                                                                          */
ORDO_MUST ordo_status ordo_rank(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                ordo_type rank_type, void *ranks, const ordo_rank_opts *opts);
ORDO_MUST ordo_status ordo_rank_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                        ordo_type rank_type, const ordo_rank_opts *opts,
                                        size_t *bytes);

/* Ranks the keys of a sorted array: ranks[i] is the 1-based rank of sorted[i]. rank_type is as in
 * ordo_rank. The arrays must not overlap. If the array is not sorted and ORDO_CHECK is not set, the
 * ranks are unspecified. After ORDO_E_CANCELLED ranks is unspecified; after other errors it is
 * unchanged.                                                                                     */
ORDO_MUST ordo_status ordo_rank_sorted(ordo_ctx *ctx, ordo_type type, const void *sorted, size_t n,
                                       ordo_type rank_type, void *ranks,
                                       const ordo_rank_opts *opts);
ORDO_MUST ordo_status ordo_rank_sorted_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                               ordo_type rank_type, const ordo_rank_opts *opts,
                                               size_t *bytes);

/* ---- Select ----------------------------------------------------------------------------- */

typedef enum ordo_nans {    /* how a selection treats NaNs                                      */
    ORDO_NANS_LAST = 0,     /* as keys after all other keys                                     */
    ORDO_NANS_OMIT = 1,     /* ignored; n is the number of the other keys                       */
    ORDO_NANS_PROPAGATE = 2 /* if a key is NaN, every result is NaN                             */
} ordo_nans;

typedef struct ordo_select_opts {
    size_t   struct_size;
    uint64_t flags;     /* ORDO_DESCENDING: count from the largest key                           */
    uint32_t nans;      /* an ordo_nans                                                          */
    uint32_t algorithm; /* AUTO: brackets from a sample, then one pass; RADIX: digit by digit;
                         * BITONIC, MERGE: by sorted sub-arrays, see below                       */
    void    *stream;    /* for ORDO_ON_DEVICE                                                    */
    uint64_t sub_array; /* BITONIC, MERGE: keys of a sub-array, 2, 4, 8, ...; default 1024       */
    const ordo_segments *segments; /* many arrays in one call; NULL: one (ordo_segments.h)       */
} ordo_select_opts;

/* Writes the k[j]-th key in order to out[j]; k[j] = 0 is the first key. The k may be in any order
 * and may repeat. If -0 and +0, or NaNs with different bits, compete for a place, the result is the
 * key that ordo_sort puts there. ORDO_E_ARG if a k[j] is not below n (with ORDO_NANS_OMIT: not
 * below the number of keys that are not NaN). out must not overlap other arrays.
 * BITONIC and MERGE cut a copy of the array into sub-arrays of opts.sub_array keys and sort each
 * sub-array by a bitonic network. BITONIC is the method of B. Alyafi and F. Khalid, "Median Element
 * Parallelized Search": one thread of the host then merges all sub-arrays at once and searches the
 * heads of all sub-arrays for each key. That takes n * n / sub_array comparisons: seconds for 2^20
 * keys. MERGE merges pairs of sub-arrays in parallel, in lg(n / sub_array) passes. On a
 * GPU one thread block sorts a sub-array in shared memory, so sub_array is at most 2048. Both need
 * scratch for two copies of the keys as integers of 4 or 8 bytes and return ORDO_E_NOMEM if it is
 * refused. The report has the times of sorting and merging.                                      */
ORDO_MUST ordo_status ordo_select(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                  const size_t *k, size_t count, void *out,
                                  const ordo_select_opts *opts);
ORDO_MUST ordo_status ordo_select_scratch(ordo_ctx *ctx, ordo_type type, size_t n, size_t count,
                                          const ordo_select_opts *opts, size_t *bytes);

/* Splits the keys around the k-th key in order, which becomes out[k]. The keys that are less than
 * out[k] come first, then the keys that tie with it, then the others. Each of the three groups
 * keeps its order. index[i] is the index in keys of the key that is out[i].
 * With ORDO_ANY_ORDER, which may be faster, out[k] ties with that key, no key before it is greater
 * and no key after it is less. The order is otherwise not specified: it depends on the instruction
 * set, the number of threads, the device and the memory limit.
 * out and index may be NULL; if both are, only the arguments are checked. ORDO_E_ARG if k is not
 * below n; with segments, k must be below the length of every segment. Offsets on a GPU are not
 * checked: a segment of at most k keys keeps its order. Of opts only ORDO_DESCENDING,
 * ORDO_ANY_ORDER, ORDO_ON_DEVICE, stream and segments. out and index must not overlap other
 * arrays.                                                                                        */
ORDO_MUST ordo_status ordo_nth(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t k,
                               void *out, ordo_type index_type, void *index,
                               const ordo_select_opts *opts);
ORDO_MUST ordo_status ordo_nth_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                       const ordo_select_opts *opts, size_t *bytes);

typedef enum ordo_method {   /* definitions of a quantile: 1 to 9 are types 1 to 9 of Hyndman and
                              * Fan; ordo_method_parse accepts NumPy's names                     */
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
    ORDO_METHOD_NEAREST = 13,
    ORDO_METHOD_HALF_SUM = 14 /* midpoint, computed as (a + b) / 2: numpy.median's rounding      */
} ordo_method;
ORDO_API int         ordo_method_parse(const char *name); /* 0 if unknown                         */
ORDO_API const char *ordo_method_name(ordo_method method); /* "linear"; NULL if unknown           */

typedef struct ordo_quantile_opts {
    size_t   struct_size;
    uint64_t flags;     /* ORDO_ON_DEVICE                                                        */
    uint32_t nans;      /* an ordo_nans                                                          */
    uint32_t method;    /* an ordo_method                                                        */
    uint32_t algorithm; /* as ordo_select                                                        */
    uint32_t reserved;  /* 0                                                                     */
    void    *stream;    /* for ORDO_ON_DEVICE                                                    */
    uint64_t sub_array; /* as ordo_select                                                        */
    const ordo_segments *segments; /* many arrays in one call; NULL: one (ordo_segments.h)       */
    const void *weights; /* of the keys; NULL: all 1. See ordo_windows.h                     */
    uint32_t weight_type, reserved2; /* of weights: an ordo_type, 0 without; reserved2 is 0      */
} ordo_quantile_opts;

/* Writes the q[j]-quantile of the keys to out[j], 0 <= q[j] <= 1, as f64 for every type. All q
 * share one pass. A median is the quantile of q = 0.5, byte for byte: here, with weights, of
 * groups, of windows, of files and of many processes; its method is linear or HALF_SUM. If there
 * are no keys (n == 0, or all are NaN and omitted), the result is NaN. 64-bit integers are first
 * rounded to the nearest f64, which is exact up to 2^53. A result lies between its two neighbouring
 * keys, so quantiles of finite keys are finite. If a neighbour is infinite, the result is that
 * infinity, and next to a NaN (ORDO_NANS_LAST) it is NaN, unless the other neighbour has all the
 * weight; between -inf and +inf it is NaN. A result of 0 is +0.                                  */
ORDO_MUST ordo_status ordo_quantiles(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                     const double *q, size_t count, double *out,
                                     const ordo_quantile_opts *opts);
ORDO_MUST ordo_status ordo_median(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                  double *out, const ordo_quantile_opts *opts);

/* Writes the first k keys in order and their indices: values[0] is the smallest key (with
 * ORDO_DESCENDING the largest). Tied keys are in the order of their indices, and NaNs are last
 * (nans: LAST or OMIT). values or index may be NULL. index_type is ORDO_U32 (n <= 2^32) or
 * ORDO_U64. *found (may be NULL) gets the number of results: k, or fewer if n is smaller or NaNs
 * were omitted. Elements after that number are not written.                                      */
ORDO_MUST ordo_status ordo_topk(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t k,
                                void *values, ordo_type index_type, void *index, size_t *found,
                                const ordo_select_opts *opts);
ORDO_MUST ordo_status ordo_topk_scratch(ordo_ctx *ctx, ordo_type type, size_t n, size_t k,
                                        const ordo_select_opts *opts, size_t *bytes);

/* ---- Scan ------------------------------------------------------------------------------- */

typedef struct ordo_scan_opts {
    size_t   struct_size;
    uint64_t flags;     /* ORDO_EXCLUSIVE                                                        */
    void    *stream;    /* for ORDO_ON_DEVICE                                                    */
    uint32_t algorithm; /* AUTO; BALLOT, SHARED: on a GPU, see each call                         */
    uint32_t reserved;  /* 0                                                                     */
    const ordo_segments *segments; /* many arrays in one call; NULL: one (ordo_segments.h)       */
} ordo_scan_opts;

/* Prefix sums, products, minima or maxima: out[i] = in[0] op ... op in[i] (exclusive: op in[i-1]).
 * out_type is type; for sums and products also the 64-bit type of the same kind (i8..i32 -> i64,
 * u8..u32 -> u64, f32 -> f64). Integer sums and products wrap modulo 2^width. The order of float
 * additions depends only on n, so the bytes are the same for any number of threads and any ISA.
 * Floats are multiplied one by one, so the bytes of products are the same on every backend, and a
 * long row is not faster with many threads or on a GPU. A NaN is the default NaN.
 * Minima and maxima use the order of the key bits: -0 below +0, NaN above +inf. The first result of
 * an exclusive scan is 0 for sums, 1 for products, the largest value or +inf for minima, and the
 * smallest value or -inf for maxima. out == in is allowed if the types are equal; any other overlap
 * is an error. After ORDO_E_CANCELLED out is unspecified, and so is in if out == in.
 * BALLOT scans 32-bit integers on a GPU with one ballot for each of their bits, one element per
 * thread: sums of i32 to i32 and of u32 to u32 (future work of the poster at ordo_scan_bits).    */
ORDO_MUST ordo_status ordo_scan(ordo_ctx *ctx, ordo_op op, ordo_type type, const void *in, size_t n,
                                ordo_type out_type, void *out, const ordo_scan_opts *opts);
ORDO_MUST ordo_status ordo_scan_scratch(ordo_ctx *ctx, ordo_op op, ordo_type type, size_t n,
                                        ordo_type out_type, const ordo_scan_opts *opts,
                                        size_t *bytes);

/* Binary prefix sum: counts[i] = number of set flags among the first i+1 (exclusive: among the
 * first i). count_type is ORDO_U32 (n < 2^32) or ORDO_U64. With counts == NULL only the total is
 * computed; total may be NULL. The arrays must not overlap.
 * BALLOT and SHARED run on a GPU, one flag per thread, and differ only in the scan of a block.
 * BALLOT is the method of D. Whittaker, A. Skjellum and P. Bangalore, "Ballot Counting for Optimal
 * Binary Prefix Sum": a ballot, a lane mask and a population count. SHARED is the scan in shared
 * memory that this poster compares with.                                                         */
ORDO_MUST ordo_status ordo_scan_bits(ordo_ctx *ctx, ordo_flags_kind kind, const void *flags,
                                     size_t n, ordo_type count_type, void *counts, uint64_t *total,
                                     const ordo_scan_opts *opts);
ORDO_MUST ordo_status ordo_scan_bits_scratch(ordo_ctx *ctx, ordo_flags_kind kind, size_t n,
                                             ordo_type count_type, const ordo_scan_opts *opts,
                                             size_t *bytes);

/* ---- Partition -------------------------------------------------------------------------- */

typedef struct ordo_partition_opts {
    size_t   struct_size;
    uint64_t flags;  /* ORDO_UNSET_FIRST                                                          */
    void    *stream; /* for ORDO_ON_DEVICE                                                    */
} ordo_partition_opts;

/* Stable partition: the elements of in whose flag is set come first in out, then the others. Both
 * groups keep their order. elem_size is 1 to 16 bytes; elements need no alignment. *n_first
 * (may be NULL) gets the size of the first group. out must not overlap flags or in. After
 * ORDO_E_CANCELLED out is unspecified.                                                           */
ORDO_MUST ordo_status ordo_partition(ordo_ctx *ctx, ordo_flags_kind kind, const void *flags,
                                     const void *in, size_t n, size_t elem_size, void *out,
                                     size_t *n_first, const ordo_partition_opts *opts);
ORDO_MUST ordo_status ordo_partition_scratch(ordo_ctx *ctx, ordo_flags_kind kind, size_t n,
                                             size_t elem_size, const ordo_partition_opts *opts,
                                             size_t *bytes);

/* memcpy by all threads of the context; benchmarks compare results with this physical limit.     */
ORDO_MUST ordo_status ordo_copy(ordo_ctx *ctx, void *dst, const void *src, size_t bytes);

#ifdef __cplusplus
}
#endif

#include "ordo_gen.h"
#include "ordo_groups.h"
#include "ordo_measure.h"
#include "ordo_records.h"
#include "ordo_sets.h"
#include "ordo_strings.h"
#include "ordo_windows.h"

#endif
