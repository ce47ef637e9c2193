/* api_segments.c - reads opts.segments, checks the segments, and sorts short ones.
 *
 * Offsets on a device are not read: kernels treat a bad pair as an empty segment. */
#include "api/api.h"

#include <string.h>

/* Sets *end to the index after the last element of the fixed layout. Returns false if the number
 * does not fit. */
static bool end_of(const ordo_segment_view *view, size_t *end)
{
    size_t in_group, in_segment, groups, sum;
    return ordo_size_mul(view->group - 1, view->stride, &in_group) &&
           ordo_size_mul(view->length - 1, view->step, &in_segment) &&
           ordo_size_mul(view->count / view->group - 1, view->group_stride, &groups) &&
           ordo_size_add(in_group, in_segment, &sum) && ordo_size_add(sum, groups, &sum) &&
           ordo_size_add(sum, 1, end);
}

/* Rejects segments that overlap. Rows do not overlap if each ends before the next begins. Columns
 * do not overlap if all of them begin before the second element of the first column. */
static ordo_status check_separate(ordo_exec *exec, const ordo_segment_view *view)
{
    size_t const span = (view->length - 1) * view->step;
    size_t const starts = (view->group - 1) * view->stride;
    FAIL_IF(view->group > 1 && view->stride <= span && starts >= view->step, ORDO_E_ARG,
            "segments 0 and 1 overlap: the stride is %zu, and a segment spans %zu elements; "
            "segments that are written must be separate",
            view->stride, span + 1);
    FAIL_IF(view->count > view->group && view->group_stride <= starts + span, ORDO_E_ARG,
            "segments 0 and %zu overlap: the stride of groups is %zu, and a group spans %zu "
            "elements; segments that are written must be separate",
            view->group, view->group_stride, starts + span + 1);
    return ORDO_OK;
}

static ordo_status check_layout(ordo_exec *exec, size_t n, bool written, ordo_segment_view *view)
{
    size_t cells, end = 0;
    view->step = view->step != 0 ? view->step : 1;
    FAIL_IF(view->stride == 0 && !ordo_size_mul(view->length, view->step, &view->stride),
            ORDO_E_ARG,
            "a segment of segments.length %zu and segments.step %zu is more than memory can hold",
            view->length, view->step);
    view->group = view->group != 0 ? view->group : view->count;
    FAIL_IF(view->count % view->group != 0, ORDO_E_ARG,
            "segments.group is %zu; expected a divisor of segments.count, which is %zu",
            view->group, view->count);
    FAIL_IF(
        view->group_stride == 0 && !ordo_size_mul(view->group, view->stride, &view->group_stride),
        ORDO_E_ARG, "a group of %zu segments with segments.stride %zu is more than memory can hold",
        view->group, view->stride);
    if (view->length == 0)
        return ORDO_OK;
    FAIL_IF(!end_of(view, &end) || end > n, ORDO_E_ARG,
            "segment %zu ends before element %zu; expected an end of at most n = %zu",
            view->count - 1, end, n);
    FAIL_IF(!ordo_size_mul(view->count, view->length, &cells) || cells > SIZE_MAX / 32, ORDO_E_ARG,
            "%zu segments of %zu elements are more than memory can hold", view->count,
            view->length);
    if (written)
        TRY(check_separate(exec, view));
    /* Segments of one element have no step. */
    if (view->length == 1 || view->step == 1)
        view->step = 1;
    return ORDO_OK;
}

