/* packed.c - phase IV where results come home as differences (core/pack.h): the device packs what it
 * has sorted, the threads unpack it while they put it in its place. Sorted keys are dense: 2^30 keys
 * of 32 bits come home in a quarter of their bytes, and the link is what a sort waits for.
 *
 * How many bytes a piece takes is known when its segment is done; who fetches the first piece of a
 * segment asks for the widths of all. Unpacking is four sums at a time, about 0.4 ns a key of a
 * thread, which takes the place of a copy. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/hybrid.h"

#include "core/keybits.h"
#include "core/pack.h"

#include <string.h>

/* ---- The device's part ---- */

bool hybrid_packs(const hybrid_run *run)
{
    const hybrid_records *const records = run->records;
    return run->both->packs && run->both->device->pack != NULL && records->out_keys != NULL &&
           records->key_size >= 4 && run->exec->threads >= ORDO_TUNE_PACK_THREADS;
}

size_t hybrid_packed_bytes(const hybrid_run *run)
{
    size_t const pieces = ordo_div_up(run->buffer_records, run->piece_records);
    return pieces *
           (ordo_pack_stride(run->piece_records, run->records->key_size) + sizeof(uint64_t));
}

/* Widths lie behind the pieces. */
static char *widths_there(const hybrid_run *run, unsigned buffer)
{
    size_t const pieces = ordo_div_up(run->buffer_records, run->piece_records);
    return run->packed[buffer] +
           pieces * ordo_pack_stride(run->piece_records, run->records->key_size);
}

ordo_status hybrid_pack(hybrid_run *run, const hybrid_segment *segment)
{
    ordo_pack_job const job = {.type = run->records->type,
                               .descending = run->records->descending,
                               .keys = run->buffer_keys[segment->buffer],
                               .n = segment->count,
                               .piece = run->piece_records,
                               .packed = run->packed[segment->buffer],
                               .widest = (uint64_t *)(void *)widths_there(run, segment->buffer)};
    return run->both->device->pack(run->both->device_state, &job, &run->device.exec);
}

/* ---- How many bytes ---- */

enum {
    UNKNOWN,
    ASKED,
    KNOWN
};

/* Through a lane's buffer, which is free. */
static ordo_status fetch_widths(hybrid_run *run, ordo_exec *exec, unsigned lane, unsigned side,
                                hybrid_segment *segment)
{
    const ordo_link *const link = run->link;
    void *const            state = run->both->device_state;
    char *const            buffer = link->buffer(state, lane, side);
    TRY(link->await(state, exec, lane, segment->buffer));
    TRY(link->copy_out(state, exec, lane, buffer, widths_there(run, segment->buffer),
                       segment->pieces * sizeof(uint64_t)));
    TRY(link->close_side(state, exec, lane, side));
    TRY(link->wait_side(state, exec, lane, side));
    for (size_t i = 0; i < segment->pieces; i++) {
        uint64_t widest;
        memcpy(&widest, buffer + i * sizeof widest, sizeof widest);
        run->home[segment->first_piece + i].width =
            ordo_min(ordo_pack_width(widest), run->records->key_size);
    }
    return ORDO_OK;
}

ordo_status hybrid_learn_widths(hybrid_run *run, ordo_exec *exec, unsigned lane, unsigned side,
                                hybrid_segment *segment)
{
    int nobody = UNKNOWN;
    if (atomic_load_explicit(&segment->widths, memory_order_acquire) == KNOWN)
        return ORDO_OK;
    if (atomic_compare_exchange_strong(&segment->widths, &nobody, ASKED)) {
        TRY(fetch_widths(run, exec, lane, side, segment));
        atomic_store_explicit(&segment->widths, KNOWN, memory_order_release);
        return ORDO_OK;
    }
    for (unsigned tries = 0; atomic_load_explicit(&segment->widths, memory_order_acquire) != KNOWN;
         tries++) {
        if (hybrid_wrong(run))
            return ORDO_E_DEVICE; /* somebody else has said why */
        hybrid_pause(tries);
    }
    return ORDO_OK;
}

size_t hybrid_packed_size(const hybrid_run *run, const hybrid_piece *piece)
{
    return ORDO_PACK_CHAINS * run->records->key_size + piece->count * piece->width;
}

/* ---- Unpacking ---- */

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum {
    BLOCK = 512 /* keys of each chain that are unpacked, in the cache, before they are put down */
};

/* Keys of the first block: the others are to begin with a cache line, for a line that is written
 * past the cache in two parts takes many times as long. */
