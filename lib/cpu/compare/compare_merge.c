/* compare_merge.c - stable merge sort by a caller's comparison.
 *
 * One thread sorts each block: a few elements by insertion, then by merges. Each pass over the
 * array merges neighbouring ranges from the base to the buffer or back, one block of the output at
 * a time. Before a pass, binary searches find where each block begins in both ranges. A
 * contradictory comparison may give cuts that cross; these are corrected before an element is
 * moved.
 * n lg n calls of the comparison, and about 2 lg n more for every block of a pass. The insertion
 * sort and the merge of lib/core are not used, because elements have any size and a comparison
 * costs more than a move. */
#include "cpu/compare/compare_sort.h"

#include "core/bisect.h"

#include <stddef.h>

enum {
    LEAF = 8 /* elements sorted by insertion */
};

/* ---- One thread ---- */

/* Sorts at most LEAF elements from either array into either. Each element is first compared with
 * the element before it, then inserted by binary search. */
static void insert_sort(const compare_work *work, size_t lo, size_t hi, bool in_buffer,
                        bool to_buffer)
{
    size_t const               size = work->size;
    char *const                out = compare_at(work, to_buffer, lo);
    const char                *in = compare_at(work, in_buffer, lo);
    _Alignas(max_align_t) char held[COMPARE_LARGE];

    for (size_t i = 0; i < hi - lo; i++, in += size) {
        size_t low = 0, high = i;
        if (i == 0 || compare_two(work, in, out + (i - 1) * size) >= 0)
            low = i;
        else
            high = i - 1;
        ORDO_BISECT(middle, low, high, compare_two(work, in, out + middle * size) >= 0);
        char *const place = out + low * size;
        compare_move(held, in, size);
        memmove(place + size, place, (i - low) * size);
        compare_move(place, held, size);
    }
}

/* Merges two sorted ranges of one array into the other. */
static void merge(const compare_work *work, const char *a, size_t na, const char *b, size_t nb,
                  char *out)
{
    size_t const      size = work->size;
    const char *const a_end = a + na * size, *const b_end = b + nb * size;
    if (na > 0 && nb > 0 && compare_two(work, b, a_end - size) < 0)
        while (a < a_end && b < b_end) {
            bool const         take_b = compare_two(work, b, a) < 0;
            const char **const from = take_b ? &b : &a;
            compare_move(out, *from, size);
            *from += size;
            out += size;
        }
    memcpy(out, a, (size_t)(a_end - a));
    memcpy(out + (a_end - a), b, (size_t)(b_end - b));
}

void compare_merge_sort(const compare_work *work, size_t lo, size_t hi, bool in_buffer,
                        bool to_buffer)
{
    if (hi - lo <= LEAF) {
        insert_sort(work, lo, hi, in_buffer, to_buffer);
        return;
    }
    size_t const half = (hi - lo) / 2, middle = lo + half;
    compare_merge_sort(work, lo, middle, in_buffer, !to_buffer);
    compare_merge_sort(work, middle, hi, in_buffer, !to_buffer);
    merge(work, compare_at(work, !to_buffer, lo), half, compare_at(work, !to_buffer, middle),
          hi - middle, compare_at(work, to_buffer, lo));
}

/* ---- All threads ---- */

typedef struct merging { /* the state of merging n elements from element `lo` on */
    const compare_work *work;
    size_t              lo, n;
    size_t              width;   /* blocks in each range of a pair */
    bool                back;    /* this pass goes from the buffer to the base */
    atomic_size_t       ordered; /* number of elements in sorted blocks, which are the first
                                  * blocks */
} merging;

typedef struct block_pair { /* the two ranges that a block of the output is merged from */
    const char *a, *b;
    size_t      na, nb;
    size_t      first; /* the first block of both ranges */
} block_pair;

