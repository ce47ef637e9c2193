/* code_lengths.c - Huffman's algorithm on a binary heap.
 *
 * Many codes are optimal; bzip2's output depends on which of them is taken. The order of equal
 * weights here is that of bzip2's heap: leaves enter in the order of the symbols, the least node is
 * replaced by the last node of the heap, and a node moves only past nodes that are strictly
 * heavier when it rises. A weight is a count times 256 plus the height of the tree. If a code is
 * too long, all counts are halved. */
#include "text/bzip2/encode/code_lengths.h"

enum {
    MOST_NODES = 2 * BZ_MOST_SYMBOLS,
    HEIGHT_BITS = 8
};

#define HEIGHT_MASK ((UINT32_C(1) << HEIGHT_BITS) - 1)

typedef struct forest {
    uint32_t weight[MOST_NODES];
    uint16_t parent[MOST_NODES];
    uint16_t heap[BZ_MOST_SYMBOLS + 1]; /* of nodes, from index 1 on */
    unsigned size;
} forest;

static void push(forest *f, uint16_t node)
{
    uint32_t const weight = f->weight[node];
    unsigned       at = ++f->size;
    for (; at > 1 && weight < f->weight[f->heap[at / 2]]; at /= 2)
        f->heap[at] = f->heap[at / 2];
    f->heap[at] = node;
}

static uint16_t pop(forest *f)
{
    uint16_t const least = f->heap[1], node = f->heap[f->size--];
    uint32_t const weight = f->weight[node];
    unsigned       at = 1;
    for (unsigned child; (child = 2 * at) <= f->size; at = child) {
        if (child < f->size && f->weight[f->heap[child + 1]] < f->weight[f->heap[child]])
            child++;
        if (weight < f->weight[f->heap[child]])
            break;
        f->heap[at] = f->heap[child];
    }
    f->heap[at] = node;
    return least;
}

static uint32_t joined(uint32_t a, uint32_t b)
{
    uint32_t const height =
        (a & HEIGHT_MASK) > (b & HEIGHT_MASK) ? a & HEIGHT_MASK : b & HEIGHT_MASK;
    return ((a & ~HEIGHT_MASK) + (b & ~HEIGHT_MASK)) | (height + 1);
}

/* Returns the length of the longest code. Parents have higher numbers than their children. */
static unsigned build(forest *f, unsigned n, uint8_t *lengths)
{
    unsigned nodes = n, longest = 0;
    uint8_t  depth[MOST_NODES];
    f->size = 0;
    for (unsigned i = 0; i < n; i++)
        push(f, (uint16_t)i);
    for (; f->size > 1; nodes++) {
        uint16_t const a = pop(f), b = pop(f);
        f->parent[a] = f->parent[b] = (uint16_t)nodes;
        f->weight[nodes] = joined(f->weight[a], f->weight[b]);
        push(f, (uint16_t)nodes);
    }
    unsigned const root = f->heap[1];
    depth[root] = 0;
    for (unsigned i = root; i-- > 0;)
        depth[i] = (uint8_t)(depth[f->parent[i]] + 1);
    for (unsigned i = 0; i < n; i++) {
        lengths[i] = depth[i];
        longest = lengths[i] > longest ? lengths[i] : longest;
    }
    return longest;
}

void bz_code_lengths(uint8_t *lengths, const uint32_t *counts, unsigned n, unsigned longest)
{
    forest f = {.size = 0};
    for (unsigned i = 0; i < n; i++)
        f.weight[i] = (counts[i] == 0 ? 1 : counts[i]) << HEIGHT_BITS;
    while (build(&f, n, lengths) > longest)
        for (unsigned i = 0; i < n; i++)
            f.weight[i] = (1 + (f.weight[i] >> HEIGHT_BITS) / 2) << HEIGHT_BITS;
}
