/* decode.c - a block of bzip2 back to text: prefix codes, zero runs, move to front, inverse
 * transform.
 *
 * Codes are canonical. A table of the next 10 bits gives the symbol and the length; longer codes
 * are found by the highest code of each length. Codes that leave bit patterns unused are
 * accepted, as bzip2 does; such a pattern in the data is an error. */
#include "text/bzip2/decode/decode.h"

#include "text/bzip2/decode/follow.h"
#include "text/bzip2/front.h"
#include "text/bzip2/decode/randomised.h"

#include <string.h>

enum {
    LOOKUP_BITS = 10,
    LENGTH_BITS = 5,
    FRONT_PIECE = 16 << 10 /* stays in the cache until its checksum is computed */
};

typedef struct code {
    uint16_t lookup[1 << LOOKUP_BITS]; /* symbol << LENGTH_BITS | length; 0: longer, or no code */
    int32_t  highest[BZ_MOST_LENGTH + 1]; /* code of each length */
    int32_t  base[BZ_MOST_LENGTH + 1];    /* sorted[code - base[length]] is its symbol */
    uint16_t sorted[BZ_MOST_SYMBOLS];
    unsigned shortest, longest;
} code;

typedef struct block_reader {
    const uint8_t *bytes;
    uint64_t       at; /* the next bit */
    uint64_t       end;
    bool           randomised;
    uint32_t       row;
    unsigned       used, tables;
    uint32_t       selector_count;
    bz_front       list;
    code           codes[BZ_MOST_TABLES];
    const char    *why;
} block_reader;

void bz_decoder_lay_out(void *decoder, ordo_layout *layout)
{
    bz_decoder *const d = decoder;
    d->next = ordo_lay_line(layout, BZ_MOST_BLOCK, sizeof *d->next);
    d->pieces = ordo_lay_line(layout, bz_follow_bytes(), sizeof *d->pieces);
    d->selectors = ordo_lay_line(layout, BZ_KEPT_SELECTORS, sizeof *d->selectors);
}

size_t bz_decoder_bytes(void)
{
    bz_decoder d;
    return ordo_layout_bytes(bz_decoder_lay_out, &d);
}

static bool bad(block_reader *r, const char *why)
{
    r->why = why;
    return false;
}

/* 57 bits or more, from the highest bit on. Beyond the end the bits are 0. */
static inline uint64_t bits_at(const block_reader *r, uint64_t at)
{
    return bz_load64(r->bytes + at / 8) << at % 8;
}

static uint32_t take(block_reader *r, unsigned count)
{
    if (r->at > r->end) /* the caller notices it later */
        return 0;
    uint32_t const value = (uint32_t)(bits_at(r, r->at) >> (64 - count));
    r->at += count;
    return value;
}

/* ---- Header ---- */

static bool read_used(block_reader *r)
{
    uint32_t const rows = take(r, 16);
    uint8_t        bytes[256];
    r->used = 0;
    for (unsigned i = 0; i < 16; i++) {
        uint32_t const row = (rows >> (15 - i) & 1) != 0 ? take(r, 16) : 0;
        for (unsigned k = 0; k < 16; k++)
            if ((row >> (15 - k) & 1) != 0)
                bytes[r->used++] = (uint8_t)(16 * i + k);
    }
    bz_front_set(&r->list, bytes, r->used);
    return r->used > 0 || bad(r, "the block has no bytes in its alphabet");
}

static bool read_selectors(block_reader *r, uint8_t *selectors)
{
    bz_front list;
    bz_front_set(&list, (const uint8_t[]){0, 1, 2, 3, 4, 5}, BZ_MOST_TABLES);
    r->tables = take(r, 3);
    uint32_t const count = take(r, 15);
    if (r->tables < 2 || r->tables > BZ_MOST_TABLES)
        return bad(r, "the number of code tables is not 2 to 6");
    if (count == 0)
        return bad(r, "the block has no selectors");
    for (uint32_t i = 0; i < count && r->at <= r->end; i++) {
        unsigned at = 0;
        while (at < r->tables && take(r, 1) != 0)
            at++;
        if (at == r->tables)
            return bad(r, "a selector names a code table that does not exist");
        uint8_t const table = bz_front_take(&list, at);
        if (i < BZ_KEPT_SELECTORS) /* more are never used */
            selectors[i] = table;
    }
    r->selector_count = count < BZ_KEPT_SELECTORS ? count : BZ_KEPT_SELECTORS;
    return true;
}

