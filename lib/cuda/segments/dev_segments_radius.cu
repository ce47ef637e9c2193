/* dev_segments_radius.cu - the radius of every segment, and its sequences LR, RL and DM.
 *
 * LR is a max-scan, RL a min-scan from the end of the segment (segment_scan.cuh). A thread then
 * finds DM of an element by a search in LR that starts at the element and doubles its steps, as in
 * dev_sequences.cu: O(lg DM). The radius is the largest DM (segment_measure.cuh). Memory moved:
 * about 8 times the keys. Scratch: LR and RL if the caller does not want them. */
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/rough/radius.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/segments/segment_measure.cuh"
#include "cuda/segments/segment_scan.cuh"

template <typename BITS> struct most_bits {
    typedef typename word_of<sizeof(BITS)>::type ACC;

    static DEVICE ACC identity(void) { return 0; }
    static DEVICE ACC add(ACC a, ACC b) { return a > b ? a : b; }
};

/* The last key up to each place, or the first key from each place on. */
template <typename CODE> struct sequence_problem {
    typedef typename CODE::BITS BITS;
    typedef most_bits<BITS>     OP;
    typedef typename OP::ACC    ACC;

    static constexpr unsigned VECTOR = segment_shape<ACC>::VECTOR;

    CODE        code; /* one-to-one */
    const BITS *keys;
    BITS       *out;
    bool        is_turned; /* RL: complements of key bits, from the end */

    DEVICE BITS     mask(void) const { return is_turned ? (BITS) ~(BITS)0 : (BITS)0; }
    DEVICE ACC      start(void) const { return 0; }
    DEVICE uint64_t place(const segment &s, uint64_t j) const
    {
        return s.start + (is_turned ? s.length - 1 - j : j);
    }
    DEVICE void get(const segment &s, uint64_t j, ACC (&v)[VECTOR]) const
    {
#pragma unroll
        for (unsigned e = 0; e < VECTOR; e++)
            v[e] = j + e < s.length ? (BITS)(code.encode(keys[place(s, j + e)]) ^ mask()) : 0;
    }
    DEVICE void put(const segment &s, uint64_t j, ACC base, const ACC (&v)[VECTOR]) const
    {
#pragma unroll
        for (unsigned e = 0; e < VECTOR; e++) {
            base = OP::add(base, v[e]);
            if (j + e < s.length)
                out[place(s, j + e)] = code.decode((BITS)((BITS)base ^ mask()));
        }
    }
};

template <typename CODE> struct displacement_measure {
    typedef typename CODE::BITS          BITS;
    typedef scan_max<unsigned long long> OP;
    typedef unsigned long long           ACC;

    CODE                folded;
    const BITS         *lr, *rl;
    uint64_t           *dm; /* NULL: not wanted */
    unsigned long long *radius;

    DEVICE ACC value(const segment &s, uint64_t j) const
    {
        const BITS *const last = lr + s.start;
        BITS const        low = folded.encode(rl[s.start + j]);
        ACC const         found =
            radius_displacement(j, [&](uint64_t i) { return folded.encode(last[i]) > low; });
        if (dm != NULL)
            dm[s.start + j] = found;
        return found;
    }
    DEVICE void set(uint64_t number, const segment &, ACC most) const { radius[number] = most; }
    DEVICE void join(uint64_t number, const segment &, ACC most) const
    {
        atomicMax(radius + number, most);
    }
};

template <typename ACC> struct radius_work {
    void                  *lr, *rl; /* the arrays of the job, or scratch */
    segment_scan_work<ACC> scan;
    segment_classes        classes; /* of the measure */
};

template <typename ACC>
static radius_work<ACC> radius_layout(cuda_scratch *scratch, const ordo_radius_job *job)
{
    radius_work<ACC> work;
    size_t const     bytes = job->n * cuda_type_size(job->type);
    work.lr = job->lr == NULL ? scratch_take<char>(scratch, bytes) : job->lr;
    work.rl = job->rl == NULL ? scratch_take<char>(scratch, bytes) : job->rl;
    work.scan = segment_scan_layout<ACC>(scratch, job->segments, job->n);
    work.classes = measure_layout(scratch, job->segments, job->n);
    return work;
}

size_t dev_segments_radius_scratch(const ordo_radius_job *job)
{
    return cuda_type_size(job->type) == 8 ? scratch_of(radius_layout<uint64_t>, job)
                                          : scratch_of(radius_layout<uint32_t>, job);
}

template <typename CODE>
static ordo_status radius_by(cuda_call *call, const ordo_radius_job *job, CODE code)
{
    typedef typename CODE::BITS                  BITS;
    typedef typename word_of<sizeof(BITS)>::type ACC;
    radius_work<ACC> const                       work = radius_layout<ACC>(&call->scratch, job);
    CODE                                         folded = code;
    if constexpr (CODE::is_float)
        folded.folded = true;
    TRY(segment_classes_fill(call, work.scan.classes));
    TRY(segment_classes_fill(call, work.classes));
    const BITS *const            keys = (const BITS *)job->keys;
    sequence_problem<CODE> const lr = {code, keys, (BITS *)work.lr, false};
    sequence_problem<CODE> const rl = {code, keys, (BITS *)work.rl, true};
    TRY(scan_segments(call, lr, work.scan));
    TRY(scan_segments(call, rl, work.scan));
    displacement_measure<CODE> const measure = {folded, (const BITS *)work.lr,
                                                (const BITS *)work.rl, job->dm,
                                                (unsigned long long *)job->radius};
    return measure_segments(call, measure, work.classes);
}

ordo_status dev_segments_radius(cuda_call *call, const ordo_radius_job *job)
{
    if (job->algorithm == ORDO_ALGORITHM_SEQUENTIAL)
        return ordo_fail(
            call->exec, ORDO_E_UNSUPPORTED,
            "algorithm sequential cannot measure a radius on a GPU; use the CPU backend");
    call->exec->algorithm = "segments";
    return with_key_code(job->type, job->descending, KEY_TOTAL,
                         [&](auto code) { return radius_by(call, job, code); });
}
