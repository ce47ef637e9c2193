/* packed_keys.c - phase IV with results packed as differences (backend/pack.h). The device packs
 * each sorted segment, and threads unpack chunks while they store them. The link limits a streamed
 * sort, and the differences of sorted keys are small: 2^30 keys of 32 bits need a quarter of their
 * bytes on the link (bench/results/h200/hybrid/hybrid_profile.txt).
 *
 * The packed size of a chunk is known only after its segment has been packed. The thread that
 * requests the first chunk of a segment fetches the widths of all its chunks. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include "core/keybits.h"
#include "backend/pack.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

/* ---- Work of the device ---- */

bool hybrid_uses_packing(const hybrid_call *call)
{
    const hybrid_records *const records = call->records;
    return call->both->packs && call->both->device->pack != NULL && records->out_keys != NULL &&
           records->key_size >= 4;
}

size_t hybrid_packed_buffer_bytes(const hybrid_call *call)
{
    size_t const chunks = ordo_div_up(call->segment_records, call->chunk_records);
    return chunks *
           (ordo_pack_stride(call->chunk_records, call->records->key_size) + sizeof(uint64_t));
}

/* The widths follow the packed chunks. */
static char *device_widths(const hybrid_call *call, unsigned buffer)
{
    size_t const chunks = ordo_div_up(call->segment_records, call->chunk_records);
    return call->packed_keys[buffer] +
           chunks * ordo_pack_stride(call->chunk_records, call->records->key_size);
}

ordo_status hybrid_pack_segment(hybrid_call *call, const hybrid_segment *segment)
{
    ordo_pack_job const job = {.type = call->records->type,
                               .descending = call->records->descending,
                               .keys = call->segment_keys[segment->buffer],
                               .n = segment->count,
                               .piece = call->chunk_records,
                               .packed = call->packed_keys[segment->buffer],
                               .widest = (uint64_t *)(void *)device_widths(call, segment->buffer)};
    return call->both->device->pack(call->both->device_state, &job, &call->device.exec);
}

/* ---- Widths ---- */

enum {
    UNKNOWN,
    REQUESTED,
    KNOWN
};

/* Fetches the widths of `count` chunks of a segment, from `first` on, through a buffer. */
static ordo_status fetch_some(const hybrid_call *call, ordo_exec *exec, unsigned lane,
                              unsigned side, const hybrid_segment *segment, size_t first,
                              size_t count)
{
    const ordo_link *const link = call->link;
    void *const            state = call->both->device_state;
    char *const            buffer = link->buffer(state, lane, side);
    const char *const      widths = device_widths(call, segment->buffer);
    TRY(link->copy_out(state, exec, lane, buffer, widths + first * sizeof(uint64_t),
                       count * sizeof(uint64_t)));
    TRY(link->close_side(state, exec, lane, side));
    TRY(link->wait_side(state, exec, lane, side));
    for (size_t i = 0; i < count; i++) {
        uint64_t widest;
        memcpy(&widest, buffer + i * sizeof widest, sizeof widest);
        call->result_chunks[segment->first_chunk + first + i].width =
            ordo_min(ordo_pack_width(widest), call->records->key_size);
    }
    return ORDO_OK;
}

static ordo_status fetch_widths(const hybrid_call *call, ordo_exec *exec, unsigned lane,
                                unsigned side, const hybrid_segment *segment)
{
    size_t const fit = call->link->buffer_bytes / sizeof(uint64_t);
    TRY(call->link->await(call->both->device_state, exec, lane, segment->buffer));
    for (size_t first = 0; first < segment->chunk_count; first += fit)
        TRY(fetch_some(call, exec, lane, side, segment, first,
                       ordo_min(fit, segment->chunk_count - first)));
    return ORDO_OK;
}

ordo_status hybrid_know_widths(hybrid_call *call, ordo_exec *exec, unsigned lane, unsigned side,
                               hybrid_segment *segment)
{
    int unknown = UNKNOWN;
    if (atomic_load_explicit(&segment->widths, memory_order_acquire) == KNOWN)
        return ORDO_OK;
    if (atomic_compare_exchange_strong(&segment->widths, &unknown, REQUESTED)) {
        TRY(fetch_widths(call, exec, lane, side, segment));
        atomic_store_explicit(&segment->widths, KNOWN, memory_order_release);
        return ORDO_OK;
    }
    for (unsigned tries = 0; atomic_load_explicit(&segment->widths, memory_order_acquire) != KNOWN;
         tries++) {
        if (hybrid_has_failed(call))
            return ORDO_E_DEVICE; /* another thread has recorded why */
        hybrid_back_off(tries);
    }
    return ORDO_OK;
}

