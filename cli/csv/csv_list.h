/* csv_list.h - the different values of a column, each with a number: a hash table.
 *
 * A column of text with few different values is sorted by their numbers. */
#ifndef ORDO_CLI_CSV_CSV_LIST_H
#define ORDO_CLI_CSV_CSV_LIST_H

#include "cli/csv/csv_keys.h"

enum {
    CSV_LIST_MOST = 1 << 14 /* values; the table stays in the cache */
};

typedef struct csv_list {
    size_t    n;
    key_bytes bytes;   /* of the values, one after another                          */
    uint64_t *offsets; /* CSV_LIST_MOST + 1: value i is bytes[offsets[i]..offsets[i + 1]) */
    uint32_t *slots;   /* number of a value and 1; 0: free                          */
} csv_list;

typedef enum csv_found {
    CSV_FOUND,
    CSV_LIST_FULL,
    CSV_LIST_NO_MEMORY
} csv_found;

/* The number of a value, which is added if it is new. An empty list is all zeros. */
csv_found csv_list_find(csv_list *list, csv_span value, uint64_t *number);
void      csv_list_free(csv_list *list);

/* Replaces the numbers of n lists by numbers in the order of the key: values that tie have the same
 * number in all lists. orders[i] gets an array for list i, to be freed; NULL for an empty list.
 * False if there is not enough memory; nothing is left to free then. */
bool csv_lists_order(const csv_key *key, const csv_list *const *lists, size_t n, uint64_t **orders);

#endif
