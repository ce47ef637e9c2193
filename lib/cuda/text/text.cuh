/* text.cuh - what the text verbs of the GPU share: the view of one or many texts, the suffix sort
 * as a step of other verbs, and where a text ends.
 *
 * Positions have 32 bits: n and the number of texts together are below 2^32 - 2. */
#ifndef ORDO_CUDA_TEXT_TEXT_H
#define ORDO_CUDA_TEXT_TEXT_H

#include "backend/text.h"
#include "cuda/runtime/cuda_rt.cuh"

enum {
    TEXT_THREADS = 256,
    TEXT_RESIDENT = 8 /* blocks per multiprocessor of a plain loop */
};

struct text_view {
    const uint8_t  *text;
    size_t          n;
    const uint64_t *offsets; /* device memory; NULL: one text */
    size_t          count;   /* texts, at least 1 */
    const uint32_t *ends;    /* bit p: a text ends before position p; NULL: one text */
    /* Not 0: the texts are circles, whose rotations are sorted, and this is the length of the
     * longest one. */
    uint32_t circle;
};

static inline size_t text_grid(const cuda_call *call, size_t n)
{
    size_t const most = (size_t)call->facts->sms * TEXT_RESIDENT;
    return ordo_max(1, ordo_min(most, ordo_div_up(n, TEXT_THREADS)));
}

/* The number of the text that has position `at`. */
static DEVICE uint32_t text_number_at(const text_view &view, size_t at)
{
    size_t lo = 0, hi = view.count - 1;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        if (view.offsets[middle + 1] <= at)
            lo = middle + 1;
        else
            hi = middle;
    }
    return (uint32_t)lo;
}

/* Where the text of position `at` ends. */
static DEVICE size_t text_end_at(const text_view &view, size_t at)
{
    return view.ends == NULL ? view.n : (size_t)view.offsets[text_number_at(view, at) + 1];
}

static DEVICE bool text_ends_before(const text_view &view, size_t at)
{
    return at >= view.n || (view.ends != NULL && (view.ends[at / 32] >> (at % 32) & 1) != 0);
}

/* The number of the circle that has position `at`. Circles of about the same length take one or two
 * reads. */
static DEVICE uint32_t circle_number_at(const text_view &view, uint32_t at)
{
    uint32_t number = at / view.circle;
    while (view.offsets[number + 1] <= at)
        number++;
    return number;
}

/* The position `depth` symbols after `at` on its circle. */
static DEVICE uint32_t circle_after(const text_view &view, uint32_t at, uint32_t depth)
{
    uint32_t const number = circle_number_at(view, at);
    uint32_t const begin = (uint32_t)view.offsets[number];
    uint32_t const length = (uint32_t)view.offsets[number + 1] - begin;
    return begin + (at - begin + depth) % length;
}

/* The place of suffix `at` + depth among all suffixes and ends of texts, from the places of the
 * suffixes, which count from 1. No text ends between the two positions. */
static DEVICE uint32_t text_rank_behind(const text_view &view, const uint32_t *rank, size_t at,
                                        size_t depth)
{
    size_t const later = at + depth;
    if (!text_ends_before(view, later))
        return rank[later] + (uint32_t)view.count - 1;
    return view.ends == NULL ? 0 : text_number_at(view, at);
}

/* dev_text.cu: takes the scratch of the view, copies the offsets and marks the ends. */
struct text_room {
    uint64_t *offsets;
    uint32_t *ends;
};
text_room   text_layout(cuda_scratch *scratch, const ordo_text_job *job);
ordo_status text_open(cuda_call *call, const ordo_text_job *job, const text_room &room,
                      text_view *view);

/* dev_suffix.cu: the suffix array by doubling, as u32; of circles, their rotations in order. Equal
 * rotations are in any order. */
size_t      dev_suffix_scratch(const ordo_text_job *job);
ordo_status dev_suffix(cuda_call *call, const text_view &view, uint32_t *sa);

/* dev_msd.cu: the same by one bit at a time. */
size_t      dev_msd_scratch(const ordo_text_job *job);
ordo_status dev_msd(cuda_call *call, const text_view &view, uint32_t *sa);

/* dev_lcp.cu, dev_suffix_check.cu, dev_unbwt.cu, dev_rotate.cu; arrays are device memory. */
size_t      dev_lcp_scratch(const ordo_text_job *job);
ordo_status dev_lcp(cuda_call *call, const ordo_text_job *job, const text_view &view);
size_t      dev_suffix_check_scratch(const ordo_text_job *job);
ordo_status dev_suffix_check(cuda_call *call, const ordo_text_job *job, const text_view &view);
size_t      dev_unbwt_scratch(const ordo_text_job *job);
ordo_status dev_unbwt(cuda_call *call, const ordo_text_job *job);
size_t      dev_rotate_scratch(const ordo_text_job *job);
ordo_status dev_rotate(cuda_call *call, const ordo_text_job *job);

/* dev_text.cu: the slots of the backend. */
extern const ordo_text_slots cuda_text;

#endif
