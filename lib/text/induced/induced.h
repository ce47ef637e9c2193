/* induced.h - the suffix array of one string in host memory by induced sorting.
 *
 * symbols are bytes, or integers below `kinds`. n > 0. heads[c] is the number of symbols below c,
 * for c = 0 to kinds; bytes have 256 kinds. The string has fewer than 2^31 (2^63) symbols. bwt may
 * be NULL; else bwt[i] becomes the symbol before suffix sa[i], and text[0] for the suffix 0. */
#ifndef ORDO_TEXT_INDUCED_INDUCED_H
#define ORDO_TEXT_INDUCED_INDUCED_H

#include "text/text_work.h"

ordo_status text_induced_b32(text_work *work, const uint8_t *symbols, size_t n,
                             const uint32_t *heads, uint32_t *sa, uint8_t *bwt);
ordo_status text_induced_b64(text_work *work, const uint8_t *symbols, size_t n,
                             const uint64_t *heads, uint64_t *sa, uint8_t *bwt);
ordo_status text_induced_i32(text_work *work, const uint32_t *symbols, size_t n,
                             const uint32_t *heads, size_t kinds, uint32_t *sa);
ordo_status text_induced_i64(text_work *work, const uint64_t *symbols, size_t n,
                             const uint64_t *heads, size_t kinds, uint64_t *sa);

#endif
