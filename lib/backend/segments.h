/* segments.h - a job on every segment of an array.
 *
 * A device gets the layout of the segments in its job (job.h, `segments`) and does all of them at
 * once. For the CPU the caller of the backend (api/) also gives a function that does one segment by
 * the other slots of the backend. So a segment takes the path of a separate call and has the same
 * result. The CPU decides which thread does which segment and gathers segments whose elements are
 * not neighbours. */
#ifndef ORDO_BACKEND_SEGMENTS_H
#define ORDO_BACKEND_SEGMENTS_H

#include "backend/exec.h"
#include "backend/tuning.h"

enum {
    ORDO_SEGMENT_ARRAYS = 4,
    ORDO_ROW_KEYS = 16, /* most keys of a row of sort_rows */

    /* Most elements of a row of scan_rows. V1, sums of 20,000 rows of 100 f64: 1.7 ms, and 2.6 ms
     * if each row is a scan of its own. */
    ORDO_SCAN_ROW = ORDO_TUNE(1024, 64)
};

typedef struct ordo_rows_job { /* sorts rows of n keys in place, as a sort of keys only does */
    ordo_type type;
    void     *keys;    /* rows without gaps */
    size_t    rows, n; /* 1 <= n <= ORDO_ROW_KEYS */
    bool      descending;
    /* If order is not NULL, the keys stay unchanged. Row r has the elements from r * n on:
     * order[r * n + j] = the index in the row of its j-th key in order, ties by index.
     * ties[r * n + j] = that key ties with key j - 1 of the row, 1 or 0. NULL: not wanted. */
    uint8_t *order, *ties;
} ordo_rows_job;

/* With all defaults filled in, see ordo_segments. Checked, except offsets on a device. */
typedef struct ordo_segment_view {
    size_t          count;
    const uint64_t *offsets; /* where the arrays of the job are: on the host, or on a device */
    size_t          length, stride, step, group, group_stride;
} ordo_segment_view;

static inline size_t ordo_segment_length(const ordo_segment_view *view, size_t i)
{
    return view->offsets != NULL ? (size_t)(view->offsets[i + 1] - view->offsets[i]) : view->length;
}

static inline size_t ordo_segment_start(const ordo_segment_view *view, size_t i)
{
    if (view->offsets != NULL)
        return (size_t)view->offsets[i];
    if (i < view->group || view->group == 0)
        return i * view->stride;
    return i / view->group * view->group_stride + i % view->group * view->stride;
}

typedef struct ordo_segment_array { /* an array that has the segments of the view */
    void  *base;                    /* NULL: none */
    size_t size;                    /* bytes of an element, 1 to 16 */
    bool   is_read, is_written;
} ordo_segment_array;

/* Does segment i, which has n elements: at[j] is where the segment begins in array j, or in a
 * gathered copy of the segment. exec has threads and scratch for this segment alone. */
typedef ordo_status ordo_segment_fn(const void *arg, size_t i, size_t n, void *const *at,
                                    ordo_exec *exec);

/* Does segments i to i + count - 1, which have n elements each and follow each other without gaps
 * in every array. */
typedef ordo_status ordo_rows_fn(const void *arg, size_t i, size_t count, size_t n, void *const *at,
                                 ordo_exec *exec);

typedef struct ordo_segments_job {
    const ordo_segment_view *view;
    ordo_segment_array       arrays[ORDO_SEGMENT_ARRAYS];
    ordo_segment_fn         *one;
    ordo_rows_fn            *rows; /* NULL, or for segments of 1 to rows_most elements */
    size_t                   rows_most;
    /* The most scratch that `one` takes, NULL: none; whether it fails without. */
    size_t (*scratch)(const void *arg, size_t n, const ordo_exec *exec);
    bool        needs_scratch;
    bool        has_results; /* for each segment beside arrays that are written */
    const void *arg;
} ordo_segments_job;

#endif
