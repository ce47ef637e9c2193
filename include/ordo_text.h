/* ordo_text.h - text indexes: suffix array, LCP, Burrows-Wheeler transform, FM-index.
 *
 * Text      n bytes of any value. Behind the last byte there is a virtual sentinel that is less
 *           than every byte, so a suffix that is a prefix of another suffix comes before it.
 * Texts     With opts.offsets the n bytes are many texts, one after the other. Each has its own
 *           sentinel, and the sentinel of an earlier text is less. So no comparison goes beyond
 *           the end of a text, and equal suffixes are in the order of the texts. A position is an
 *           index of the n bytes.
 * Rows      The n + 1 suffixes in order, with that of the sentinel alone, are rows 0 to n. Row 0 is
 *           the sentinel, and row i + 1 is the suffix sa[i].
 * BWT       The byte before each row's suffix, in the order of the rows. The row of the whole text
 *           has no byte before it: it is left out of the n bytes, and its number, 1 to n, is the
 *           primary index; for n == 0 it is 0. libdivsufsort and libsais use the same convention.
 * Arrays    CPU memory; ORDO_ON_DEVICE gives ORDO_E_UNSUPPORTED. Indices are ORDO_U32 (n < 2^32) or
 *           ORDO_U64. Scratch per byte of text is stated with each call for indices of 4 bytes; it
 *           doubles for indices of 8 bytes. u32 indices of 2^31 bytes or more are computed as u64.
 * Results   The same bytes for any number of threads and for every algorithm.
 *
 *     uint32_t sa[6];
 *     ordo_suffix_array(ctx, "banana", 6, ORDO_U32, sa, NULL);          // 5 3 1 0 4 2          */
#ifndef ORDO_TEXT_H
#define ORDO_TEXT_H

#include "ordo.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ordo_text_algorithm {
    ORDO_TEXT_AUTO = 0,     /* the fastest: INDUCED                                             */
    ORDO_TEXT_INDUCED = 1,  /* induced sorting; linear time                                     */
    ORDO_TEXT_DOUBLING = 2, /* prefix doubling by radix sorts; n lg n; fewer than 2^32 bytes    */
    ORDO_TEXT_MSD = 3       /* a bit at a time from the most significant one, only among suffixes
                             * that still tie; time n times the mean common prefix, in bits.
                             * The method that the poster named at ordo_scan_bits suggests.
                             * Fewer than 2^32 bytes                                            */
} ordo_text_algorithm;

typedef struct ordo_text_opts {
    size_t   struct_size;
    uint64_t flags;          /* 0                                                               */
    uint32_t algorithm;      /* an ordo_text_algorithm, for suffix arrays; else 0               */
    uint32_t reserved;       /* 0                                                               */
    const uint64_t *offsets; /* many texts: text i is [offsets[i], offsets[i + 1]); offsets[0] is
                              * 0, they do not descend, and offsets[count] is n                 */
    size_t          count;   /* the number of texts; 0: one text                                */
} ordo_text_opts;

/* Writes the positions of the n suffixes in order to sa. INDUCED takes up to 10 bytes of scratch
 * per byte of text, 7 for usual text; DOUBLING 50; MSD 14; many texts 8 more. After an error sa is
 * unspecified. */
ORDO_MUST ordo_status ordo_suffix_array(ordo_ctx *ctx, const void *text, size_t n,
                                        ordo_type index_type, void *sa, const ordo_text_opts *opts);

/* Checks in linear time that sa is the suffix array of the text. ORDO_E_ORDER if it is not; the
 * error names the first wrong element. Takes 4 bytes of scratch per byte of text. */
ORDO_MUST ordo_status ordo_suffix_check(ordo_ctx *ctx, const void *text, size_t n,
                                        ordo_type index_type, const void *sa,
                                        const ordo_text_opts *opts);

/* Writes the length of the longest common prefix of the suffixes sa[i - 1] and sa[i] to lcp[i], for
 * i > 0; lcp[0] is 0. lcp has the type of sa, which must be the suffix array of the text. Linear
 * time; 4 bytes of scratch per byte of text. Elements of sa that are not below n give ORDO_E_ARG;
 * with another sa that is wrong the results are unspecified. */
ORDO_MUST ordo_status ordo_lcp(ordo_ctx *ctx, const void *text, size_t n, ordo_type index_type,
                               const void *sa, void *lcp, const ordo_text_opts *opts);

/* Writes the Burrows-Wheeler transform of one text to bwt[0..n) and the primary index to *primary.
 * Takes the scratch of ordo_suffix_array and 5 bytes per byte of text. bwt must not overlap text;
 * opts.offsets must be NULL. */
ORDO_MUST ordo_status ordo_bwt(ordo_ctx *ctx, const void *text, size_t n, void *bwt,
                               uint64_t *primary, const ordo_text_opts *opts);

/* The inverse: writes the text to text[0..n). ORDO_E_ARG if primary is not 1 to n, or not 0 for
 * n == 0, or if no text has this transform. Takes 5 bytes of scratch per byte. text must not
 * overlap bwt. After an error text is unspecified. */
ORDO_MUST ordo_status ordo_unbwt(ordo_ctx *ctx, const void *bwt, size_t n, uint64_t primary,
                                 void *text, const ordo_text_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
