/* host_merge.cu - std::stable_sort of an array in host memory, one thread: the sequential merge
 * sort of Pfaff and Treadwell, "Parallel Sorting of Roughly-Sorted Sequences", timed together with
 * the sorts of the GPU. */
#include "peers.cuh"

#include <algorithm>

namespace peers
{
namespace
{

/* The benchmark copies the keys to the output before it starts the clock. */
void sort(const task &t)
{
    uint32_t *const keys = out_of<uint32_t>(t);
    std::stable_sort(keys, keys + t.n);
}

bool const added =
    library("", 3, {entry<sort>("std::stable_sort, host", BENCH_PEER_HOST_SORT, ORDO_U32)});

} // namespace
} // namespace peers
