/* labels.c - reads of many positions (see narrowing.h).
 *
 * A sample divides the orders into cells that arithmetic finds (cell_map.h). If these would keep
 * too many keys, the sorted sample gives boundaries of cells (cells.h), one for every
 * CELLS_SAMPLES keys. One read of the keys counts the cells and writes down the cell of each key,
 * in 2 bytes. When the cells of all positions are known, the keys in them are picked by their
 * labels: other keys are not looked at again. */
#define _POSIX_C_SOURCE 200809L
#include "core/keybits.h"
#include "dist/search/cell_map.h"
#include "dist/search/narrowing.h"

#include <string.h>

enum {
    SAMPLES_PER_POSITION = 64,
    BLOCK = 2048, /* keys that are picked together */
    GROUP = 8,    /* labels that are looked at together */
    PIECE = ORDO_TUNE(1 << 18, 200)
};

typedef struct picking {
    narrowing *s;
    uint8_t   *keep; /* of each cell */
} picking;

#define ORDO_TEMPLATE "dist/search/labels.t.h"
#include "core/for_each_type.h"

size_t labels_sample(const narrowing *s, size_t plain)
{
    bool const   is_many = s->count > NARROWING_FEW || dist_on_device(s->call);
    size_t const some = ordo_max(plain, s->count * SAMPLES_PER_POSITION);
    size_t const most =
        is_many ? cells_wanted(s->count) * CELLS_SAMPLES : ordo_min(some, NARROWING_SAMPLE);
    uint64_t const total = s->part.total;
    return total / 2 < most ? (size_t)(total / 2) + 1 : most;
}

/* ---- The read ---- */

static ordo_status take_spans(narrowing *s, size_t count)
{
    s->span_count = count;
    TRY_SCRATCH(s->call->exec, count * sizeof *s->spans, s->spans);
    return ORDO_OK;
}

/* Labels the keys, and counts those of each span. */
static ordo_status read_labels(narrowing *s, cells_pass *pass)
{
    ordo_exec *const exec = s->call->exec;
    TRY_SCRATCH(exec, s->span_count * sizeof *pass->counts, pass->counts);
    TRY_SCRATCH(exec, (s->part.n + 1) * sizeof *s->labels, s->labels);
    pass->labels = s->labels;
    TRY(cells_run(exec, pass));
    for (size_t i = 0; i < s->span_count; i++)
        s->spans[i].here = pass->counts[i];
    return ORDO_OK;
}

static void label_by_map(const void *map, const uint64_t *orders, uint16_t *labels, size_t n)
{
    cell_map const m = *(const cell_map *)map;
    for (size_t i = 0; i < n; i++)
        labels[i] = (uint16_t)cell_map_find(&m, orders[i]);
}

static ordo_status read_by_map(narrowing *s, const cell_map *map, cells_pass *pass)
{
    uint64_t *starts;
    TRY_SCRATCH(s->call->exec, map->count * sizeof *starts, starts);
    pass->label = label_by_map;
    pass->map = map;
    pass->count = map->count;
    TRY(take_spans(s, map->count));
    cell_map_starts(map, starts);
    for (size_t i = 0; i < map->count; i++)
        s->spans[i] =
            (span){.lo = starts[i], .hi = i + 1 < map->count ? starts[i + 1] - 1 : last_order(s)};
    return read_labels(s, pass);
}

static ordo_status read_by_boundaries(narrowing *s, const dist_sample *sample, cells *boundaries,
                                      cells_pass *pass)
{
    dist_call *const c = s->call;
    size_t const     most = ordo_min(sample->count / CELLS_SAMPLES + 1, CELLS_MOST_BOUNDARIES);
    TRY(dist_inner(c, ordo_sort(c->inner, ORDO_U64, sample->all, sample->count, NULL)));
    TRY(cells_make(c->exec, most, boundaries));
    cells_spread(boundaries, sample->all, sample->count, most);
    pass->cells = boundaries;
    TRY(take_spans(s, 2 * boundaries->count + 1));
    for (size_t i = 0; i < s->span_count; i++)
        s->spans[i] = (span){.lo = cells_first(boundaries, i), .hi = cells_last(boundaries, i)};
    s->spans[s->span_count - 1].hi = last_order(s);
    return dist_on_device(c) ? narrowing_on_device(s) : read_labels(s, pass);
}

ordo_status labels_read(narrowing *s, const dist_sample *sample)
{
    cells_pass pass = {.order = s->part.order, .keys = s->part.keys, .n = s->part.n};
    cells      boundaries = {0};
    cell_map   map;
    bool       fits = false;
    if (!dist_on_device(s->call))
        TRY(cell_map_make(s->call, s->part.total, s->open, s->count, sample, &map, &fits));
    return fits ? read_by_map(s, &map, &pass) : read_by_boundaries(s, sample, &boundaries, &pass);
}

/* ---- The kept keys ---- */

/* Whether the cell of one of GROUP labels is kept. */
static inline bool any_kept(const uint8_t *keep, const uint16_t *labels)
{
    unsigned any = 0;
    for (size_t i = 0; i < GROUP; i++)
        any |= keep[labels[i]];
    return any != 0;
}

/* Lists the places of the keys whose cell is kept, and prefetches the keys, each of which is
 * probably a cache miss. Few cells are kept, so GROUP labels are looked at together. */
static size_t list_places(const picking *p, const char *keys, const uint16_t *labels, size_t n,
                          uint16_t *places)
{
    size_t const size = ordo_type_size(p->s->part.order.type);
    size_t       count = 0;
    for (size_t at = 0; at < n; at += GROUP) {
        size_t const end = ordo_min(at + GROUP, n);
        if (end == at + GROUP && !any_kept(p->keep, labels + at))
            continue;
        __builtin_prefetch(keys + at * size);
        for (size_t i = at; i < end; i++) {
            places[count] = (uint16_t)i; /* no branch: it is random */
            count += p->keep[labels[i]] != 0 ? 1 : 0;
        }
    }
    return count;
}

static void pick_body(void *arg, size_t lo, size_t hi)
{
    const picking *const p = arg;
    narrowing *const     s = p->s;
    size_t const         size = ordo_type_size(s->part.order.type);
    uint64_t             words[BLOCK];
    uint16_t             places[BLOCK + 1]; /* the last store may be behind the last place */
    for (size_t at = lo; at < hi; at += BLOCK) {
        const char *const keys = (const char *)s->part.keys + at * size;
        size_t const found = list_places(p, keys, s->labels + at, ordo_min(BLOCK, hi - at), places);
        BY_TYPE(s->part.order.type, pick, (p, (const void *)keys, places, found, (void *)words));
        if (found > 0)
            narrowing_append(s, words, found);
    }
}

ordo_status labels_keep(narrowing *s)
{
    ordo_exec *const exec = s->call->exec;
    picking          p = {.s = s};
    TRY(narrowing_restart(s));
    if (dist_on_device(s->call))
        return narrowing_on_device(s);
    TRY_SCRATCH(exec, s->span_count, p.keep);
    for (size_t i = 0; i < s->span_count; i++)
        p.keep[i] = s->spans[i].keeps;
    return dist_loop(s->call, s->part.n, PIECE, pick_body, &p);
}
