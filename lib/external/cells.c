/* cells.c - one pass over elements: a search in the starts of the cells for each of them. */
#include "external/cells.h"

enum {
    PIECE = 1 << 14, /* elements of a loop's piece */
    LOCAL = 512      /* survivors that a piece collects before it copies them */
};

typedef struct scan {
    cells              *cells;
    const element_kind *kind;
    const char         *elements;
} scan;

size_t cells_find(const cells *c, uint64_t order)
{
    size_t at = 0;
    for (size_t step = CELLS_MOST / 2; step > 0; step /= 2) {
        size_t const next = at + step;
        at = next < c->count && c->starts[next] <= order ? next : at;
    }
    return at;
}

static void keep(cells *c, const uint64_t *orders, size_t n)
{
    size_t const at = atomic_fetch_add(&c->found, n);
    if (at < c->capacity)
        memcpy(c->survivors + at, orders, ordo_min(n, c->capacity - at) * sizeof *orders);
}

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static void scan_##tag(const scan *s, size_t lo, size_t hi)                                    \
    {                                                                                              \
        cells *const              c = s->cells;                                                    \
        const element_kind *const kind = s->kind;                                                  \
        uint32_t                  counts[CELLS_MOST];                                              \
        uint64_t                  local[LOCAL];                                                    \
        size_t                    held = 0;                                                        \
        memset(counts, 0, c->count * sizeof *counts);                                              \
        for (size_t i = lo; i < hi; i++) {                                                         \
            key x;                                                                                 \
            memcpy(&x, s->elements + i * kind->size + kind->key_offset, sizeof x);                 \
            uint64_t const order = key_sort_bits_##tag(x, kind->descending);                       \
            size_t const   cell = cells_find(c, order);                                            \
            counts[cell]++;                                                                        \
            local[held] = order;                                                                   \
            held += c->kept[cell];                                                                 \
            if (held == LOCAL) {                                                                   \
                keep(c, local, held);                                                              \
                held = 0;                                                                          \
            }                                                                                      \
        }                                                                                          \
        keep(c, local, held);                                                                      \
        for (size_t i = 0; i < c->count; i++)                                                      \
            atomic_fetch_add(&c->counts[i], counts[i]);                                            \
    }
#include "core/types.def"

static void scan_piece(void *arg, size_t lo, size_t hi)
{
    const scan *const s = arg;
    BY_TYPE(s->kind->type, scan, (s, lo, hi));
}

bool cells_add(cells *c, ordo_exec *exec, const element_kind *kind, const char *elements, size_t n)
{
    scan s = {c, kind, elements};
    return ordo_loop(exec, n, PIECE, scan_piece, &s);
}
