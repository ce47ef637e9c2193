/* csv_positions.h - the positions of rows in the order of their keys, with temporary files. */
#ifndef ORDO_CLI_CMD_CSV_CSV_POSITIONS_H
#define ORDO_CLI_CMD_CSV_CSV_POSITIONS_H

#include "cli/cmd/csv/csv_large.h"

typedef struct csv_position { /* of a row in order */
    uint64_t       row;       /* from 0 */
    const uint8_t *key;       /* group bytes, then those of --key */
    size_t         group, length;
} csv_position;

/* Gets each position in order. False after a message. */
typedef bool (*csv_place_visit)(void *user, const csv_position *position);

/* Sorts the rows of x by the keys of --by, then of --key, and calls visit() for each that is not
 * left out. Neither completes the output nor prints a report. False after a message. */
bool csv_positions_sort(csv_large *x, csv_place_visit visit, void *user,
                        ordo_external_report *report);

#endif
