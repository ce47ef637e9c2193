/* select_cells.c - many k-th keys in one or two reads of the array.
 *
 * The range from the first to the last k, by a random sample, is divided into cells of equally many
 * words. One read counts the keys of each cell; the sums of the counts give the cell of each k. The
 * same read keeps the words of the cells that probably hold a k, by the sample (select_sample.c),
 * and quickselect finds all k among the words of the cells that do. If the sample was wrong, or too
 * many words would be kept, a second read keeps the words of exactly these cells. If a word is
 * frequent in the sample, its cell is divided into the words below, the word, and the words above.
 * A key costs one counter and one store, as much as two brackets of select_pass.c. Scratch: n^(2/3)
 * words for the sample, n/8 words that are kept. */
#include "core/keybits.h"
#include "cpu/select/select.h"

#include <math.h>
#include <string.h>

enum {
    CELLS = 1 << ORDO_TUNE_DIGIT,
    PARTS = 3, /* of every cell, if any cell has a frequent word */
    ALL_CELLS = PARTS * CELLS,
    HEAVY_SHARE = 64, /* a cell with more than 1/64 of the sample may have a frequent word */
    CELL_BLOCK = ORDO_TUNE_SPAN / 2
};

#define MARGIN 1.05 /* factor for more kept words than the sample predicts */

typedef struct cell_map {
    uint64_t base; /* the words below are in cell 0 */
    unsigned shift;
    bool     has_parts;        /* cell c has the numbers 3 c, 3 c + 1 and 3 c + 2; if not, c */
    uint64_t heavy[CELLS];     /* if has_parts: the frequent word, which is the second part */
    uint8_t  keeps[ALL_CELLS]; /* 1: the words of the cell are kept */
} cell_map;

static size_t cell_count(const cell_map *map) { return map->has_parts ? ALL_CELLS : CELLS; }

#define ORDO_TEMPLATE "cpu/select/select_cells.t.h"
#include "core/for_each_type.h"

typedef struct cell_work {
    const selector *s;
    cell_map        map;
    char           *room;
    size_t          words; /* how many fit the room */
    atomic_size_t   used;  /* how many were found; if more than `words`, not all were kept */
    atomic_size_t   count[ALL_CELLS];
} cell_work;

/* ---- One read ---- */

static void cells_piece(void *arg, size_t lo, size_t hi)
{
    cell_work *const             work = arg;
    const selector *const        s = work->s;
    const ordo_select_job *const job = s->job;
    ordo_type const              type = job->type;
    bool const   down = job->descending, as_bits = !down && (type == ORDO_U32 || type == ORDO_U64);
    uint32_t     count[2][ALL_CELLS];
    uint64_t     kept[CELL_BLOCK + 1]; /* the last store may be behind the last kept word */
    size_t const cells = cell_count(&work->map);
    memset(count[0], 0, cells * sizeof **count);
    memset(count[1], 0, cells * sizeof **count);
    for (size_t at = lo; at < hi; at += CELL_BLOCK) {
        const char *const keys = (const char *)job->keys + at * s->key_size;
        size_t const      n = ordo_min(CELL_BLOCK, hi - at);
        size_t const      found =
            BY_TYPE(type, cells_block, (keys, n, down, as_bits, &work->map, count, kept));
        if (found == 0)
            continue;
        size_t const place = atomic_fetch_add_explicit(&work->used, found, memory_order_relaxed);
        if (place <= work->words && found <= work->words - place)
            memcpy(work->room + place * s->word_size, kept, found * s->word_size);
    }
    for (size_t c = 0; c < cells; c++) {
        size_t const here = (size_t)count[0][c] + count[1][c];
        if (here > 0)
            atomic_fetch_add_explicit(&work->count[c], here, memory_order_relaxed);
    }
}

static bool read_cells(cell_work *work)
{
    ordo_exec *const exec = work->s->exec;
    atomic_init(&work->used, 0);
    for (size_t c = 0; c < cell_count(&work->map); c++)
        atomic_init(&work->count[c], 0);
    exec->phases++;
    bool const finished = ordo_loop(exec, work->s->job->n, SELECT_PIECE, cells_piece, work);
    exec->phase++;
    return finished;
}

/* ---- Cells and the sample ---- */

/* Whether a cell can hold more than one word. */
static bool is_wide(const cell_map *map, size_t cell)
{
    if (map->has_parts && cell % PARTS == 1)
        return false;
    size_t const whole = map->has_parts ? cell / PARTS : cell;
    return map->shift > 0 || whole == 0 || whole == CELLS - 1;
}

