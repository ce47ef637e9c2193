/* peers.cc - the table of all peers, and the memory they keep between calls. */
#include "peers.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace peers
{
namespace
{

struct group {
    std::string             name;
    int                     place;
    std::vector<bench_peer> entries;
};

/* A function-local static, because the initialisation order of the other files is not defined. */
std::vector<group> &groups()
{
    static std::vector<group> all;
    return all;
}

struct block {
    void  *memory = nullptr;
    size_t bytes = 0;
    ~block() { std::free(memory); }
};

} // namespace

bool library(const std::string &name, int place, const std::vector<bench_peer> &entries)
{
    groups().push_back({name, place, entries});
    return true;
}

void *kept(int slot, size_t bytes)
{
    static block     blocks[2];
    constexpr size_t page = size_t{2} << 20;
    block           &b = blocks[slot];

    if (b.bytes < bytes) {
        const size_t wanted = (bytes + page - 1) / page * page;
        std::free(b.memory);
        b.bytes = 0;
        b.memory = std::aligned_alloc(page, wanted);
        if (b.memory == nullptr)
            throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
        madvise(b.memory, wanted, MADV_HUGEPAGE);
#endif
        std::memset(b.memory, 0, wanted);
        b.bytes = wanted;
    }
    return b.memory;
}

} // namespace peers

extern "C" __attribute__((visibility("default"))) const void *ordo_bench_peers(void)
{
    static std::vector<bench_peer> entries;
    static std::string             libraries;
    static bench_peer_table        table;

    if (table.abi == 0) {
        auto &all = peers::groups();
        std::sort(all.begin(), all.end(),
                  [](const auto &a, const auto &b) { return a.place < b.place; });
        for (const auto &g : all) {
            entries.insert(entries.end(), g.entries.begin(), g.entries.end());
            libraries += (libraries.empty() ? "" : ", ") + g.name;
        }
        table = {BENCH_PEER_ABI, libraries.c_str(), entries.data(), entries.size()};
    }
    return &table;
}
