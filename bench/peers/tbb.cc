/* tbb.cc - oneTBB: parallel_sort, in an arena with the number of threads of the row. */
#include "comparison.h"

#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <memory>

namespace peers
{
namespace
{

struct tbb_sort {
    template <class I, class C> static void run(I first, I last, C less, unsigned threads)
    {
        static tbb::task_arena                      arena;
        static std::unique_ptr<tbb::global_control> limit; /* may exceed the number of CPUs */
        if (!arena.is_active() || arena.max_concurrency() != static_cast<int>(threads)) {
            arena.terminate();
            limit.reset();
            limit = std::make_unique<tbb::global_control>(
                tbb::global_control::max_allowed_parallelism, threads);
            arena.initialize(static_cast<int>(threads));
        }
        arena.execute([&] { tbb::parallel_sort(first, last, less); });
    }
};

std::vector<bench_peer> entries()
{
    std::vector<bench_peer> list;
    add_all_types<tbb_sort>(list, "tbb parallel_sort", true);
    add_others<tbb_sort>(list, "tbb parallel_sort", true);
    return list;
}

const bool added =
    library("TBB " + std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR), 3,
            entries());

} // namespace
} // namespace peers
