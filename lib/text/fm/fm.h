/* fm.h - the layout of an FM-index: one block of memory, the same as in a file.
 *
 *     header | groups | cells | marks | offsets | samples | rows
 *
 * The transform is a Huffman-shaped wavelet tree: the code of a letter is a sequence of digits of
 * 4 bits (fm_tree.h). The digits of all nodes, a level after the other, are in cells: 512 digits
 * as bit planes, and how often each value occurs before the middle, from the beginning of a group
 * of cells on.
 * So the number of occurrences of a letter before a row takes a part of a cell for each digit.
 *
 * A row is marked if its position is a multiple of `sample`. `marks` has the number of marked rows
 * before each block of 256 rows, which rows 0 to n + 1 are in, `offsets` the place of each marked
 * row in its block; `samples` has their positions, divided by sample. `rows` has the row of each
 * multiple of sample. Each part begins at a multiple of 64 bytes. */
#ifndef ORDO_TEXT_FM_FM_H
#define ORDO_TEXT_FM_FM_H

#include "backend/tuning.h"
#include "core/arena.h"
#include "text/fm/fm_tree.h"
#include "text/text_args.h"

#include <string.h>

#define FM_MAGIC "ordo fm\n"
#define FM_ORDER UINT32_C(0x01020304)

enum {
    FM_VERSION = 2,
    FM_WORDS = FM_CELL / 2 / 64,
    FM_GROUP = ORDO_TUNE(128, 3), /* cells of a group: counts of cells have 16 bits */
    FM_BLOCK = 256,               /* rows of a block of marks */
    FM_SAMPLE = 64, /* default; also named in ordo_text.h, cmd_search.c and _text.py */
    FM_MOST_SAMPLE = 4096,
    FM_BESIDE = 8, /* offsets that are compared at once: as many bytes follow the last one */
    FM_SPARE = 64  /* bytes behind the letters in fm_build_levels */
};

typedef struct fm_header {
    char     magic[8];
    uint32_t order, version;
    uint64_t bytes, checksum; /* of the whole index; of all bytes behind this field */
    uint64_t n, primary;
    uint32_t sample, letters;
    uint8_t  letter[FM_LETTERS];    /* of each code, ascending */
    uint64_t below[FM_LETTERS + 1]; /* of each code: letters of the text with a lower code */
    uint8_t  zeros[24];
} fm_header;

typedef struct fm_counts {
    uint32_t digits[FM_DIGITS]; /* before a group, modulo 2^32 */
} fm_counts;

typedef struct fm_half {                /* of a cell */
    uint64_t planes[FM_BITS][FM_WORDS]; /* of each bit of its digits, the lowest first */
} fm_half;

typedef struct fm_cell {
    fm_half  first;
    uint16_t counts[FM_DIGITS]; /* before the second half, from the beginning of the group on */
    fm_half  second;
} fm_cell;

typedef struct fm_parts { /* where the parts begin, in bytes, and the end */
    size_t groups, cells, marks, offsets, samples, rows, end;
    size_t block_count, sample_count;
} fm_parts;

struct ordo_fm {
    ordo_alloc       source;
    char            *memory; /* what `source` releases; NULL: the index is the caller's */
    const char      *block;  /* the index */
    const fm_header *header;
    const fm_counts *groups;
    const fm_cell   *cells;
    const uint32_t  *marks;
    const uint8_t   *offsets;
    const uint32_t  *samples, *rows;
    uint64_t         n, primary, sample_count;
    uint32_t         sample;
    int16_t          code[FM_LETTERS]; /* of each byte; -1: it is no letter */
    fm_tree          tree;
};

/* The parts of an index of n bytes. */
fm_parts fm_layout(uint64_t n, uint64_t cells, uint32_t sample);

/* Allocates an index whose block has `bytes` bytes, and returns the block. */
ordo_status fm_new(ordo_ctx *ctx, ordo_exec *exec, size_t bytes, ordo_fm **out, char **block);

/* Sets the fields that follow from the header and the tree. */
void fm_open(ordo_fm *fm);

uint64_t fm_checksum(const void *block, size_t bytes);

