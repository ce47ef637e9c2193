/* dev_radius_paper.cu - the parallel radius of A. Pfaff and J. Treadwell, "Parallel Sorting of
 * Roughly-Sorted Sequences" (2016), after T. Altman and B. Chlebus (1990).
 *
 * One thread per element. Round r replaces LR[i] by the maximum of LR[i] and LR[i - 2^r], and RL[i]
 * by the minimum of RL[i] and RL[i + 2^r]. Before each round every thread compares its slot of both
 * lists with the next slot and sets a flag of the list if they are out of order. A list in order is
 * complete, because LR[i] is then at least every key up to i; it takes no further round. Then one
 * kernel computes DM, with a search back from i over LR that doubles its steps: O(lg DM[i]).
 * Another kernel finds the largest DM[i], the radius. The authors leave out a condition of DM and
 * find only a bound; here DM is exact. Each list has two arrays, so no thread reads a slot that
 * another one writes. Cost: at most lg n + 1 rounds, each with a wait of the host for the flags.
 * Scratch: four arrays of key bits, and DM if the caller does not want it. */
#include "cuda/rough/radius.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/warp/warp_scan.cuh"
#include "papers/roughsort/roughsort.h"

enum {
    DOUBLING_THREADS = 256,
    LIST_LR = 0,
    LIST_RL = 1,
    LISTS = 2
};

template <typename BITS> struct doubling_lists {
    BITS               *now[LISTS], *next[LISTS]; /* one-to-one key bits */
    uint64_t           *dm;
    unsigned           *unordered; /* [LISTS] flags */
    unsigned long long *radius;
};

static DEVICE size_t slot_of_thread(void)
{
    return (size_t)blockIdx.x * DOUBLING_THREADS + threadIdx.x;
}

template <typename CODE>
static __global__ void __launch_bounds__(DOUBLING_THREADS)
    doubling_start(CODE code, const typename CODE::BITS *keys, size_t n, typename CODE::BITS *lr,
                   typename CODE::BITS *rl)
{
    size_t const i = slot_of_thread();
    if (i < n)
        lr[i] = rl[i] = code.encode(keys[i]);
}

template <typename BITS>
static __global__ void __launch_bounds__(DOUBLING_THREADS)
    doubling_check(const BITS *lr, const BITS *rl, size_t n, unsigned *unordered)
{
    size_t const i = slot_of_thread();
    if (i >= n - 1)
        return;
    if (lr[i] > lr[i + 1])
        *(volatile unsigned *)&unordered[LIST_LR] = 1;
    if (rl[i] > rl[i + 1])
        *(volatile unsigned *)&unordered[LIST_RL] = 1;
}

template <int LIST, typename BITS>
static __global__ void __launch_bounds__(DOUBLING_THREADS)
    doubling_step(const BITS *from, BITS *to, size_t n, size_t distance)
{
    size_t const i = slot_of_thread();
    if (i >= n)
        return;
    BITS const mine = from[i];
    bool const reaches = LIST == LIST_LR ? i >= distance : n - i > distance;
    BITS const other = reaches ? from[LIST == LIST_LR ? i - distance : i + distance] : mine;
    to[i] = (LIST == LIST_LR ? other > mine : other < mine) ? other : mine;
}

template <typename CODE> struct disorder_view {
    typedef typename CODE::BITS BITS;

    CODE        total, folded; /* one-to-one code; code with ties folded */
    size_t      n;
    const BITS *lr, *rl;
    BITS       *lr_out, *rl_out; /* the caller's; may be NULL */
    uint64_t   *dm;

    DEVICE BITS fold(BITS bits) const { return folded.encode(total.decode(bits)); }
};

template <typename CODE>
static __global__ void __launch_bounds__(DOUBLING_THREADS) disorder(disorder_view<CODE> view)
{
    typedef typename CODE::BITS BITS;
    size_t const                i = slot_of_thread();
    if (i >= view.n)
        return;
    BITS const low = view.fold(view.rl[i]);
    view.dm[i] = radius_displacement(i, [&](uint64_t j) { return view.fold(view.lr[j]) > low; });
    if (view.lr_out != NULL)
        view.lr_out[i] = view.total.decode(view.lr[i]);
    if (view.rl_out != NULL)
        view.rl_out[i] = view.total.decode(view.rl[i]);
}

/* Raises *radius, which is 0 at the start, to the largest of dm[0 .. n). */
static __global__ void __launch_bounds__(DOUBLING_THREADS)
    largest_disorder(const uint64_t *dm, size_t n, unsigned long long *radius)
{
    size_t const   i = slot_of_thread();
    uint64_t const most = warp_reduce<scan_max<uint64_t>>(i < n ? dm[i] : (uint64_t)0);
    if (lane_id() == 0 && most > *(volatile unsigned long long *)radius)
        atomicMax(radius, (unsigned long long)most);
}

