/* std.cc - the C++ standard library: sort, stable_sort, nth_element, partial_sort_copy. */
#include "comparison.h"

#include <algorithm>

namespace peers
{
namespace
{

struct std_sort {
    template <class I, class C> static void run(I first, I last, C less, unsigned)
    {
        std::sort(first, last, less);
    }
};

struct std_stable_sort {
    template <class I, class C> static void run(I first, I last, C less, unsigned)
    {
        std::stable_sort(first, last, less);
    }
};

/* Each search starts after the position of the previous one. */
template <typename T> void nth_element(const task &t)
{
    T *const keys = keys_of<T>(t), *const out = static_cast<T *>(t.out), *from = keys;

    for (size_t j = 0; j < t.count; j++) {
        T *const place = keys + t.ranks[j];
        if (place >= from)
            std::nth_element(from, place, keys + t.n);
        from = place + 1;
        out[j] = *place;
    }
}

template <typename T> void partial_sort_copy(const task &t)
{
    T *const keys = keys_of<T>(t), *const out = static_cast<T *>(t.out);
    std::partial_sort_copy(keys, keys + t.n, out, out + t.count, std::greater<T>());
}

template <typename T> void nth_element_then_sort(const task &t)
{
    T *const keys = keys_of<T>(t), *const out = static_cast<T *>(t.out);
    const size_t k = std::min(t.count, t.n);

    if (k < t.n)
        std::nth_element(keys, keys + k, keys + t.n, std::greater<T>());
    std::sort(keys, keys + k, std::greater<T>());
    std::copy(keys, keys + k, out);
}

template <typename T> void sort_rows(const task &t)
{
    T *const keys = keys_of<T>(t);
    for (size_t i = 0; i + t.count <= t.n; i += t.count)
        std::sort(keys + i, keys + i + t.count);
}

template <typename T> void add_selection(std::vector<bench_peer> &list)
{
    list.push_back(entry<T, nth_element<T>>("std::nth_element", BENCH_PEER_SELECT));
    list.push_back(entry<T, partial_sort_copy<T>>("partial_sort_copy", BENCH_PEER_TOPK));
    list.push_back(entry<T, nth_element_then_sort<T>>("nth_element+sort", BENCH_PEER_TOPK));
}

std::vector<bench_peer> entries()
{
    std::vector<bench_peer> list;
    add_all_types<std_sort>(list, "std::sort", false);
    add_others<std_sort>(list, "std::sort", false);
    add_all_types<std_stable_sort>(list, "std::stable_sort", false);
    add_others<std_stable_sort>(list, "std::stable_sort", false);
    add_selection<int8_t>(list);
    add_selection<uint8_t>(list);
    add_selection<int16_t>(list);
    add_selection<uint16_t>(list);
    add_selection<int32_t>(list);
    add_selection<uint32_t>(list);
    add_selection<int64_t>(list);
    add_selection<uint64_t>(list);
    add_selection<float>(list);
    add_selection<double>(list);
    list.push_back(entry<float, sort_rows<float>>("std::sort", BENCH_PEER_SORT_ROWS));
    return list;
}

#if defined(_GLIBCXX_RELEASE)
const std::string name = "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
#elif defined(_LIBCPP_VERSION)
const std::string name = "libc++ " + std::to_string(_LIBCPP_VERSION);
#else
const std::string name = "the C++ standard library";
#endif

const bool added = library(name, 0, entries());

} // namespace
} // namespace peers
