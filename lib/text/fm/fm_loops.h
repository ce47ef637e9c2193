/* fm_loops.h - the loops of searches in an FM-index; included by a file for each instruction set,
 * which defines FM_LOOPS, the name of the table.
 *
 * Each step of a search waits for one cell of each level. So FM_WIDTH searches run at once: a pass
 * over them does the step of level 0 and prefetches the cells of level 1, the next pass the other
 * way around.
 *
 * The counts of a view are not checked, so rows and places are limited to those that exist. */
#include "text/fm/fm.h"

enum {
    FM_WIDTH = 32
};

/* The number of symbols of the transform before a row: the primary row has none. */
static inline size_t fm_before(const ordo_fm *fm, uint64_t row)
{
    return (size_t)(row - (row > fm->primary));
}

static inline const fm_cell *fm_cell_of(const ordo_fm *fm, unsigned level, size_t at)
{
    return fm->levels[level] + at / FM_CELL;
}

static inline void fm_fetch(const fm_cell *cell)
{
    TEXT_PREFETCH(cell);
    TEXT_PREFETCH((const char *)cell + 64);
}

/* Where symbol `at` of the transform, whose high value is `high`, goes in level 1. */
static inline size_t fm_down(const ordo_fm *fm, unsigned high, size_t at)
{
    return (size_t)ordo_min(fm->base[high] + fm_rank(fm_cell_of(fm, 0, at), high, at), fm->n);
}

/* The row of code `code` that follows from its place in level 1. */
static inline uint64_t fm_up(const ordo_fm *fm, unsigned code, size_t place)
{
    uint64_t const rank = fm_rank(fm_cell_of(fm, 1, place), code % FM_VALUES, place);
    return ordo_min(fm->start[code] + rank - fm->skipped[code], fm->n + 1);
}

/* The same in an index of one level, where `at` symbols are before. */
static inline uint64_t fm_only(const ordo_fm *fm, unsigned code, size_t at)
{
    return ordo_min(fm->start[code] + fm_rank(fm_cell_of(fm, 0, at), code, at), fm->n + 1);
}

typedef struct fm_search {
    size_t   pattern;
    uint64_t left; /* bytes to go */
    uint64_t lo, hi;
    size_t   down_lo, down_hi;
    unsigned code;
} fm_search;

/* Begins a search. False if its result is known: the pattern is empty. */
static bool begin(const ordo_fm *fm, const fm_patterns *p, size_t pattern, fm_search *s)
{
    s->pattern = pattern;
    s->left = p->offsets[pattern + 1] - p->offsets[pattern];
    s->lo = s->left == 0;
    s->hi = fm->n + 1;
    return s->left > 0;
}

/* Takes the next byte of the pattern. False if it does not occur in the text. */
static inline bool take(const ordo_fm *fm, const fm_patterns *p, fm_search *s)
{
    int const code = fm->code[p->bytes[p->offsets[s->pattern] + --s->left]];
    s->code = (unsigned)code;
    if (ORDO_UNLIKELY(code < 0))
        s->hi = s->lo;
    return code >= 0;
}

static inline void step_down(const ordo_fm *fm, fm_search *s)
{
    size_t const lo = fm_before(fm, s->lo), hi = fm_before(fm, s->hi);
    if (fm->level_count == 1) {
        s->lo = fm_only(fm, s->code, lo);
        s->hi = fm_only(fm, s->code, hi);
        return;
    }
    s->down_lo = fm_down(fm, s->code / FM_VALUES, lo);
    s->down_hi = fm_down(fm, s->code / FM_VALUES, hi);
    fm_fetch(fm_cell_of(fm, 1, s->down_lo));
    fm_fetch(fm_cell_of(fm, 1, s->down_hi));
}

static inline void step_up(const ordo_fm *fm, fm_search *s)
{
    if (fm->level_count == 2) {
        s->lo = fm_up(fm, s->code, s->down_lo);
        s->hi = fm_up(fm, s->code, s->down_hi);
    }
    fm_fetch(fm_cell_of(fm, 0, fm_before(fm, s->lo)));
    fm_fetch(fm_cell_of(fm, 0, fm_before(fm, s->hi)));
}

