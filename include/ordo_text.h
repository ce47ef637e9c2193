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
 * Arrays    CPU memory, or device memory with ORDO_ON_DEVICE; opts.offsets and *primary are CPU
 *           memory in any case. The FM-index takes CPU memory. Indices are ORDO_U32 (n < 2^32) or
 *           ORDO_U64. Scratch per byte of text is stated with each call for indices of 4 bytes; it
 *           doubles for indices of 8 bytes. u32 indices of 2^31 bytes or more are computed as u64.
 * GPU       Texts of fewer than 2^32 - 2 bytes and texts together; others give ORDO_E_UNSUPPORTED
 *           if the CPU may not do the call. The algorithms are DOUBLING, which AUTO means, and MSD.
 *           Calls wait for results and cannot be captured into a graph. Device memory per byte of
 *           text: suffix array 37, 41 with u64 indices, MSD 37 and 41; check and LCP 4; BWT 41;
 *           inverse 17; and copies of the arrays that are not on the device.
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
    ORDO_TEXT_AUTO = 0,     /* the fastest: INDUCED on the CPU, DOUBLING on a GPU               */
    ORDO_TEXT_INDUCED = 1,  /* induced sorting; linear time; only on the CPU                    */
    ORDO_TEXT_DOUBLING = 2, /* prefix doubling by radix sorts; n lg n; fewer than 2^32 bytes    */
    ORDO_TEXT_MSD = 3       /* a bit at a time from the most significant one, only among suffixes
                             * that still tie; time n times the mean common prefix, in bits.
                             * The method that the poster named at ordo_scan_bits suggests.
                             * Fewer than 2^32 bytes                                            */
} ordo_text_algorithm;

typedef struct ordo_text_opts {
    size_t          struct_size;
    uint64_t        flags;     /* ORDO_ON_DEVICE or 0                                             */
    uint32_t        algorithm; /* an ordo_text_algorithm, for suffix arrays; else 0               */
    uint32_t        reserved;  /* 0                                                               */
    const uint64_t *offsets;   /* many texts: text i is [offsets[i], offsets[i + 1]); offsets[0] is
                              * 0, they do not descend, and offsets[count] is n                 */
    size_t          count;     /* the number of texts; 0: one text                                */
    void           *stream;    /* of ORDO_ON_DEVICE, a cudaStream_t; NULL: the default stream     */
} ordo_text_opts;

/* Writes the positions of the n suffixes in order to sa. INDUCED takes about 17 bytes of scratch
 * per byte of usual text and at most 24; with 4 or more threads 22 and at most 38, or the former if
 * that is refused. DOUBLING takes 57, MSD 20, many texts 8 more. After an error sa is
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
 * Takes the scratch of ordo_suffix_array and 4 bytes per byte of text. bwt must not overlap text;
 * opts.offsets must be NULL. */
ORDO_MUST ordo_status ordo_bwt(ordo_ctx *ctx, const void *text, size_t n, void *bwt,
                               uint64_t *primary, const ordo_text_opts *opts);

/* The inverse: writes the text to text[0..n). ORDO_E_ARG if primary is not 1 to n, or not 0 for
 * n == 0, or if no text has this transform. Takes 5.3 bytes of scratch per byte. text must not
 * overlap bwt. After an error text is unspecified. */
ORDO_MUST ordo_status ordo_unbwt(ordo_ctx *ctx, const void *bwt, size_t n, uint64_t primary,
                                 void *text, const ordo_text_opts *opts);

/* ---- FM-index ----
 *
 * An FM-index answers queries about a text of n bytes without the text: how often and where a
 * pattern occurs, and what the text is at a position. It takes 0.9 to 1.0 bytes per byte of
 * English or source text, 0.7 of DNA, 1.3 of random bytes. It does not change after it was made,
 * so contexts in several threads may use the same index at the same time.
 *
 * Patterns are count strings of any bytes: pattern i is patterns[offsets[i] .. offsets[i + 1]). An
 * empty pattern occurs at each of the n positions. */
