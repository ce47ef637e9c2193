/* block_narrow.cuh - one block searches for the word of a rank among words in any memory.
 *
 * A range of words that contains the wanted word is divided into 1024 bins of equal width. Each
 * round counts the words of every bin and continues with the bin of the rank, so a round finds 10
 * bits: at most four rounds for 32-bit words, seven for 64-bit words. Called by all threads of a
 * block of THREADS threads; results are valid in every thread. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_NARROW_H
#define ORDO_CUDA_BLOCK_BLOCK_NARROW_H

#include "cuda/block/block_before.cuh"

enum {
    NARROW_LG = 10,
    NARROW_BINS = 1 << NARROW_LG
};

template <int THREADS> struct narrow_shared {
    uint32_t bins[NARROW_BINS];
    uint32_t totals[THREADS / WARP_LANES];
    uint32_t bin, before, inside; /* the bin of the rank; NARROW_BINS: there is none */
};

template <typename WORD> struct narrow_range {
    WORD     low, high;     /* the first and the last word */
    uint32_t below, inside; /* words before the range, and in it */
};

/* Finds the bin of a rank among the words in the bins. A barrier must come before and after. */
template <int THREADS> static DEVICE void narrow_find_bin(narrow_shared<THREADS> *s, uint32_t rank)
{
    constexpr int EACH = NARROW_BINS / THREADS;
    uint32_t own[EACH], sum = 0;
#pragma unroll
    for (int b = 0; b < EACH; b++) {
        own[b] = s->bins[threadIdx.x * EACH + b];
        sum += own[b];
    }
    uint32_t before = block_sum_before<THREADS / WARP_LANES>(sum, s->totals);
    if (rank < before || rank - before >= sum)
        return;
#pragma unroll
    for (int b = 0; b < EACH; b++) {
        if (rank >= before && rank - before < own[b]) {
            s->bin = threadIdx.x * EACH + b;
            s->before = before;
            s->inside = own[b];
        }
        before += own[b];
    }
}

/* Narrows a range until it is one word or has at most `enough` words; range->inside is 0 if no word
 * has the rank. each(f) calls f(word) for all words of the thread, with the same words every
 * time. */
template <int THREADS, typename WORD, typename EACH>
static DEVICE void narrow(narrow_shared<THREADS> *s, narrow_range<WORD> *range, uint32_t rank,
                          uint32_t enough, EACH &&each)
{
    while (range->low != range->high && range->inside > enough) {
        WORD const     low = range->low, width = (WORD)(range->high - low);
        unsigned const length = 64 - (unsigned)__clzll((long long)width);
        unsigned const shift = length > NARROW_LG ? length - NARROW_LG : 0;
        for (unsigned b = threadIdx.x; b < NARROW_BINS; b += THREADS)
            s->bins[b] = 0;
        __syncthreads();
        if (threadIdx.x == 0) /* all threads have read the bin of the last round */
            s->bin = NARROW_BINS;
        each([&](WORD word) {
            WORD const distance = (WORD)(word - low);
            if (distance <= width)
                atomicAdd(&s->bins[(unsigned)(distance >> shift)], 1u);
        });
        __syncthreads();
        narrow_find_bin(s, rank - range->below);
        __syncthreads();
        WORD const first = (WORD)((WORD)s->bin << shift), last = (WORD)(((WORD)1 << shift) - 1);
        range->inside = s->bin < NARROW_BINS ? s->inside : 0;
        if (range->inside == 0)
            return;
        range->low = (WORD)(low + first);
        range->high = width - first < last ? range->high : (WORD)(range->low + last);
        range->below += s->before;
    }
}

#endif
