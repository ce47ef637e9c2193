/* dev_suffix_check.cu - verifies a suffix array in linear time, after S. Burkhardt and J.
 * Karkkainen, "Fast lightweight suffix array construction and checking": sa is a permutation, and
 * each pair of neighbours is in order by its first byte and then by the places of the suffixes one
 * byte later. Scratch: 4 bytes per byte of text. */
#include "cuda/text/text.cuh"

enum { /* what is wrong, in the order of the checks */
    NO_POSITION,
    TWICE,
    NOT_LESS,
    FAULTS
};

struct check_room {
    uint32_t           *rank;
    unsigned long long *wrong; /* the first place of each fault; all ones: none */
};

static check_room layout(cuda_scratch *scratch, size_t n)
{
    check_room room = {};
    room.rank = scratch_take<uint32_t>(scratch, n);
    room.wrong = scratch_take<unsigned long long>(scratch, FAULTS);
    return room;
}

template <typename WORD>
static __global__ void __launch_bounds__(TEXT_THREADS)
    invert(const WORD *sa, size_t n, check_room room)
{
    grid_each(n, [&](size_t i) {
        if (sa[i] < n)
            room.rank[sa[i]] = (uint32_t)i + 1;
        else
            atomicMin(room.wrong + NO_POSITION, (unsigned long long)i);
    });
}

template <typename WORD>
static __global__ void __launch_bounds__(TEXT_THREADS)
    check_places(text_view view, const WORD *sa, check_room room)
{
    grid_each(view.n, [&](size_t i) {
        WORD const b = sa[i];
        if (b >= view.n)
            return;
        if (room.rank[b] != i + 1)
            atomicMin(room.wrong + TWICE, (unsigned long long)i);
        WORD const a = i > 0 ? sa[i - 1] : b;
        if (i == 0 || a >= view.n || view.text[a] < view.text[b])
            return;
        if (view.text[a] > view.text[b] ||
            text_rank_behind(view, room.rank, a, 1) >= text_rank_behind(view, room.rank, b, 1))
            atomicMin(room.wrong + NOT_LESS, (unsigned long long)i);
    });
}

size_t dev_suffix_check_scratch(const ordo_text_job *job) { return scratch_of(layout, job->n); }

template <typename WORD>
static ordo_status check(cuda_call *call, const text_view &view, const WORD *sa)
{
    static const char *const why[] = {"is no position of the text", "occurs twice",
                                      "is less than the suffix before it"};
    check_room const         room = layout(&call->scratch, view.n);
    size_t const             grid = text_grid(call, view.n);
    unsigned long long       wrong[FAULTS];
    WORD                     element;
    CUDA_TRY(call->exec, cudaMemsetAsync(room.wrong, 0xff, sizeof wrong, call->stream));
    CUDA_TRY(call->exec, cudaMemsetAsync(room.rank, 0, view.n * sizeof *room.rank, call->stream));
    TRY(CUDA_LAUNCH(call, invert<WORD>, grid, TEXT_THREADS, 0, sa, view.n, room));
    TRY(CUDA_LAUNCH(call, check_places<WORD>, grid, TEXT_THREADS, 0, view, sa, room));
    TRY(call_fetch(call, wrong, room.wrong, sizeof wrong));
    for (int fault = 0; fault < FAULTS; fault++) {
        if (wrong[fault] >= view.n)
            continue;
        TRY(call_fetch(call, &element, sa + wrong[fault], sizeof element));
        return ordo_fail(call->exec, ORDO_E_ORDER, "sa[%llu] is %llu, which %s", wrong[fault],
                         (unsigned long long)element, why[fault]);
    }
    return ORDO_OK;
}

ordo_status dev_suffix_check(cuda_call *call, const ordo_text_job *job, const text_view &view)
{
    call->exec->algorithm = "neighbours";
    return job->index_type == ORDO_U64 ? check(call, view, (const uint64_t *)job->sa)
                                       : check(call, view, (const uint32_t *)job->sa);
}
