/* csv_list.c - lists of values and their order (see csv_keys.h). */
#include "cli/csv/csv_keys.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 4 * CSV_LIST_MOST
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(csv_span value)
{
    const char *p = value.begin;
    uint64_t    hash = (uint64_t)(value.end - value.begin), word = 0;

    for (; value.end - p >= 8; p += 8) {
        memcpy(&word, p, 8);
        hash = mix(hash, word);
    }
    word = 0;
    for (int shift = 0; p < value.end; p++, shift += 8)
        word |= (uint64_t)(unsigned char)*p << shift;
    hash = mix(hash, word);
    return hash ^ hash >> 32;
}

static csv_found add_value(csv_list *list, csv_span value, uint32_t *slot, uint64_t *number)
{
    const size_t length = (size_t)(value.end - value.begin);

    if (list->n == CSV_LIST_MOST)
        return CSV_LIST_FULL;
    if (!key_bytes_reserve(&list->bytes, length + 1))
        return CSV_LIST_NO_MEMORY;
    if (length > 0)
        memcpy(list->bytes.data + list->bytes.used, value.begin, length);
    list->bytes.used += length;
    *number = list->n++;
    *slot = (uint32_t)list->n;
    list->offsets[list->n] = list->bytes.used;
    return CSV_FOUND;
}

csv_found csv_list_find(csv_list *list, csv_span value, uint64_t *number)
{
    const size_t length = (size_t)(value.end - value.begin);

    if (list->slots == NULL) {
        list->slots = calloc(SLOTS, sizeof *list->slots);
        list->offsets = calloc(CSV_LIST_MOST + 1, sizeof *list->offsets);
        if (list->slots == NULL || list->offsets == NULL)
            return CSV_LIST_NO_MEMORY;
    }
    for (size_t at = hash_of(value) % SLOTS;; at = (at + 1) % SLOTS) {
        if (list->slots[at] == 0)
            return add_value(list, value, &list->slots[at], number);
        *number = list->slots[at] - 1;
        const uint64_t *const offset = &list->offsets[*number];
        if (offset[1] - offset[0] == length &&
            (length == 0 || memcmp(list->bytes.data + offset[0], value.begin, length) == 0))
            return CSV_FOUND;
    }
}

void csv_list_free(csv_list *list)
{
    key_bytes_free(&list->bytes);
    free(list->offsets);
    free(list->slots);
    *list = (csv_list){.n = 0};
}

/* ---- Order ---- */

typedef struct listed {
    const uint8_t *key;
    size_t         begin, length; /* of the encoded key           */
    uint64_t      *order;         /* where its number is to go    */
} listed;

static int compare(const void *a, const void *b)
{
    const listed *const x = a, *const y = b;
    const size_t length = x->length < y->length ? x->length : y->length;
    const int    order = length > 0 ? memcmp(x->key, y->key, length) : 0;

    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

/* Encodes the values of a list; all[0..list->n) get their places. */
static bool encode_list(const csv_key *key, const csv_list *list, uint64_t *order, key_bytes *bytes,
                        listed *all)
{
    for (size_t i = 0; i < list->n; i++) {
        const char *const text = (const char *)list->bytes.data;
        const csv_span    value = {text + list->offsets[i], text + list->offsets[i + 1]};
        csv_class class;
        all[i] = (listed){.begin = bytes->used, .order = &order[i]};
        if (!csv_encode(key, value, bytes, &class))
            return false;
        all[i].length = bytes->used - all[i].begin;
    }
    return true;
}

bool csv_lists_order(const csv_key *key, const csv_list *const *lists, size_t n, uint64_t **orders)
{
    key_bytes bytes = {.used = 0};
    size_t    total = 0, at = 0;
    uint64_t  number = 0;

    for (size_t i = 0; i < n; i++) {
        total += lists[i]->n;
        orders[i] = NULL;
    }
    listed *const all = malloc((total + 1) * sizeof *all);
    bool          ok = all != NULL;
    for (size_t i = 0; ok && i < n; at += lists[i++]->n) {
        orders[i] = malloc((lists[i]->n + 1) * sizeof *orders[i]);
        ok = orders[i] != NULL && encode_list(key, lists[i], orders[i], &bytes, all + at);
    }
    for (size_t i = 0; ok && i < total; i++)
        all[i].key = bytes.data + all[i].begin;
    if (ok)
        qsort(all, total, sizeof *all, compare);
    for (size_t i = 0; ok && i < total; i++) {
        number += i > 0 && compare(&all[i - 1], &all[i]) != 0;
        *all[i].order = number;
    }
    for (size_t i = 0; !ok && i < n; i++)
        free(orders[i]);
    free(all);
    key_bytes_free(&bytes);
    return ok;
}