static bool read_lengths(block_reader *r, uint8_t *lengths, unsigned alphabet)
{
    unsigned length = take(r, 5);
    for (unsigned v = 0; v < alphabet; v++) {
        for (;;) {
            if (length < 1 || length > BZ_MOST_LENGTH)
                return bad(r, "the length of a code is not 1 to 20 bits");
            if (r->at > r->end || take(r, 1) == 0)
                break;
            length = take(r, 1) == 0 ? length + 1 : length - 1;
        }
        lengths[v] = (uint8_t)length;
    }
    return true;
}

/* Finds the code at the front of `bits`, of at most `most` bits. False if there is none. */
static inline bool find_code(const code *c, uint64_t bits, unsigned most, unsigned *length,
                             unsigned *symbol)
{
    for (unsigned l = c->shortest; l <= most; l++) {
        int32_t const value = (int32_t)(bits >> (64 - l));
        if (value <= c->highest[l]) {
            *length = l;
            *symbol = c->sorted[value - c->base[l]];
            return true;
        }
    }
    return false;
}

static void make_code(code *c, const uint8_t *lengths, unsigned alphabet)
{
    int32_t  next = 0;
    unsigned sorted = 0;
    c->shortest = BZ_MOST_LENGTH;
    c->longest = 1;
    for (unsigned v = 0; v < alphabet; v++) {
        c->shortest = lengths[v] < c->shortest ? lengths[v] : c->shortest;
        c->longest = lengths[v] > c->longest ? lengths[v] : c->longest;
    }
    for (unsigned l = c->shortest; l <= c->longest; l++, next *= 2) {
        c->base[l] = next - (int32_t)sorted;
        for (unsigned v = 0; v < alphabet; v++)
            if (lengths[v] == l) {
                c->sorted[sorted++] = (uint16_t)v;
                next++;
            }
        c->highest[l] = next - 1;
    }
    unsigned const most = c->longest < LOOKUP_BITS ? c->longest : LOOKUP_BITS;
    for (unsigned i = 0; i < 1 << LOOKUP_BITS; i++) {
        unsigned   length, symbol;
        bool const found = find_code(c, (uint64_t)i << (64 - LOOKUP_BITS), most, &length, &symbol);
        c->lookup[i] = found ? (uint16_t)(symbol << LENGTH_BITS | length) : 0;
    }
}

static bool read_header(block_reader *r, uint8_t *selectors, bz_decoded *out)
{
    uint8_t lengths[BZ_MOST_SYMBOLS];
    take(r, 48);
    out->crc = take(r, 32);
    r->randomised = take(r, 1) != 0;
    r->row = take(r, 24);
    if (!read_used(r) || !read_selectors(r, selectors))
        return false;
    for (unsigned t = 0; t < r->tables; t++) {
        if (!read_lengths(r, lengths, r->used + 2) || r->at > r->end)
            return false;
        make_code(&r->codes[t], lengths, r->used + 2);
    }
    return true;
}

/* ---- Symbols ---- */

/* Where a block is read: local to the loop over the symbols, so that it stays in registers. */
typedef struct cursor {
    uint64_t at;     /* the bit after the last code */
    uint64_t bits;   /* the bits from there on */
    uint64_t front;  /* the first word of the list */
    uint32_t n;      /* bytes of the column */
    uint32_t length; /* of the run, given by digits RUNA and RUNB */
    uint32_t weight; /* of the next digit */
} cursor;

/* Reads the code at the front of the bits. */
static inline bool read_symbol(block_reader *r, const code *c, cursor *now, unsigned *symbol)
{
    unsigned const entry = c->lookup[now->bits >> (64 - LOOKUP_BITS)];
    unsigned       length = entry & ((1 << LENGTH_BITS) - 1);
    *symbol = entry >> LENGTH_BITS;
    if (ORDO_UNLIKELY(entry == 0) && !find_code(c, now->bits, c->longest, &length, symbol))
        return bad(r, "the data contain bits that are no code");
    now->bits <<= length;
    now->at += length;
    return true;
}

/* Appends a run of the front byte. */
static inline bool end_run(block_reader *r, cursor *now, uint8_t *column)
{
    if (now->length > BZ_MOST_BLOCK - now->n)
        return bad(r, "the block has more than 900000 bytes");
    memset(column + now->n, (uint8_t)now->front, now->length);
    now->n += now->length;
    now->length = 0;
    now->weight = 1;
    return true;
}

