/* string_pieces.h - sends strings to the processes that hold their places in the global order.
 *
 * Either the strings of each process are sorted, so what a process gets from another is one piece
 * of the copy in order; or their keys (string_keys.h) are divided, and a piece has its strings in
 * their sequence. Lengths travel as 4 bytes, bytes as one block. Pieces arrive in the order of
 * their processes, so a stable sort of what a process receives is a stable sort of the global
 * array. */
#ifndef ORDO_DIST_STRINGS_STRING_PIECES_H
#define ORDO_DIST_STRINGS_STRING_PIECES_H

#include "dist/exchange/pieces.h"
#include "dist/strings/string_part.h"

typedef struct string_pieces {
    pieces      p;
    string_list sent, received;
} string_pieces;

/* Sorts this process's strings, finds the cuts if process r gets wanted[r] strings, and moves
 * lengths and bytes. part->order is set if `ordered`; it takes longer than a sort of the strings
 * alone. Collective. */
ordo_status string_pieces_move(string_part *part, const uint64_t *wanted, bool ordered,
                               string_pieces *out);

/* Moves strings by their keys, without a sort. Every process gets about as many as it has, and ties
 * stay together. *moved is false, and nothing was moved, if too many strings have one key.
 * Collective. */
ordo_status string_pieces_divide(string_part *part, string_pieces *out, bool *moved);

/* string_merge.c: writes the stable order of s->received, a sorted run from each process, to order:
 * that of a sort. Not collective. */
ordo_status string_merge(const string_pieces *s, uint64_t *order);

#endif
