/* encode.c - a block of bzip2: rotations, move to front, zero runs, prefix codes.
 *
 * The choice of the tables is bzip2's, so the output has the same bytes: the number of tables
 * depends on the number of symbols, the first tables split the alphabet into parts of equal
 * frequency, and four rounds assign each 50 symbols to the cheapest table and make new codes. */
#include "text/bzip2/encode/encode.h"

#include "text/bzip2/encode/code_lengths.h"
#include "text/bzip2/front.h"

#include <string.h>

enum {
    ROUNDS = 4, /* as libbz2, whose bytes are compared */
    CHEAP = 0,  /* first lengths of symbols inside and outside the part of a table */
    DEAR = 15,
    RUN_DIGITS = 4, /* that are written at once */
    LANES = 8       /* costs of all tables are added in one vector */
};

typedef uint16_t costs __attribute__((vector_size(2 * LANES)));

typedef struct coding {
    const uint16_t *symbols;
    uint32_t        count; /* of symbols */
    unsigned        alphabet, tables;
    uint8_t        *selectors;
    uint32_t        selector_count;
    uint32_t        frequency[BZ_MOST_SYMBOLS];
    uint8_t         lengths[BZ_MOST_TABLES][BZ_MOST_SYMBOLS];
    bool            used[256];
} coding;

static void lay_out(bz_encoder *e, size_t most, ordo_layout *layout)
{
    bz_sorter_lay_out(&e->sorter, most, layout);
    e->symbols = ordo_lay_line(layout, most + 2 + RUN_DIGITS, sizeof *e->symbols);
    e->selectors = ordo_lay_line(layout, most / BZ_GROUP + 2, sizeof *e->selectors);
}

size_t bz_encoder_bytes(size_t most)
{
    bz_encoder  e;
    ordo_layout counted = {NULL, 0};
    lay_out(&e, most, &counted);
    return counted.bytes;
}

void bz_encoder_init(bz_encoder *e, void *memory, size_t most)
{
    ordo_layout layout = {memory, 0};
    lay_out(e, most, &layout);
}

/* Codes have at most 17 bits. Tables: a difference of lengths takes 2 bits, at most 16 times. */
size_t bz_encoded_most(size_t n)
{
    size_t const tables = (size_t)BZ_MOST_TABLES * BZ_MOST_SYMBOLS * 33 / 8 + 64;
    return (n + 1) * BZ_WRITTEN_LENGTH / 8 + (n / BZ_GROUP + 2) * BZ_MOST_TABLES / 8 + tables + 512;
}

/* ---- Symbols ---- */

/* Writes a run of zeros in bijective base 2: digits RUNA (1) and RUNB (2), lowest first. These are
 * the bits of run + 1 below the highest one. Most runs have at most four digits, which are written
 * without a branch. */
static inline uint16_t *put_run(uint16_t *to, uint32_t run, uint32_t *frequency)
{
    uint32_t const bits = run + 1;
    unsigned const digits = ordo_bit_length(bits) - 1;
    uint32_t const low = bits & ~(UINT32_C(1) << digits);
    for (unsigned i = 0; i < RUN_DIGITS; i++)
        to[i] = low >> i & 1;
    uint32_t ones = (low & 1) + (low >> 1 & 1) + (low >> 2 & 1) + (low >> 3 & 1);
    for (unsigned i = RUN_DIGITS; i < digits; i++) {
        to[i] = low >> i & 1;
        ones += to[i];
    }
    frequency[0] += digits - ones;
    frequency[1] += ones;
    return to + digits;
}

/* Bit i: byte i differs from the byte before it. *before is the byte before the first one, and
 * becomes the last one. */
static inline uint64_t find_changes(const uint8_t *bytes, uint8_t *before)
{
    uint64_t const low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t       carried = *before, changes = 0;
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t const word = bz_load_low(bytes + i), x = word ^ (word << 8 | carried);
        uint64_t const other = (((x & low) + low) | x) & ~low; /* the highest bit of the bytes */
        changes |= (other >> 7) * UINT64_C(0x0102040810204080) >> 56 << i;
        carried = word >> 56;
    }
    *before = (uint8_t)carried;
    return changes;
}