static ordo_status check_offsets(ordo_exec *exec, size_t n, const ordo_segment_view *view)
{
    const uint64_t *const offsets = view->offsets;
    FAIL_IF((view->length | view->stride | view->step | view->group | view->group_stride) != 0,
            ORDO_E_ARG,
            "segments.offsets is set, so segments.length, stride, step, group and group_stride "
            "must be 0");
    TRY(api_check_aligned(exec, offsets, view->count + 1, sizeof *offsets, "segments.offsets"));
    if (exec->on_device)
        return ORDO_OK;
    for (size_t i = 0; i < view->count; i++)
        FAIL_IF(offsets[i] > offsets[i + 1], ORDO_E_ARG,
                "segment %zu begins at element %llu and ends before element %llu; expected "
                "ascending offsets",
                i, (unsigned long long)offsets[i], (unsigned long long)offsets[i + 1]);
    if (offsets[view->count] > n)
        for (size_t i = 0;; i++)
            FAIL_IF(offsets[i + 1] > n, ORDO_E_ARG,
                    "segment %zu ends before element %llu; expected an end of at most n = %zu", i,
                    (unsigned long long)offsets[i + 1], n);
    return ORDO_OK;
}

/* Finds the longest segment, the shortest, and the shortest that is not empty. */
static void measure(const ordo_exec *exec, size_t n, api_segments *s)
{
    if (exec->on_device && s->view.offsets != NULL) {
        s->longest = s->shortest = s->least = n;
        s->unknown = true;
        return;
    }
    s->shortest = s->least = SIZE_MAX;
    if (s->view.offsets == NULL) {
        s->longest = s->shortest = s->least = s->view.length;
        return;
    }
    for (size_t i = 0; i < s->view.count; i++) {
        size_t const length = ordo_segment_length(&s->view, i);
        s->longest = ordo_max(s->longest, length);
        if (length < s->shortest) {
            s->shortest = length;
            s->shortest_at = i;
        }
        if (length > 0 && length < s->least) {
            s->least = length;
            s->least_at = i;
        }
    }
}

ordo_status api_check_segments(ordo_exec *exec, const ordo_segments *segments, size_t n,
                               bool written, api_segments *out)
{
    ordo_segments options;
    TRY(api_read_struct(exec, &options, sizeof options, segments, "opts.segments"));
    out->given = true;
    out->longest = 0;
    out->view =
        (ordo_segment_view){options.count, options.offsets, options.length,      options.stride,
                            options.step,  options.group,   options.group_stride};
    FAIL_IF(options.count > SIZE_MAX / 256, ORDO_E_ARG,
            "segments.count is %zu; expected at most %zu", options.count, SIZE_MAX / 256);
    if (options.count == 0)
        return ORDO_OK;
    if (options.offsets != NULL)
        TRY(check_offsets(exec, n, &out->view));
    else
        TRY(check_layout(exec, n, written, &out->view));
    if (options.offsets != NULL)
        out->view.step = out->view.group = 1;
    measure(exec, n, out);
    return ORDO_OK;
}

void api_order_rows(const ordo_choice *choice, ordo_type type, bool descending, const void *keys,
                    size_t rows, size_t n, api_rows_order *order)
{
    ordo_rows_job const job = {.type = type,
                               .keys = (void *)keys, /* never written through */
                               .rows = rows,
                               .n = n,
                               .descending = descending,
                               .order = order->places,
                               .ties = order->ties};
    choice->backend->sort_rows(choice->state, &job);
}

void api_sort_rows(const ordo_choice *choice, ordo_type type, bool descending, const void *keys,
                   size_t rows, size_t n, void *sorted)
{
    ordo_rows_job const job = {
        .type = type, .keys = sorted, .rows = rows, .n = n, .descending = descending};
    memcpy(sorted, keys, rows * n * ordo_type_size(type));
    choice->backend->sort_rows(choice->state, &job);
}

ordo_status api_no_segments(ordo_exec *exec, const ordo_segments *segments, const char *call)
{
    FAIL_IF(segments != NULL, ORDO_E_UNSUPPORTED,
            "%s does not take segments; opts.segments must be NULL", call);
    return ORDO_OK;
}

ordo_status api_results(ordo_exec *exec, const api_segments *s, size_t each, size_t *all)
{
    FAIL_IF(!ordo_size_mul(s->view.count, each, all), ORDO_E_ARG,
            "%zu results for each of %zu segments are more than memory can hold", each,
            s->view.count);
    return ORDO_OK;
}
