/* line_table.h - how often each line occurs: a hash table in bounded memory.
 *
 * A line has an entry with its bytes and its count. A table that is full is emptied by its user,
 * who adds up counts of the same line. The hash has a random key, and a line whose slots are taken
 * by too many others gets one more entry, so no input makes a line expensive. */
#ifndef ORDO_CLI_LINES_LINE_TABLE_H
#define ORDO_CLI_LINES_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct line_entry { /* aligned to 8 bytes */
    uint32_t hash, size;
    uint64_t times;
    char     line[]; /* size bytes, without an end */
} line_entry;

typedef struct line_table {
    uint64_t  limit;      /* bytes of memory, at most                                    */
    uint64_t  key[2];     /* of the hash; tables that are merged have the same           */
    uint64_t *slots;      /* 0: empty; else the high bits of a hash, and a place + 1     */
    size_t    slot_count; /* a power of two; 0 at first                                  */
    char     *entries;
    size_t    length, capacity; /* bytes of entries  */
    size_t    n;                /* entries           */
    bool      twice;            /* a line may have more than one entry */
} line_table;

/* A random key of the hash. */
void line_table_key(uint64_t key[2]);

/* Counts the lines of text[0..length), each of which has its end. Returns the bytes that were
 * counted: fewer if there is no memory for the next line. */
size_t line_table_count(line_table *t, const char *text, size_t length, char line_end);

/* Adds the entries of `from` to t, from the one at *next on, which moves. False if there is no
 * memory for that one. */
bool line_table_merge(line_table *t, const line_table *from, size_t *next);

/* The entry at the place *next, which moves to the next one; 0 is the first. NULL: no more. */
const line_entry *line_table_next(const line_table *t, size_t *next);

/* Removes all entries; frees the memory. */
void line_table_clear(line_table *t);
void line_table_free(line_table *t);

#endif
