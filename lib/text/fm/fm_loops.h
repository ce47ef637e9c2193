/* fm_loops.h - the loops of searches in an FM-index; included by a file for each instruction set,
 * which defines FM_LOOPS, the name of the table.
 *
 * Each step of a search waits for a cell of each bound. So FM_WIDTH searches run at once: a pass
 * over them takes one digit of a letter for each, and prefetches the cells of the next digit.
 *
 * The counts of a view are not checked, so rows and places are limited to those that exist. */
#include "text/fm/fm.h"

#include "text/text_bits.h"

enum {
    FM_WIDTH = 32
};

/* The number of letters of the transform before a row: the primary row has none. */
static inline uint64_t fm_before(const ordo_fm *fm, uint64_t row)
{
    return row - (row > fm->primary);
}

static inline void fm_fetch(const ordo_fm *fm, uint64_t at)
{
    TEXT_PREFETCH(&fm->cells[at / FM_CELL]);
}

/* How many digits `digit` the node has before place `at` of the sequence: where a letter that is
 * there goes on in the child. */
static inline uint64_t fm_down(const ordo_fm *fm, const fm_node *node, unsigned digit, uint64_t at)
{
    return ordo_min(fm_rank(fm, digit, at) - node->base[digit], node->sizes[digit]);
}

typedef struct fm_search {
    size_t   pattern;
    uint64_t left;   /* bytes to go */
    uint64_t path;   /* digits to go */
    uint64_t lo, hi; /* rows before a letter, then places in the sequence */
    int      node;
} fm_search;

/* Takes the next byte of the pattern. False if it does not occur in the text. */
static inline bool take(const ordo_fm *fm, const fm_patterns *p, fm_search *s, unsigned *code)
{
    int const found = fm->code[p->bytes[p->offsets[s->pattern] + --s->left]];
    *code = (unsigned)found;
    if (ORDO_UNLIKELY(found < 0))
        s->hi = s->lo;
    return found >= 0;
}

/* Goes on with the next letter. False if the search is done. */
static inline bool descend(const ordo_fm *fm, const fm_patterns *p, fm_search *s)
{
    unsigned code;
    if (s->hi <= s->lo || s->left == 0 || !take(fm, p, s, &code))
        return false;
    s->node = 0;
    s->path = fm->tree.path[code];
    s->lo = fm_before(fm, s->lo);
    s->hi = fm_before(fm, s->hi);
    return true;
}

/* Begins a search: the rows of the last letter are known. False if it is done. */
static bool begin(const ordo_fm *fm, const fm_patterns *p, size_t pattern, fm_search *s)
{
    unsigned code;
    s->pattern = pattern;
    s->left = p->offsets[pattern + 1] - p->offsets[pattern];
    s->lo = 1;
    s->hi = fm->n + 1;
    if (s->left > 0 && take(fm, p, s, &code)) {
        s->lo = 1 + fm->header->below[code];
        s->hi = 1 + fm->header->below[code + 1];
    }
    return descend(fm, p, s);
}

/* Takes a digit. False if the search is done: lo and hi are its rows. */
static inline bool step(const ordo_fm *fm, const fm_patterns *p, fm_search *s)
{
    const fm_node *const node = &fm->tree.nodes[s->node];
    unsigned const       digit = s->path % FM_DIGITS;
    uint64_t const       from = node->starts[digit];
    s->path /= FM_DIGITS;
    s->lo = from + fm_down(fm, node, digit, s->lo);
    s->hi = from + fm_down(fm, node, digit, s->hi);
    s->node = node->child[digit];
    if (s->hi <= s->lo || (s->node < 0 && !descend(fm, p, s)))
        return false;
    fm_fetch(fm, s->lo);
    fm_fetch(fm, s->hi);
    return true;
}

