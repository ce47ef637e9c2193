/* peers.h - how the files of this folder add their peers to the table.
 *
 * Each file adapts the sorts of one library to bench_peer_task and adds them before main() with
 *
 *     static const bool added = peers::library("TBB 2021.8", 2, {...});
 *
 * CMake compiles the files whose library is installed. Exceptions do not leave a peer: an exception
 * (no memory) becomes a failed call, and the benchmark leaves that peer out. */
#ifndef ORDO_BENCH_PEERS_H
#define ORDO_BENCH_PEERS_H

#include "bench/harness/bench_peer.h"
#include "ordo.h"

#include <cstring>
#include <string>
#include <vector>

namespace peers
{

using task = bench_peer_task;

/* Adds the peers of a library; the table lists libraries by `place`. */
bool library(const std::string &name, int place, const std::vector<bench_peer> &entries);

/* Memory that is kept between calls, like the scratch of a context: one block per slot, slots 0 and
 * 1, on huge pages if possible. */
void *kept(int slot, size_t bytes);

template <typename T> constexpr ordo_type type_of = ORDO_I8;
template <> inline constexpr ordo_type    type_of<uint8_t> = ORDO_U8;
template <> inline constexpr ordo_type    type_of<int16_t> = ORDO_I16;
template <> inline constexpr ordo_type    type_of<uint16_t> = ORDO_U16;
template <> inline constexpr ordo_type    type_of<int32_t> = ORDO_I32;
template <> inline constexpr ordo_type    type_of<uint32_t> = ORDO_U32;
template <> inline constexpr ordo_type    type_of<int64_t> = ORDO_I64;
template <> inline constexpr ordo_type    type_of<uint64_t> = ORDO_U64;
template <> inline constexpr ordo_type    type_of<float> = ORDO_F32;
template <> inline constexpr ordo_type    type_of<double> = ORDO_F64;

template <void (*work)(const task &)> int guarded(const bench_peer_task *t) noexcept
{
    try {
        work(*t);
        return 0;
    } catch (...) {
        return 1;
    }
}

template <typename T, void (*work)(const task &)>
bench_peer entry(const char *name, bench_peer_op op, bool threaded = false)
{
    return {name, op, type_of<T>, threaded, guarded<work>};
}

template <void (*work)(const task &)>
bench_peer string_entry(const char *name, bench_peer_op op, bool threaded = false)
{
    return {name, op, 0, threaded, guarded<work>};
}

template <typename T> T *keys_of(const task &t) { return static_cast<T *>(t.keys); }

/* Whether a comes before b: by bytes, equal strings by address. */
inline bool string_less(const char *a, const char *b)
{
    const int order = std::strcmp(a, b);
    return order < 0 || (order == 0 && a < b);
}

} // namespace peers
#endif
