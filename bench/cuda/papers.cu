/* papers.cu - variants of two papers' algorithms that the library does not offer by name.
 * Whittaker, Skjellum and Bangalore, "Ballot Counting for Optimal Binary Prefix Sum": the split
 * radix sort inside blocks with a block scan by ballots or in shared memory; the splits of the
 * whole array likewise, with 1 or 16 keys per thread; the scan of 32-bit integers in shared memory
 * and by shuffles. Alyafi and Khalid, "Median Element Parallelized Search": the two phases of a
 * median by sub-arrays and merges of pairs. The kernels are those of lib/papers, compiled into this
 * module too. */
#include "papers/ballot/dev_scan_paper.cuh"
#include "papers/ballot/dev_split.cuh"
#include "papers/ballot/dev_split_global.cuh"
#include "papers/median/median.h"
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

/* Calls f with the code of u32 keys. */
template <typename F> void with_words(F &&f)
{
    done(with_radix_code<false>(ORDO_U32, false, KEY_TOTAL, [&](auto code) -> ordo_status {
        if constexpr (sizeof(typename decltype(code)::BITS) == sizeof(uint32_t))
            return f(code);
        return ORDO_E_UNSUPPORTED;
    }));
}

template <paper_form FORM> void split_blocks(const task &t)
{
    framed             frame(split_scratch(t.n, sizeof(uint32_t), 0));
    split_tables const tables = split_layout(&frame.call.scratch, t.n, sizeof(uint32_t), 0);
    with_words([&](auto code) {
        return split<FORM, radix_no_value>(&frame.call, &tables, code, t.keys, sizeof(uint32_t),
                                           t.n, t.out, sizeof(uint32_t));
    });
}

template <paper_form FORM, int ROWS> void split_array(const task &t)
{
    cuda_scratch counting = {};
    global_layout(&counting, t.n, ROWS, sizeof(uint32_t), 0);
    framed              frame(counting.used);
    global_tables const tables = global_layout(&frame.call.scratch, t.n, ROWS, sizeof(uint32_t), 0);
    with_words([&](auto code) {
        return split_globally<FORM, ROWS, radix_no_value>(
            &frame.call, &tables, code, t.keys, sizeof(uint32_t), t.n, t.out, sizeof(uint32_t));
    });
}

template <paper_form FORM> void sum_words(const task &t)
{
    cuda_scratch counting = {};
    paper_layout(&counting, t.n);
    framed            frame(counting.used);
    word_source const source = {keys_of<uint32_t>(t)};
    done(paper_scan<FORM>(&frame.call, source, t.n, out_of<uint32_t>(t), false,
                          static_cast<uint64_t *>(nullptr)));
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
    job.algorithm = ORDO_ALGORITHM_MERGE;
    job.sub_array = t.count;
    return job;
}

void sub_arrays(const task &t)
{
    ordo_select_job const     job = median_job(t);
    framed                    frame(dev_select_bitonic_scratch(&job));
    select_bitonic_work const work = select_bitonic_layout(&frame.call.scratch, &job);
    done(select_bitonic_sort(&frame.call, &job, &work));
}

/* Merges the sub-arrays that the last call left in scratch. */
void merge_and_look(const task &t)
{
    ordo_select_job const     job = median_job(t);
    framed                    frame(dev_select_bitonic_scratch(&job));
    select_bitonic_work const work = select_bitonic_layout(&frame.call.scratch, &job);
    void                     *sorted = nullptr;
    done(select_bitonic_merge(&frame.call, &job, &work, &sorted));
    done(select_bitonic_read(&frame.call, &job, &work, sorted));
}

bool const added =
    library("", 5,
            {entry<split_blocks<PAPER_SHARED>>("split, shared", BENCH_PEER_SPLIT, ORDO_U32),
             entry<split_blocks<PAPER_BALLOT>>("split, ballot", BENCH_PEER_SPLIT, ORDO_U32),
             entry<split_array<PAPER_SHARED, 1>>("shared, 1 key", BENCH_PEER_SPLIT, ORDO_U32),
             entry<split_array<PAPER_BALLOT, 1>>("ballot, 1 key", BENCH_PEER_SPLIT, ORDO_U32),
             entry<split_array<PAPER_SHARED, 16>>("shared, 16 keys", BENCH_PEER_SPLIT, ORDO_U32),
             entry<split_array<PAPER_BALLOT, 16>>("ballot, 16 keys", BENCH_PEER_SPLIT, ORDO_U32),
             entry<sum_words<PAPER_SHARED>>("shared", BENCH_PEER_WORD_SUM, ORDO_U32),
             entry<sum_words<PAPER_SHUFFLE>>("shuffle", BENCH_PEER_WORD_SUM, ORDO_U32),
             entry<sub_arrays>("sub-arrays", BENCH_PEER_SUB_ARRAYS, ORDO_U32),
             entry<merge_and_look>("pairs", BENCH_PEER_MERGE, ORDO_U32)});

} // namespace
} // namespace peers
