/* fm_levels.c - the cells of an FM-index. The letters of a level are in the order of its nodes; a
 * pass writes a digit of each of them, another one spreads those with further digits to the nodes
 * of the next level, in linear time for each level. */
#include "text/fm/fm.h"

#include "text/text_bits.h"

enum {
    PIECES = FM_SPARE
};

typedef struct level_work {
    const fm_tree *tree;
    unsigned       level;
    size_t         n;       /* letters of the level */
    const uint8_t *letters; /* bytes of the text */
    uint8_t        digit[TEXT_BYTES];
    fm_cell       *cells;
    fm_counts     *groups;
    uint32_t       carry[FM_DIGITS]; /* the counts of the level's first cell */
    uint32_t       rest[FM_DIGITS];  /* those behind its last one, in a group that is not whole */
    size_t         first_cell, end_cell;
    /* The way to the next level */
    uint8_t *next; /* its letters, then a byte of each piece for letters that end */
    size_t   grain;
    uint8_t  node[TEXT_BYTES], goes_on[TEXT_BYTES]; /* a letter's node there, or FM_NODES; 0 or 1 */
    size_t (*place)[FM_NODES + 1];                  /* of each piece and node: the next place */
} level_work;

/* Adds the digits of up to FM_CELL / 2 letters to counts. */
static void fill_half(fm_half *half, const uint8_t *letters, size_t n, const uint8_t *digit_of,
                      uint32_t *counts)
{
    uint8_t digits[FM_CELL / 2] = {0}, flags[FM_CELL / 2];
    for (size_t i = 0; i < n; i++)
        digits[i] = digit_of[letters[i]];
    for (size_t i = 0; i < FM_CELL / 2; i++)
        counts[digits[i]]++;
    for (unsigned bit = 0; bit < FM_BITS; bit++) {
        for (size_t i = 0; i < FM_CELL / 2; i++)
            flags[i] = digits[i] >> bit & 1;
        for (size_t w = 0; w < FM_WORDS; w++)
            half->planes[bit][w] = text_gather_bits(flags + 64 * w);
    }
}

static void fill_cell(fm_cell *cell, const uint8_t *letters, size_t n, const uint8_t *digit_of,
                      uint32_t *counts)
{
    size_t const first = ordo_min(n, FM_CELL / 2);
    fill_half(&cell->first, letters, first, digit_of, counts);
    for (size_t d = 0; d < FM_DIGITS; d++)
        cell->counts[d] = (uint16_t)counts[d];
    fill_half(&cell->second, letters + first, n - first, digit_of, counts);
}

/* Fills the cells of the level in some groups. The counts of a whole group are written to the next
 * one. */
static void fill_groups(void *arg, size_t lo, size_t hi)
{
    level_work *const w = arg;
    size_t const      before = w->first_cell / FM_GROUP;
    for (size_t group = before + lo; group < before + hi; group++) {
        size_t const from = ordo_max(group * FM_GROUP, w->first_cell);
        size_t const whole = (group + 1) * FM_GROUP, to = ordo_min(whole, w->end_cell);
        fm_counts    counts = {{0}};
        if (group == before)
            memcpy(&counts, w->carry, sizeof counts);
        for (size_t cell = from; cell < to; cell++) {
            size_t const at = (cell - w->first_cell) * FM_CELL;
            fill_cell(&w->cells[cell], w->letters + at, ordo_min(w->n - at, FM_CELL), w->digit,
                      counts.digits);
        }
        memcpy(to == whole ? w->groups[group + 1].digits : w->rest, &counts, sizeof counts);
    }
}

static ordo_status fill_level(text_work *work, level_work *w)
{
    size_t const before = w->first_cell / FM_GROUP, groups = ordo_div_up(w->end_cell, FM_GROUP);
    TRY(text_loop(work, groups - before, 1, fill_groups, w));
    memcpy(w->carry, w->rest, sizeof w->carry);
    if (w->end_cell % FM_GROUP == 0)
        memset(w->carry, 0, sizeof w->carry);
    for (size_t group = before; group < w->end_cell / FM_GROUP; group++)
        for (size_t d = 0; d < FM_DIGITS; d++)
            w->groups[group + 1].digits[d] += w->groups[group].digits[d];
    return ORDO_OK;
}

