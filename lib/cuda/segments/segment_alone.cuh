/* segment_alone.cuh - segments of a fixed layout, one after the other: for segments so long that a
 * call for each of them is fast. The arrays of the verb (backend/verbs.h) give the jobs. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_ALONE_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_ALONE_H

#include "backend/verbs.h"
#include "cuda/runtime/cuda_rt.cuh"

/* The job of segment i of a fixed layout. Arrays that are NULL stay so. */
template <typename JOB>
static inline JOB segment_alone(const ordo_verb &verb, const JOB *job, size_t i)
{
    const ordo_segment_view *const view = ordo_segments_of(&verb, job), *const none = NULL;
    JOB one = *job;
    memcpy((char *)&one + verb.segments, &none, sizeof none);
    memcpy((char *)&one + verb.n, &view->length, sizeof view->length);
    for (const ordo_array *array = verb.arrays; array < ordo_arrays_end(&verb); array++) {
        void **const pointer = (void **)((char *)&one + array->field);
        bool const   is_each = (array->use & ORDO_EACH) != 0;
        size_t const first =
            is_each ? i * ordo_array_each(&verb, array, job) : ordo_segment_start(view, i);
        if (*pointer != NULL && (array->use & ORDO_HOST) == 0)
            *pointer = (char *)*pointer + first * ordo_array_size(array, job);
    }
    return one;
}

/* Calls run(call, job) for every segment of a fixed layout. All calls use the same scratch, because
 * the next one runs later on the stream. */
template <typename JOB, typename RUN>
static inline ordo_status segments_each_alone(cuda_call *call, const ordo_verb &verb,
                                              const JOB *job, RUN &&run)
{
    size_t const used = call->scratch.used;
    for (size_t i = 0; i < ordo_segments_of(&verb, job)->count; i++) {
        JOB const one = segment_alone(verb, job, i);
        call->scratch.used = used;
        TRY(run(call, &one));
    }
    return ORDO_OK;
}

#endif