/* Moves the byte to the front and returns where it was. The first word of the list is in *front. */
static inline unsigned move_byte(bz_front *list, uint64_t *front, uint8_t byte)
{
    uint64_t const low = UINT64_C(0x0101010101010101), word = *front, x = word ^ byte * low;
    uint64_t const found = (x - low) & ~x & low << 7; /* the lowest bit is right */
    if (found == 0) {
        list->words[0] = word;
        unsigned const at = bz_front_find(list, byte);
        *front = list->words[0];
        return at;
    }
    uint64_t const moved = found ^ (found - 1); /* bytes up to the one that was found */
    *front = (word & ~moved) | (word << 8 & moved) | byte;
    return (unsigned)__builtin_ctzll(found) / 8;
}

/* Fills `bytes` with the letters that are used, ascending, and returns their number. */
static unsigned list_letters(const coding *c, uint8_t *bytes)
{
    unsigned used = 0;
    for (unsigned b = 0; b < 256; b++)
        if (c->used[b])
            bytes[used++] = (uint8_t)b;
    return used;
}

/* Only a byte that differs from the one before it moves in the list; the others are a run. */
static void make_symbols(coding *c, const uint8_t *column, uint32_t n, uint16_t *symbols)
{
    uint8_t        bytes[256], end[64] = {0};
    unsigned const used = list_letters(c, bytes);
    uint8_t        before = bytes[0];
    uint32_t       since = 0; /* where the run began */
    uint16_t      *to = symbols;
    bz_front       list;
    bz_front_set(&list, bytes, used);
    uint64_t front = list.words[0]; /* in a register */
    c->alphabet = used + 2;
    memset(c->frequency, 0, sizeof c->frequency);
    for (uint32_t row = 0; row < n; row += 64) {
        bool const whole = n - row >= 64;
        if (!whole)
            memcpy(end, column + row, n - row);
        uint64_t changes = find_changes(whole ? column + row : end, &before);
        if (!whole)
            changes &= UINT64_MAX >> (64 - (n - row));
        for (; changes != 0; changes &= changes - 1) {
            uint32_t const at = row + (unsigned)__builtin_ctzll(changes);
            to = put_run(to, at - since, c->frequency);
            uint16_t const symbol = (uint16_t)(move_byte(&list, &front, column[at]) + 1);
            *to++ = symbol;
            c->frequency[symbol]++;
            since = at + 1;
        }
    }
    to = put_run(to, n - since, c->frequency);
    *to++ = (uint16_t)(used + 1);
    c->frequency[used + 1]++;
    c->symbols = symbols;
    c->count = (uint32_t)(to - symbols);
}

/* ---- Tables ---- */

static void first_tables(coding *c)
{
    uint32_t left = c->count;
    unsigned from = 0;
    for (unsigned part = c->tables; part > 0; part--) {
        uint32_t const wanted = left / part;
        uint32_t       sum = 0;
        unsigned       to = from; /* the part is [from, to) */
        while (sum < wanted && to < c->alphabet)
            sum += c->frequency[to++];
        /* Every second part gives its last symbol to the next one. */
        if (to > from + 1 && part != c->tables && part != 1 && (c->tables - part) % 2 == 1)
            sum -= c->frequency[--to];
        for (unsigned v = 0; v < c->alphabet; v++)
            c->lengths[part - 1][v] = v >= from && v < to ? CHEAP : DEAR;
        from = to;
        left -= sum;
    }
}

