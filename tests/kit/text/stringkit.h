/* stringkit.h - sets of strings for tests. A set grows string by string from {.name = "..."}, then
 * string_set_finish places it in both forms of ordo_strings, each before an inaccessible page. */
#ifndef ORDO_TESTS_STRINGKIT_H
#define ORDO_TESTS_STRINGKIT_H

#include "oracle.h"
#include "testkit.h"

typedef struct string_set {
    const char  *name;
    size_t       n, used; /* strings, and their bytes */
    char        *bytes;
    uint64_t    *offsets;
    size_t       bytes_capacity, offsets_capacity;
    bool         has_zeros; /* a string contains a zero byte: only the first form can hold it */
    guard_block  packed;    /* the strings one after another     */
    guard_block  ended;     /* the same with a zero byte after each */
    const char **pointers;
    ordo_strings forms[2]; /* bytes with offsets, and pointers */
    uint64_t    *order;    /* set by string_set_order */
    bool         desc;
} string_set;

void string_set_add(string_set *s, const void *string, size_t length);
void string_set_finish(string_set *s);
void string_set_free(string_set *s);

/* Computes the stable order of the strings. */
void string_set_order(string_set *s, bool desc);

/* -1, 0 or 1 by s->desc, for oracle_order and oracle_rank_ordered. */
oracle_compare_fn string_set_compare;

#endif
