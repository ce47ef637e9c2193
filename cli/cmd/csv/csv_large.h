/* csv_large.h - rows larger than memory: reading them in blocks, and sorting them with temporary
 * files. */
#ifndef ORDO_CLI_CMD_CSV_CSV_LARGE_H
#define ORDO_CLI_CMD_CSV_CSV_LARGE_H

#include "cli/cmd/csv/csv_command.h"
#include "cli/cmd/external/pieces.h"
#include "cli/csv/csv_feed.h"
#include "ordo_external_lines.h"

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

/* Bytes of a block of `topk`, which may take all memory, with `keys` keys a row. */
size_t csv_top_block(const execution *e, uint64_t limit, size_t keys);

/* Says how many rows were left out or put last. */
void csv_large_note_bad(const csv_large *x);

/* ---- Sorts with temporary files ---- */

typedef struct csv_sorting { /* lines of ordo_external_lines.h, which are items */
    csv_large       *x;
    ordo_line_format format; /* with `split` */
    ordo_source      from;   /* fails after a message */
    uint64_t         flags;
    /* Finds the key of an item and what else it holds. False if there is not enough memory. NULL:
     * the text is enough. */
    bool (*read)(struct csv_sorting *sorting, csv_item *item);
    csv_visit visit; /* NULL: all items are written */
    void     *user;
    bool      told;      /* a callback has failed, after a message */
    key_bytes key, last; /* for `read`; the key of the item before */
    size_t    last_group;
    bool      begun; /* there is such an item */
} csv_sorting;

/* Sorts the items and visits them, or writes them. Neither completes the output nor prints a
 * report. False after a message. */
bool csv_sort_items(csv_sorting *sorting, ordo_external_report *report);

#endif
