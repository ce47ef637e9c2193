/* text_args.h - the arguments that all text calls share, checked. */
#ifndef ORDO_TEXT_TEXT_ARGS_H
#define ORDO_TEXT_TEXT_ARGS_H

#include "text/text_work.h"

#include "ordo_text.h"

typedef ordo_text_job text_args; /* without the arrays of results */

/* Reads and checks opts and the text. A call without suffix array accepts no algorithm. */
ordo_status text_read_args(ordo_exec *exec, const void *text, size_t n, const ordo_text_opts *opts,
                           bool has_algorithm, text_args *out);
/* Checks an array of n indices, and that it is apart from the text. */
ordo_status text_check_indices(ordo_exec *exec, text_args *args, ordo_type index_type,
                               const void *indices, const char *what);
/* A job of a device on these arguments; the caller adds its arrays. */
static inline ordo_text_job text_device_job(const text_args *args) { return *args; }
/* Rejects many texts. */
ordo_status text_one_only(ordo_exec *exec, const text_args *args, const char *call);

/* The number of the text, of many, that has position `at`. */
size_t text_number(const text_args *args, size_t at);

/* Nanoseconds per byte of text that one CPU thread takes to sort the suffixes, for the choice of
 * the backend; 0 for induced sorting, which only the CPU does. EMR, one thread, 105 MB of source
 * text: 53 ns. */
static inline double text_sort_ns(const text_args *args)
{
    return args->algorithm == ORDO_TEXT_INDUCED ? 0 : 50;
}

/* suffix/suffix.c: the suffix array of checked arguments, of index_type. bwt: see induced.h; only
 * for one text and ORDO_TEXT_INDUCED. */
ordo_status text_suffix_sort(text_work *work, const text_args *args, void *sa, uint8_t *bwt);

/* bwt.c: the suffix array, of index_type, and the transform of one text of n > 0 bytes. */
ordo_status text_transform(text_work *work, const text_args *args, void *sa, uint8_t *bwt,
                           uint64_t *primary);

/* suffix/msd.c: the suffix array of fewer than 2^32 bytes, as u32. */
ordo_status text_msd(text_work *work, const text_args *args, uint32_t *sa);

#endif
