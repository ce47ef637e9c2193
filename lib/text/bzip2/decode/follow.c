/* follow.c - from each row to the row of the rotation that begins one byte later.
 *
 * Every step is a random access that waits for the one before. So some rows are marked, and the
 * walks from several marked rows to the next marked row are done at the same time; this hides
 * most of the waiting. The parts of the text that they give are joined in the order in which
 * they meet. Rows that do not form one cycle (no program writes them) give the same text as a
 * walk of n steps from the first row. */
#include "text/bzip2/decode/follow.h"

#include "text/text_bits.h"

#include <string.h>

enum {
    LANES = 32,  /* walks at the same time */
    MARKS = 256, /* walks, and one from the first row */
    PIECE = 256, /* bytes of a part that are stored together */
    MOST_PIECES = BZ_MOST_BLOCK / PIECE + MARKS + LANES + 2,
    FEW = 1 << 14, /* rows that are followed by one walk; estimate */
    ROW_SHIFT = 8
};

#define ROW_MASK ((UINT32_C(1) << 20) - 1)
#define MARK (UINT32_C(1) << 31)

typedef struct part { /* what a walk gave: a chain of pieces */
    uint32_t first, bytes;
    uint32_t end; /* the marked row that it met */
} part;

typedef struct walk {
    uint32_t row;
    uint32_t part;
    uint32_t piece;
    uint8_t *to;
} walk;

typedef struct follower {
    uint32_t *next; /* byte | next row << 8 | MARK */
    uint8_t  *pieces;
    uint32_t  links[MOST_PIECES]; /* the next piece of each part */
    uint32_t  piece_count;
    part      parts[MARKS + 1]; /* the last one begins in the first row */
    uint32_t  begin, stride, marks;
    uint32_t  started;
    walk      walks[LANES];
} follower;

size_t bz_follow_bytes(void) { return sizeof(follower) + (size_t)MOST_PIECES * PIECE; }

static void link_rows(uint32_t *next, const uint8_t *column, uint32_t n)
{
    uint32_t begins[256];
    text_count(column, n, begins);
    (void)ordo_sums_before_32(begins, 256);
    for (uint32_t i = 0; i < n; i++)
        next[begins[column[i]]++] = i << ROW_SHIFT | column[i];
}

static uint32_t part_of_row(const follower *f, uint32_t row)
{
    return row == f->begin ? f->marks : row / f->stride;
}

/* Takes the first step of the next part in a lane. False if all parts are begun. */
static bool begin_part(follower *f, walk *w)
{
    if (f->started < f->marks && f->started * f->stride == f->begin)
        f->started++; /* the last part begins there */
    if (f->started > f->marks)
        return false;
    w->part = f->started++;
    uint32_t const row = w->part == f->marks ? f->begin : w->part * f->stride;
    uint32_t const entry = f->next[row];
    w->piece = f->piece_count++;
    w->to = f->pieces + (size_t)w->piece * PIECE;
    *w->to++ = (uint8_t)entry;
    w->row = entry >> ROW_SHIFT & ROW_MASK;
    f->parts[w->part] = (part){.first = w->piece, .bytes = 1};
    return true;
}

/* Ends the part of a lane in front of a marked row. False if there is no other part. */
static bool end_part(follower *f, walk *w)
{
    part *const p = &f->parts[w->part];
    p->bytes += (uint32_t)(w->to - (f->pieces + (size_t)w->piece * PIECE)) - 1;
    p->end = w->row;
    return begin_part(f, w);
}

/* The first byte of a part is counted when it begins. */
static void next_piece(follower *f, walk *w)
{
    uint32_t const piece = f->piece_count++;
    f->links[w->piece] = piece;
    f->parts[w->part].bytes += PIECE;
    w->piece = piece;
    w->to = f->pieces + (size_t)piece * PIECE;
}

static inline bool step(follower *f, walk *w)
{
    uint32_t const entry = f->next[w->row];
    if (ORDO_UNLIKELY((entry & MARK) != 0))
        return end_part(f, w);
    if (ORDO_UNLIKELY((size_t)(w->to - f->pieces) % PIECE == 0))
        next_piece(f, w);
    *w->to++ = (uint8_t)entry;
    w->row = entry >> ROW_SHIFT & ROW_MASK;
    __builtin_prefetch(&f->next[w->row]);
    return true;
}

static void walk_all(follower *f)
{
    unsigned lanes = 0;
    while (lanes < LANES && begin_part(f, &f->walks[lanes]))
        lanes++;
    while (lanes == LANES)
        for (unsigned i = 0; i < LANES; i++)
            if (!step(f, &f->walks[i])) {
                f->walks[i] = f->walks[--lanes];
                break;
            }
    for (unsigned i = 0; lanes > 0; i = i + 1 < lanes ? i + 1 : 0)
        if (!step(f, &f->walks[i]))
            f->walks[i] = f->walks[--lanes];
}

static void join_parts(const follower *f, uint32_t n, uint8_t *text)
{
    uint32_t at = f->marks;
    for (uint32_t done = 0; done < n;) {
        const part *const p = &f->parts[at];
        uint32_t          piece = p->first;
        for (uint32_t left = p->bytes; left > 0 && done < n; piece = f->links[piece]) {
            uint32_t const here = left < PIECE ? left : PIECE;
            uint32_t const now = here < n - done ? here : n - done;
            memcpy(text + done, f->pieces + (size_t)piece * PIECE, now);
            done += now;
            left -= here;
        }
        at = part_of_row(f, p->end);
    }
}

void bz_follow(uint32_t *next, uint32_t n, uint32_t row, uint8_t *text, uint8_t *pieces)
{
    follower *const f = (void *)pieces;
    link_rows(next, text, n);
    if (n < FEW) {
        for (uint32_t i = 0; i < n; i++) {
            text[i] = (uint8_t)next[row];
            row = next[row] >> ROW_SHIFT;
        }
        return;
    }
    f->next = next;
    f->pieces = (uint8_t *)(f + 1);
    f->piece_count = f->started = 0;
    f->begin = row;
    f->marks = MARKS;
    f->stride = n / MARKS;
    memset(f->links, 0, sizeof f->links);
    for (uint32_t i = 0; i < MARKS; i++)
        next[i * f->stride] |= MARK;
    next[f->begin] |= MARK;
    walk_all(f);
    join_parts(f, n, text);
}
