/* parallel_mode.cc - the parallel mode of libstdc++ (OpenMP): __gnu_parallel::sort. */
#include "comparison.h"

#include <omp.h>
#include <parallel/algorithm>

namespace peers
{
namespace
{

struct parallel_sort {
    template <class I, class C> static void run(I first, I last, C less, unsigned threads)
    {
        omp_set_num_threads(static_cast<int>(threads));
        __gnu_parallel::sort(first, last, less);
    }
};

std::vector<bench_peer> entries()
{
    std::vector<bench_peer> list;
    add_all_types<parallel_sort>(list, "gnu parallel", true);
    add_others<parallel_sort>(list, "gnu parallel", true);
    return list;
}

const bool added = library("its parallel mode", 2, entries());

} // namespace
} // namespace peers
