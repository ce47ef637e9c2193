/* fm_tree.h - the Huffman tree of the letters of an FM-index, whose nodes have up to 16 children.
 *
 * The code of a letter is the path to its leaf, a digit of 4 bits for each node. Node 0 has the
 * first digits of all letters of the transform, its child d the second digits of those whose first
 * digit is d, and so on, each in the order of the transform. The digits of the nodes form one
 * sequence, a level of the tree after the other; a level ends with zeros up to a whole cell. The
 * tree, and so the place of every digit, follows from the counts of the letters. */
#ifndef ORDO_TEXT_FM_FM_TREE_H
#define ORDO_TEXT_FM_FM_TREE_H

#include <stdint.h>

#define FM_MOST ((uint64_t)1 << 32) /* bytes of a text: counts have 32 bits */

enum {
    FM_LETTERS = 256,
    FM_BITS = 4, /* of a digit */
    FM_DIGITS = 1 << FM_BITS,
    FM_CELL = 512, /* digits of a cell */
    FM_NODES = 17, /* most inner nodes of 256 letters */
    FM_LEVELS = 16 /* most levels of fewer than FM_MOST letters: a node of height h has at least
                      * as many as one of height h - 1 and 15 of height h - 2 */
};

/* What follows a digit of a node. */
typedef struct fm_branch {
    uint32_t base;  /* how often the digit occurs before the node, modulo 2^32 */
    uint32_t size;  /* how often it occurs in the node */
    uint64_t start; /* the start of the child, or the first row of the letter */
    uint32_t child; /* a node; 0: a leaf, also if the digit does not occur */
    uint32_t code;  /* of the leaf's letter */
    uint64_t zero;  /* so that an index of a branch is a shift */
} fm_branch;

typedef struct fm_node { /* no leaf */
    uint64_t  start;     /* in the sequence of digits */
    uint32_t  size;      /* digits */
    uint32_t  level;
    fm_branch branches[FM_DIGITS];
} fm_node;

typedef struct fm_tree {
    unsigned node_count, level_count;
    uint64_t cells; /* with an empty one at the end */
    uint64_t level_start[FM_LEVELS + 1];
    fm_node  nodes[FM_NODES];
    uint64_t path[FM_LETTERS]; /* the digits of each code, the first one in the lowest bits */
} fm_tree;

/* The tree of `letters` letters; below[c] letters of the text have a code less than c. */
void fm_tree_build(fm_tree *tree, const uint64_t *below, unsigned letters);

#endif
