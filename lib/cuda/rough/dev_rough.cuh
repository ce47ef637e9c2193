/* dev_rough.cuh - arrays that are nearly in order: their radius, their sort, and the look at an
 * array that tells whether a sort may use either.
 *
 * Each sort sets *done. False means: the array holds the same keys as before, in some order, and
 * the general sort is still to be run; nothing else is wrong. What these functions took of
 * call->scratch is given back when they return, so that the general sort may use it. */
#ifndef ORDO_CUDA_ROUGH_DEV_ROUGH_H
#define ORDO_CUDA_ROUGH_DEV_ROUGH_H

#include "cuda/runtime/cuda_keys.cuh"

/* dev_rough.cu: windows of the radius that the job names or, if it names none, that is guessed or
 * measured. Not done: the radius is too large, or larger than the job said; keys of 8 or 16 bits,
 * which counting sorts at any radius; or the stream is being captured, for it asks the host. */
size_t      dev_rough_scratch(const ordo_sort_job *job);
ordo_status dev_rough_keys(cuda_call *call, const ordo_sort_job *job, bool *done);

/* dev_rough_auto.cu: the same if a look at a part of the array promises it, also for arrays that
 * are sorted already or the other way round. */
size_t      dev_rough_auto_scratch(const ordo_sort_job *job);
ordo_status dev_rough_auto(cuda_call *call, const ordo_sort_job *job, bool *done);

/* ---- What these are made of ---- */

/* dev_radius.cu: enqueues what measures the radius, in the order that `ties` names, and gives the
 * device word that will hold it. Above `limit` (at most SIZE_MAX - 1) it may stop early and leave
 * any larger number. Takes dev_radius_scratch's bytes and keeps them. */
ordo_status dev_radius_enqueue(cuda_call *call, const ordo_radius_job *job, key_ties ties,
                               size_t limit, const uint64_t **radius);

/* dev_rough_look.cu: what windows all over the array show. For rough_look_least() keys or more.
 * Takes rough_look_scratch() bytes, and waits for the host. */
struct rough_look {
    size_t falls, rises; /* neighbours */
    size_t far_falls;    /* windows that begin with less than the one before */
    size_t radius;       /* of any window by itself */
};
size_t      rough_look_scratch(void);
size_t      rough_look_least(void);
ordo_status rough_look_at(cuda_call *call, const ordo_sort_job *job, rough_look *look);

/* dev_rough.cu: windows of an unknown radius, of which a look has seen this much; 0: nothing. Takes
 * dev_rough_scratch's bytes less those of the look. */
ordo_status rough_sort_unknown(cuda_call *call, const ordo_sort_job *job, size_t seen, bool *done);

/* dev_rough_warp.cu, dev_rough_block.cu: sort in windows of a radius, in place; raise *unsorted,
 * a word of device memory that the caller has zeroed, if the radius was too small. */
size_t      rough_warp_most(void); /* largest radius */
ordo_status rough_warp(cuda_call *call, const ordo_sort_job *job, size_t radius,
                       unsigned *unsorted);
size_t      rough_block_most(const cuda_call *call, ordo_type type);
ordo_status rough_block(cuda_call *call, const ordo_sort_job *job, size_t radius,
                        unsigned *unsorted);

#endif
