/* dev_segments_ranks.cu - the ranks of every segment of a sorted array.
 *
 * A head is the first key of a group of tied keys. The minimum rank of a key is the place of the
 * last head up to the key: a max-scan. The maximum rank is the end of its group: the same scan from
 * the end of the segment. Dense ranks are a sum-scan (segment_scan.cuh). Average ranks take two
 * scans; the first writes minimum ranks to the result. Memory moved: keys and ranks once; average:
 * keys twice, ranks three times. Scratch: 32 bytes per tile of a long segment. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/segments/segment_scan.cuh"
#include "cuda/warp/warp_heads.cuh"

enum rank_pass {
    PASS_FIRST, /* minimum ranks */
    PASS_LAST,  /* maximum ranks, from the end of the segment */
    PASS_MEAN,  /* the same, and the mean with the minimum ranks that are in the result */
    PASS_COUNT, /* dense ranks */
    PASS_PLACE  /* no ties */
};

template <typename CODE, typename OP_> struct rank_problem {
    typedef OP_                 OP;
    typedef uint64_t            ACC;
    typedef typename CODE::BITS BITS;

    static constexpr unsigned VECTOR = segment_shape<ACC>::VECTOR;

    const BITS *sorted;
    void       *ranks;
    ordo_type   rank_type;
    rank_pass   pass;

    DEVICE bool is_turned(void) const { return pass == PASS_LAST || pass == PASS_MEAN; }
    DEVICE ACC  start(void) const { return 0; }

    /* The value of the key at place p of the segment. Maximum ranks are stored as complements, so
     * that the smallest rank has the largest value. */
    DEVICE ACC value(const segment &s, uint64_t p) const
    {
        const BITS *const at = sorted + s.start + p;
        if (pass == PASS_PLACE)
            return p + 1;
        if (is_turned())
            return p + 1 == s.length || !keys_tie<CODE>(at[0], at[1]) ? ~(p + 1) : 0;
        bool const is_head = p == 0 || !keys_tie<CODE>(at[-1], at[0]);
        return !is_head ? 0 : pass == PASS_COUNT ? 1 : p + 1;
    }
    DEVICE void get(const segment &s, uint64_t j, ACC (&v)[VECTOR]) const
    {
#pragma unroll
        for (unsigned e = 0; e < VECTOR; e++)
            v[e] = j + e < s.length ? value(s, is_turned() ? s.length - 1 - (j + e) : j + e) : 0;
    }
    DEVICE void write(uint64_t at, uint64_t rank) const
    {
        if (pass == PASS_MEAN)
            ((double *)ranks)[at] = (double)(((uint64_t *)ranks)[at] + rank) * 0.5;
        else if (rank_type == ORDO_U32)
            ((uint32_t *)ranks)[at] = (uint32_t)rank;
        else if (rank_type == ORDO_U64)
            ((uint64_t *)ranks)[at] = rank;
        else
            ((double *)ranks)[at] = (double)rank;
    }
    DEVICE void put(const segment &s, uint64_t j, ACC base, const ACC (&v)[VECTOR]) const
    {
        ACC sum = base;
#pragma unroll
        for (unsigned e = 0; e < VECTOR; e++) {
            sum = OP::add(sum, v[e]);
            if (j + e < s.length) {
                uint64_t const p = is_turned() ? s.length - 1 - (j + e) : j + e;
                write(s.start + p, is_turned() ? ~sum : sum);
            }
        }
    }
};

typedef segment_scan_work<uint64_t> rank_work;

template <typename OP>
static ordo_status rank_pass_of(cuda_call *call, const ordo_rank_sorted_job *job,
                                const rank_work &work, rank_pass pass, ordo_type rank_type)
{
    return with_key_code(job->type, false, KEY_FOLDED, [&](auto code) {
        typedef decltype(code)       CODE;
        rank_problem<CODE, OP> const problem = {(const typename CODE::BITS *)job->sorted,
                                                job->ranks, rank_type, pass};
        return scan_segments(call, problem, work);
    });
}

static ordo_status rank_by(cuda_call *call, const ordo_rank_sorted_job *job, const rank_work &work)
{
    typedef scan_max<uint64_t> MOST;
    ordo_type const            type = job->rank_type;
    switch (job->ties) {
    case ORDO_TIES_MIN:
        return rank_pass_of<MOST>(call, job, work, PASS_FIRST, type);
    case ORDO_TIES_MAX:
        return rank_pass_of<MOST>(call, job, work, PASS_LAST, type);
    case ORDO_TIES_DENSE:
        return rank_pass_of<scan_add<uint64_t>>(call, job, work, PASS_COUNT, type);
    case ORDO_TIES_ORDINAL:
        return rank_pass_of<MOST>(call, job, work, PASS_PLACE, type);
    case ORDO_TIES_AVERAGE:
        TRY(rank_pass_of<MOST>(call, job, work, PASS_FIRST, ORDO_U64));
        return rank_pass_of<MOST>(call, job, work, PASS_MEAN, type);
    }
    return ORDO_E_ARG;
}

size_t dev_segments_rank_sorted_scratch(const ordo_rank_sorted_job *job)
{
    return scratch_of(segment_scan_layout<uint64_t>, job->segments, job->n);
}

ordo_status dev_segments_rank_sorted(cuda_call *call, const ordo_rank_sorted_job *job)
{
    if (job->algorithm != ORDO_ALGORITHM_AUTO)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "a GPU ranks sorted segments only by the algorithm auto");
    rank_work const work = segment_scan_layout<uint64_t>(&call->scratch, job->segments, job->n);
    call->exec->algorithm = "segments";
    TRY(segment_classes_fill(call, work.classes));
    return rank_by(call, job, work);
}