/* fm_levels.c: writes the digits of the n letters of a transform to the cells, which are 0. Uses
 * scratch of the call, and bwt, which has room for n + FM_SPARE bytes. */
ordo_status fm_build_levels(text_work *work, const fm_header *header, const fm_tree *tree,
                            uint8_t *bwt, fm_counts *groups, fm_cell *cells);

/* The bits of a plane. The compiler makes one or two vector registers of them. */
typedef uint64_t fm_words __attribute__((vector_size(8 * FM_WORDS)));

/* How often a digit occurs among the first `bits` digits of a half (back == 0), or among the others
 * (back == UINT64_MAX). Without branches, because `bits` is random. */
static inline unsigned fm_count(const fm_half *half, unsigned digit, unsigned bits, uint64_t back)
{
    static const uint64_t ones[2 * FM_WORDS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    static const uint64_t next[2 * FM_WORDS] = {0, 0, 0, 0, UINT64_MAX};
    unsigned const        from = FM_WORDS - bits / 64;
    uint64_t              words[FM_WORDS];
    fm_words              match, partial, plane;
    unsigned              count = 0;
    memcpy(&match, ones + from, sizeof match);
    memcpy(&partial, next + from, sizeof partial);
    match = (match | (partial & ((UINT64_C(1) << bits % 64) - 1))) ^ back;
    for (unsigned bit = 0; bit < FM_BITS; bit++) {
        memcpy(&plane, half->planes[bit], sizeof plane);
        match &= plane ^ ((digit >> bit & 1) - UINT64_C(1));
    }
    memcpy(words, &match, sizeof words);
    for (unsigned w = 0; w < FM_WORDS; w++)
        count += (unsigned)__builtin_popcountll(words[w]);
    return count;
}

static inline const fm_half *fm_half_of(const ordo_fm *fm, uint64_t at)
{
    const fm_cell *const cell = &fm->cells[at / FM_CELL];
    return at % FM_CELL < FM_CELL / 2 ? &cell->first : &cell->second;
}

/* The number of digits `digit` among the first `at`, modulo 2^32: those between `at` and the middle
 * of the cell are added to its count or taken off. */
static inline uint32_t fm_rank(const ordo_fm *fm, unsigned digit, uint64_t at)
{
    uint64_t const number = at / FM_CELL;
    uint64_t const back = (at % FM_CELL / (FM_CELL / 2)) - UINT64_C(1);
    unsigned const count =
        fm_count(fm_half_of(fm, at), digit, (unsigned)(at % (FM_CELL / 2)), back);
    return fm->groups[number / FM_GROUP].digits[digit] + fm->cells[number].counts[digit] +
           ((count ^ (unsigned)back) - (unsigned)back);
}

/* Digit `at`. */
static inline unsigned fm_digit(const ordo_fm *fm, uint64_t at)
{
    const fm_half *const half = fm_half_of(fm, at);
    unsigned const       w = (unsigned)(at % (FM_CELL / 2) / 64), bit = (unsigned)(at % 64);
    return (unsigned)((half->planes[0][w] >> bit & 1) | (half->planes[1][w] >> bit & 1) << 1 |
                      (half->planes[2][w] >> bit & 1) << 2 | (half->planes[3][w] >> bit & 1) << 3);
}

/* ---- Searches, compiled for each instruction set that counts bits faster ---- */

typedef struct fm_patterns {
    const uint8_t  *bytes;
    const uint64_t *offsets;
} fm_patterns;

typedef struct fm_loops {
    /* Writes the first row of the patterns [lo, hi) and their number of rows. */
    void (*search)(const ordo_fm *fm, const fm_patterns *patterns, size_t lo, size_t hi,
                   uint64_t *rows, uint64_t *counts);
    /* Replaces n rows by their positions. False if the index is damaged. */
    bool (*locate)(const ordo_fm *fm, uint64_t *rows, size_t n);
    /* Writes the `length` bytes that end before the position of a row, from the last one on. */
    void (*extract)(const ordo_fm *fm, uint64_t row, size_t length, uint8_t *out);
} fm_loops;

extern const fm_loops fm_loops_generic;
#if defined(__x86_64__)
extern const fm_loops fm_loops_avx2;
#endif

#endif
