/* bzpieces.h - a stream through ordo_bz_writer or ordo_bz_reader, in pieces of random sizes. */
#ifndef ORDO_TESTS_BZPIECES_H
#define ORDO_TESTS_BZPIECES_H

#include "ordo_bz.h"

#include <stdint.h>

typedef struct bzpieces {
    const uint8_t *in;
    size_t         n;
    uint8_t       *out;
    size_t         capacity;
    size_t         most_in, most_out; /* of a piece; 0: all at once */
    uint64_t       seed;
    uint32_t       level; /* of a writer */

    /* Results. A call that gets too little room has ORDO_E_IO. */
    size_t         used, written;
    ordo_bz_state  state; /* of the reader after the last piece */
    ordo_bz_report report;
} bzpieces;

/* The status of the first call that fails. */
ordo_status bzpieces_write(ordo_ctx *ctx, bzpieces *p);

/* Reads one stream until its end or the end of the input. The input of each call ends at an
 * inaccessible page. */
ordo_status bzpieces_read(ordo_ctx *ctx, bzpieces *p);

#endif
