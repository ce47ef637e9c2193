/* fm.h - the layout of an FM-index: one block of memory, the same as in a file.
 *
 *     header | level 0 | level 1, if there are more than 16 letters | marks | samples | rows
 *
 * The letters of the text are numbered from 0; the code of a letter has 4 or 8 bits. Level 0 is the
 * sequence of the high 4 bits (of codes, if they have 4) in the order of the transform. Level 1 is
 * the sequence of the low 4 bits, ordered by the high 4 bits, otherwise in the same order. A level
 * consists of cells: 128 symbols of 4 bits as bit planes, and how often each value occurs before.
 * So the number of occurrences of a letter before a row takes one cell of each level.
 *
 * A bit of `marks` tells whether the position of a row is a multiple of `sample`; `samples` has
 * these positions, divided by sample, in the order of the rows. `rows` has the row of each multiple
 * of sample. Each part begins at a multiple of 64 bytes. */
#ifndef ORDO_TEXT_FM_FM_H
#define ORDO_TEXT_FM_FM_H

#include "core/arena.h"
#include "text/text_args.h"

#define FM_MAGIC "ordo fm\n"
#define FM_ORDER UINT32_C(0x01020304)
#define FM_MOST ((uint64_t)1 << 32) /* bytes of a text: counts in cells have 32 bits */

enum {
    FM_VERSION = 1,
    FM_CELL = 128, /* symbols of a cell */
    FM_VALUES = 16,
    FM_SAMPLE = 32, /* default; also named in ordo_text.h, cmd_search.c and _text.py */
    FM_MOST_SAMPLE = 4096,
    FM_LETTERS = 256
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

typedef struct fm_cell {
    uint32_t counts[FM_VALUES];
    uint64_t planes[4][2]; /* of each bit of a symbol, the lowest first: 128 bits */
} fm_cell;

typedef struct fm_mark {
    uint64_t before, bits; /* marked rows before these 64 rows; one bit for each */
} fm_mark;

typedef struct fm_parts { /* where the parts begin, in bytes, and the end */
    size_t levels[2], marks, samples, rows, end;
    size_t cells, mark_count, sample_count;
} fm_parts;

struct ordo_fm {
    ordo_alloc       source;
    char            *memory; /* what `source` releases; NULL: the index is the caller's */
    const char      *block;  /* the index */
    const fm_header *header;
    const fm_cell   *levels[2];
    const fm_mark   *marks;
    const uint32_t  *samples, *rows;
    unsigned         level_count;
    uint64_t         n, primary, sample_count;
    uint32_t         sample;
    int16_t          code[256];           /* of each byte; -1: it is no letter */
    uint64_t         start[FM_LETTERS];   /* of each code: the first row that begins with it */
    uint64_t         base[FM_VALUES];     /* level 1: where each high value begins */
    uint64_t         skipped[FM_LETTERS]; /* level 1: the low value of a code before that place */
};

/* The parts of an index of n bytes. */
fm_parts fm_layout(uint64_t n, uint32_t letters, uint32_t sample);

/* Allocates an index whose block has `bytes` bytes, and returns the block. */
ordo_status fm_new(ordo_ctx *ctx, ordo_exec *exec, size_t bytes, ordo_fm **out, char **block);

/* Sets the fields that follow from the header and the parts, which are complete. */
void fm_open(ordo_fm *fm);

uint64_t fm_checksum(const void *block, size_t bytes);

/* The number of symbols `value` among the first `at` symbols of a level. */
static inline uint64_t fm_rank(const fm_cell *cell, unsigned value, size_t at)
{
    unsigned const within = (unsigned)(at % FM_CELL);
    uint64_t       match[2];
    for (int w = 0; w < 2; w++)
        match[w] = (cell->planes[0][w] ^ ((value & 1) - UINT64_C(1))) &
                   (cell->planes[1][w] ^ ((value >> 1 & 1) - UINT64_C(1))) &
                   (cell->planes[2][w] ^ ((value >> 2 & 1) - UINT64_C(1))) &
                   (cell->planes[3][w] ^ ((value >> 3 & 1) - UINT64_C(1)));
    uint64_t const low = within >= 64 ? UINT64_MAX : (UINT64_C(1) << within) - 1;
    uint64_t const high = within > 64 ? (UINT64_C(1) << (within - 64)) - 1 : 0;
    return cell->counts[value] + (uint64_t)__builtin_popcountll(match[0] & low) +
           (uint64_t)__builtin_popcountll(match[1] & high);
}

/* Symbol `at` of a level. */
static inline unsigned fm_value(const fm_cell *cell, size_t at)
{
    unsigned const w = (unsigned)(at % FM_CELL / 64), bit = (unsigned)(at % 64);
    return (unsigned)((cell->planes[0][w] >> bit & 1) | (cell->planes[1][w] >> bit & 1) << 1 |
                      (cell->planes[2][w] >> bit & 1) << 2 | (cell->planes[3][w] >> bit & 1) << 3);
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
