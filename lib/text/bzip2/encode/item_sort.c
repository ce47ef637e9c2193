/* item_sort.c - quicksort of items. Equal keys are many, because texts repeat: a pivot has a key
 * only, and if it is the least key, all its equals are split off. The pivot is the median of three
 * or nine; after too many uneven splits a heap sort ends the part, so the worst case is n log n. */
#include "text/bzip2/encode/item_sort.h"

#include <string.h>

enum {
    FEW = 12,  /* items for the insertion sort; estimate */
    MANY = 200 /* items for a pivot of nine; estimate */
};

static inline void swap_items(bz_item *a, bz_item *b)
{
    bz_item const kept = *a;
    *a = *b;
    *b = kept;
}

static inline void order_two(bz_item *a, bz_item *b)
{
    bz_item const low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

/* The first items are sorted without branches. */
static void insertion_sort(bz_item *items, size_t n)
{
    size_t sorted = 1;
    if (n >= 4) {
        order_two(&items[0], &items[1]);
        order_two(&items[2], &items[3]);
        order_two(&items[0], &items[2]);
        order_two(&items[1], &items[3]);
        order_two(&items[1], &items[2]);
        sorted = 4;
    } else if (n == 3) {
        order_two(&items[0], &items[1]);
        order_two(&items[1], &items[2]);
        order_two(&items[0], &items[1]);
        sorted = 3;
    }
    for (size_t i = sorted; i < n; i++) {
        bz_item const item = items[i];
        size_t        to = i;
        for (; to > 0 && items[to - 1] > item; to--)
            items[to] = items[to - 1];
        items[to] = item;
    }
}

static void sift(bz_item *items, size_t at, size_t n)
{
    bz_item const item = items[at];
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && items[child] < items[child + 1];
        if (items[child] <= item)
            break;
        items[at] = items[child];
    }
    items[at] = item;
}

static void heap_sort(bz_item *items, size_t n)
{
    for (size_t i = n / 2; i > 0; i--)
        sift(items, i - 1, n);
    for (size_t i = n - 1; i > 0; i--) {
        swap_items(&items[0], &items[i]);
        sift(items, 0, i);
    }
}

static inline bz_item middle(bz_item a, bz_item b, bz_item c)
{
    bz_item const low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

static bz_item pivot_of(const bz_item *items, size_t n)
{
    size_t const half = n / 2, step = n / 8;
    if (n < MANY)
        return middle(items[0], items[half], items[n - 1]);
    return middle(middle(items[0], items[step], items[2 * step]),
                  middle(items[half - step], items[half], items[half + step]),
                  middle(items[n - 1 - 2 * step], items[n - 1 - step], items[n - 1]));
}

/* Moves the items below the pivot to the front and returns their number. No branch
 * depends on a key, and nothing that was just written is read: both would cost more than the
 * copies. */
static size_t split_below(bz_item *items, size_t n, bz_item pivot, bz_item *scratch)
{
    size_t below = 0;
    for (size_t i = 0; i < n; i++) {
        bz_item const item = items[i];
        items[below] = item;
        scratch[i - below] = item;
        below += item < pivot;
    }
    memcpy(items + below, scratch, (n - below) * sizeof *items);
    return below;
}

static void sort_part(bz_item *items, size_t n, unsigned shift, unsigned splits, bz_item *scratch)
{
    while (n > FEW) {
        if (splits-- == 0) {
            heap_sort(items, n);
            return;
        }
        bz_item const pivot = pivot_of(items, n) >> shift;
        size_t const  below = split_below(items, n, pivot << shift, scratch);
        if (below == 0) { /* the pivot is the least key: its equals are in place then */
            bool const   highest = pivot == UINT64_MAX >> shift;
            size_t const equal = highest ? n : split_below(items, n, (pivot + 1) << shift, scratch);
            items += equal;
            n -= equal;
        } else if (below < n - below) {
            sort_part(items, below, shift, splits, scratch);
            items += below;
            n -= below;
        } else {
            sort_part(items + below, n - below, shift, splits, scratch);
            n = below;
        }
    }
    insertion_sort(items, n);
}

void bz_sort_items(bz_item *items, size_t n, unsigned shift, bz_item *scratch, size_t room)
{
    size_t equal = 1;
    while (equal < n && (items[equal] ^ items[0]) >> shift == 0)
        equal++;
    if (equal < n)
        sort_part(items, n, shift, n < room ? 2 * ordo_bit_length(n) : 0, scratch);
}
