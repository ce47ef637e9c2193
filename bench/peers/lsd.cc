/* lsd.cc - the textbook radix sort: digits of 8 bits, least significant first.
 *
 * One read counts all digits. Then one pass per digit moves the items between two arrays. Keys
 * are mapped to unsigned integers of the same order before, and mapped back after. A digit that
 * is equal in all items needs no pass. Pairs and 64-bit argsort move structs; 32-bit argsort
 * packs key and index into one 64-bit integer. n must be below 2^32. */
#include "comparison.h"

#include <type_traits>
#include <utility>

namespace peers
{
namespace
{

template <typename T>
using bits_of =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

template <typename T>
constexpr bits_of<T> top_bit = bits_of<T>(bits_of<T>{1} << (8 * sizeof(T) - 1));

template <typename T> bits_of<T> to_bits(T key)
{
    bits_of<T> bits;
    std::memcpy(&bits, &key, sizeof bits);
    if constexpr (std::is_floating_point_v<T>)
        return bits & top_bit<T> ? bits_of<T>(~bits) : bits_of<T>(bits | top_bit<T>);
    else if constexpr (std::is_signed_v<T>)
        return bits_of<T>(bits ^ top_bit<T>);
    else
        return bits;
}

template <typename T> T from_bits(bits_of<T> bits)
{
    T key;
    if constexpr (std::is_floating_point_v<T>)
        bits = bits & top_bit<T> ? bits_of<T>(bits & ~top_bit<T>) : bits_of<T>(~bits);
    else if constexpr (std::is_signed_v<T>)
        bits = bits_of<T>(bits ^ top_bit<T>);
    std::memcpy(&key, &bits, sizeof key);
    return key;
}

/* Sorts a[0..n) by `bytes` digits of key(item). Returns the array with the result: a or b. */
template <typename Item, typename Key>
Item *lsd_sort(Item *a, Item *b, size_t n, unsigned bytes, Key key)
{
    uint32_t count[8][256] = {};

    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = key(a[i]);
        for (unsigned d = 0; d < bytes; d++)
            count[d][bits >> 8 * d & 255]++;
    }
    for (unsigned d = 0; d < bytes; d++) {
        if (n == 0 || count[d][key(a[0]) >> 8 * d & 255] == n)
            continue;
        uint32_t to[256], sum = 0;
        for (unsigned digit = 0; digit < 256; digit++) {
            to[digit] = sum;
            sum += count[d][digit];
        }
        for (size_t i = 0; i < n; i++)
            b[to[key(a[i]) >> 8 * d & 255]++] = a[i];
        std::swap(a, b);
    }
    return a;
}

template <typename T> void sort_by_digits(const task &t)
{
    using bits = bits_of<T>;
    T *const    keys = keys_of<T>(t);
    bits *const a = static_cast<bits *>(t.keys);
    bits *const b = static_cast<bits *>(kept(0, t.n * sizeof(bits)));

    for (size_t i = 0; i < t.n; i++)
        a[i] = to_bits(keys[i]);
    const bits *const sorted =
        lsd_sort(a, b, t.n, sizeof(bits), [](bits item) { return uint64_t{item}; });
    for (size_t i = 0; i < t.n; i++)
        keys[i] = from_bits<T>(sorted[i]);
}

template <typename T> void pairs_by_digits(const task &t)
{
    pair_of<T> *const a = zip<T>(t);
    pair_of<T> *const b = static_cast<pair_of<T> *>(kept(1, t.n * sizeof *b));
    unzip(lsd_sort(a, b, t.n, sizeof(T), [](const pair_of<T> &item) { return uint64_t{item.key}; }),
          t);
}

struct indexed {
    uint64_t bits;
    uint32_t index;
};

template <typename T> void argsort_by_digits(const task &t)
{
    const T *const  keys = keys_of<T>(t);
    uint32_t *const out = static_cast<uint32_t *>(t.out);

    if constexpr (sizeof(T) <= 4) {
        uint64_t *const a = static_cast<uint64_t *>(kept(0, t.n * sizeof *a));
        uint64_t *const b = static_cast<uint64_t *>(kept(1, t.n * sizeof *b));
        for (size_t i = 0; i < t.n; i++)
            a[i] = uint64_t{to_bits(keys[i])} << 32 | i;
        const uint64_t *const sorted =
            lsd_sort(a, b, t.n, sizeof(T), [](uint64_t item) { return item >> 32; });
        for (size_t i = 0; i < t.n; i++)
            out[i] = static_cast<uint32_t>(sorted[i]);
    } else {
        indexed *const a = static_cast<indexed *>(kept(0, t.n * sizeof *a));
        indexed *const b = static_cast<indexed *>(kept(1, t.n * sizeof *b));
        for (size_t i = 0; i < t.n; i++)
            a[i] = {to_bits(keys[i]), static_cast<uint32_t>(i)};
        const indexed *const sorted =
            lsd_sort(a, b, t.n, sizeof(T), [](const indexed &item) { return item.bits; });
        for (size_t i = 0; i < t.n; i++)
            out[i] = sorted[i].index;
    }
}

template <typename T> bench_peer keys_entry()
{
    return entry<T, sort_by_digits<T>>("lsd radix", BENCH_PEER_SORT);
}

template <typename T> bench_peer argsort_entry()
{
    return entry<T, argsort_by_digits<T>>("lsd radix", BENCH_PEER_ARGSORT);
}

const bool added = library(
    "textbook LSD radix", 1,
    {keys_entry<int8_t>(), keys_entry<uint8_t>(), keys_entry<int16_t>(), keys_entry<uint16_t>(),
     keys_entry<int32_t>(), keys_entry<uint32_t>(), keys_entry<int64_t>(), keys_entry<uint64_t>(),
     keys_entry<float>(), keys_entry<double>(),
     entry<uint32_t, pairs_by_digits<uint32_t>>("lsd radix", BENCH_PEER_PAIRS),
     entry<uint64_t, pairs_by_digits<uint64_t>>("lsd radix", BENCH_PEER_PAIRS),
     argsort_entry<uint32_t>(), argsort_entry<uint64_t>(), argsort_entry<float>(),
     argsort_entry<double>()});

} // namespace
} // namespace peers
