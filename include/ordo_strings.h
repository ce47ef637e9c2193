/* ordo_strings.h - sort, rank and select strings; read FASTA records. ordo.h includes this file.
 * The rules of ordo.h apply. */
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

/* The records of a FASTA text. A record is a header, which is a line that starts with '>', and all
 * lines up to the next header; its sequence is those lines without their ends. Lines end with LF or
 * CRLF; the last line may have no end. A record without residues has an empty sequence, and blank
 * lines before the first header belong to no record.
 * The arrays belong to the caller. The form of headers and sequences is that of ordo_strings. */
typedef struct ordo_fasta {
    size_t      struct_size;
    size_t      n;                /* records                                                      */
    uint64_t    header_bytes;     /* of all headers, without '>' and line end                     */
    uint64_t    sequence_bytes;   /* of all sequences                                             */
    uint64_t   *starts;           /* n + 1: record i is text[starts[i] .. starts[i + 1])          */
    char       *headers;          /* header_bytes                                                 */
    uint64_t   *header_offsets;   /* n + 1                                                        */
    char       *sequences;        /* sequence_bytes                                               */
    uint64_t   *sequence_offsets; /* n + 1                                                        */
    size_t      bad_line;         /* the line, from 1, that is refused; 0: none                   */
    const char *why;              /* why that line is refused; a constant, NULL: no line is       */
} ordo_fasta;

/* Reads the records of text[0..length). If all arrays of *records are NULL, the call checks the
 * text and sets n, header_bytes and sequence_bytes. Otherwise these are the numbers of an earlier
 * call on the same text, and the call fills the arrays that are not NULL; bytes and offsets of the
 * headers, or of the sequences, are given together. The arrays must not overlap the text.
 * ORDO_E_ARG, bad_line and why if the text has a zero byte, residues before the first header, or a
 * record of 4 GiB or more, and ORDO_E_ARG if the numbers are not those of the text. After any error
 * the arrays are unspecified. Uses one thread.                                                   */
ORDO_MUST ordo_status ordo_parse_fasta(ordo_ctx *ctx, const char *text, size_t length,
                                       ordo_fasta *records);

#ifdef __cplusplus
}
#endif
#endif
