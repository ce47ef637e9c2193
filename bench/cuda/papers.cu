/* papers.cu - parts of two papers' algorithms, for their own experiments: the binary prefix sum
 * of the ballot counting poster with one flag per thread, by ballots and in shared memory; and
 * the two phases of the median paper, sub-arrays sorted in shared memory and their merge, for
 * every length in its table 2. The kernels are those of lib/cuda/papers, compiled into this module
 * too. */
#include "cuda/papers/dev_bits_paper.cuh"
#include "cuda/papers/papers.cuh"
#include "peers.cuh"

namespace peers
{
namespace
{

/* A failed call returns its status, and the benchmark leaves the peer out. */
ordo_status keep_status(ordo_exec *, ordo_status status, const char *, va_list) { return status; }

/* A call on the module's stream with `bytes` of scratch. */
struct framed {
    cuda_facts facts = {};
    ordo_exec  exec = {};
    cuda_call  call = {};

    explicit framed(size_t bytes)
    {
        int device = 0;
        need(cudaGetDevice(&device));
        need(cudaDeviceGetAttribute(&facts.sms, cudaDevAttrMultiProcessorCount, device));
        facts.device = device;
        exec.threads = 1;
        exec.fail = keep_status;
        call.facts = &facts;
        call.exec = &exec;
        call.stream = stream;
        call.scratch.base = static_cast<char *>(kept_bytes(FIRST, bytes));
    }
};

void done(ordo_status status)
{
    if (status != ORDO_OK)
        throw failure{cudaErrorUnknown};
}

template <ordo_flags_kind KIND, bits_form FORM> void count_flags(const task &t)
{
    ordo_bits_job job = {};
    job.kind = KIND;
    job.flags = t.keys;
    job.n = t.n;
    job.count_type = ORDO_U32;
    job.counts = t.out;
    framed frame(dev_bits_paper_scratch(&job));
    done(dev_bits_paper<FORM>(&frame.call, &job));
}

/* t.count is the length of the sub-arrays, t.ranks[0] the wanted position. */
ordo_select_job median_job(const task &t)
{
    ordo_select_job job = {};
    job.type = ORDO_U32;
    job.keys = t.keys;
    job.n = t.n;
    job.k = t.ranks;
    job.count = 1;
    job.out = t.out;
    return job;
}

void sub_arrays(const task &t)
{
    ordo_select_job const     job = median_job(t);
    framed                    frame(dev_select_bitonic_scratch(&job));
    select_bitonic_work const work = select_bitonic_layout(&frame.call.scratch, &job);
    done(select_bitonic_sort(&frame.call, &job, &work, static_cast<unsigned>(t.count)));
}

/* Merges the sub-arrays that the last call left in scratch. */
void merge_and_look(const task &t)
{
    ordo_select_job const     job = median_job(t);
    framed                    frame(dev_select_bitonic_scratch(&job));
    select_bitonic_work const work = select_bitonic_layout(&frame.call.scratch, &job);
    void                     *sorted = nullptr;
    done(select_bitonic_merge(&frame.call, &job, &work, static_cast<unsigned>(t.count), &sorted));
    done(select_bitonic_read(&frame.call, &job, &work, sorted));
}

bool const added = library(
    "", 5,
    {entry<count_flags<ORDO_FLAG_BYTES, BITS_BY_BALLOT>>("poster, ballot", BENCH_PEER_BYTES, 0),
     entry<count_flags<ORDO_FLAG_BYTES, BITS_BY_SHARED>>("poster, shared", BENCH_PEER_BYTES, 0),
     entry<count_flags<ORDO_FLAG_BITS, BITS_BY_BALLOT>>("poster, ballot", BENCH_PEER_BITS, 0),
     entry<count_flags<ORDO_FLAG_BITS, BITS_BY_SHARED>>("poster, shared", BENCH_PEER_BITS, 0),
     entry<sub_arrays>("sub-arrays", BENCH_PEER_SUB_ARRAYS, ORDO_U32),
     entry<merge_and_look>("merge", BENCH_PEER_MERGE, ORDO_U32)});

} // namespace
} // namespace peers
