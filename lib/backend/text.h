/* text.h - the jobs of a backend that has text calls of its own (lib/text has those of the CPU).
 *
 * Positions and rows are as in ordo_text.h. `offsets` is host memory; the other arrays are where
 * exec says. A job of n == 0 bytes is never given. */
#ifndef ORDO_BACKEND_TEXT_H
#define ORDO_BACKEND_TEXT_H

#include "backend/exec.h"

typedef struct ordo_text_job {
    const uint8_t  *text;
    size_t          n;
    const uint64_t *offsets;   /* of many texts; NULL: one text */
    size_t          count;     /* texts; 0 with one */
    uint32_t        algorithm; /* an ordo_text_algorithm */
    ordo_type       index_type;
    void           *sa;      /* written by suffix_array, else read; NULL in bwt and unbwt */
    void           *lcp;     /* written by lcp */
    uint8_t        *bwt;     /* bwt: written; unbwt: the text is written here, and `text` is read */
    uint64_t       *primary; /* on the host; unbwt reads it; rotate: `count` rows */
} ordo_text_job;

typedef struct ordo_text_slots {
    ordo_status (*suffix_array)(void *state, const ordo_text_job *job, ordo_exec *exec);
    ordo_status (*suffix_check)(void *state, const ordo_text_job *job, ordo_exec *exec);
    ordo_status (*lcp)(void *state, const ordo_text_job *job, ordo_exec *exec);
    ordo_status (*bwt)(void *state, const ordo_text_job *job, ordo_exec *exec);
    ordo_status (*unbwt)(void *state, const ordo_text_job *job, ordo_exec *exec);
    /* The last bytes of the sorted rotations of each of many texts, none of them empty, to `bwt`,
     * and the row of the rotation that begins at 0. The row of a text that is a repeated word is
     * any row of an equal rotation. The longest text has fewer than 2^31 bytes. */
    ordo_status (*rotate)(void *state, const ordo_text_job *job, ordo_exec *exec);
} ordo_text_slots;

#endif
