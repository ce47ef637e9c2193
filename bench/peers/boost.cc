/* boost.cc - Boost.Sort: spreadsort (hybrid radix), pdqsort, block_indirect_sort (threads). */
#include "comparison.h"

#include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <boost/sort/spreadsort/spreadsort.hpp>
#include <boost/version.hpp>

namespace peers
{
namespace
{

template <typename T> void spreadsort(const task &t)
{
    boost::sort::spreadsort::spreadsort(keys_of<T>(t), keys_of<T>(t) + t.n);
}

struct pdqsort {
    template <class I, class C> static void run(I first, I last, C less, unsigned)
    {
        boost::sort::pdqsort(first, last, less);
    }
};

struct block_indirect {
    template <class I, class C> static void run(I first, I last, C less, unsigned threads)
    {
        boost::sort::block_indirect_sort(first, last, less, threads);
    }
};

template <typename T> void add_keys(std::vector<bench_peer> &list)
{
    list.push_back(entry<T, spreadsort<T>>("boost spreadsort", BENCH_PEER_SORT));
    list.push_back(entry<T, sort_keys<pdqsort, T>>("boost pdqsort", BENCH_PEER_SORT));
    list.push_back(
        entry<T, sort_keys<block_indirect, T>>("boost block_indirect", BENCH_PEER_SORT, true));
}

std::vector<bench_peer> entries()
{
    std::vector<bench_peer> list;
    add_keys<int32_t>(list);
    add_keys<uint32_t>(list);
    add_keys<int64_t>(list);
    add_keys<uint64_t>(list);
    add_keys<float>(list);
    add_keys<double>(list);
    list.push_back(string_entry<sort_pointers<pdqsort>>("boost pdqsort", BENCH_PEER_POINTERS));
    list.push_back(string_entry<sort_pointers<block_indirect>>("boost block_indirect",
                                                               BENCH_PEER_POINTERS, true));
    return list;
}

const bool added = library("Boost " + std::to_string(BOOST_VERSION / 100000) + "." +
                               std::to_string(BOOST_VERSION / 100 % 1000),
                           4, entries());

} // namespace
} // namespace peers