/* The cheapest table for up to 50 symbols, the first one of several. */
static unsigned cheapest_table(const coding *c, const costs *lengths, const uint16_t *symbols,
                               uint32_t n)
{
    costs    even = {0}, odd = {0};
    uint32_t i = 0;
    for (; i + 2 <= n; i += 2) {
        even += lengths[symbols[i]];
        odd += lengths[symbols[i + 1]];
    }
    if (i < n)
        even += lengths[symbols[i]];
    even += odd;
    unsigned best = 0;
    for (unsigned t = 1; t < c->tables; t++)
        best = even[t] < even[best] ? t : best;
    return best;
}

/* Adds `times` to the counts of the symbols of a group. Symbols at even and at odd places have
 * counters of their own, because the same symbol often comes several times in a row. */
static inline void count_group(uint32_t counts[2][BZ_MOST_SYMBOLS], const uint16_t *symbols,
                               uint32_t n, uint32_t times)
{
    for (uint32_t i = 0; i + 1 < n; i += 2) {
        counts[0][symbols[i]] += times;
        counts[1][symbols[i + 1]] += times;
    }
    if (n % 2 != 0)
        counts[0][symbols[n - 1]] += times;
}

/* Chooses a table for each group. Few groups change their tables in later rounds, so only these
 * are counted again: a count is right modulo 2^32. */
static void assign_groups(coding *c, uint32_t counts[BZ_MOST_TABLES][2][BZ_MOST_SYMBOLS],
                          bool first)
{
    costs    lengths[BZ_MOST_SYMBOLS] = {{0}};
    uint32_t group = 0;
    for (unsigned v = 0; v < c->alphabet; v++)
        for (unsigned t = 0; t < BZ_MOST_TABLES; t++)
            lengths[v][t] = c->lengths[t][v];
    for (uint32_t from = 0; from < c->count; from += BZ_GROUP, group++) {
        const uint16_t *const symbols = c->symbols + from;
        uint32_t const        n = c->count - from < BZ_GROUP ? c->count - from : BZ_GROUP;
        unsigned const        best = cheapest_table(c, lengths, symbols, n);
        if (!first && c->selectors[group] == best)
            continue;
        if (!first)
            count_group(counts[c->selectors[group]], symbols, n, UINT32_MAX);
        count_group(counts[best], symbols, n, 1);
        c->selectors[group] = (uint8_t)best;
    }
    c->selector_count = group;
}

static void choose_tables(coding *c)
{
    uint32_t       counts[BZ_MOST_TABLES][2][BZ_MOST_SYMBOLS] = {{{0}}};
    uint32_t const n = c->count;
    c->tables = n < 200 ? 2 : n < 600 ? 3 : n < 1200 ? 4 : n < 2400 ? 5 : 6;
    first_tables(c);
    for (unsigned round = 0; round < ROUNDS; round++) {
        assign_groups(c, counts, round == 0);
        for (unsigned t = 0; t < c->tables; t++) {
            uint32_t both[BZ_MOST_SYMBOLS];
            for (unsigned v = 0; v < c->alphabet; v++)
                both[v] = counts[t][0][v] + counts[t][1][v];
            bz_code_lengths(c->lengths[t], both, c->alphabet, BZ_WRITTEN_LENGTH);
        }
    }
}

/* ---- Bits ---- */

static void put_used(bz_writer *w, const bool *used)
{
    uint64_t rows[16] = {0}, all = 0;
    for (unsigned b = 0; b < 256; b++)
        rows[b / 16] |= (uint64_t)used[b] << (15 - b % 16);
    for (unsigned i = 0; i < 16; i++)
        all |= (uint64_t)(rows[i] != 0) << (15 - i);
    bz_put(w, all, 16);
    for (unsigned i = 0; i < 16; i++)
        if (rows[i] != 0)
            bz_put(w, rows[i], 16);
}