static void search(const ordo_fm *fm, const fm_patterns *patterns, size_t lo, size_t hi,
                   uint64_t *rows, uint64_t *counts)
{
    fm_search active[FM_WIDTH];
    size_t    n = 0, next = lo;
    for (;;) {
        while (n < FM_WIDTH && next < hi) {
            fm_search *const s = &active[n];
            bool const       runs = begin(fm, patterns, next++, s);
            rows[s->pattern] = s->lo;
            counts[s->pattern] = s->hi - s->lo;
            n += runs;
        }
        if (n == 0)
            return;
        for (size_t k = n; k-- > 0;) {
            fm_search *const s = &active[k];
            if (!step(fm, patterns, s)) {
                rows[s->pattern] = s->lo;
                counts[s->pattern] = s->hi > s->lo ? s->hi - s->lo : 0;
                *s = active[--n];
            }
        }
    }
}

typedef struct fm_walk {
    size_t   index; /* of the result */
    uint64_t row, steps;
    uint64_t at; /* in the sequence */
    int      node;
} fm_walk;

static inline void begin_letter(const ordo_fm *fm, fm_walk *w)
{
    w->node = 0;
    w->at = fm_before(fm, w->row);
    TEXT_PREFETCH(&fm->marks[w->row / FM_BLOCK]);
}

/* Takes a digit on the way from a row to that of the position before. Returns w->node: a leaf is
 * the new row. */
static inline int walk(const ordo_fm *fm, fm_walk *w)
{
    const fm_node *const node = &fm->tree.nodes[w->node];
    unsigned const       digit = fm_digit(fm, w->at);
    int const            child = node->child[digit];
    w->at = node->starts[digit] + fm_down(fm, node, digit, w->at);
    if (child < 0) {
        w->row = ordo_min(w->at, fm->n);
        w->steps++;
        begin_letter(fm, w);
    } else {
        w->node = child;
    }
    fm_fetch(fm, w->at);
    return child;
}

/* The number of the row among the marked ones, or SIZE_MAX if it is not marked. */
static inline size_t find_mark(const ordo_fm *fm, uint64_t row)
{
    const uint32_t *const mark = &fm->marks[row / FM_BLOCK];
    uint64_t const        ones = UINT64_C(0x0101010101010101);
    uint64_t const        end = ordo_min(ordo_min(mark[1], mark[0] + (uint64_t)FM_BLOCK),
                                         fm->sample_count);
    for (uint64_t at = mark[0]; at < end; at += FM_BESIDE) {
        uint64_t const word = text_little_endian(fm->offsets + at) ^ ones * (row % FM_BLOCK);
        uint64_t const zero = (word - ones) & ~word & ones << 7; /* exact up to the first one */
        size_t const   found = (size_t)at + (size_t)__builtin_ctzll(zero | ones << 63) / 8;
        if (zero != 0)
            return found < end ? found : SIZE_MAX;
    }
    return SIZE_MAX;
}

static bool locate(const ordo_fm *fm, uint64_t *rows, size_t n)
{
    fm_walk active[FM_WIDTH];
    size_t  running = 0, next = 0;
    for (;;) {
        while (running < FM_WIDTH && next < n) {
            fm_walk *const w = &active[running++];
            *w = (fm_walk){.index = next, .row = rows[next]};
            next++;
            begin_letter(fm, w);
            fm_fetch(fm, w->at);
        }
        if (running == 0)
            return true;
        for (size_t k = running; k-- > 0;) {
            fm_walk *const w = &active[k];
            size_t const   mark = w->node == 0 ? find_mark(fm, w->row) : SIZE_MAX;
            if (mark != SIZE_MAX) {
                rows[w->index] = (uint64_t)fm->samples[mark] * fm->sample + w->steps;
                *w = active[--running];
                continue;
            }
            if (w->steps >= fm->sample || (w->node == 0 && w->row == fm->primary))
                return false;
            (void)walk(fm, w);
        }
    }
}

static void extract(const ordo_fm *fm, uint64_t row, size_t length, uint8_t *out)
{
    fm_walk w = {.row = ordo_min(row, fm->n)};
    begin_letter(fm, &w);
    while (length > 0) {
        int const child = walk(fm, &w);
        if (child < 0)
            out[--length] = fm->header->letter[~child];
    }
}

const fm_loops FM_LOOPS = {search, locate, extract};
