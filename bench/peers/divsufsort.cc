/* divsufsort.cc - libdivsufsort: suffix arrays and the Burrows-Wheeler transform. */
#include "peers.h"

#include <divsufsort.h>

#include <stdexcept>

namespace peers
{
namespace
{

void require(bool right)
{
    if (!right)
        throw std::runtime_error("libdivsufsort failed");
}

void suffixes(const task &t)
{
    require(divsufsort(keys_of<uint8_t>(t), static_cast<int32_t *>(t.out),
                       static_cast<int32_t>(t.n)) == 0);
}

void transform(const task &t)
{
    auto *const room = static_cast<int32_t *>(kept(0, (t.n + 1) * sizeof(int32_t)));
    require(divbwt(keys_of<uint8_t>(t), static_cast<uint8_t *>(t.out), room,
                   static_cast<int32_t>(t.n)) >= 0);
}

void inverse(const task &t)
{
    auto *const room = static_cast<int32_t *>(kept(0, (t.n + 1) * sizeof(int32_t)));
    require(inverse_bw_transform(keys_of<uint8_t>(t), static_cast<uint8_t *>(t.out), room,
                                 static_cast<int32_t>(t.n), static_cast<int32_t>(t.count)) == 0);
}

const bool added = library(std::string("libdivsufsort ") + divsufsort_version(), 6,
                           {entry<uint8_t, suffixes>("divsufsort", BENCH_PEER_SUFFIX),
                            entry<uint8_t, transform>("divsufsort", BENCH_PEER_BWT),
                            entry<uint8_t, inverse>("divsufsort", BENCH_PEER_UNBWT)});

} // namespace
} // namespace peers
