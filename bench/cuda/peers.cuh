/* peers.cuh - how the files of this folder add their peers to the table, and helpers.
 *
 * Each file adapts calls of one library to bench_peer_task (bench/harness/bench_peer.h; arrays
 * are in GPU memory) and adds them before main() with
 *
 *      static bool const added = peers::library("CUB 3.0", 1, {...});
 *
 * Work is enqueued on peers::stream; a peer whose answer is on the host waits for it. Scratch is
 * kept between calls, like that of a context. Exceptions do not leave a peer: a failed CUDA call
 * becomes a failed call, and the benchmark leaves the peer out. */
#ifndef ORDO_BENCH_CUDA_PEERS_CUH
#define ORDO_BENCH_CUDA_PEERS_CUH

#include "bench/harness/bench_cuda_module.h"
#include "ordo.h"

#include <cuda_runtime.h>

#include <string>
#include <vector>

namespace peers
{

using task = bench_peer_task;

struct failure {
    cudaError_t error;
};

extern cudaStream_t stream;

void need(cudaError_t error); /* throws on an error and keeps its text for last_error() */

/* Adds the peers of a library; the table lists libraries by `place`. */
bool library(const std::string &name, int place, const std::vector<bench_peer> &entries);

/* GPU memory that is kept between calls, one block per slot. */
enum slot {
    TEMPORARY,
    FIRST,
    SECOND,
    THIRD,
    FOURTH,
    SLOTS
};
void                    *kept_bytes(slot which, size_t bytes);
template <typename T> T *kept(slot which, size_t count)
{
    return static_cast<T *>(kept_bytes(which, count * sizeof(T)));
}

/* A CUB call in two steps. The scratch size is queried once per n, as a program would do. */
template <typename CALL> void in_two_steps(size_t n, CALL call)
{
    static size_t last_n, bytes;
    static bool   asked;

    if (!asked || n != last_n) {
        need(call(nullptr, bytes));
        last_n = n;
        asked = true;
    }
    need(call(kept_bytes(TEMPORARY, bytes), bytes));
}

template <typename T> constexpr ordo_type type_of = ORDO_U8;
template <> inline constexpr ordo_type    type_of<uint16_t> = ORDO_U16;
template <> inline constexpr ordo_type    type_of<int32_t> = ORDO_I32;
template <> inline constexpr ordo_type    type_of<uint32_t> = ORDO_U32;
template <> inline constexpr ordo_type    type_of<int64_t> = ORDO_I64;
template <> inline constexpr ordo_type    type_of<uint64_t> = ORDO_U64;
template <> inline constexpr ordo_type    type_of<float> = ORDO_F32;
template <> inline constexpr ordo_type    type_of<double> = ORDO_F64;

template <void (*work)(const task &)> int guarded(const bench_peer_task *t) noexcept
{
    try {
        work(*t);
        need(cudaGetLastError());
        return 0;
    } catch (...) {
        return 1;
    }
}

template <void (*work)(const task &)>
bench_peer entry(const char *name, bench_peer_op op, uint32_t type)
{
    return {name, static_cast<uint32_t>(op), type, 0, guarded<work>};
}

template <typename T> const T *keys_of(const task &t) { return static_cast<const T *>(t.keys); }
template <typename T> T       *out_of(const task &t) { return static_cast<T *>(t.out); }

/* 32-bit counts, with which CUB is mostly fastest; cub_radix.cu also tries 64-bit counts. The
 * benchmark has fewer items than 2^31. */
inline uint32_t items(const task &t) { return static_cast<uint32_t>(t.n); }

inline unsigned blocks_for(size_t n, unsigned threads)
{
    return static_cast<unsigned>((n + threads - 1) / threads);
}

} // namespace peers
#endif