static block_pair pair_of(const merging *p, size_t block)
{
    size_t const first = block / (2 * p->width) * (2 * p->width);
    size_t const start = first * COMPARE_BLOCK, length = p->width * COMPARE_BLOCK,
                 left = p->n - start;
    size_t const na = ordo_min(length, left), nb = ordo_min(length, left - na);
    return (block_pair){compare_at(p->work, p->back, p->lo + start),
                        compare_at(p->work, p->back, p->lo + start + na), na, nb, first};
}

static void sort_block(void *arg, size_t lo, size_t hi)
{
    merging *const p = arg;
    compare_merge_sort(p->work, p->lo + lo, p->lo + hi, false, p->back);
    atomic_fetch_add_explicit(&p->ordered, hi - lo, memory_order_relaxed);
}

/* For each block of the output: finds how many elements of range a come before the block. */
static void find_cuts(void *arg, size_t lo, size_t hi)
{
    const merging *const      p = arg;
    const compare_work *const work = p->work;
    for (size_t block = lo; block < hi; block++) {
        block_pair const pair = pair_of(p, block);
        size_t const     rank = (block - pair.first) * COMPARE_BLOCK;
        size_t           low = rank > pair.nb ? rank - pair.nb : 0, high = ordo_min(rank, pair.na);
        ORDO_BISECT(middle, low, high,
                    compare_two(work, pair.b + (rank - 1 - middle) * work->size,
                                pair.a + middle * work->size) >= 0);
        work->cuts[block] = low;
    }
}

/* Corrects cuts that cross: each block must take 0 to COMPARE_BLOCK elements from either range. */
static void part_cuts(const merging *p, size_t blocks)
{
    size_t *const cuts = p->work->cuts;
    for (size_t block = 1; block < blocks; block++)
        if (block % (2 * p->width) != 0)
            cuts[block] =
                ordo_min(ordo_max(cuts[block], cuts[block - 1]), cuts[block - 1] + COMPARE_BLOCK);
}

static void merge_block(void *arg, size_t lo, size_t hi)
{
    const merging *const      p = arg;
    const compare_work *const work = p->work;
    for (size_t block = lo; block < hi; block++) {
        block_pair const pair = pair_of(p, block);
        size_t const     rank = (block - pair.first) * COMPARE_BLOCK, total = pair.na + pair.nb;
        bool const       last = total - rank <= COMPARE_BLOCK;
        size_t const     a_from = work->cuts[block], b_from = rank - a_from;
        size_t const     a_to = last ? pair.na : work->cuts[block + 1];
        size_t const     b_to = last ? pair.nb : rank + COMPARE_BLOCK - a_to;
        merge(work, pair.a + a_from * work->size, a_to - a_from, pair.b + b_from * work->size,
              b_to - b_from, compare_at(work, !p->back, p->lo + block * COMPARE_BLOCK));
    }
}

unsigned compare_merge_passes(size_t n)
{
    unsigned passes = 0;
    for (size_t run = COMPARE_BLOCK; run < n && run <= SIZE_MAX / 2; run *= 2)
        passes++;
    return passes;
}

bool compare_merge_all(const compare_work *work, size_t lo, size_t hi)
{
    ordo_exec *const exec = work->exec;
    size_t const     n = hi - lo, blocks = ordo_div_up(n, COMPARE_BLOCK);
    unsigned const   count = compare_merge_passes(n);
    merging          p = {.work = work, .lo = lo, .n = n, .width = 1, .back = count % 2 != 0};

    if (!ordo_loop(exec, n, COMPARE_BLOCK, sort_block, &p)) {
        if (p.back)
            compare_bring_home(work, lo,
                               lo + atomic_load_explicit(&p.ordered, memory_order_relaxed));
        return false;
    }
    exec->phase++;
    for (unsigned pass = 0; pass < count; pass++, p.width *= 2, p.back = !p.back) {
        bool const found = ordo_loop(exec, blocks, 1, find_cuts, &p);
        if (found)
            part_cuts(&p, blocks);
        if (!found || !ordo_loop(exec, blocks, 1, merge_block, &p)) {
            if (p.back) /* the buffer is complete, the base is not */
                compare_bring_home(work, lo, hi);
            return false;
        }
        exec->phase++;
    }
    return true;
}