template <typename BITS>
static doubling_lists<BITS> lists_layout(cuda_scratch *scratch, const ordo_radius_job *job)
{
    doubling_lists<BITS> lists;
    lists.radius = scratch_take<unsigned long long>(scratch, 1);
    lists.unordered = scratch_take<unsigned>(scratch, LISTS);
    for (int list = 0; list < LISTS; list++) {
        lists.now[list] = scratch_take<BITS>(scratch, job->n);
        lists.next[list] = scratch_take<BITS>(scratch, job->n);
    }
    lists.dm = job->dm != NULL ? job->dm : scratch_take<uint64_t>(scratch, job->n);
    return lists;
}

size_t dev_radius_paper_scratch(const ordo_radius_job *job)
{
    cuda_scratch counted = {NULL, 0};
    (void)with_key_code(job->type, false, KEY_TOTAL, [&](auto code) {
        (void)lists_layout<typename decltype(code)::BITS>(&counted, job);
        return ORDO_OK;
    });
    return counted.used;
}

template <int LIST, typename BITS>
static ordo_status one_step(cuda_call *call, doubling_lists<BITS> *lists, size_t n, size_t distance)
{
    TRY(CUDA_LAUNCH(call, (doubling_step<LIST, BITS>), ordo_div_up(n, DOUBLING_THREADS),
                    DOUBLING_THREADS, 0, lists->now[LIST], lists->next[LIST], n, distance));
    BITS *const written = lists->next[LIST];
    lists->next[LIST] = lists->now[LIST];
    lists->now[LIST] = written;
    return ORDO_OK;
}

/* Doubles until both lists are in order; waits for the flags before each round. */
template <typename BITS>
static ordo_status complete_lists(cuda_call *call, doubling_lists<BITS> *lists, size_t n)
{
    for (size_t distance = 1;; distance *= 2) {
        unsigned unordered[LISTS] = {0, 0};
        CUDA_TRY(call->exec, cudaMemsetAsync(lists->unordered, 0, sizeof unordered, call->stream));
        TRY(CUDA_LAUNCH(call, doubling_check<BITS>, ordo_div_up(n, DOUBLING_THREADS),
                        DOUBLING_THREADS, 0, lists->now[LIST_LR], lists->now[LIST_RL], n,
                        lists->unordered));
        TRY(call_fetch(call, unordered, lists->unordered, sizeof unordered));
        if (unordered[LIST_LR] == 0 && unordered[LIST_RL] == 0)
            return ORDO_OK;
        if (unordered[LIST_RL] != 0)
            TRY(one_step<LIST_RL>(call, lists, n, distance));
        if (unordered[LIST_LR] != 0)
            TRY(one_step<LIST_LR>(call, lists, n, distance));
        call->exec->facts.rounds++;
    }
}

template <typename CODE, typename BITS = typename CODE::BITS>
static ordo_status measure(cuda_call *call, const ordo_radius_job *job, CODE code)
{
    size_t const         n = job->n, blocks = ordo_div_up(n, DOUBLING_THREADS);
    doubling_lists<BITS> lists = lists_layout<BITS>(&call->scratch, job);
    disorder_view<CODE>  view = {};
    uint64_t             found = 0;
    TRY(CUDA_LAUNCH(call, doubling_start<CODE>, blocks, DOUBLING_THREADS, 0, code,
                    (const BITS *)job->keys, n, lists.now[LIST_LR], lists.now[LIST_RL]));
    TRY(complete_lists(call, &lists, n));
    view.total = view.folded = code;
    if constexpr (CODE::is_float)
        view.folded.folded = true;
    view.n = n;
    view.lr = lists.now[LIST_LR];
    view.rl = lists.now[LIST_RL];
    view.lr_out = (BITS *)job->lr;
    view.rl_out = (BITS *)job->rl;
    view.dm = lists.dm;
    TRY(CUDA_LAUNCH(call, disorder<CODE>, blocks, DOUBLING_THREADS, 0, view));
    CUDA_TRY(call->exec, cudaMemsetAsync(lists.radius, 0, sizeof *lists.radius, call->stream));
    TRY(CUDA_LAUNCH(call, largest_disorder, blocks, DOUBLING_THREADS, 0, lists.dm, n,
                    lists.radius));
    TRY(call_fetch(call, &found, lists.radius, sizeof found));
    *job->radius = (size_t)found;
    return ORDO_OK;
}

ordo_status dev_radius_paper(cuda_call *call, const ordo_radius_job *job)
{
    call->exec->algorithm = "prefix";
    *job->radius = 0;
    if (job->n == 0)
        return ORDO_OK;
    return with_key_code(job->type, job->descending, KEY_TOTAL,
                         [&](auto code) { return measure(call, job, code); });
}
