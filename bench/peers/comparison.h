/* comparison.h - every operation of the benchmark, written for any sort that takes a range and a
 * comparison.
 *
 * `Sort` is a type with   template <class I, class C> static void run(I first, I last, C less,
 * unsigned threads)   . Pairs are zipped into an array of structs and unzipped again. Argsort moves
 * u32 indices and reads the keys through them; ties are ordered by index, so every sort gives the
 * same answer. */
#ifndef ORDO_BENCH_COMPARISON_H
#define ORDO_BENCH_COMPARISON_H

#include "peers.h"

#include <functional>
#include <numeric>

namespace peers
{

template <typename Sort, typename T> void sort_keys(const task &t)
{
    T *const keys = keys_of<T>(t);
    Sort::run(keys, keys + t.n, std::less<T>(), t.threads);
}

template <typename T> struct pair_of {
    T    key, value;
    bool operator<(const pair_of &other) const
    {
        return key < other.key || (key == other.key && value < other.value);
    }
};

template <typename T> pair_of<T> *zip(const task &t)
{
    const T *const keys = keys_of<T>(t), *const values = static_cast<T *>(t.values);
    pair_of<T> *const both = static_cast<pair_of<T> *>(kept(0, t.n * sizeof *both));
    for (size_t i = 0; i < t.n; i++)
        both[i] = {keys[i], values[i]};
    return both;
}

template <typename T> void unzip(const pair_of<T> *both, const task &t)
{
    T *const keys = keys_of<T>(t), *const values = static_cast<T *>(t.values);
    for (size_t i = 0; i < t.n; i++) {
        keys[i] = both[i].key;
        values[i] = both[i].value;
    }
}

template <typename Sort, typename T> void sort_pairs(const task &t)
{
    pair_of<T> *const both = zip<T>(t);
    Sort::run(both, both + t.n, std::less<pair_of<T>>(), t.threads);
    unzip(both, t);
}

template <typename Sort, typename T> void order_of(const task &t, uint32_t *index)
{
    const T *const keys = keys_of<T>(t);
    std::iota(index, index + t.n, uint32_t{0});
    Sort::run(
        index, index + t.n,
        [keys](uint32_t a, uint32_t b) {
            return keys[a] < keys[b] || (keys[a] == keys[b] && a < b);
        },
        t.threads);
}

template <typename Sort, typename T> void argsort(const task &t)
{
    order_of<Sort, T>(t, static_cast<uint32_t *>(t.out));
}

/* Calls put(index, first, last) for every key; its group of ties has ranks first to last, from
 * 1. */
template <typename Sort, typename T, typename Put> void for_ranks(const task &t, Put put)
{
    const T *const  keys = keys_of<T>(t);
    uint32_t *const index = static_cast<uint32_t *>(kept(0, t.n * sizeof(uint32_t)));

    order_of<Sort, T>(t, index);
    for (size_t first = 0, last; first < t.n; first = last) {
        last = first + 1;
        while (last < t.n && keys[index[last]] == keys[index[first]])
            last++;
        for (size_t i = first; i < last; i++)
            put(index[i], first + 1, last);
    }
}

template <typename Sort, typename T> void rank_min(const task &t)
{
    uint32_t *const ranks = static_cast<uint32_t *>(t.out);
    for_ranks<Sort, T>(
        t, [ranks](uint32_t i, size_t first, size_t) { ranks[i] = static_cast<uint32_t>(first); });
}

template <typename Sort, typename T> void rank_average(const task &t)
{
    double *const ranks = static_cast<double *>(t.out);
    for_ranks<Sort, T>(t, [ranks](uint32_t i, size_t first, size_t last) {
        ranks[i] = static_cast<double>(first + last) / 2;
    });
}

template <typename Sort> void sort_pointers(const task &t)
{
    const char **const strings = keys_of<const char *>(t);
    Sort::run(strings, strings + t.n, string_less, t.threads);
}

template <typename Sort> void argsort_strings(const task &t)
{
    const char *const     bytes = keys_of<const char>(t);
    const uint64_t *const offsets = static_cast<const uint64_t *>(t.values);
    uint32_t *const       index = static_cast<uint32_t *>(t.out);

    std::iota(index, index + t.n, uint32_t{0});
    Sort::run(
        index, index + t.n,
        [bytes, offsets](uint32_t a, uint32_t b) {
            const uint64_t size_a = offsets[a + 1] - offsets[a],
                           size_b = offsets[b + 1] - offsets[b];
            const int order = std::memcmp(bytes + offsets[a], bytes + offsets[b],
                                          size_a < size_b ? size_a : size_b);
            if (order != 0)
                return order < 0;
            return size_a < size_b || (size_a == size_b && a < b);
        },
        t.threads);
}

template <typename Sort>
void add_all_types(std::vector<bench_peer> &list, const char *name, bool threaded)
{
    list.push_back(entry<int8_t, sort_keys<Sort, int8_t>>(name, BENCH_PEER_SORT, threaded));
    list.push_back(entry<uint8_t, sort_keys<Sort, uint8_t>>(name, BENCH_PEER_SORT, threaded));
    list.push_back(entry<int16_t, sort_keys<Sort, int16_t>>(name, BENCH_PEER_SORT, threaded));
    list.push_back(entry<uint16_t, sort_keys<Sort, uint16_t>>(name, BENCH_PEER_SORT, threaded));
    list.push_back(entry<int32_t, sort_keys<Sort, int32_t>>(name, BENCH_PEER_SORT, threaded));
    list.push_back(entry<uint32_t, sort_keys<Sort, uint32_t>>(name, BENCH_PEER_SORT, threaded));
    list.push_back(entry<int64_t, sort_keys<Sort, int64_t>>(name, BENCH_PEER_SORT, threaded));
    list.push_back(entry<uint64_t, sort_keys<Sort, uint64_t>>(name, BENCH_PEER_SORT, threaded));
    list.push_back(entry<float, sort_keys<Sort, float>>(name, BENCH_PEER_SORT, threaded));
    list.push_back(entry<double, sort_keys<Sort, double>>(name, BENCH_PEER_SORT, threaded));
}

template <typename Sort, typename T>
void add_indirect(std::vector<bench_peer> &list, const char *name, bool threaded)
{
    list.push_back(entry<T, argsort<Sort, T>>(name, BENCH_PEER_ARGSORT, threaded));
    list.push_back(entry<T, rank_min<Sort, T>>(name, BENCH_PEER_RANK_MIN, threaded));
    list.push_back(entry<T, rank_average<Sort, T>>(name, BENCH_PEER_RANK_AVERAGE, threaded));
}

/* All operations except sort. */
template <typename Sort>
void add_others(std::vector<bench_peer> &list, const char *name, bool threaded)
{
    list.push_back(entry<uint32_t, sort_pairs<Sort, uint32_t>>(name, BENCH_PEER_PAIRS, threaded));
    list.push_back(entry<uint64_t, sort_pairs<Sort, uint64_t>>(name, BENCH_PEER_PAIRS, threaded));
    add_indirect<Sort, uint32_t>(list, name, threaded);
    add_indirect<Sort, uint64_t>(list, name, threaded);
    add_indirect<Sort, float>(list, name, threaded);
    add_indirect<Sort, double>(list, name, threaded);
    list.push_back(string_entry<sort_pointers<Sort>>(name, BENCH_PEER_POINTERS, threaded));
    list.push_back(string_entry<argsort_strings<Sort>>(name, BENCH_PEER_STRINGS, threaded));
}

} // namespace peers
#endif