static void put_selectors(bz_writer *w, const coding *c)
{
    bz_front list;
    bz_front_set(&list, (const uint8_t[]){0, 1, 2, 3, 4, 5}, BZ_MOST_TABLES);
    bz_put(w, c->tables, 3);
    bz_put(w, c->selector_count, 15);
    for (uint32_t i = 0; i < c->selector_count; i++) {
        unsigned const at = bz_front_find(&list, c->selectors[i]);
        bz_put(w, (UINT64_C(1) << (at + 1)) - 2, at + 1); /* `at` ones and a zero */
    }
}

static void put_lengths(bz_writer *w, const uint8_t *lengths, unsigned alphabet)
{
    unsigned now = lengths[0];
    bz_put(w, now, 5);
    for (unsigned v = 0; v < alphabet; v++) {
        for (; now < lengths[v]; now++)
            bz_put(w, 2, 2);
        for (; now > lengths[v]; now--)
            bz_put(w, 3, 2);
        bz_put(w, 0, 1);
    }
}

/* code << 8 | length; shorter codes have lower values, equal lengths are in order of symbols. */
static void assign_codes(const uint8_t *lengths, unsigned alphabet, uint32_t *codes)
{
    uint32_t code = 0;
    for (unsigned length = 1; length <= BZ_WRITTEN_LENGTH; length++, code <<= 1)
        for (unsigned v = 0; v < alphabet; v++)
            if (lengths[v] == length)
                codes[v] = code++ << 8 | length;
}

static void put_symbols(bz_writer *w, const coding *c)
{
    uint32_t codes[BZ_MOST_TABLES][BZ_MOST_SYMBOLS];
    for (unsigned t = 0; t < c->tables; t++)
        assign_codes(c->lengths[t], c->alphabet, codes[t]);
    for (uint32_t i = 0; i < c->count;) {
        const uint32_t *const table = codes[c->selectors[i / BZ_GROUP]];
        uint32_t const        to = c->count - i < BZ_GROUP ? c->count : i + BZ_GROUP;
        for (; i + 1 < to; i += 2) { /* two codes have at most 34 bits */
            uint32_t const a = table[c->symbols[i]], b = table[c->symbols[i + 1]];
            bz_put(w, (uint64_t)(a >> 8) << (b & 255) | b >> 8, (a & 255) + (b & 255));
        }
        for (; i < to; i++)
            bz_put(w, table[c->symbols[i]] >> 8, table[c->symbols[i]] & 255);
    }
}

/* Writes a block; c->used is set. */
static uint64_t encode_block(bz_encoder *e, coding *c, const uint8_t *column, uint32_t row,
                             uint32_t n, uint32_t crc, uint8_t *out)
{
    bz_writer w = {.to = out};
    c->selectors = e->selectors;
    make_symbols(c, column, n, e->symbols);
    choose_tables(c);
    bz_put(&w, BZ_BLOCK_MAGIC, 48);
    bz_put(&w, crc, 32);
    bz_put(&w, 0, 1); /* not randomised */
    bz_put(&w, row, 24);
    put_used(&w, c->used);
    put_selectors(&w, c);
    for (unsigned t = 0; t < c->tables; t++)
        put_lengths(&w, c->lengths[t], c->alphabet);
    put_symbols(&w, c);
    return (uint64_t)(w.to - out) * 8 + w.count;
}

uint64_t bz_encode_column(bz_encoder *e, const uint8_t *column, uint32_t row, uint32_t n,
                          uint32_t crc, uint8_t *out)
{
    coding c = {.count = 0};
    for (uint32_t i = 0; i < n; i++)
        c.used[column[i]] = true;
    return encode_block(e, &c, column, row, n, crc, out);
}

uint64_t bz_encode(bz_encoder *e, uint8_t *text, uint32_t n, uint32_t crc, uint8_t *out)
{
    coding         c = {.count = 0};
    uint32_t const row = bz_rotate(&e->sorter, text, n);
    if (row == BZ_NO_ROW)
        return 0;
    for (unsigned b = 0; b < 256; b++)
        c.used[b] = e->sorter.letters[b] > 0;
    return encode_block(e, &c, bz_column(&e->sorter), row, n, crc, out);
}
