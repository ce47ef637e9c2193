/* dev_weighted.cu - quantiles and ranks of keys with weights, of an array or of every segment.
 *
 * The segments are groups whose keys are their numbers (dev_groups.cu); those of a fixed layout are
 * rows without gaps. Segments without elements have no group: their quantiles are NaN from the
 * start. The quantiles of one array of a device go to the host, and the call waits. Memory moved:
 * that of groups and 1 to 8 bytes per key for the number of its segment. Scratch: the numbers, and
 * that of groups. */
#include "cuda/columns/weighted_groups.cuh"
#include "cuda/columns/columns.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/warp/warp_scan.cuh"

struct weighted_work {
    segment_map map;
    ordo_type   number_type;
    void       *numbers; /* the segment of each element */
    double     *out;
};

/* The type of numbers up to `most`. */
static ordo_type number_type_of(size_t most)
{
    return most <= UINT8_MAX    ? ORDO_U8
           : most <= UINT16_MAX ? ORDO_U16
           : most <= UINT32_MAX ? ORDO_U32
                                : ORDO_U64;
}

static weighted_work weighted_layout(cuda_scratch *scratch, const ordo_weighted_job *job)
{
    ordo_segment_view const one = {1, NULL, job->n, job->n, 1, 1, 0};
    ordo_segment_view const view = job->segments != NULL ? *job->segments : one;
    weighted_work           work = {};
    work.out = job->out;
    work.map = segment_map_of(&view, job->n);
    work.number_type = number_type_of(view.count);
    work.numbers = scratch_take<char>(scratch, job->n * cuda_type_size(work.number_type));
    if (job->segments == NULL && job->rank_type == 0)
        work.out = scratch_take<double>(scratch, job->count);
    return work;
}

/* ---- Numbers ---- */

/* Elements outside the segments get the number of segments. One warp for each segment. */
template <typename NUMBER>
static __global__ void number_segments(const __grid_constant__ segment_map map, uint64_t n,
                                       NUMBER *numbers)
{
    uint64_t const warps = (uint64_t)gridDim.x * blockDim.x / WARP_LANES;
    uint64_t       i = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP_LANES;
    if (map.offsets != NULL) {
        uint64_t const first = map.offsets[0], end = map.offsets[map.count];
        grid_each(min(first, n), [&](size_t j) { numbers[j] = (NUMBER)map.count; });
        grid_each(end < n ? n - end : 0, [&](size_t j) { numbers[end + j] = (NUMBER)map.count; });
    }
    for (; i < map.count; i += warps) {
        segment const here = segment_at(map, i);
        for (uint64_t j = threadIdx.x % WARP_LANES; j < here.length; j += WARP_LANES)
            numbers[here.start + j] = (NUMBER)i;
    }
}

/* The same for rows without gaps, however long they are. */
template <typename NUMBER>
static __global__ void number_rows(uint64_t n, uint64_t length, NUMBER *numbers)
{
    grid_each(n, [&](size_t i) { numbers[i] = (NUMBER)(i / length); });
}

static ordo_status number_all(cuda_call *call, const weighted_work &work)
{
    size_t const grid = column_grid(call, work.map.n);
    return with_key_code(work.number_type, false, KEY_TOTAL, [&](auto code) {
        typedef typename decltype(code)::BITS NUMBER;
        NUMBER *const                         numbers = (NUMBER *)work.numbers;
        if (work.map.offsets == NULL)
            return CUDA_LAUNCH(call, number_rows<NUMBER>, grid, COLUMN_THREADS, 0, work.map.n,
                               work.map.length, numbers);
        return CUDA_LAUNCH(call, number_segments<NUMBER>, grid, COLUMN_THREADS, 0, work.map,
                           work.map.n, numbers);
    });
}

static __global__ void fill_nans(double *out, uint64_t n)
{
    grid_each(n, [&](size_t i) { out[i] = __longlong_as_double(0x7ff8000000000000ll); });
}

/* ---- The verb ---- */

static ordo_weighted_groups_job groups_of(const ordo_weighted_job *job, const weighted_work &work)
{
    ordo_weighted_groups_job to = {};
    to.groups.verb = job->rank_type != 0 ? ORDO_GROUP_RANK : ORDO_GROUP_QUANTILES;
    to.groups.descending = job->descending;
    to.groups.ties = job->ties;
    to.groups.out_type = job->rank_type;
    to.groups.out = job->ranks;
    to.groups.group_keys = work.numbers;
    to.groups.group_type = work.number_type;
    to.groups.capacity = work.map.count + 1;
    to.groups.keys = job->keys;
    to.groups.type = job->type;
    to.groups.n = job->n;
    to.groups.nans = job->nans;
    to.groups.each = job->count;
    to.groups.q = job->q;
    to.groups.quantiles = work.out;
    to.groups.method = job->method;
    to.weight_type = job->weight_type;
    to.weights = job->weights;
    to.places = work.map.count;
    to.waits = job->segments == NULL && job->rank_type == 0;
    return to;
}

size_t dev_weighted_scratch(const ordo_weighted_job *job)
{
    cuda_scratch                   counted = {};
    weighted_work const            work = weighted_layout(&counted, job);
    ordo_weighted_groups_job const groups = groups_of(job, work);
    return counted.used + dev_weighted_groups_scratch(&groups);
}

/* Copies the results of one array to the host, in parts. */
static ordo_status fetch_results(cuda_call *call, const ordo_weighted_job *job, const double *out)
{
    constexpr size_t PART = CUDA_FETCH_BYTES / sizeof(double);
    for (size_t j = 0; j < job->count; j += PART)
        TRY(call_fetch(call, job->out + j, out + j,
                       ordo_min(PART, job->count - j) * sizeof(double)));
    return ORDO_OK;
}

/* Computes the results of all segments with elements. */
static ordo_status run_groups(cuda_call *call, const ordo_weighted_job *job,
                              const weighted_work &work)
{
    if (job->n == 0)
        return ORDO_OK;
    TRY(number_all(call, work));
    ordo_weighted_groups_job const groups = groups_of(job, work);
    return dev_weighted_groups(call, &groups);
}

ordo_status dev_weighted(cuda_call *call, const ordo_weighted_job *job)
{
    weighted_work const work = weighted_layout(&call->scratch, job);
    size_t const        results = work.map.count * job->count;
    if (job->rank_type != 0)
        return run_groups(call, job, work);
    if (results == 0)
        return ORDO_OK;
    TRY(CUDA_LAUNCH(call, fill_nans, column_grid(call, results), COLUMN_THREADS, 0, work.out,
                    (uint64_t)results));
    TRY(run_groups(call, job, work));
    return job->segments == NULL ? fetch_results(call, job, work.out) : ORDO_OK;
}
