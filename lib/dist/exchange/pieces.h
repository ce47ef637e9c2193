/* pieces.h - which keys of this process belong to which process, the exchange, and the way back.
 *
 * The cuts of the global order divide the keys of a process into classes: the keys between two
 * cuts, and the keys that tie with a cut. Elements are scattered by class, in their sequence within
 * a class, so the elements for one process are one piece of the scattered array: a cut through ties
 * divides a class at a known place. Pieces arrive in the order of their processes, so a stable sort
 * of what a process receives is a stable sort of the global array. */
#ifndef ORDO_DIST_EXCHANGE_PIECES_H
#define ORDO_DIST_EXCHANGE_PIECES_H

#include "dist/search/cuts.h"
#include "dist/search/division.h"

typedef struct pieces {
    dist_call *call;
    uint64_t   begin;    /* this process gets elements from this place of the global order on, */
    size_t     received; /* so many of them */
    /* Set by the others than pieces_near: the borders between the processes that are not 0 and not
     * the total. */
    cut      *borders;
    size_t    border_count;
    uint64_t *ends; /* two for each process: the places that its elements begin and end at */
    /* Set by pieces_near alone. The counts of `keys` become the places of the classes in the
     * scattered array. */
    division      keys;
    division_cut *cuts; /* the borders between the processes */
    /* Elements for and from each process: where their pieces begin, and how many there are. */
    uint64_t *send_at, *send_n, *receive_at, *receive_n;
    uint64_t *bytes[4]; /* the same in bytes, for one exchange */
} pieces;

/* Tells every process how many elements each of them gets; this one gets `mine`, the argument
 * `name`. The sum must be that of all `elements`. */
ordo_status pieces_wanted(dist_call *c, uint64_t mine, const char *name, const char *elements,
                          uint64_t **wanted);

/* Finds pieces of keys in any order: every process gets about as many as it has. Up to `together`
 * ties are not divided (division.h). */
ordo_status pieces_near(dist_call *c, bool folded, uint64_t together, pieces *out);

/* Finds pieces if this process's keys are sorted and process r gets wanted[r] elements of the
 * global order: they are parts of the sorted array. begins[r] is the place of the first of them;
 * NULL: they follow those of process r - 1. */
ordo_status pieces_of_sorted(dist_call *c, bool folded, const void *sorted, const uint64_t *begins,
                             const uint64_t *wanted, pieces *out);

/* Its two steps: memory for the pieces and the positions of the borders, which is not collective;
 * then, when the borders are found, the pieces are the parts of the sorted array between them. */
ordo_status pieces_open(dist_call *c, const uint64_t *begins, const uint64_t *wanted, pieces *p);
ordo_status pieces_at(pieces *p);

/* Ties that are on both sides of the border at the begin or the `end` of what this process gets:
 * elements before them, and how many they are; 0: there are none. */
typedef struct border_ties {
    uint64_t less, tied;
} border_ties;
border_ties pieces_ties(const pieces *p, bool end);

/* Tells every process how many elements it gets from this one: sets receive_at and receive_n. */
ordo_status pieces_swap(pieces *p);

/* Scatters keys to pieces, and gathers results of 4 or 8 bytes from pieces to the sequence of the
 * keys. Not collective. */
ordo_status pieces_scatter(const pieces *p, const void *from, size_t size, void *to);
ordo_status pieces_gather(const pieces *p, const void *from, size_t size, void *to);

/* Sends the scattered pieces and receives `received` elements; `back` reverses the exchange. */
ordo_status pieces_exchange(const pieces *p, const void *scattered, size_t size, void *received);
ordo_status pieces_back(const pieces *p, const void *received, size_t size, void *scattered);

#endif
