/* dev_sequences.cu - the radius of an array from its sequences LR, RL and DM.
 *
 * The sequences are those of A. Pfaff and J. Treadwell, "Parallel Sorting of Roughly-Sorted
 * Sequences" (2016), whose own way is papers/roughsort/dev_radius_paper.cu. Here LR is the
 * max-scan, RL the min-scan from the end, both by dev_scan.cu. Then one thread per element finds
 * d[i] = i - j for the first j with LR[j] after RL[i], by a search that starts at i and doubles its
 * steps: O(lg d[i]). LR is monotonic, so d[i] is exact. The radius is the largest d[i]. Memory
 * moved: about 8 reads and writes of the keys. Scratch: two arrays of key bits. */
#include "cuda/rough/dev_rough.cuh"
#include "cuda/rough/radius.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    SEQUENCES_THREADS = 256
};

template <typename CODE> struct sequences_view {
    typedef typename CODE::BITS BITS;

    CODE      total, folded; /* one-to-one code; code with ties folded */
    size_t    n;
    BITS     *maxima; /* LR, as bits of `total` */
    BITS     *minima; /* RL, from the last element to the first */
    BITS     *lr, *rl;
    uint64_t *dm;

    DEVICE BITS fold(BITS bits) const { return folded.encode(total.decode(bits)); }

    /* i - j for the first j < i with LR[j] after RL[i]; 0 if there is none. */
    DEVICE uint64_t displacement(size_t i) const
    {
        BITS const low = fold(minima[n - 1 - i]);
        return radius_displacement(i, [&](uint64_t j) { return fold(maxima[j]) > low; });
    }
};

template <typename CODE>
static __global__ void sequences_encode(sequences_view<CODE> view, const typename CODE::BITS *keys)
{
    grid_each(view.n, [&](size_t i) {
        typename CODE::BITS const bits = view.total.encode(keys[i]);
        view.maxima[i] = bits;
        view.minima[view.n - 1 - i] = bits;
    });
}

/* One thread per element. Raises *radius, which is 0 at the start. */
template <typename CODE>
static __global__ void __launch_bounds__(SEQUENCES_THREADS)
    sequences_measure(sequences_view<CODE> view, unsigned long long *radius)
{
    size_t const i = (size_t)blockIdx.x * SEQUENCES_THREADS + threadIdx.x;
    uint64_t     mine = 0;
    if (i < view.n) {
        mine = view.displacement(i);
        if (view.lr != NULL)
            view.lr[i] = view.total.decode(view.maxima[i]);
        if (view.rl != NULL)
            view.rl[i] = view.total.decode(view.minima[view.n - 1 - i]);
        if (view.dm != NULL)
            view.dm[i] = mine;
    }
    uint64_t const most = warp_reduce<scan_max<uint64_t>>(mine);
    if (lane_id() == 0 && most > *(volatile unsigned long long *)radius)
        atomicMax(radius, (unsigned long long)most);
}

/* A job that scans key bits in place. */
template <typename BITS> static ordo_scan_job scan_job(ordo_op op, BITS *bits, size_t n)
{
    constexpr ordo_type TYPE = sizeof(BITS) == 1   ? ORDO_U8
                               : sizeof(BITS) == 2 ? ORDO_U16
                               : sizeof(BITS) == 4 ? ORDO_U32
                                                   : ORDO_U64;
    ordo_scan_job       job = {};
    job.op = op;
    job.type = job.out_type = TYPE;
    job.in = job.out = bits;
    job.n = n;
    return job;
}

template <typename BITS>
static size_t layout(cuda_scratch *scratch, size_t n, unsigned long long **radius, BITS **maxima,
                     BITS **minima)
{
    *radius = scratch_take<unsigned long long>(scratch, 1);
    *maxima = scratch_take<BITS>(scratch, n);
    *minima = scratch_take<BITS>(scratch, n);
    ordo_scan_job const most = scan_job(ORDO_MAX, *maxima, n),
                        least = scan_job(ORDO_MIN, *minima, n);
    return ordo_max(dev_scan_scratch(&most), dev_scan_scratch(&least));
}

size_t dev_sequences_scratch(const ordo_radius_job *job)
{
    cuda_scratch counted = {NULL, 0};
    size_t       scan = 0;
    (void)with_key_code(job->type, false, KEY_TOTAL, [&](auto code) {
        typename decltype(code)::BITS *maxima, *minima;
        unsigned long long            *radius;
        scan = layout(&counted, job->n, &radius, &maxima, &minima);
        return ORDO_OK;
    });
    return counted.used + scan;
}

template <typename CODE>
static ordo_status enqueue(cuda_call *call, const ordo_radius_job *job, CODE code,
                           const uint64_t **result)
{
    typedef typename CODE::BITS BITS;
    sequences_view<CODE>        view = {};
    unsigned long long         *radius;
    size_t const                n = job->n, blocks = ordo_div_up(n, SEQUENCES_THREADS);
    (void)layout(&call->scratch, n, &radius, &view.maxima, &view.minima);
    size_t const used = call->scratch.used;
    *result = (const uint64_t *)radius;
    view.total = view.folded = code;
    if constexpr (CODE::is_float)
        view.folded.folded = true;
    view.n = n;
    view.lr = (BITS *)job->lr;
    view.rl = (BITS *)job->rl;
    view.dm = job->dm;

    CUDA_TRY(call->exec, cudaMemsetAsync(radius, 0, sizeof *radius, call->stream));
    TRY(CUDA_LAUNCH(call, sequences_encode<CODE>, ordo_min(blocks, (size_t)call->facts->sms * 8),
                    SEQUENCES_THREADS, 0, view, (const BITS *)job->keys));
    ordo_scan_job const most = scan_job(ORDO_MAX, view.maxima, n);
    ordo_scan_job const least = scan_job(ORDO_MIN, view.minima, n);
    TRY(dev_scan(call, &most));
    call->scratch.used = used; /* the second scan runs after the first on the stream, so it can
                                * reuse the scratch */
    TRY(dev_scan(call, &least));
    call->scratch.used = used;
    return CUDA_LAUNCH(call, sequences_measure<CODE>, blocks, SEQUENCES_THREADS, 0, view, radius);
}

ordo_status dev_sequences_enqueue(cuda_call *call, const ordo_radius_job *job,
                                  const uint64_t **radius)
{
    return with_key_code(job->type, job->descending, KEY_TOTAL,
                         [&](auto code) { return enqueue(call, job, code, radius); });
}
