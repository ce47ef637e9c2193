/* division.h - divides the keys of all processes near given positions, in one read of the keys.
 *
 * A sample of all processes gives boundaries of cells (cells.h), and every process counts and
 * labels its keys by cells. A cut goes between two cells, or through the ties of a boundary. So it
 * is at its position if that is among frequent keys, and otherwise less than half a cell away:
 * about 1/64 of a process's part. Ties can also stay together if they are few enough. The keys are
 * not looked at again. */
#ifndef ORDO_DIST_SEARCH_DIVISION_H
#define ORDO_DIST_SEARCH_DIVISION_H

#include "dist/call/dist_call.h"
#include "external/cells.h"

typedef struct division_cut {
    uint64_t position; /* in: wanted; out: where the cut is */
    uint64_t place;    /* keys of this process before the cut */
    size_t   cell;     /* the first cell behind the cut, or the ties that it goes through */
    uint64_t left;     /* of these ties, on all processes: those before the cut; 0: none */
    uint64_t tied;     /* all of them */
} division_cut;

typedef struct division {
    uint16_t *labels;   /* the cell of each key */
    uint16_t *class_of; /* of each cell: keys of a class stay together */
    size_t    class_count;
    size_t    chunk;  /* keys of a chunk */
    uint64_t *counts; /* of each class in each chunk */
} division;

/* Divides the keys of the call at `count` ascending positions. Up to `together` ties are not
 * divided. Collective. */
ordo_status division_find(dist_call *c, bool folded, uint64_t together, division_cut *cuts,
                          size_t count, division *out);

#endif
