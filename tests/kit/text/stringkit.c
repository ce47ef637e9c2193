/* stringkit.c - see stringkit.h. */
#include "kit/text/stringkit.h"

#include <stdlib.h>
#include <string.h>

static void *grow(void *block, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return block;
    *capacity = 2 * need + 64;
    void *const grown = realloc(block, *capacity * size);
    if (grown == NULL)
        abort();
    return grown;
}

void string_set_add(string_set *s, const void *string, size_t length)
{
    s->bytes = grow(s->bytes, &s->bytes_capacity, s->used + length + 1, 1);
    s->offsets = grow(s->offsets, &s->offsets_capacity, s->n + 2, sizeof *s->offsets);
    if (length > 0)
        memcpy(s->bytes + s->used, string, length);
    s->has_zeros |= length > 0 && memchr(string, 0, length) != NULL;
    s->offsets[s->n] = s->used;
    s->used += length;
    s->offsets[++s->n] = s->used;
}

void string_set_finish(string_set *s)
{
    s->offsets = grow(s->offsets, &s->offsets_capacity, 1, sizeof *s->offsets);
    s->offsets[0] = 0;
    s->packed = guard_alloc(s->used, GUARD_END);
    s->ended = guard_alloc(s->used + s->n, GUARD_END);
    s->pointers = test_need(s->n * sizeof *s->pointers);
    s->order = test_need(s->n * sizeof *s->order);
    if (s->used > 0)
        memcpy(s->packed.data, s->bytes, s->used);
    char *to = s->ended.data;
    for (size_t i = 0; i < s->n; i++) {
        size_t const length = (size_t)(s->offsets[i + 1] - s->offsets[i]);
        s->pointers[i] = to;
        if (length > 0)
            memcpy(to, s->bytes + s->offsets[i], length);
        to[length] = '\0';
        to += length + 1;
    }
    s->forms[0] = (ordo_strings){sizeof(ordo_strings), s->packed.data, s->offsets, NULL};
    s->forms[1] = (ordo_strings){sizeof(ordo_strings), NULL, NULL, s->pointers};
}

void string_set_free(string_set *s)
{
    guard_free(&s->packed.region);
    guard_free(&s->ended.region);
    free(s->bytes);
    free(s->offsets);
    free(s->pointers);
    free(s->order);
}

int string_set_compare(const void *user, size_t i, size_t j)
{
    const string_set *const s = user;
    size_t const            a = (size_t)(s->offsets[i + 1] - s->offsets[i]);
    size_t const            b = (size_t)(s->offsets[j + 1] - s->offsets[j]);
    size_t const            both = a < b ? a : b;
    int order = both > 0 ? memcmp(s->bytes + s->offsets[i], s->bytes + s->offsets[j], both) : 0;
    if (order == 0)
        order = (a > b) - (a < b);
    return s->desc ? (order < 0) - (order > 0) : (order > 0) - (order < 0);
}

void string_set_order(string_set *s, bool desc)
{
    s->desc = desc;
    oracle_order(s->n, s->order, string_set_compare, s);
}
