/* ordo_strings.h - sort, rank and select strings. ordo.h includes this file. The rules of ordo.h
 * apply. */
#ifndef ORDO_STRINGS_H
#define ORDO_STRINGS_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* n strings of bytes, in one of two forms; the pointers of the other form are NULL. Strings are
 * compared byte by byte as unsigned numbers; a prefix comes before the longer string. In the first
 * form a string may contain any byte. After ORDO_E_CANCELLED results are unspecified, except that
 * ordo_sort_pointers leaves its array unchanged.                                                 */
typedef struct ordo_strings {
    size_t             struct_size;
    const char        *bytes;    /* string i is bytes[offsets[i] .. offsets[i + 1])               */
    const uint64_t    *offsets;  /* n + 1, not decreasing; a string is shorter than 2^32 bytes    */
    const char *const *pointers; /* or: n strings that end with a zero byte                       */
} ordo_strings;

/* Writes the order of the strings, as ordo_argsort does. The time is bounded by the number of bytes
 * needed to tell the strings apart; each is read a few times.
 * Algorithms of this call and of the next three: AUTO and SAMPLE, with the same result. SAMPLE is
 * the sample sort of ordo_sort on the strings' first 7 bytes; the CPU then sorts strings with equal
 * beginnings. With ORDO_HYBRID the CPU takes the share cpu_share of the strings, by position, from
 * 1024 strings on. SAMPLE takes 50 bytes of scratch per string on the CPU, about 70 with GPUs, and
 * returns ORDO_E_NOMEM if they are refused.                                                      */
ORDO_MUST ordo_status ordo_argsort_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                                           ordo_type index_type, void *index,
                                           const ordo_sort_opts *opts);
/* Writes the strings in order to out_bytes (offsets[n] - offsets[0] bytes) and out_offsets[0..n].
 * For the first form only. The arrays must not overlap.                                          */
ORDO_MUST ordo_status ordo_sort_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                                        char *out_bytes, uint64_t *out_offsets,
                                        const ordo_sort_opts *opts);
/* Sorts strings of the second form in place: puts the pointers in the order of their strings.    */
ORDO_MUST ordo_status ordo_sort_pointers(ordo_ctx *ctx, const char **pointers, size_t n,
                                         const ordo_sort_opts *opts);
ORDO_MUST ordo_status ordo_rank_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                                        ordo_type rank_type, void *ranks,
                                        const ordo_rank_opts *opts);
/* index[j] gets the index of the k[j]-th string in order; k[j] = 0 is the first string. Equal
 * strings are in the order of their indices. The only algorithm is AUTO.                         */
ORDO_MUST ordo_status ordo_select_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                                          const size_t *k, size_t count, uint64_t *index,
                                          const ordo_sort_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
