/* string_part.h - this process's strings: their order, and copies in that order. */
#ifndef ORDO_DIST_STRINGS_STRING_PART_H
#define ORDO_DIST_STRINGS_STRING_PART_H

#include "dist/search/cuts.h"

#include <string.h>

typedef struct string_part {
    dist_call    c;
    ordo_strings strings; /* after string_part_flatten: bytes and offsets */
    uint64_t    *order;   /* string order[i] is the i-th in order; NULL: `strings` is in order */
    size_t       ordered; /* strings in this order: all, or those near positions */
    uint64_t     ordered_total; /* of all processes */
} string_part;

/* Strings that follow each other: string i is bytes[offsets[i] .. offsets[i + 1]). */
typedef struct string_list {
    char     *bytes;
    uint64_t *offsets; /* n + 1; offsets[0] is 0 */
    size_t    n;
} string_list;

/* Begins a call: reads the options and the strings, and checks them. Not collective. */
ordo_status string_part_check(string_part *p, const ordo_strings *given,
                              const ordo_dist_opts *opts);

/* Brings the strings to the form with offsets, and finds their order. Not collective. */
ordo_status string_part_flatten(string_part *p);
/* `copy` not NULL: sorts a copy of the strings in scratch, which becomes p->strings. */
ordo_status string_part_sort(string_part *p, string_list *copy);

/* Copies the first n strings in order to scratch. Not collective. */
ordo_status string_part_copy(string_part *p, size_t n, string_list *out);

/* Sets the offsets of *out to those of the strings from[0 .. out->n), one after the other, and
 * starts[i] to the place of the first byte of string from[i]; `starts` may be `from`. */
ordo_status string_measure(dist_call *c, const ordo_strings *strings, const uint64_t *from,
                           uint64_t *starts, const string_list *out);

/* Copies the strings from[0 .. n) to scratch. Not collective, as the next ones. */
ordo_status string_gather(dist_call *c, const ordo_strings *strings, const uint64_t *from, size_t n,
                          string_list *out);

/* Writes the places from[0 .. count) to `order`, in the stable order of their strings. */
ordo_status string_argsort_some(dist_call *c, const ordo_strings *strings, const uint64_t *from,
                                size_t count, uint64_t *order);

/* Copies the strings of out->offsets from `starts` in `bytes` to *out. */
ordo_status string_copy(dist_call *c, const char *bytes, const uint64_t *starts,
                        const string_list *out);

/* The strings of a list as the argument of a call. */
ordo_strings string_list_view(const string_list *list);

/* Reads and checks the struct of the caller's result. `given` may be NULL if `optional`: then
 * out->take is NULL. */
ordo_status string_text_check(string_part *p, const ordo_dist_text *given, ordo_dist_text *out,
                              bool optional);
/* Asks the caller for the bytes of a result. Not collective. */
ordo_status string_text_take(dist_call *c, const ordo_dist_text *out, uint64_t bytes, char **to);

/* How many of the first `most` bytes behind the depth two strings share; both have `depth`
 * bytes. */
static inline uint64_t string_shared(const char *bytes, const uint64_t *offsets, size_t a, size_t b,
                                     uint64_t depth, uint64_t most)
{
    const char *const x = bytes + offsets[a] + depth, *const y = bytes + offsets[b] + depth;
    uint64_t const x_rest = offsets[a + 1] - offsets[a] - depth;
    uint64_t const y_rest = offsets[b + 1] - offsets[b] - depth;
    uint64_t const all = ordo_min(most, ordo_min(x_rest, y_rest));
    uint64_t       i = 0;
    if (all > 0 && memcmp(x, y, (size_t)all) == 0)
        return all;
    while (i < all && x[i] == y[i])
        i++;
    return i;
}

static inline const char *string_part_at(const string_part *p, size_t i, uint64_t *length)
{
    const uint64_t *const offset = p->strings.offsets + (p->order != NULL ? p->order[i] : i);
    *length = offset[1] - offset[0];
    return p->strings.bytes + offset[0];
}

/* string_cuts.c: finds `count` ascending positions among the strings in order (p->ordered_total),
 * exactly. Collective. */
ordo_status string_cuts_find(string_part *p, cut *cuts, size_t count);

/* string_near.c: sets p->order to this process's strings near the positions of the ascending cuts,
 * in order, and changes the positions to those among such strings of all processes. Collective. */
ordo_status string_part_near(string_part *p, cut *cuts, size_t count);
/* Sets p->order to strings that include all before the position `end`. Collective. */
ordo_status string_part_first(string_part *p, cut *end);

#endif