static uint64_t only_word(const cell_map *map, size_t cell)
{
    if (map->has_parts && cell % PARTS == 1)
        return map->heavy[cell / PARTS];
    return map->base + ((map->has_parts ? cell / PARTS : cell) - 1);
}

/* The probable distance of the k-th key from its place in the sample. */
static double reach_of(double share, size_t size)
{
    return ORDO_TUNE_SELECT_SIGMAS * sqrt(share * (1 - share) * (double)size) + 2;
}

static double share_of(const ordo_select_job *job, size_t j)
{
    return ((double)job->k[j] + 0.5) / (double)job->n;
}

/* Divides the range from the first to the last k into cells. */
static bool cut_range(const selector *s, void *sample, size_t size, cell_map *map)
{
    double const first = share_of(s->job, 0), last = share_of(s->job, s->job->count - 1);
    double const lo = first * (double)size - reach_of(first, size);
    double const hi = last * (double)size + reach_of(last, size);
    size_t const places[2] = {lo > 0 ? (size_t)lo : 0,
                              hi < (double)(size - 1) ? (size_t)hi : size - 1};
    if (!select_words(sample, s->word_size, size, places, 2, 0, s->exec))
        return false;
    uint64_t const least = select_word_at(sample, s->word_size, places[0]);
    uint64_t const most = select_word_at(sample, s->word_size, places[1]);
    map->base = least;
    map->shift = 0;
    while ((most - least) >> map->shift > CELLS - 3)
        map->shift++;
    return true;
}

/* Searches the crowded cells of the sample for a word that most keys of the cell are equal to (the
 * majority vote of Boyer and Moore), and divides cells into parts if there is one. */
static void find_heavy(const selector *s, const void *sample, size_t size,
                       const size_t in_cell[ALL_CELLS], cell_map *map)
{
    size_t   votes[CELLS];
    uint16_t cells[CELL_BLOCK];
    bool     crowded = false;
    for (size_t c = 1; c < CELLS - 1; c++) /* the first and last cell probably hold no k */
        crowded = crowded || in_cell[c] > size / HEAVY_SHARE;
    if (!crowded || map->shift == 0)
        return;
    memset(votes, 0, sizeof votes);
    for (size_t c = 0; c < CELLS; c++)
        map->heavy[c] = UINT64_MAX; /* no frequent word: the first part has all words */
    for (size_t at = 0; at < size; at += CELL_BLOCK) {
        size_t const block = ordo_min(CELL_BLOCK, size - at);
        BY_TYPE(s->job->type, cells_of,
                ((const void *)((const char *)sample + at * s->word_size), block, map, cells));
        for (size_t i = 0; i < block; i++) {
            size_t const   c = cells[i];
            uint64_t const word = select_word_at(sample, s->word_size, at + i);
            if (in_cell[c] <= size / HEAVY_SHARE || c == 0 || c == CELLS - 1)
                continue;
            if (votes[c] == 0)
                map->heavy[c] = word;
            votes[c] = word == map->heavy[c] ? votes[c] + 1 : votes[c] - 1;
        }
    }
    for (size_t c = 1; c < CELLS - 1; c++)
        map->has_parts = map->has_parts || votes[c] > in_cell[c] / 8;
}

typedef struct likely { /* how many keys of the sample are in cells that */
    size_t marked;      /* may hold a k */
    size_t middle;      /* hold the expected place of a k */
} likely;

/* Marks the cells that probably hold a k. */
static likely mark_likely(const selector *s, const size_t in_cell[ALL_CELLS], size_t size,
                          cell_map *map)
{
    const ordo_select_job *const job = s->job;
    likely                       found = {0, 0};
    size_t const                 cells = cell_count(map);
    size_t                       cell = 0, before = 0, middle = cells;
    for (size_t j = 0; j < job->count; j++) {
        double const share = share_of(job, j), reach = reach_of(share, size);
        double const place = share * (double)size;
        while (cell < cells - 1 && (double)(before + in_cell[cell]) <= place - reach)
            before += in_cell[cell++];
        size_t c = cell, up_to = before;
        do {
            if (is_wide(map, c)) {
                found.marked += map->keeps[c] == 0 ? in_cell[c] : 0;
                map->keeps[c] = 1;
                if ((double)up_to <= place && place < (double)(up_to + in_cell[c]) && c != middle) {
                    found.middle += in_cell[c];
                    middle = c;
                }
            }
            up_to += in_cell[c++];
        } while (c < cells && (double)up_to <= place + reach);
    }
    return found;
}

/* ---- Cells that hold a k ---- */

typedef struct cell_places { /* the place of each k */
    size_t   count;
    uint16_t cell[SELECT_MANY];
    size_t   rank[SELECT_MANY]; /* among the keys of its cell */
} cell_places;

