/* string_records.c - the operations on records that every part of the string sort uses: digits of
 * keys, loading keys, comparing keys, and writing results. */
#define _POSIX_C_SOURCE 200809L
#include "core/indices.h"
#include "cpu/strings/string_parts.h"

/* A digit made of the highest blocks of adjacent set bits, at most `bits` bits in all. */
static string_digit gather_blocks(uint64_t set, unsigned bits)
{
    string_digit digit = {.bits = 0};
    unsigned     shift[STRING_DIGIT_BLOCKS] = {0}, width[STRING_DIGIT_BLOCKS] = {0};
    for (size_t block = 0; block < STRING_DIGIT_BLOCKS && set != 0 && digit.bits < bits; block++) {
        unsigned const top = 63 - (unsigned)__builtin_clzll(set);
        uint64_t const gaps = ~set & (UINT64_MAX >> (63 - top));
        unsigned const below = gaps == 0 ? 0 : 64 - (unsigned)__builtin_clzll(gaps);
        width[block] = (unsigned)ordo_min(top + 1 - below, bits - digit.bits);
        shift[block] = top + 1 - width[block];
        digit.bits += width[block];
        digit.used |= (UINT64_MAX >> (64 - width[block])) << shift[block];
        set &= ~digit.used;
    }
    unsigned place = digit.bits;
    for (size_t block = 0; block < STRING_DIGIT_BLOCKS && width[block] > 0; block++) {
        place -= width[block];
        digit.shift[block] = shift[block] - place;
        digit.mask[block] = (UINT64_MAX >> (64 - width[block])) << place;
    }
    return digit;
}

/* The letters ACGT, for example, differ in scattered bits, which form many short blocks. Adding the
 * single bits between them, which are equal in all keys, lets fewer blocks hold more of the
 * differing bits. */
string_digit string_digit_take(uint64_t *varying, unsigned bits)
{
    string_digit digit = gather_blocks(*varying, bits);
    if (digit.bits < bits && digit.used != *varying) {
        string_digit const wider = gather_blocks(*varying | (*varying << 1 & *varying >> 1), bits);
        if (__builtin_popcountll(wider.used & *varying) > __builtin_popcountll(digit.used))
            digit = wider;
    }
    *varying &= ~digit.used;
    return digit;
}

bool string_is_wanted(const string_order *order, size_t lo, size_t hi)
{
    const uint64_t *const wanted = order->wanted;
    if (wanted == NULL)
        return true;
    size_t const   first = lo / 64, last = (hi - 1) / 64;
    uint64_t const from = UINT64_MAX << lo % 64, to = UINT64_MAX >> (63 - (hi - 1) % 64);
    if (first == last)
        return (wanted[first] & from & to) != 0;
    uint64_t any = (wanted[first] & from) | (wanted[last] & to);
    for (size_t i = first + 1; i < last && any == 0; i++)
        any = wanted[i];
    return any != 0;
}

/* The strings are scattered in memory: their offsets and their bytes are prefetched. */
void string_load(const string_view *view, string_record *records, size_t count, uint64_t depth)
{
    enum {
        PLACE_AHEAD = 16,
        BYTES_AHEAD = 8
    };
    for (size_t i = 0; i < count; i++) {
        if (i + PLACE_AHEAD < count)
            string_fetch_place(view, records[i + PLACE_AHEAD].index);
        if (i + BYTES_AHEAD < count)
            string_fetch_bytes(view, records[i + BYTES_AHEAD].index, depth);
        records[i].key = string_key(view, records[i].index, depth);
    }
}

uint64_t string_varying(const string_record *records, size_t count, uint64_t key, size_t *same)
{
    uint64_t varying = 0;
    size_t   equal = 0;
    for (size_t i = 0; i < count; i++) {
        varying |= records[i].key ^ key;
        equal += records[i].key == key;
    }
    *same += equal;
    return varying;
}

void string_write(const string_order *order, const string_record *records, size_t lo, size_t count,
                  bool first)
{
    ordo_type const type = order->index_type;
    for (size_t i = 0; i < count; i++)
        ordo_put_index(type, order->index, lo + i, records[i].index);
    if (order->starts != NULL) {
        memset(order->starts + lo, 0, count);
        order->starts[lo] = first;
    }
}
