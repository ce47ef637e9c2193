/* ordo_sets.h - the distinct keys of an array, and searches in a sorted array. ordo.h includes this
 * file. The rules of ordo.h apply. The arrays are CPU arrays, and the CPU does the work. */
#ifndef ORDO_SETS_H
#define ORDO_SETS_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the distinct keys of keys[0..n) to out in the order of ordo_sort, and their number to
 * *count. Tied keys (-0 and +0, all NaNs) are one key: the one that ordo_sort puts first. out has
 * room for n keys and must not overlap keys; the places after the last distinct key are
 * unspecified. opts: only ORDO_DESCENDING.
 * If a quarter of the keys of a sample occur in it more than once, one read of the keys drops those
 * that are in a table of the sample's values, and only the rest is sorted. Otherwise all keys are.
 * Needs the scratch of ordo_sort and at most 512 KiB. After ORDO_E_CANCELLED out is unspecified. */
ORDO_MUST ordo_status ordo_unique(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                                  void *out, size_t *count, const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_unique_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                          const ordo_sort_opts *opts, size_t *bytes);

typedef enum ordo_side { /* of the keys that tie with a needle */
    ORDO_SIDE_LEFT = 0,
    ORDO_SIDE_RIGHT = 1
} ordo_side;

typedef struct ordo_search_opts {
    size_t   struct_size;
    uint64_t flags;    /* ORDO_DESCENDING: `sorted` is in descending order                       */
    uint32_t side;     /* an ordo_side                                                           */
    uint32_t reserved; /* 0                                                                      */
} ordo_search_opts;

/* index[i] = the number of keys of sorted[0..n) that come before needles[i]; with ORDO_SIDE_RIGHT
 * also those that tie with it. -0 ties with +0, and NaNs tie with each other and come last. sorted
 * must be in the order of ordo_sort, or the results are unspecified numbers from 0 to n. Needles
 * may have any order; searches are faster where 256 neighbours are in order. index_type is ORDO_U32
 * (n < 2^32) or ORDO_U64. index must not overlap the other arrays. Needs at most 32 KiB of scratch,
 * and none if that is refused. After ORDO_E_CANCELLED index is unspecified. */
ORDO_MUST ordo_status ordo_search(ordo_ctx *ctx, ordo_type type, const void *sorted, size_t n,
                                  const void *needles, size_t count, ordo_type index_type,
                                  void *index, const ordo_search_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
