/* ordo_dist.h - one array over many processes: sort, rank, select and scan the keys of all ranks.
 *
 * Ranks     Every rank of a group calls the same function with the same arguments, except keys, n
 *           and result arrays. The global array is the keys of rank 0, then those of rank 1, and so
 *           on. n may differ and may be 0.
 * Transport The library does not know a network. An ordo_comm is a table of functions that move
 *           bytes between the ranks: ordo_mpi.h fills one from an MPI communicator, and
 *           ordo_dist_threads runs ranks as threads of one process.
 * Results   The bytes that one process with the global array would get, for any number of ranks,
 *           except float sums of ordo_dist_scan. Each rank gets its part.
 * Failure   All ranks return the same status. The message of ordo_last_error names the first rank
 *           that failed and its reason. If the transport itself fails, all ranks return ORDO_E_IO.
 *           Arrays that a call sorts in place then hold the keys that they held before, perhaps in
 *           another order; after ORDO_E_IO on another rank's side only, they may already be sorted.
 *           A wrong ctx or comm (NULL, a rank outside the group) is an error of one rank alone: the
 *           others wait for it. Other result arrays are unspecified after a failure.
 * Memory    Beside the caller's arrays a rank takes its elements twice for the exchange (n to send,
 *           and what it receives), and the scratch of the call in memory (ordo_sort, ordo_rank) on
 *           its part. ordo_dist_rank also takes 2 bytes for each key, selections up to n / 8 keys.
 * Arrays    are host memory, or with ORDO_ON_DEVICE memory of the context's GPU, on every rank. The
 *           work on a rank's part runs on the devices of its context. Calls on GPU arrays wait for
 *           their results; k, q, results of quantiles and single results are host memory. The GPU
 *           also holds a sorted copy of the part (ranks: two, indices and ranks; selections: n / 8
 *           numbers of 8 bytes; ordo_dist_topk: k keys and indices). */
#ifndef ORDO_DIST_H
#define ORDO_DIST_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Transport ---- */

/* The functions return 0, or another value after a failure, which ends the call on every rank that
 * notices it. All ranks call the same functions in the same sequence, from the thread that made the
 * call of the library. */
typedef struct ordo_comm {
    size_t  struct_size;
    int32_t rank, size; /* 0 <= rank < size <= 16384                                           */
    void   *user;       /* the first argument of every function                                */

    /* Rank r gives bytes_of[r] bytes at `mine`; `all` gets the bytes of all ranks in the order of
     * ranks. bytes_of is the same on every rank.                                              */
    int (*allgather)(void *user, const void *mine, const uint64_t *bytes_of, void *all);
    /* Replaces each value by its sum over all ranks, modulo 2^64.                             */
    int (*sum)(void *user, uint64_t *values, size_t count);
    /* Replaces each value by its sum over the ranks before this one.                          */
    int (*prefix)(void *user, uint64_t *values, size_t count);
    /* Sends send_bytes[r] bytes at send + send_at[r] to rank r, for every r, and receives
     * receive_bytes[r] bytes from rank r at receive + receive_at[r]. Sizes agree on both sides.
     * Pieces of more than 2^31 bytes are allowed.                                             */
    int (*exchange)(void *user, const char *send, const uint64_t *send_at,
                    const uint64_t *send_bytes, char *receive, const uint64_t *receive_at,
                    const uint64_t *receive_bytes);
    /* Called once by a rank whose transport failed: the functions of the other ranks should fail
     * soon. May be NULL.                                                                      */
    void (*give_up)(void *user);
    /* Not 0: send and receive of `exchange` may be GPU memory, as with a CUDA-aware MPI. 0: the
     * library copies GPU arrays through pinned host memory, a part at a time. */
    uint64_t moves_device_memory;
} ordo_comm;

/* Runs `body` on `ranks` threads, each with its own rank of one group, and returns when all have
 * ended. A rank makes its own context. A rank that ends early makes the functions of the others
 * fail. ORDO_E_ARG, ORDO_E_NOMEM: nothing ran. */
ORDO_MUST ordo_status ordo_dist_threads(int32_t ranks, void (*body)(void *user, ordo_comm *comm),
                                        void   *user);

/* ---- Options and report ---- */

typedef struct ordo_dist_report {
    size_t   struct_size;
    uint64_t total;      /* keys of all ranks                                                  */
    uint64_t offset;     /* keys of the ranks before this one                                  */
    uint64_t rounds;     /* collective rounds of the search for cuts                           */
    uint64_t collective; /* bytes that this rank gave to allgather, sum and prefix             */
    uint64_t moved;      /* bytes that this rank sent to other ranks by exchange               */
    uint64_t kept;       /* keys that the search for cuts looked at again                      */
    double   cut_seconds, scatter_seconds, exchange_seconds, local_seconds;
    double   merge_seconds; /* of sorts: merging what came from the other ranks                */
    uint64_t spilled;   /* bytes that this rank wrote to temporary files                       */
    uint64_t exchanges; /* rounds of an exchange through temporary files; 0: there were none   */
} ordo_dist_report;