size_t hybrid_packed_chunk_bytes(const hybrid_call *call, const hybrid_result_chunk *chunk)
{
    return ORDO_PACK_CHAINS * call->records->key_size + chunk->count * chunk->width;
}

/* ---- Copies that bypass the cache ----
 *
 * The copied data is not read soon, and an ordinary store would first read the line that it
 * overwrites. */

#if defined(__x86_64__)

void hybrid_copy_nontemporal(void *to, const void *from, size_t bytes)
{
    enum {
        LINE = 64,
        LANE = 16
    };
    char        *out = to;
    const char  *in = from;
    size_t const head = ordo_min(bytes, (size_t)(-(uintptr_t)out % LANE));
    memcpy(out, in, head);
    for (bytes -= head, out += head, in += head; bytes >= LINE;
         bytes -= LINE, out += LINE, in += LINE)
        for (int i = 0; i < LINE; i += LANE)
            _mm_stream_si128((__m128i *)(void *)(out + i),
                             _mm_loadu_si128((const __m128i *)(const void *)(in + i)));
    memcpy(out, in, bytes);
}

void hybrid_fence_nontemporal(void) { _mm_sfence(); }

#else

void hybrid_copy_nontemporal(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }

void hybrid_fence_nontemporal(void) {}

#endif

/* ---- Unpacking ----
 *
 * A block of key bits is summed in the cache, converted to keys there and stored with stores that
 * bypass the cache. Vector instructions compute 32-bit sums of one-byte differences, the usual case
 * of dense keys. All other sums are four independent chains, because each sum depends on the one
 * before. Cost on V1 (cpu/base/tuning.h), ns per key in the cache: 0.3 with vectors, 0.7 with
 * chains, 0.12 for a plain copy. One thread; no scratch. */

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum {
    BLOCK = 512 /* keys of each chain that are unpacked in the cache before they are stored */
};

/* The number of keys in the first block. It makes all later blocks start at a cache line, because a
 * line that two nontemporal copies share costs many times as much. */
static size_t first_block(const char *to, size_t size)
{
    return BLOCK - (uintptr_t)to % ORDO_CACHE_LINE / size;
}

/* Loads one difference; `mask` selects its bytes. Reads eight bytes, so the buffer must extend past
 * the difference. */
static ALWAYS_INLINE uint64_t load(const char *at, uint64_t mask)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word & mask;
}

/* ---- 32-bit sums with vectors ---- */

#if defined(__SSE2__)

/* Sums 16 one-byte differences per step: first within groups of eight as 16-bit numbers, then as
 * 32-bit numbers. */
static uint32_t sum_bytes(const char *from, size_t n, uint32_t sum, uint32_t *out)
{
    __m128i const zero = _mm_setzero_si128();
    __m128i       before = _mm_set1_epi32((int)sum);
    size_t        i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i const in = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        __m128i       low = _mm_unpacklo_epi8(in, zero), high = _mm_unpackhi_epi8(in, zero);
        low = _mm_add_epi16(low, _mm_slli_si128(low, 2));
        high = _mm_add_epi16(high, _mm_slli_si128(high, 2));
        low = _mm_add_epi16(low, _mm_slli_si128(low, 4));
        high = _mm_add_epi16(high, _mm_slli_si128(high, 4));
        low = _mm_add_epi16(low, _mm_slli_si128(low, 8));
        high = _mm_add_epi16(high, _mm_slli_si128(high, 8));
        __m128i const last = _mm_shufflehi_epi16(low, 0xff);
        high = _mm_add_epi16(high, _mm_unpackhi_epi64(last, last));
        __m128i const d = _mm_add_epi32(before, _mm_unpackhi_epi16(high, zero));
        _mm_storeu_si128((__m128i *)(void *)(out + i),
                         _mm_add_epi32(before, _mm_unpacklo_epi16(low, zero)));
        _mm_storeu_si128((__m128i *)(void *)(out + i + 4),
                         _mm_add_epi32(before, _mm_unpackhi_epi16(low, zero)));
        _mm_storeu_si128((__m128i *)(void *)(out + i + 8),
                         _mm_add_epi32(before, _mm_unpacklo_epi16(high, zero)));
        _mm_storeu_si128((__m128i *)(void *)(out + i + 12), d);
        before = _mm_shuffle_epi32(d, 0xff);
    }
    for (sum = (uint32_t)_mm_cvtsi128_si32(before); i < n; i++)
        out[i] = sum += (uint8_t)from[i];
    return sum;
}

#elif defined(__aarch64__) && defined(__ARM_NEON)

