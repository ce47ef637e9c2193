/* csv_large.h - rows larger than memory: reading them in blocks, and sorting them with temporary
 * files. */
#ifndef ORDO_CLI_CMD_CSV_CSV_LARGE_H
#define ORDO_CLI_CMD_CSV_CSV_LARGE_H

#include "cli/cmd/csv/csv_command.h"
#include "cli/cmd/external/pieces.h"
#include "cli/csv/csv_feed.h"

typedef struct csv_large {
    execution  *e;
    csv_feed    feed;
    csv_keys    keys;
    csv_by      by;
    uint64_t    limit; /* of the memory of a call of the library */
    uint64_t    bytes; /* of the input; 0: not known */
    int         copy;  /* a temporary file with the bytes of a pipe; -1: none */
    char        copy_name[32];
    const char *copy_path;
} csv_large;

/* Opens the files and finds the keys of --by, and of --key if with_keys. twice: the input is read
 * more than once, so a pipe is copied to a temporary file. False after a message; call
 * csv_large_close() in any case. */
bool csv_large_open(csv_large *x, execution *e, bool with_keys, bool twice);
void csv_large_close(csv_large *x);

/* Bytes of a block that takes only a share of the limit, whatever its rows are. */
size_t csv_block_bytes(uint64_t limit);

/* The same for `topk`, whose blocks may take all memory, with `keys` keys a row. */
size_t csv_top_block(const execution *e, uint64_t limit, size_t keys);

/* The most bytes of a row in a block. */
size_t csv_longest_row(const execution *e);

/* Says how many rows were left out or put last. */
void csv_large_note_bad(const csv_large *x);

/* The key of a row without its line end: the bytes of the groups of --by, then those of --key.
 * *group gets the number of the former, if it is not NULL. False if there is not enough memory. */
bool csv_large_key(const csv_large *x, const char *row, size_t length, key_bytes *out,
                   size_t *group);

/* Gets each row in order, with its line end. False after a message. */
typedef bool (*csv_visit)(void *user, const char *row, size_t length);

/* Sorts the rows by the keys of --by, then of --key, calls visit() for each, or writes all of them
 * (NULL), and completes the output. finish() may write more before that; it may be NULL. False
 * after a message. */
bool csv_large_sort(csv_large *x, uint64_t flags, csv_visit visit, bool (*finish)(void *user),
                    void *user);

#endif