typedef struct ordo_dist_opts {
    size_t   struct_size;
    uint64_t flags; /* ORDO_DESCENDING, ORDO_ON_DEVICE; ordo_dist_scan: ORDO_EXCLUSIVE          */
    /* ordo_dist_sort, ordo_dist_sort_pairs: where the result goes; NULL: in place, and every rank
     * keeps its n. With `out` this rank gets n_out keys (any counts that add up to the total; see
     * ordo_dist_counts), and the keys are unchanged.                                           */
    void             *out, *out_values;
    size_t            n_out;
    ordo_dist_report *report; /* NULL: not wanted                                               */
    void             *stream; /* for ORDO_ON_DEVICE                                             */
    /* ordo_dist_sort, ordo_dist_sort_pairs: a folder on a local disk, which may differ between
     * ranks. If the scratch of the sort exceeds the context's mem_limit on any rank, all ranks sort
     * again through temporary files without a name in this folder. Then a rank holds at most
     * mem_limit bytes beside the caller's arrays; mem_limit must be at least 9 MiB. The files take
     * up to twice the bytes of the rank's elements; their pages in memory are cache of the file
     * system. NULL on all ranks: such a call returns ORDO_E_NOMEM. A folder in memory (tmpfs) is
     * refused without the flag ORDO_SPILL_IN_MEMORY of ordo_external.h. NULL for GPU arrays.     */
    const char *directory;
} ordo_dist_opts;

/* Each result may be NULL: the keys of all ranks, the keys before this rank, and this rank's part
 * if all parts are equal (the first ranks have one more if the total is not a multiple). */
ORDO_MUST ordo_status ordo_dist_counts(ordo_ctx *ctx, const ordo_comm *comm, size_t n,
                                       uint64_t *total, uint64_t *offset, size_t *equal_part);

/* ---- Verbs: as those of ordo.h, on the global array ---- */

/* Sorts the global array: rank r gets the keys at its places. */
ORDO_MUST ordo_status ordo_dist_sort(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                     void *keys, size_t n, const ordo_dist_opts *opts);
/* The same with a value of value_size bytes for each key. Ties keep their sequence. */
ORDO_MUST ordo_status ordo_dist_sort_pairs(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                           void *keys, size_t n, void *values, size_t value_size,
                                           const ordo_dist_opts *opts);
/* index[i] is the global index of the key that belongs to the i-th place of this rank. index_type
 * is ORDO_U32 (at most 2^32 keys in all) or ORDO_U64. */
ORDO_MUST ordo_status ordo_dist_argsort(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                        const void *keys, size_t n, ordo_type index_type,
                                        void *index, const ordo_dist_opts *opts);
/* ranks[i] is the 1-based rank of keys[i] in the global array. */
ORDO_MUST ordo_status ordo_dist_rank(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                     const void *keys, size_t n, ordo_ties ties,
                                     ordo_type rank_type, void *ranks, const ordo_dist_opts *opts);

/* Every rank gets all results. The keys are read about once. */
ORDO_MUST ordo_status ordo_dist_select(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                       const void *keys, size_t n, const uint64_t *k, size_t count,
                                       void *out, const ordo_dist_opts *opts);
ORDO_MUST ordo_status ordo_dist_quantiles(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                          const void *keys, size_t n, const double *q, size_t count,
                                          double *out, ordo_nans nans, ordo_method method,
                                          const ordo_dist_opts *opts);
ORDO_MUST ordo_status ordo_dist_median(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                       const void *keys, size_t n, double *out, ordo_nans nans,
                                       const ordo_dist_opts *opts);
/* The first k keys in order and their global indices, on every rank. values or index may be NULL.
 * *found (may be NULL) gets k, or the total if it is smaller. */
ORDO_MUST ordo_status ordo_dist_topk(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                     const void *keys, size_t n, size_t k, void *values,
                                     uint64_t *index, size_t *found, const ordo_dist_opts *opts);

/* Prefix sums, minima or maxima of the global array. The order of float additions depends on the
 * counts of the ranks, so the last bits of float sums may differ from those of one process. */
ORDO_MUST ordo_status ordo_dist_scan(ordo_ctx *ctx, const ordo_comm *comm, ordo_op op,
                                     ordo_type type, const void *in, size_t n, ordo_type out_type,
                                     void *out, const ordo_dist_opts *opts);
/* *sorted = 1 if the global array is sorted, else 0. *where (may be NULL) gets the smallest global
 * i with key i before key i - 1, or the total. */
ORDO_MUST ordo_status ordo_dist_is_sorted(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                          const void *keys, size_t n, int *sorted, uint64_t *where,
                                          const ordo_dist_opts *opts);
/* The number of different keys; -0 and +0 are the same key, and so are all NaNs. */
ORDO_MUST ordo_status ordo_dist_unique_count(ordo_ctx *ctx, const ordo_comm *comm, ordo_type type,
                                             const void *keys, size_t n, uint64_t *count,
                                             const ordo_dist_opts *opts);

#ifdef __cplusplus
}
#endif

#include "ordo_dist_strings.h"

#endif
