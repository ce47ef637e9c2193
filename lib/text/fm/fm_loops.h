/* fm_loops.h - the loops of searches in an FM-index; included by a file for each instruction set,
 * which defines FM_LOOPS, the name of the table.
 *
 * Each step of a search waits for the cells of its bounds. So FM_WIDTH searches run at once: a pass
 * over them takes one digit of a letter for each, and prefetches the cells of the next digit. Codes
 * have different lengths, and a branch at their ends would be mispredicted; so a pass lists the
 * searches that reach the end of a letter, and then goes over the list.
 *
 * The counts of a view are not checked, so rows and places are limited to those that exist. */
#include "text/fm/fm.h"

#include "text/text_bits.h"

enum {
    FM_WIDTH = 32
};

static inline void fm_fetch(const ordo_fm *fm, uint64_t at)
{
    const fm_cell *const cell = &fm->cells[at / FM_CELL];
    const char *const    from =
        at % FM_CELL < FM_CELL / 2 ? (const char *)cell : (const char *)cell->counts;
    TEXT_PREFETCH(&fm->groups[at / FM_CELL / FM_GROUP]);
    TEXT_PREFETCH(from);
    TEXT_PREFETCH(from + 64);
    TEXT_PREFETCH(from + 128);
}

/* The place in the sequence of digits. The primary row has no letter. */
static inline uint64_t fm_at(const ordo_fm *fm, uint32_t node, uint64_t at)
{
    return at - ((node == 0) & (at > fm->primary));
}

/* How often the branch was taken before a place in the sequence. */
static inline uint32_t fm_taken(const ordo_fm *fm, const fm_branch *branch, unsigned digit,
                                uint64_t at)
{
    uint32_t const taken = fm_rank(fm, digit, at) - branch->base;
    return taken < branch->size ? taken : branch->size;
}

typedef struct fm_search {
    size_t   pattern;
    uint64_t left;   /* bytes to go */
    uint64_t path;   /* digits to go */
    uint64_t lo, hi; /* rows if node is 0, else places in the sequence */
    uint32_t node;
} fm_search;

/* Goes on with the next letter. False if the search is done. */
static inline bool descend(const ordo_fm *fm, const fm_patterns *p, fm_search *s)
{
    if (s->hi <= s->lo || s->left == 0)
        return false;
    int const code = fm->code[p->bytes[p->offsets[s->pattern] + --s->left]];
    if (code < 0) {
        s->hi = s->lo;
        return false;
    }
    s->path = fm->tree.path[code];
    return true;
}

/* Begins a search: the rows of the last letter are known. False if it is done. */
static bool begin(const ordo_fm *fm, const fm_patterns *p, size_t pattern, fm_search *s)
{
    *s = (fm_search){.pattern = pattern, .lo = 1, .hi = fm->n + 1};
    s->left = p->offsets[pattern + 1] - p->offsets[pattern];
    if (s->left > 0) {
        int const code = fm->code[p->bytes[p->offsets[pattern] + --s->left]];
        s->lo = code < 0 ? 1 : 1 + fm->header->below[code];
        s->hi = code < 0 ? 1 : 1 + fm->header->below[code + 1];
    }
    return descend(fm, p, s);
}

/* Takes a digit. */
static inline void step(const ordo_fm *fm, fm_search *s)
{
    unsigned const         digit = s->path % FM_DIGITS;
    const fm_branch *const branch = &fm->tree.nodes[s->node].branches[digit];
    uint64_t const         lo = fm_at(fm, s->node, s->lo), hi = fm_at(fm, s->node, s->hi);
    uint32_t const         first = fm_taken(fm, branch, digit, lo);
    s->path /= FM_DIGITS;
    s->node = branch->child;
    s->lo = branch->start + first;
    fm_fetch(fm, s->lo);
    if (hi - lo == 1) { /* all that follow, too */
        s->hi = s->lo + ((fm_digit(fm, lo) == digit) & (first < branch->size));
    } else {
        s->hi = branch->start + fm_taken(fm, branch, digit, hi);
        fm_fetch(fm, s->hi);
    }
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
        uint8_t list[FM_WIDTH];
        size_t  listed = 0;
        for (size_t k = 0; k < n; k++) {
            fm_search *const s = &active[k];
            step(fm, s);
            list[listed] = (uint8_t)k;
            listed += (s->node == 0) | (s->hi <= s->lo);
        }
        while (listed-- > 0) {
            fm_search *const s = &active[list[listed]];
            if (!descend(fm, patterns, s)) {
                rows[s->pattern] = s->lo;
                counts[s->pattern] = s->hi > s->lo ? s->hi - s->lo : 0;
                *s = active[--n];
            }
        }
    }
}

typedef struct fm_walk {
    size_t   index; /* of the result */
    uint64_t steps; /* letters */
    uint64_t at;    /* a row if node is 0, else a place in the sequence */
    uint32_t node;
} fm_walk;

/* Takes a digit on the way from a row to that of the position before. Returns the branch: a leaf
 * leads to the new row. */
static inline const fm_branch *walk(const ordo_fm *fm, fm_walk *w)
{
    uint64_t const         at = fm_at(fm, w->node, w->at);
    unsigned const         digit = fm_digit(fm, at);
    const fm_branch *const branch = &fm->tree.nodes[w->node].branches[digit];
    w->at = branch->start + fm_taken(fm, branch, digit, at);
    w->node = branch->child;
    w->steps += branch->child == 0;
    fm_fetch(fm, w->at);
    return branch;
}

/* The number of the row among the marked ones, or SIZE_MAX if it is not marked. */
static inline size_t find_mark(const ordo_fm *fm, uint64_t row)
{
    const uint32_t *const mark = &fm->marks[row / FM_BLOCK];
    uint64_t const        ones = UINT64_C(0x0101010101010101);
    uint64_t const        end =
        ordo_min(ordo_min(mark[1], mark[0] + (uint64_t)FM_BLOCK), fm->sample_count);
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
    uint8_t list[FM_WIDTH];
    size_t  running = 0, next = 0;
    for (;;) {
        size_t listed = 0;
        for (size_t k = 0; k < running; k++) {
            list[listed] = (uint8_t)k;
            listed += walk(fm, &active[k])->child == 0;
        }
        for (size_t k = 0; k < listed; k++)
            /* cppcheck-suppress uninitvar ; both were set for the walks that are listed */
            TEXT_PREFETCH(&fm->marks[active[list[k]].at / FM_BLOCK]);
        while (listed-- > 0) {
            fm_walk *const w = &active[list[listed]];
            size_t const   mark = find_mark(fm, w->at);
            if (mark != SIZE_MAX) {
                rows[w->index] = (uint64_t)fm->samples[mark] * fm->sample + w->steps;
                *w = active[--running];
            } else if (w->steps >= fm->sample) {
                return false;
            }
        }
        for (; running < FM_WIDTH && next < n; next++) {
            size_t const mark = find_mark(fm, rows[next]);
            if (mark == SIZE_MAX) {
                active[running++] = (fm_walk){.index = next, .at = rows[next]};
                fm_fetch(fm, rows[next]);
            } else {
                rows[next] = (uint64_t)fm->samples[mark] * fm->sample;
            }
        }
        if (running == 0)
            return true;
    }
}

static void extract(const ordo_fm *fm, uint64_t row, size_t length, uint8_t *out)
{
    fm_walk w = {.at = row};
    while (length > 0) {
        const fm_branch *const branch = walk(fm, &w);
        if (branch->child == 0)
            out[--length] = fm->header->letter[branch->code];
    }
}

const fm_loops FM_LOOPS = {search, locate, extract};
