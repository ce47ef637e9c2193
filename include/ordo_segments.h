/* ordo_segments.h - many arrays in one call. ordo.h includes this file.
 *
 * The options of a call have a field `segments`. If it is not NULL, the call works on every segment
 * of its array of n elements by itself. The result of a segment is the result of a separate call on
 * that segment, byte for byte. Segments may be empty. Elements outside the segments are neither
 * read nor written.
 *
 * Arrays with one element for each key (values, index, ranks, weights, out of ordo_scan and
 * ordo_nth, opts.source, LR, RL and DM) have n elements and the same segments as the keys. Indices
 * count from the start of their segment. Calls with a fixed number of results for an array
 * (ordo_select, ordo_quantiles, ordo_median, ordo_topk, ordo_is_sorted, ordo_radius, ordo_runs)
 * write as many for each segment, segment after segment: ordo_topk has k places for each segment
 * and one *found for each segment.
 *
 * The segments of arrays that are written must not overlap; where they are only read, they may.
 * Limits of n (index_type u32, rank_type u32, opts.radius, k) apply to each segment. If there are
 * several segments, an error names the segment. As after other errors nothing is written.
 * ORDO_E_NOMEM: segments with a step need scratch for at least one segment; other cases are as
 * without segments.
 *
 * Arrays on a GPU (ORDO_ON_DEVICE): offsets is memory that the GPU can read, too. The call enqueues
 * its work, does not wait and can be captured into a CUDA graph. Offsets are not checked: a pair of
 * offsets that descends or exceeds n is an empty segment, and nothing outside the arrays is read or
 * written; if valid pairs then overlap, the elements they share are unspecified. Limits of n apply
 * to the whole array, and results that a short segment does not have are not written. The GPU sorts
 * segments only by the algorithm auto; others return ORDO_E_UNSUPPORTED. Host arrays that the GPU
 * works on are copied whole, so elements outside the segments are read and written back.
 * All results are GPU memory: quantiles, medians, *found, *sorted, *where, *radius and *runs, too.
 * Positions (k, q) stay host memory; more than 512 of them must exist until the work is done.
 * ordo_select does not check positions with ORDO_NANS_OMIT. ORDO_CHECK waits for its result. Float
 * sums of a segment are those of a separate call on the GPU; with offsets, sums of segments of more
 * than 2^21 elements may differ from it in the last bits, and depend only on the length.
 *
 * ordo_sort_by, ordo_scan_bits and strings have no segments.
 *
 *   rows of a matrix      {.count = rows, .length = columns}
 *   columns of a matrix   {.count = columns, .length = rows, .stride = 1, .step = columns}
 *   axis 1 of a[x][y][z]  {.count = x * z, .length = y, .stride = 1, .step = z, .group = z,
 *                          .group_stride = y * z}                                               */
#ifndef ORDO_SEGMENTS_H
#define ORDO_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct ordo_segments {
    size_t struct_size;
    size_t count; /* of segments                                                                 */
    /* count + 1 ascending numbers up to n: segment i is elements offsets[i] to offsets[i+1] - 1.
     * NULL: all segments have the same length, and the fields below say where they are. With
     * offsets all of these fields are 0. */
    const uint64_t *offsets;
    size_t          length;       /* elements of a segment                                       */
    size_t          stride;       /* from the start of a segment to the next; 0: length * step   */
    size_t          step;         /* from an element of a segment to the next; 0: 1              */
    size_t          group;        /* segments of a group, a divisor of count; 0: count           */
    size_t          group_stride; /* from the start of a group to the next; 0: group * stride    */
} ordo_segments;

#endif
