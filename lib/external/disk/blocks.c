/* blocks.c - packs sorted elements into blocks, and reads them again. */
#include "external/disk/blocks.h"

enum {
    WORD_BITS = 64
};

size_t elements_below(const element_kind *kind, const char *elements, size_t n, uint64_t order,
                      bool equal)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t const   middle = lo + (hi - lo) / 2;
        uint64_t const here = element_order(kind, elements + middle * kind->size);
        if (here < order || (equal && here == order))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

size_t block_most(const element_kind *kind, size_t n)
{
    if (!kind->keys_only)
        return n * kind->size;
    /* The first key, and for each group a byte and up to 7 bits to fill its last byte. */
    return sizeof(uint64_t) + n * kind->size + 2 * ordo_div_up(n, BLOCK_GROUP);
}

/* ---- Bits ---- */

/* Writes `count` numbers of `width` bits, least significant bit first; returns the end. */
static unsigned char *put_bits(unsigned char *out, const uint64_t *numbers, size_t count,
                               unsigned width)
{
    uint64_t held = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < count && width > 0; i++) {
        held |= numbers[i] << bits;
        unsigned const room = WORD_BITS - bits;
        bits += width;
        if (bits >= WORD_BITS) {
            memcpy(out, &held, sizeof held);
            out += sizeof held;
            bits -= WORD_BITS;
            held = room < WORD_BITS ? numbers[i] >> room : 0;
        }
    }
    size_t const rest = ordo_div_up(bits, 8);
    memcpy(out, &held, rest);
    return out + rest;
}

static size_t bytes_of_bits(size_t count, unsigned width) { return ordo_div_up(count * width, 8); }

/* Reads what put_bits() wrote, from the `bytes` bytes at `in`. */
static void get_bits(const unsigned char *in, size_t bytes, uint64_t *numbers, size_t count,
                     unsigned width)
{
    uint64_t const mask = width == WORD_BITS ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    for (size_t i = 0; i < count; i++) {
        size_t const   bit = i * width, byte = bit / 8;
        unsigned const shift = (unsigned)(bit % 8);
        uint64_t       low = 0, high = 0;
        memcpy(&low, in + byte, ordo_min(sizeof low, bytes - byte));
        if (shift + width > WORD_BITS)
            high = (uint64_t)in[byte + sizeof low] << (WORD_BITS - shift);
        numbers[i] = ((low >> shift) | high) & mask;
    }
}

/* ---- Keys ---- */

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static void orders_##tag(const element_kind *kind, const char *keys, size_t n, uint64_t *out)  \
    {                                                                                              \
        const key *const from = (const key *)(const void *)keys;                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = key_sort_bits_##tag(from[i], kind->descending);                               \
    }                                                                                              \
    static void keys_##tag(const element_kind *kind, const uint64_t *orders, size_t n, char *keys) \
    {                                                                                              \
        key *const to = (key *)(void *)keys;                                                       \
        for (size_t i = 0; i < n; i++)                                                             \
            to[i] = key_of_sort_bits_##tag((bits)orders[i], kind->descending);                     \
    }
#include "core/types.def"

static size_t pack_keys(const element_kind *kind, const char *keys, size_t n, unsigned char *block)
{
    uint64_t       orders[BLOCK_GROUP], before = element_order(kind, keys);
    unsigned char *out = block;
    memcpy(out, &before, sizeof before);
    out += sizeof before;
    for (size_t at = 0; at < n; at += BLOCK_GROUP) {
        size_t const count = ordo_min(BLOCK_GROUP, n - at);
        uint64_t     all = 0;
        BY_TYPE(kind->type, orders, (kind, keys + at * kind->size, count, orders));
        for (size_t i = 0; i < count; i++) {
            uint64_t const order = orders[i];
            orders[i] = order - before;
            before = order;
            all |= orders[i];
        }
        unsigned const width = ordo_bit_length(all);
        *out++ = (unsigned char)width;
        out = put_bits(out, orders, count, width);
    }
    return (size_t)(out - block);
}

static bool unpack_keys(const element_kind *kind, const unsigned char *block, size_t bytes,
                        size_t n, char *keys)
{
    uint64_t orders[BLOCK_GROUP], order;
    size_t   left = bytes;
    if (left < sizeof order)
        return false;
    memcpy(&order, block, sizeof order);
    block += sizeof order;
    left -= sizeof order;
    for (size_t at = 0; at < n; at += BLOCK_GROUP) {
        size_t const count = ordo_min(BLOCK_GROUP, n - at);
        if (left == 0 || *block > WORD_BITS)
            return false;
        unsigned const width = *block;
        size_t const   length = bytes_of_bits(count, width);
        if (left - 1 < length)
            return false;
        get_bits(block + 1, left - 1, orders, count, width);
        block += 1 + length;
        left -= 1 + length;
        for (size_t i = 0; i < count; i++)
            orders[i] = order += orders[i];
        BY_TYPE(kind->type, keys, (kind, orders, count, keys + at * kind->size));
    }
    return left == 0;
}

/* ---- All elements ---- */

size_t block_pack(const element_kind *kind, const char *elements, size_t n, void *block)
{
    if (kind->keys_only)
        return pack_keys(kind, elements, n, block);
    memcpy(block, elements, n * kind->size);
    return n * kind->size;
}

bool block_unpack(const element_kind *kind, const void *block, size_t bytes, size_t n,
                  char *elements)
{
    if (kind->keys_only)
        return unpack_keys(kind, block, bytes, n, elements);
    if (bytes != n * kind->size)
        return false;
    memcpy(elements, block, bytes);
    return true;
}
