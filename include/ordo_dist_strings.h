/* ordo_dist_strings.h - strings over many processes: sort, rank and select the strings of all
 * ranks. ordo_dist.h includes this file.
 *
 * The rules of ordo_dist.h and ordo_strings.h apply: the global array is the strings of rank 0,
 * then those of rank 1, and so on, and the results are those of one process. Strings have one of
 * the two forms of ordo_strings, which may differ between ranks. The only flag is ORDO_DESCENDING.
 * opts.out, opts.out_values and opts.n_out are not used: NULL, NULL and 0.
 * Memory    Beside the caller's arrays a rank takes up to 16 bytes for each of its strings. Sort,
 *           argsort, rank and unique_count also take the bytes and 12 bytes for each string that it
 *           sends and receives, selections the bytes and 32 bytes for each string that they sort.
 *           Each step adds the scratch of ordo_argsort_strings or ordo_sort_strings. Strings of the
 *           form with pointers are copied first. */
#ifndef ORDO_DIST_STRINGS_H
#define ORDO_DIST_STRINGS_H

#include "ordo_dist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a call writes strings. Only the call finds out how many bytes they have, so it asks the
 * caller for memory. The memory belongs to the caller, also after a failure. */
typedef struct ordo_dist_text {
    size_t    struct_size;
    size_t    n;       /* sort: strings that this rank gets; the sum over all ranks is the total */
    uint64_t *offsets; /* room for one more than the number of strings; offsets[0] becomes 0     */
    /* Returns memory for all bytes of the strings. Called once, on the thread of the call, before
     * any result is written. NULL: there is no memory, and every rank returns ORDO_E_NOMEM; NULL is
     * accepted if `bytes` is 0.                                                                 */
    char *(*take)(void *user, uint64_t bytes);
    void *user;
} ordo_dist_text;

/* Sorts the global array: rank r gets the out->n strings at its places. The strings are only
 * read. */
ORDO_MUST ordo_status ordo_dist_sort_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                             const ordo_strings *strings, size_t n,
                                             const ordo_dist_text *out, const ordo_dist_opts *opts);
/* index[i] is the global index of the string that belongs to the i-th place of this rank. Ties keep
 * their sequence. index_type is ORDO_U32 (at most 2^32 strings in all) or ORDO_U64. */
ORDO_MUST ordo_status ordo_dist_argsort_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                                const ordo_strings *strings, size_t n,
                                                ordo_type index_type, void *index,
                                                const ordo_dist_opts *opts);
/* ranks[i] is the 1-based rank of string i in the global array. */
ORDO_MUST ordo_status ordo_dist_rank_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                             const ordo_strings *strings, size_t n, ordo_ties ties,
                                             ordo_type rank_type, void *ranks,
                                             const ordo_dist_opts *opts);

/* The next four give all results to every rank: index[j] gets the global index of result j, and
 * `out` the strings. Either may be NULL. out->n is not used. Equal strings are in the order of
 * their global indices. Every rank sorts its strings near the results, or all if they are few. */

/* Result j is the k[j]-th string in order; k[j] = 0 is the first. */
ORDO_MUST ordo_status ordo_dist_select_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                               const ordo_strings *strings, size_t n,
                                               const uint64_t *k, size_t count, uint64_t *index,
                                               const ordo_dist_text *out,
                                               const ordo_dist_opts *opts);
/* Result j is the q[j]-quantile. Strings have no mean, so `method` is one that returns a string of
 * the array: ORDO_METHOD_INVERTED_CDF (also ORDO_METHOD_DEFAULT), ORDO_METHOD_CLOSEST_OBSERVATION,
 * ORDO_METHOD_LOWER, ORDO_METHOD_HIGHER or ORDO_METHOD_NEAREST. ORDO_E_ARG without strings. */
ORDO_MUST ordo_status ordo_dist_quantiles_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                                  const ordo_strings *strings, size_t n,
                                                  const double *q, size_t count, ordo_method method,
                                                  uint64_t *index, const ordo_dist_text *out,
                                                  const ordo_dist_opts *opts);
/* The median; of an even number of strings the first of the two in the middle. One result. */
ORDO_MUST ordo_status ordo_dist_median_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                               const ordo_strings *strings, size_t n,
                                               uint64_t *index, const ordo_dist_text *out,
                                               const ordo_dist_opts *opts);
/* The first k strings in order. *found (may be NULL) gets k, or the total if it is smaller. */
ORDO_MUST ordo_status ordo_dist_topk_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                             const ordo_strings *strings, size_t n, size_t k,
                                             uint64_t *index, const ordo_dist_text *out,
                                             size_t *found, const ordo_dist_opts *opts);

/* *sorted = 1 if the global array is sorted, else 0. *where (may be NULL) gets the smallest global
 * i with string i before string i - 1, or the total. */
ORDO_MUST ordo_status ordo_dist_is_sorted_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                                  const ordo_strings *strings, size_t n,
                                                  int *sorted, uint64_t *where,
                                                  const ordo_dist_opts *opts);
/* The number of different strings. */
ORDO_MUST ordo_status ordo_dist_unique_count_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                                     const ordo_strings *strings, size_t n,
                                                     uint64_t *count, const ordo_dist_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