static uint32_t sum_bytes(const char *from, size_t n, uint32_t sum, uint32_t *out)
{
    uint16x8_t const zero = vdupq_n_u16(0);
    uint32x4_t       before = vdupq_n_u32(sum);
    size_t           i = 0;
    for (; i + 16 <= n; i += 16) {
        uint8x16_t const in = vld1q_u8((const uint8_t *)from + i);
        uint16x8_t       low = vmovl_u8(vget_low_u8(in)), high = vmovl_u8(vget_high_u8(in));
        low = vaddq_u16(low, vextq_u16(zero, low, 7));
        high = vaddq_u16(high, vextq_u16(zero, high, 7));
        low = vaddq_u16(low, vextq_u16(zero, low, 6));
        high = vaddq_u16(high, vextq_u16(zero, high, 6));
        low = vaddq_u16(low, vextq_u16(zero, low, 4));
        high = vaddq_u16(high, vextq_u16(zero, high, 4));
        high = vaddq_u16(high, vdupq_laneq_u16(low, 7));
        uint32x4_t const d = vaddw_u16(before, vget_high_u16(high));
        vst1q_u32(out + i, vaddw_u16(before, vget_low_u16(low)));
        vst1q_u32(out + i + 4, vaddw_u16(before, vget_high_u16(low)));
        vst1q_u32(out + i + 8, vaddw_u16(before, vget_low_u16(high)));
        vst1q_u32(out + i + 12, d);
        before = vdupq_laneq_u32(d, 3);
    }
    for (sum = vgetq_lane_u32(before, 0); i < n; i++)
        out[i] = sum += (uint8_t)from[i];
    return sum;
}

#else

static uint32_t sum_bytes(const char *from, size_t n, uint32_t sum, uint32_t *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = sum += (uint8_t)from[i];
    return sum;
}

#endif

/* ---- Keys ---- */

#define PUT(tag, width)                                                                            \
    case width:                                                                                    \
        put_##tag(packed, n, width, descending, to);                                               \
        break;

/* Unpacks n keys of each chain. Every caller passes a constant width, so a difference is one load
 * and only one of the two branches remains. */
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static ALWAYS_INLINE void unpack_##tag(const char *const *from, size_t width, bits *sums,      \
                                           size_t n, bool descending, key(*out)[BLOCK])            \
    {                                                                                              \
        uint64_t const    mask = UINT64_MAX >> (64 - 8 * width);                                   \
        const char *const first = from[0], *const second = from[1];                                \
        const char *const third = from[2], *const fourth = from[3];                                \
        bits a = sums[0], b = sums[1], c = sums[2], d = sums[3];                                   \
        if (sizeof(bits) == sizeof(uint32_t) && width == 1) {                                      \
            for (int chain = 0; chain < ORDO_PACK_CHAINS; chain++) {                               \
                uint32_t codes[BLOCK];                                                             \
                sums[chain] = (bits)sum_bytes(from[chain], n, (uint32_t)sums[chain], codes);       \
                for (size_t i = 0; i < n; i++)                                                     \
                    out[chain][i] = key_of_sort_bits_##tag((bits)codes[i], descending);            \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (size_t i = 0; i < n; i++) {                                                           \
            a = (bits)(a + load(first + i * width, mask));                                         \
            b = (bits)(b + load(second + i * width, mask));                                        \
            c = (bits)(c + load(third + i * width, mask));                                         \
            d = (bits)(d + load(fourth + i * width, mask));                                        \
            out[0][i] = key_of_sort_bits_##tag(a, descending);                                     \
            out[1][i] = key_of_sort_bits_##tag(b, descending);                                     \
            out[2][i] = key_of_sort_bits_##tag(c, descending);                                     \
            out[3][i] = key_of_sort_bits_##tag(d, descending);                                     \
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
                    hybrid_copy_nontemporal(to + first * sizeof(key), out[c],                      \
                                            (last - first) * sizeof(key));                         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void put_any_##tag(const char *packed, size_t n, size_t width, bool descending,         \
                              char *to)                                                            \
    {                                                                                              \
        switch (width) {                                                                           \
            PUT(tag, 1)                                                                            \
            PUT(tag, 2)                                                                            \
            PUT(tag, 3)                                                                            \
            PUT(tag, 4)                                                                            \
            PUT(tag, 5)                                                                            \
        default:                                                                                   \
            put_##tag(packed, n, width, descending, to);                                           \
        }                                                                                          \
    }
#include "core/types.def"

void hybrid_unpack_chunk(const hybrid_call *call, const hybrid_result_chunk *chunk,
                         const char *packed, char *to)
{
    const hybrid_records *const records = call->records;
    switch (records->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        put_any_##tag(packed, chunk->count, chunk->width, records->descending, to);                \
        break;
#include "core/types.def"
    }
}