static void count_nodes(void *arg, size_t lo, size_t hi)
{
    const level_work *const w = arg;
    size_t *const           counts = w->place[lo / w->grain];
    memset(counts, 0, sizeof *w->place);
    for (size_t i = lo; i < hi; i++)
        counts[w->node[w->letters[i]]]++;
}

/* A letter that ends is written, too, because a branch would be mispredicted. */
static void spread(void *arg, size_t lo, size_t hi)
{
    const level_work *const w = arg;
    size_t *const           place = w->place[lo / w->grain];
    for (size_t i = lo; i < hi; i++) {
        uint8_t const  letter = w->letters[i];
        unsigned const node = w->node[letter];
        w->next[place[node]] = letter;
        place[node] += w->goes_on[letter];
    }
}

/* Writes the letters of the next level to w->next, and their number to *n. */
static ordo_status spread_level(text_work *work, level_work *w, size_t *n)
{
    w->grain = ordo_max(TEXT_GRAIN, ordo_div_up(w->n, PIECES));
    size_t const pieces = ordo_div_up(w->n, w->grain);
    size_t       sum = 0;
    TRY(text_loop(work, w->n, w->grain, count_nodes, w));
    for (size_t node = 0; node < FM_NODES; node++)
        for (size_t piece = 0; piece < pieces; piece++) {
            size_t const here = w->place[piece][node];
            w->place[piece][node] = sum;
            sum += here;
        }
    for (size_t piece = 0; piece < pieces; piece++)
        w->place[piece][FM_NODES] = sum + piece;
    *n = sum;
    return text_loop(work, w->n, w->grain, spread, w);
}

/* Sets the digit of each letter in this level, and its node in the next one. */
static void read_digits(level_work *w, const fm_header *header)
{
    for (unsigned c = 0; c < header->letters; c++) {
        uint64_t const path = w->tree->path[c];
        uint8_t const  letter = header->letter[c];
        uint32_t       node = 0;
        for (unsigned level = 0; level <= w->level && (node > 0 || level == 0); level++)
            node = w->tree->nodes[node].branches[path >> FM_BITS * level & (FM_DIGITS - 1)].child;
        w->digit[letter] = path >> FM_BITS * w->level & (FM_DIGITS - 1);
        w->goes_on[letter] = node > 0;
        w->node[letter] = (uint8_t)(node > 0 ? node : FM_NODES);
    }
}

ordo_status fm_build_levels(text_work *work, const fm_header *header, const fm_tree *tree,
                            uint8_t *bwt, fm_counts *groups, fm_cell *cells)
{
    level_work *w;
    uint8_t    *other;
    size_t      n = (size_t)header->n;
    TRY_SCRATCH(work->exec, sizeof *w, w);
    memset(w, 0, sizeof *w);
    TRY_SCRATCH(work->exec, PIECES * sizeof *w->place, w->place);
    TRY_SCRATCH(work->exec, n + PIECES, other);
    w->tree = tree;
    w->groups = groups;
    w->cells = cells;
    for (unsigned level = 0; level < tree->level_count; level++) {
        w->level = level;
        w->n = n;
        w->letters = level % 2 == 0 ? bwt : other;
        w->next = level % 2 == 0 ? other : bwt;
        w->first_cell = (size_t)(tree->level_start[level] / FM_CELL);
        w->end_cell = (size_t)(tree->level_start[level + 1] / FM_CELL);
        read_digits(w, header);
        TRY(fill_level(work, w));
        if (level + 1 < tree->level_count)
            TRY(spread_level(work, w, &n));
    }
    fill_cell(&cells[tree->cells - 1], bwt, 0, w->digit, w->carry);
    return ORDO_OK;
}
