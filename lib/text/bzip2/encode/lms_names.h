/* lms_names.h - the order of the LMS rotations of a block that repeats itself, by names. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_LMS_NAMES_H
#define ORDO_TEXT_BZIP2_ENCODE_LMS_NAMES_H

#include "text/bzip2/encode/rotate.h"

enum {
    BZ_NAME_PAD = 8
};

/* A string of names as a circle. No two of its rotations are equal. */
typedef struct bz_circle {
    uint16_t *names; /* n, each below `kinds`; all occur; BZ_NAME_PAD more repeat the first ones */
    uint32_t  n, kinds;
    uint32_t *begins; /* n / 2 + 1: where its LMS rotations begin, in order of the string */
    uint32_t  lms;
} bz_circle;

/* Whether many LMS rotations of a sample agree with another one in 32 bytes. */
bool bz_has_repeats(const bz_sorter *s);

/* Does the work of bz_sort_lms(). Returns false, and leaves s->begins as it is, if the block has
 * too many different LMS substrings. */
bool bz_sort_by_names(bz_sorter *s);

/* Lists the LMS rotations of a circle that has at least two kinds of names. */
void bz_circle_find_lms(bz_circle *c);

/* Sorts the rotations of a circle to sa: bz_circle_at() is where they begin. `order` has the
 * numbers of its LMS rotations in the same form, `places` has room for 2 * kinds elements. */
void bz_circle_induce(const bz_circle *c, const uint32_t *order, uint32_t *places, uint32_t *sa);

static inline uint32_t bz_circle_at(uint32_t entry, uint32_t n)
{
    uint32_t const at = (entry & BZ_AT_MASK) + 1;
    return at < n ? at : 0;
}

#endif