static void find_places(cell_work *work, cell_places *places)
{
    const ordo_select_job *const job = work->s->job;
    size_t                       cell = 0, before = 0;
    places->count = job->count;
    for (size_t j = 0; j < job->count; j++) {
        for (size_t here; here = atomic_load_explicit(&work->count[cell], memory_order_relaxed),
                          job->k[j] - before >= here;
             cell++)
            before += here;
        places->cell[j] = (uint16_t)cell;
        places->rank[j] = job->k[j] - before;
    }
}

/* Marks the cells whose words are needed; *needed gets the number of these words. Returns whether
 * the first read kept them all. */
static bool mark_needed(cell_work *work, const cell_places *places, size_t *needed)
{
    bool    all = true;
    uint8_t marks[ALL_CELLS] = {0};
    *needed = 0;
    for (size_t j = 0; j < places->count; j++) {
        size_t const cell = places->cell[j];
        if (!is_wide(&work->map, cell) || marks[cell] != 0)
            continue;
        marks[cell] = 1;
        all = all && work->map.keeps[cell] != 0;
        *needed += atomic_load_explicit(&work->count[cell], memory_order_relaxed);
    }
    memcpy(work->map.keeps, marks, sizeof marks);
    return all;
}

/* Writes the key of every k, given the n words of the needed cells in any order. */
static bool answer(cell_work *work, const cell_places *places, size_t n)
{
    const selector *const s = work->s;
    size_t                k[SELECT_MANY], count = 0, before = 0, last = ALL_CELLS;
    for (size_t j = 0; j < places->count; j++) {
        size_t const cell = places->cell[j];
        if (!is_wide(&work->map, cell))
            continue;
        if (last != ALL_CELLS && last != cell)
            before += atomic_load_explicit(&work->count[last], memory_order_relaxed);
        last = cell;
        k[count++] = before + places->rank[j];
    }
    bool const has_spare = count >= select_sorted_places(s->word_size) && work->words / 2 >= n;
    if (!(has_spare && select_sort(s, work->room, n, work->room + n * s->word_size)) &&
        !select_words(work->room, s->word_size, n, k, count, 0, s->exec))
        return false;
    count = 0;
    for (size_t j = 0; j < places->count; j++) {
        size_t const cell = places->cell[j];
        select_put(s, j,
                   is_wide(&work->map, cell) ? select_word_at(work->room, s->word_size, k[count++])
                                             : only_word(&work->map, cell));
    }
    return true;
}

/* ---- All of it ---- */

ordo_status select_cells(const selector *s, bool *done)
{
    ordo_type const type = s->job->type;
    size_t const    size = select_sample_size(s->job->n);
    cell_work       work; /* 70 KB: only the parts in use are set */
    cell_places     places;
    size_t          in_cell[ALL_CELLS], needed;
    *done = false;
    work.s = s;
    work.room = (char *)s->room + size * s->word_size;
    work.words = s->room_words - size;
    work.map.has_parts = false;
    memset(work.map.keeps, 0, sizeof work.map.keeps);
    if (!select_gather(s, size, s->room) || !cut_range(s, s->room, size, &work.map))
        return ORDO_E_CANCELLED;
    BY_TYPE(type, cells_tally, (s->room, size, &work.map, in_cell));
    find_heavy(s, s->room, size, in_cell, &work.map);
    if (work.map.has_parts)
        BY_TYPE(type, cells_tally, (s->room, size, &work.map, in_cell));
    double const each = MARGIN * (double)s->job->n / (double)size;
    likely const found = mark_likely(s, in_cell, size, &work.map);
    if ((double)found.middle * each > (double)work.words)
        return ORDO_OK;
    if ((double)found.marked * each > (double)work.words)
        memset(work.map.keeps, 0, sizeof work.map.keeps);
    if (!read_cells(&work))
        return ORDO_E_CANCELLED;
    find_places(&work, &places);
    bool const   all = mark_needed(&work, &places, &needed);
    size_t const used = atomic_load_explicit(&work.used, memory_order_relaxed);
    if (needed > work.words)
        return ORDO_OK;
    s->exec->algorithm = "sample";
    s->exec->facts.strategy = ORDO_STRATEGY_CELLS;
    s->exec->facts.passes = all && used <= work.words ? 1 : 2;
    if (!all || used > work.words) {
        if (!read_cells(&work))
            return ORDO_E_CANCELLED;
    } else {
        BY_TYPE(type, cells_filter, (work.room, used, &work.map));
    }
    *done = true;
    return cpu_done(answer(&work, &places, needed));
}
