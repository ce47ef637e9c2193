/* highway.cc - Google Highway: vqsort, a vectorised quicksort, and VQSelect if the installed
 * version has it (PEERS_VQSELECT).
 *
 * Pairs and 32-bit argsort are packed into one integer, key above value, so ties are ordered by
 * value. */
#include "comparison.h"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace peers
{
namespace
{

/* ORDO_ISA=avx2 limits ordo to AVX2; both are then compared with the same instructions. */
bool limit_targets()
{
    const char *const isa = std::getenv("ORDO_ISA");
    if (isa == nullptr || std::strcmp(isa, "avx2") != 0)
        return false;
    hwy::DisableTargets(HWY_AVX2 - 1); /* better targets have lower bits */
    return true;
}

const hwy::Sorter &sorter()
{
    static const bool        limited = limit_targets();
    static const hwy::Sorter one;
    (void)limited;
    return one;
}

template <typename T> void vqsort(const task &t)
{
    sorter()(keys_of<T>(t), t.n, hwy::SortAscending());
}

void vqsort_pairs_32(const task &t)
{
    uint32_t *const keys = keys_of<uint32_t>(t), *const values = static_cast<uint32_t *>(t.values);
    uint64_t *const both = static_cast<uint64_t *>(kept(0, t.n * sizeof *both));

    for (size_t i = 0; i < t.n; i++)
        both[i] = uint64_t{keys[i]} << 32 | values[i];
    sorter()(both, t.n, hwy::SortAscending());
    for (size_t i = 0; i < t.n; i++) {
        keys[i] = static_cast<uint32_t>(both[i] >> 32);
        values[i] = static_cast<uint32_t>(both[i]);
    }
}

void vqsort_pairs_64(const task &t)
{
    uint64_t *const keys = keys_of<uint64_t>(t), *const values = static_cast<uint64_t *>(t.values);
    auto *const both = static_cast<hwy::uint128_t *>(kept(0, t.n * sizeof(hwy::uint128_t)));

    for (size_t i = 0; i < t.n; i++) {
        both[i].lo = values[i];
        both[i].hi = keys[i];
    }
    sorter()(both, t.n, hwy::SortAscending());
    for (size_t i = 0; i < t.n; i++) {
        keys[i] = both[i].hi;
        values[i] = both[i].lo;
    }
}

void vqsort_argsort_u32(const task &t)
{
    const uint32_t *const keys = keys_of<uint32_t>(t);
    uint32_t *const       out = static_cast<uint32_t *>(t.out);
    uint64_t *const       both = static_cast<uint64_t *>(kept(0, t.n * sizeof *both));

    for (size_t i = 0; i < t.n; i++)
        both[i] = uint64_t{keys[i]} << 32 | i;
    sorter()(both, t.n, hwy::SortAscending());
    for (size_t i = 0; i < t.n; i++)
        out[i] = static_cast<uint32_t>(both[i]);
}

template <typename T> bench_peer keys_entry()
{
    return entry<T, vqsort<T>>("vqsort", BENCH_PEER_SORT);
}

#if defined(PEERS_VQSELECT)
template <typename T> void vqselect(const task &t)
{
    T *const keys = keys_of<T>(t), *const out = static_cast<T *>(t.out);
    size_t from = 0;

    for (size_t j = 0; j < t.count; j++) {
        const size_t place = t.ranks[j];
        if (place >= from)
            hwy::VQSelect(keys + from, t.n - from, place - from, hwy::SortAscending());
        from = place + 1;
        out[j] = keys[place];
    }
}

template <typename T> bench_peer select_entry()
{
    return entry<T, vqselect<T>>("vqselect", BENCH_PEER_SELECT);
}
#endif

std::vector<bench_peer> entries()
{
    std::vector<bench_peer> list = {
        keys_entry<int16_t>(),  keys_entry<uint16_t>(), keys_entry<int32_t>(),
        keys_entry<uint32_t>(), keys_entry<int64_t>(),  keys_entry<uint64_t>(),
        keys_entry<float>(),    keys_entry<double>(),
    };
    list.push_back(entry<uint32_t, vqsort_pairs_32>("vqsort", BENCH_PEER_PAIRS));
    list.push_back(entry<uint64_t, vqsort_pairs_64>("vqsort", BENCH_PEER_PAIRS));
    list.push_back(entry<uint32_t, vqsort_argsort_u32>("vqsort", BENCH_PEER_ARGSORT));
#if defined(PEERS_VQSELECT)
    for (const bench_peer &peer :
         {select_entry<int16_t>(), select_entry<uint16_t>(), select_entry<int32_t>(),
          select_entry<uint32_t>(), select_entry<int64_t>(), select_entry<uint64_t>(),
          select_entry<float>(), select_entry<double>()})
        list.push_back(peer);
#endif
    return list;
}

const bool added =
    library("Highway " + std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR), 5, entries());

} // namespace
} // namespace peers
