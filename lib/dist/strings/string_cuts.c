/* string_cuts.c - strings as elements of the rounds of search/cuts.h. An offer has a head (its
 * length, and whether its string continues) and its bytes. */
#define _POSIX_C_SOURCE 200809L
#include "dist/strings/string_part.h"

#include "core/bisect.h"

#include <string.h>

enum {
    HEAD = sizeof(uint32_t)
};

static size_t put_string(const void *elements, const cut_interval *at, size_t place, char *to)
{
    uint64_t          length;
    const char *const bytes = string_part_at(elements, place, &length);
    uint64_t const    rest = length - at->depth;
    uint32_t const    sent = rest < at->width ? (uint32_t)rest : at->width;
    uint32_t const    head = sent << 1 | (rest > sent);
    if (to == NULL)
        return HEAD + sent;
    memcpy(to, &head, HEAD);
    if (sent > 0)
        memcpy(to + HEAD, bytes + at->depth, sent);
    return HEAD + sent;
}

static const char *take_string(const char *from, cut_offer *out)
{
    uint32_t head;
    memcpy(&head, from, HEAD);
    *out = (cut_offer){.bytes = from + HEAD, .length = head >> 1, .longer = (head & 1) != 0};
    return out->bytes + out->length;
}

/* The longer of two offers that agree is behind; of equal bytes the one that continues. */
static int compare_strings(const void *a, const void *b)
{
    const cut_offer *const x = a, *const y = b;
    size_t const both = x->length < y->length ? x->length : y->length;
    int const    order = both == 0 ? 0 : memcmp(x->bytes, y->bytes, both);
    if (order != 0)
        return order;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return (int)x->longer - (int)y->longer;
}

/* A string against an offer: before its class, in it, or behind it. */
static int against(const string_part *p, size_t i, uint64_t depth, const cut_offer *o)
{
    uint64_t          length;
    const char *const bytes = string_part_at(p, i, &length);
    uint64_t const    rest = length - depth;
    size_t const      both = rest < o->length ? (size_t)rest : o->length;
    int               order = both == 0 ? 0 : memcmp(bytes + depth, o->bytes, both);
    if (order == 0 && rest < o->length)
        order = -1;
    else if (order == 0)
        order = o->longer ? -(rest == o->length) : rest > o->length;
    return p->c.descending ? -order : order;
}

static size_t find_string(const void *elements, const cut_interval *at, size_t from,
                          const cut_offer *o, bool above)
{
    size_t to = at->to;
    ORDO_BISECT(middle, from, to, against(elements, middle, at->depth, o) < (int)above);
    return from;
}

static const cut_kind kind_of_strings = {HEAD,       true, put_string, take_string, compare_strings,
                                         find_string};

ordo_status string_cuts_find(string_part *p, cut *cuts, size_t count)
{
    cut_list const list = {.kind = &kind_of_strings,
                           .elements = p,
                           .n = p->ordered,
                           .total = p->ordered_total,
                           .reversed = p->c.descending};
    return cuts_of_list(&p->c, &list, cuts, count);
}
