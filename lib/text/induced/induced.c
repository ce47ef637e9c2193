/* induced.c - suffix arrays by induced sorting, after G. Nong, S. Zhang and W. Chan, "Two Efficient
 * Algorithms for Linear Time Suffix Array Construction". The LMS substrings are named by a hash
 * table of the distinct ones, or sorted by the radix sort of the backend, instead of an induced
 * sort: both read the text once, in order, and the radix sort uses all threads. */
#include "text/induced/induced.h"

#include "core/bisect.h"
#include "text/induced/rank_groups.h"
#include "text/text_bits.h"

#define INLINE static inline __attribute__((always_inline))

/* The memory of an array of indices, for keys of 64 bits. */
static uint64_t *text_as_keys(void *room)
{
    size_t const size = sizeof(uint64_t), past = (uintptr_t)room % size;
    return (uint64_t *)(void *)((char *)room + (size - past) % size);
}

#define ORDO_TEMPLATE "text/lms_find.t.h"
#include "text/for_each_string.h"

#define ORDO_TEMPLATE "text/induced/lms.t.h"
#include "text/for_each_string.h"

#define ORDO_TEMPLATE "text/induced/distinct.t.h"
#include "text/for_each_string.h"

#define ORDO_TEMPLATE "text/induced/induce_entry.t.h"
#include "text/for_each_string.h"

#define ORDO_TEMPLATE "text/induced/induce_share.t.h"
#include "text/for_each_string.h"

#define ORDO_TEMPLATE "text/induced/induce.t.h"
#include "text/for_each_string.h"

#define ORDO_TEMPLATE "text/induced/induced.t.h"
#include "text/for_each_string.h"

ordo_status text_induced_b32(text_work *work, const uint8_t *symbols, size_t n,
                             const uint32_t *heads, uint32_t *sa, uint8_t *bwt)
{
    return sort_string_b32(work, symbols, n, heads, TEXT_BYTES, sa, bwt);
}

ordo_status text_induced_b64(text_work *work, const uint8_t *symbols, size_t n,
                             const uint64_t *heads, uint64_t *sa, uint8_t *bwt)
{
    return sort_string_b64(work, symbols, n, heads, TEXT_BYTES, sa, bwt);
}

ordo_status text_induced_i32(text_work *work, const uint32_t *symbols, size_t n,
                             const uint32_t *heads, size_t kinds, uint32_t *sa)
{
    return sort_string_i32(work, symbols, n, heads, kinds, sa, NULL);
}

ordo_status text_induced_i64(text_work *work, const uint64_t *symbols, size_t n,
                             const uint64_t *heads, size_t kinds, uint64_t *sa)
{
    return sort_string_i64(work, symbols, n, heads, kinds, sa, NULL);
}
