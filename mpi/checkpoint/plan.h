/* plan.h - the key ranges of a checkpoint, and the file that keeps them.
 *
 * A plan divides the sorted elements into ranges of nearly equal size. A cut between two ranges is
 * (order, ties): before it are the elements with a smaller order and the first `ties` elements of
 * the input that have this order. Orders are the key bits of core/keybits.h. A plan does not depend
 * on the number of ranks. The file `manifest` of the checkpoint folder is text with a checksum. */
#ifndef ORDO_MPI_PLAN_H
#define ORDO_MPI_PLAN_H

#include "mpi/job.h"

enum {
    DEFAULT_RANGES = 64,
    PATH_ROOM = 4096
};

typedef struct plan_cut {
    uint64_t order, ties;
    uint64_t position; /* elements before the cut */
} plan_cut;

typedef struct plan {
    uint64_t id;    /* differs between checkpoints */
    uint64_t total; /* elements */
    uint64_t type, element, record_size, key_offset, descending;
    uint64_t input_bytes, input_seconds, input_nanoseconds; /* size and time of the input */
    uint64_t ranges;
    plan_cut cuts[MOST_RANGES + 1]; /* range g is between cuts g and g + 1; the outer cuts have only
                                     * a position */
} plan;

/* Reads the manifest, if there is one. False after a message: it is damaged, or it belongs to
 * another input or other options. */
bool plan_read(const job *j, plan *p, bool *found);

/* Finds the cuts of the keys in j->in; plan_save() writes the manifest. */
bool plan_make(job *j, plan *p);
bool plan_save(const job *j, const plan *p);

/* Syncs the folder, so that renamed files in it survive a crash of the machine. */
bool plan_sync_folder(const job *j);

/* The elements of this rank in order; ties keep the sequence of the input. */
typedef struct division {
    char     *keys;
    uint64_t *place;                 /* records: which one a key belongs to; else NULL */
    size_t    from[MOST_RANGES + 1]; /* range g has keys [from[g], from[g + 1]) */
} division;

/* `fresh`: sets the numbers of ties in the plan. Else checks that the input still fits the plan. */
bool plan_divide(job *j, plan *p, bool fresh, division *out);
void plan_free_division(division *d);

#endif