static void search(const ordo_fm *fm, const fm_patterns *patterns, size_t lo, size_t hi,
                   uint64_t *rows, uint64_t *counts)
{
    fm_search active[FM_WIDTH];
    size_t    n = 0, next = lo;
    for (;;) {
        while (n < FM_WIDTH && next < hi) {
            fm_search *const s = &active[n];
            bool const       runs = begin(fm, patterns, next++, s) && take(fm, patterns, s);
            rows[s->pattern] = s->lo;
            counts[s->pattern] = s->hi - s->lo;
            n += runs;
        }
        if (n == 0)
            return;
        for (size_t k = 0; k < n; k++)
            step_down(fm, &active[k]);
        for (size_t k = n; k-- > 0;) {
            fm_search *const s = &active[k];
            step_up(fm, s);
            if (s->hi <= s->lo || s->left == 0 || !take(fm, patterns, s)) {
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
    size_t   down;
    unsigned high;
} fm_walk;

static inline const fm_mark *mark_of(const ordo_fm *fm, uint64_t row)
{
    return fm->marks + row / 64;
}

/* Goes from a row to that of the position before; the first half. */
static inline void walk_down(const ordo_fm *fm, fm_walk *w)
{
    size_t const         at = fm_before(fm, w->row);
    const fm_cell *const cell = fm_cell_of(fm, 0, at);
    w->high = fm_value(cell, at);
    w->steps++;
    if (fm->level_count == 1) {
        w->row = ordo_min(fm_only(fm, w->high, at), fm->n);
        return;
    }
    w->down = fm_down(fm, w->high, at);
    fm_fetch(fm_cell_of(fm, 1, w->down));
}

static inline unsigned walk_up(const ordo_fm *fm, fm_walk *w)
{
    unsigned code = w->high;
    if (fm->level_count == 2) {
        code = w->high * FM_VALUES + fm_value(fm_cell_of(fm, 1, w->down), w->down);
        w->row = ordo_min(fm_up(fm, code, w->down), fm->n);
    }
    fm_fetch(fm_cell_of(fm, 0, fm_before(fm, w->row)));
    TEXT_PREFETCH(mark_of(fm, w->row));
    return code;
}

/* Whether the position of the row is stored; *position is then that of the row it started at. */
static inline bool is_sampled(const ordo_fm *fm, const fm_walk *w, uint64_t *position)
{
    const fm_mark *const mark = mark_of(fm, w->row);
    uint64_t const       bit = UINT64_C(1) << w->row % 64;
    uint64_t const       at = mark->before + (uint64_t)__builtin_popcountll(mark->bits & (bit - 1));
    if ((mark->bits & bit) == 0 || at >= fm->sample_count)
        return false;
    *position = (uint64_t)fm->samples[at] * fm->sample + w->steps;
    return true;
}

static bool locate(const ordo_fm *fm, uint64_t *rows, size_t n)
{
    fm_walk active[FM_WIDTH];
    size_t  running = 0, next = 0;
    for (;;) {
        while (running < FM_WIDTH && next < n) {
            active[running++] = (fm_walk){.index = next, .row = rows[next]};
            next++;
        }
        if (running == 0)
            return true;
        for (size_t k = running; k-- > 0;) {
            fm_walk *const w = &active[k];
            if (is_sampled(fm, w, &rows[w->index]))
                *w = active[--running];
            else if (w->steps >= fm->sample || w->row == fm->primary)
                return false;
        }
        for (size_t k = 0; k < running; k++)
            walk_down(fm, &active[k]);
        for (size_t k = 0; k < running; k++)
            (void)walk_up(fm, &active[k]);
    }
}

static void extract(const ordo_fm *fm, uint64_t row, size_t length, uint8_t *out)
{
    fm_walk w = {.row = ordo_min(row, fm->n)};
    while (length-- > 0) {
        walk_down(fm, &w);
        out[length] = fm->header->letter[walk_up(fm, &w)];
    }
}

const fm_loops FM_LOOPS = {search, locate, extract};