static inline uint8_t take_byte(block_reader *r, cursor *now, unsigned at)
{
    if (at < 8) {
        uint64_t const byte = now->front >> (8 * at) & 255;
        now->front = bz_front_shift(now->front, at, byte);
        return (uint8_t)byte;
    }
    r->list.words[0] = now->front;
    uint8_t const byte = bz_front_take(&r->list, at);
    now->front = r->list.words[0];
    return byte;
}

typedef enum group_end {
    GROUP_WHOLE,
    GROUP_LAST, /* the block ends in it */
    GROUP_BAD
} group_end;

static group_end bad_group(block_reader *r, const char *why)
{
    r->why = why;
    return GROUP_BAD;
}

/* Two codes have at most 40 of the 57 bits that are read for them. */
static inline group_end read_group(block_reader *r, const code *c, cursor *now, uint8_t *column)
{
    unsigned const end = r->used + 1;
    for (unsigned i = 0; i < BZ_GROUP; i++) {
        unsigned symbol;
        if (i % 2 == 0)
            now->bits = bits_at(r, now->at);
        if (!read_symbol(r, c, now, &symbol))
            return GROUP_BAD;
        if (symbol < 2) {
            if (now->weight > BZ_MOST_BLOCK)
                return bad_group(r, "a run has more than 900000 bytes");
            now->length += now->weight << symbol;
            now->weight *= 2;
            continue;
        }
        if (now->length > 0 && !end_run(r, now, column))
            return GROUP_BAD;
        if (symbol == end)
            return GROUP_LAST;
        if (now->n == BZ_MOST_BLOCK)
            return bad_group(r, "the block has more than 900000 bytes");
        column[now->n++] = take_byte(r, now, symbol - 1);
    }
    return GROUP_WHOLE;
}

/* Writes the last column of the sorted rotations to column[0..*n). */
static bool read_column(block_reader *r, const uint8_t *selectors, uint8_t *column, uint32_t *n)
{
    cursor    now = {.at = r->at, .front = r->list.words[0], .weight = 1};
    group_end result = GROUP_WHOLE;
    for (uint32_t g = 0; result == GROUP_WHOLE && g < r->selector_count && now.at <= r->end; g++)
        result = read_group(r, &r->codes[selectors[g]], &now, column);
    r->at = now.at;
    *n = now.n;
    if (result == GROUP_WHOLE)
        return bad(r, "the block has no end before its last selector");
    return result == GROUP_LAST;
}

/* ---- Text ---- */

/* Expands the block and returns its checksum. The front is kept, the rest only counted. */
static uint32_t expand_text(const uint8_t *text, uint8_t *front, bz_decoded *out)
{
    bz_expander e = {.text = text, .n = out->n};
    uint32_t    crc = UINT32_MAX;
    out->front = 0;
    for (size_t now; (now = bz_expand(&e, front + out->front,
                                      ordo_min(FRONT_PIECE, BZ_MOST_FRONT - out->front))) > 0;
         out->front += (uint32_t)now)
        crc = bz_crc(crc, front + out->front, now);
    out->rest = e;
    return ~bz_expanded_crc(&e, crc);
}

bz_outcome bz_decode(bz_decoder *d, const uint8_t *bits, uint64_t begin, uint64_t end,
                     uint8_t *text, uint8_t *front, bz_decoded *out)
{
    block_reader r = {.bytes = bits, .at = begin, .end = end};
    uint32_t     n = 0;
    *out = (bz_decoded){0};
    bool const ok = read_header(&r, d->selectors, out) && read_column(&r, d->selectors, text, &n);
    if (r.at > r.end) /* bits after the end were read; what they gave means nothing */
        return BZ_SHORT;
    out->end = r.at;
    out->n = n;
    out->why = r.why;
    if (!ok)
        return BZ_BAD;
    out->why = n == 0 ? "the block is empty" : "the row of the text is outside of the block";
    if (r.row >= n)
        return BZ_BAD;
    bz_follow(d->next, n, r.row, text, d->pieces);
    if (r.randomised)
        bz_unrandomise(text, n);
    out->why = "the checksum of the block is wrong";
    return expand_text(text, front, out) == out->crc ? BZ_DECODED : BZ_BAD;
}