typedef struct ordo_fm ordo_fm;

typedef struct ordo_fm_opts {
    size_t   struct_size;
    uint64_t flags;    /* 0                                                                     */
    uint32_t sample;   /* every sample-th position is stored, 1 to 4096; default 64. More make
                        * ordo_fm_locate and ordo_fm_extract faster; each takes 8 bytes         */
    uint32_t reserved; /* 0                                                                     */
} ordo_fm_opts;

typedef struct ordo_fm_facts {
    size_t   struct_size;
    uint64_t n;       /* bytes of the text                                                      */
    uint64_t bytes;   /* of the index                                                           */
    uint32_t sample;  /* as in ordo_fm_opts                                                     */
    uint32_t letters; /* different bytes in the text                                            */
} ordo_fm_facts;

/* Makes the index of a text, which is not needed afterwards. A text of 2^32 bytes or more gives
 * ORDO_E_UNSUPPORTED. Takes the scratch of ordo_suffix_array and 6 bytes per byte of text. The
 * memory of the index comes from the allocator of the context, but does not count as scratch; the
 * allocator must exist until ordo_fm_free. */
ORDO_MUST ordo_status ordo_fm_build(ordo_ctx *ctx, const void *text, size_t n,
                                    const ordo_fm_opts *opts, ordo_fm **out);
ORDO_API void         ordo_fm_free(ordo_fm *fm); /* NULL is allowed                             */
/* ORDO_E_ARG if fm or facts is NULL. */
ORDO_MUST ordo_status ordo_fm_describe(const ordo_fm *fm, ordo_fm_facts *facts);

/* The bytes of the index as they are stored in a file; valid while the index is. The same bytes on
 * machines of the same byte order. NULL if fm is NULL. */
ORDO_API const void *ordo_fm_data(const ordo_fm *fm, size_t *bytes);

/* Makes an index from the bytes of ordo_fm_data, which are copied. Checks the header, the size, the
 * checksum and that all parts agree, in linear time: ORDO_E_ARG, with what is wrong, for anything
 * else. An index that was accepted is safe to use, even if it was forged. */
ORDO_MUST ordo_status ordo_fm_load(ordo_ctx *ctx, const void *data, size_t bytes, ordo_fm **out);

/* Makes an index of these bytes where they are, such as a file in memory (mmap): they must stay as
 * they are until ordo_fm_free, and be aligned to 8 bytes. Checks only the header and the size, so
 * it takes a constant time, and a query reads no more than it needs. On other bytes than those of
 * ordo_fm_data queries have any result or return ORDO_E_ARG, but read no other memory. */
ORDO_MUST ordo_status ordo_fm_view(ordo_ctx *ctx, const void *data, size_t bytes, ordo_fm **out);

/* Writes the number of occurrences of pattern i to counts[i]. A pattern takes a constant time for
 * each of its bytes. */
ORDO_MUST ordo_status ordo_fm_count(ordo_ctx *ctx, const ordo_fm *fm, const void *patterns,
                                    const uint64_t *offsets, size_t count, uint64_t *counts);

/* Writes the positions of the occurrences of pattern i, ascending, to positions[first[i] ..
 * first[i + 1]). first has count + 1 elements. If positions is NULL, only first is written;
 * otherwise `capacity` is its size: ORDO_E_ARG if that is less than first[count], and then only
 * first is written. An occurrence takes `sample` / 2 steps on average. */
ORDO_MUST ordo_status ordo_fm_locate(ordo_ctx *ctx, const ordo_fm *fm, const void *patterns,
                                     const uint64_t *offsets, size_t count, uint64_t *first,
                                     uint64_t *positions, size_t capacity);

/* Writes the bytes [from, from + length) of the text to out. ORDO_E_ARG if the text is shorter. */
ORDO_MUST ordo_status ordo_fm_extract(ordo_ctx *ctx, const ordo_fm *fm, uint64_t from,
                                      size_t length, void *out);

#ifdef __cplusplus
}
#endif

#endif