static size_t first_block(const char *to, size_t size)
{
    return BLOCK - (uintptr_t)to % ORDO_CACHE_LINE / size;
}

/* A difference, of which `mask` are the bytes: eight are read, the buffer goes on behind it. */
static ALWAYS_INLINE uint64_t load(const char *at, uint64_t mask)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word & mask;
}

/* n keys of each chain. The width is a constant wherever this is called: so a difference is one
 * load. */
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static ALWAYS_INLINE void unpack_##tag(const char *const *from, size_t width, bits *sums,      \
                                           size_t n, bool descending, key(*out)[BLOCK])            \
    {                                                                                              \
        uint64_t const    mask = UINT64_MAX >> (64 - 8 * width);                                   \
        const char *const first = from[0], *const second = from[1];                                \
        const char *const third = from[2], *const fourth = from[3];                                \
        bits a = sums[0], b = sums[1], c = sums[2], d = sums[3];                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            a = (bits)(a + load(first + i * width, mask));                                         \
            b = (bits)(b + load(second + i * width, mask));                                        \
            c = (bits)(c + load(third + i * width, mask));                                         \
            d = (bits)(d + load(fourth + i * width, mask));                                        \
            out[0][i] = key_of_##tag(descending ? key_turn_##tag(a) : a);                          \
            out[1][i] = key_of_##tag(descending ? key_turn_##tag(b) : b);                          \
            out[2][i] = key_of_##tag(descending ? key_turn_##tag(c) : c);                          \
            out[3][i] = key_of_##tag(descending ? key_turn_##tag(d) : d);                          \
        }                                                                                          \
        sums[0] = a;                                                                               \
        sums[1] = b;                                                                               \
        sums[2] = c;                                                                               \
        sums[3] = d;                                                                               \
    }                                                                                              \
                                                                                                   \
    static ALWAYS_INLINE void put_##tag(const char *packed, size_t n, size_t width,                \
                                        bool descending, char *to)                                 \
    {                                                                                              \
        size_t const                  chain = ordo_pack_chain(n);                                  \
        const char                   *bytes = packed + ORDO_PACK_CHAINS * sizeof(key);             \
        const char                   *from[ORDO_PACK_CHAINS];                                      \
        bits                          sums[ORDO_PACK_CHAINS];                                      \
        _Alignas(ORDO_CACHE_LINE) key out[ORDO_PACK_CHAINS][BLOCK];                                \
        memcpy(sums, packed, sizeof sums);                                                         \
        size_t block = first_block(to, sizeof(key));                                               \
        for (size_t at = 0; at < chain; at += block, block = BLOCK) {                              \
            size_t const count = ordo_min(block, chain - at);                                      \
            for (size_t c = 0; c < ORDO_PACK_CHAINS; c++)                                          \
                from[c] = bytes + ordo_min(c * chain + at, n) * width;                             \
            unpack_##tag(from, width, sums, count, descending, out);                               \
            for (size_t c = 0; c < ORDO_PACK_CHAINS; c++) {                                        \
                size_t const first = ordo_min(c * chain + at, n);                                  \
                size_t const last = ordo_min(first + count, ordo_min((c + 1) * chain, n));         \
                if (first < last)                                                                  \
                    hybrid_copy_past(to + first * sizeof(key), out[c],                             \
                                     (last - first) * sizeof(key));                                \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void put_any_##tag(const char *packed, size_t n, size_t width, bool descending,         \
                              char *to)                                                            \
    {                                                                                              \
        switch (width) {                                                                           \
        case 1:                                                                                    \
            put_##tag(packed, n, 1, descending, to);                                               \
            break;                                                                                 \
        case 2:                                                                                    \
            put_##tag(packed, n, 2, descending, to);                                               \
            break;                                                                                 \
        case 3:                                                                                    \
            put_##tag(packed, n, 3, descending, to);                                               \
            break;                                                                                 \
        case 4:                                                                                    \
            put_##tag(packed, n, 4, descending, to);                                               \
            break;                                                                                 \
        case 5:                                                                                    \
            put_##tag(packed, n, 5, descending, to);                                               \
            break;                                                                                 \
        default:                                                                                   \
            put_##tag(packed, n, width, descending, to);                                           \
        }                                                                                          \
    }
#include "core/types.def"

void hybrid_unpack(const hybrid_run *run, const hybrid_piece *piece, const char *packed, char *to)
{
    const hybrid_records *const records = run->records;
    switch (records->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        put_any_##tag(packed, piece->count, piece->width, records->descending, to);                \
        break;
#include "core/types.def"
    }
}
