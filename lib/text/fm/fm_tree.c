/* fm_tree.c - the Huffman tree of an FM-index: joins the 16 lightest nodes again and again, then
 * numbers the inner nodes level by level. */
#include "text/fm/fm_tree.h"

#include <assert.h>
#include <string.h>

enum {
    ALL_NODES = FM_LETTERS + FM_NODES
};

typedef struct forest {
    uint64_t weight[ALL_NODES];              /* leaves by code, then inner nodes */
    int16_t  children[ALL_NODES][FM_DIGITS]; /* -1: none */
    int16_t  roots[FM_LETTERS];              /* descending by weight; equal weights: older first */
    unsigned root_count, count;
} forest;

static void add_root(forest *f, int16_t node)
{
    unsigned at = f->root_count++;
    for (; at > 0 && f->weight[f->roots[at - 1]] < f->weight[node]; at--)
        f->roots[at] = f->roots[at - 1];
    f->roots[at] = node;
}

/* Joins the lightest `take` roots. */
static void join(forest *f, unsigned take)
{
    unsigned const node = f->count++;
    f->root_count -= take;
    f->weight[node] = 0;
    for (unsigned d = 0; d < FM_DIGITS; d++) {
        f->children[node][d] = d < take ? f->roots[f->root_count + d] : (int16_t)-1;
        f->weight[node] += d < take ? f->weight[f->roots[f->root_count + d]] : 0;
    }
    add_root(f, (int16_t)node);
}

/* The first join takes fewer roots, so that each other one takes FM_DIGITS. */
static void grow(forest *f, const uint64_t *below, unsigned letters)
{
    f->count = f->root_count = 0;
    for (unsigned c = 0; c < letters; c++) {
        f->weight[c] = below[c + 1] - below[c];
        add_root(f, (int16_t)f->count++);
    }
    if (letters == 1)
        join(f, 1);
    else if (letters > 1)
        join(f, (letters - 2) % (FM_DIGITS - 1) + 2);
    while (f->root_count > 1)
        join(f, FM_DIGITS);
}

/* Places node `number`, after those before it: *at is the end of these, and counts has the digits
 * so far. */
static void place_node(fm_tree *tree, unsigned number, uint64_t *at, uint32_t *counts)
{
    fm_node *const node = &tree->nodes[number];
    if (number == 0 || node->level > tree->nodes[number - 1].level) {
        uint64_t const from = *at;
        *at = (from + FM_CELL - 1) / FM_CELL * FM_CELL;
        counts[0] += (uint32_t)(*at - from);
        assert(node->level < FM_LEVELS);
        tree->level_start[node->level] = *at;
        tree->level_count = node->level + 1;
    }
    node->start = *at;
    for (unsigned d = 0; d < FM_DIGITS; d++) {
        fm_branch *const branch = &node->branches[d];
        branch->base = counts[d];
        counts[d] += branch->size;
        node->size += branch->size;
    }
    *at += node->size;
}

/* A node of the forest whose children follow, and the path to it. */
typedef struct entry {
    int16_t  node;
    uint64_t path;
} entry;

static void list_children(fm_tree *tree, const forest *f, entry *queue, unsigned number,
                          const uint64_t *below, unsigned letters)
{
    fm_node *const node = &tree->nodes[number];
    for (unsigned d = 0; d < FM_DIGITS; d++) {
        fm_branch *const branch = &node->branches[d];
        int const        child = f->children[queue[number].node][d];
        uint64_t const   path = queue[number].path | (uint64_t)d << FM_BITS * node->level;
        branch->size = child < 0 ? 0 : (uint32_t)f->weight[child];
        branch->start = 1;
        if (child >= (int)letters) {
            branch->child = tree->node_count;
            tree->nodes[tree->node_count].level = node->level + 1;
            queue[tree->node_count++] = (entry){(int16_t)child, path};
        } else if (child >= 0) {
            branch->code = (uint32_t)child;
            branch->start = 1 + below[child];
            tree->path[child] = path;
        }
    }
}

void fm_tree_build(fm_tree *tree, const uint64_t *below, unsigned letters)
{
    forest   f;
    entry    queue[FM_NODES] = {{0, 0}};
    uint64_t at = 0;
    uint32_t counts[FM_DIGITS] = {0};
    memset(tree, 0, sizeof *tree);
    memset(&f, 0, sizeof f);
    grow(&f, below, letters);
    if (letters > 0)
        queue[tree->node_count++] = (entry){f.roots[0], 0};
    for (unsigned k = 0; k < tree->node_count; k++) {
        list_children(tree, &f, queue, k, below, letters);
        place_node(tree, k, &at, counts);
    }
    for (unsigned k = 0; k < tree->node_count; k++)
        for (unsigned d = 0; d < FM_DIGITS; d++) {
            fm_branch *const branch = &tree->nodes[k].branches[d];
            if (branch->child > 0)
                branch->start = tree->nodes[branch->child].start;
        }
    tree->cells = (at + FM_CELL - 1) / FM_CELL + 1;
    tree->level_start[tree->level_count] = (tree->cells - 1) * FM_CELL;
}
