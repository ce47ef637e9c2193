/* rows.c - the section `rows`: many arrays in one call (ordo_segments.h). The shapes are rows of 16
 * and of 1000 keys, the columns of a matrix, and rows of different lengths. */
#include "race.h"

typedef enum verb {
    SORT,
    ARGSORT,
    RANK,
    MEDIAN,
    TOPK,
    SCAN,
    IS_SORTED,
    VERBS
} verb;

typedef enum shape {
    BY_16,
    BY_1000,
    COLUMNS, /* 16 of them                        */
    OFFSETS, /* lengths of 1 to 199 in turn       */
    SHAPES
} shape;

enum {
    FIRST_K = 4 /* of top-k */
};

static const char *const verb_names[VERBS] = {"sort", "argsort", "rank",     "median",
                                              "topk", "scan",    "is_sorted"};
static const char *const shape_names[SHAPES] = {"by16", "by1000", "columns", "offsets"};
static const size_t      least_n[SHAPES] = {16, 2000, 256, 1000};

/* `out` has room for 8 bytes for each key, `where` for the second result of is_sorted. */
static room keys = {.on_gpu = true}, work = {.on_gpu = true}, out = {.on_gpu = true},
            where = {.on_gpu = true}, starts = {.on_gpu = true}, made;
static ordo_segments segments;

/* Rows of 1, 12, 23 ... 199 keys; the last one has what is left. */
static size_t make_offsets(size_t n)
{
    size_t const    rows = n / 100 + 2;
    uint64_t *const offsets = room_of(&made, (rows + 1) * sizeof *offsets);
    size_t          at = 0, count = 0;

    for (size_t length = 1; count + 1 < rows && at + length < n; length = (length + 11) % 199 + 1) {
        offsets[count++] = at;
        at += length;
    }
    offsets[count++] = at;
    offsets[count] = n;
    copy_bytes(room_of(&starts, (rows + 1) * sizeof *offsets), offsets,
               (count + 1) * sizeof *offsets);
    return count;
}

static void shape_of(const row *r)
{
    segments = (ordo_segments){.struct_size = sizeof segments};
    switch ((shape)r->shape) {
    case BY_16:
        segments.length = 16;
        break;
    case BY_1000:
        segments.length = 1000;
        break;
    case COLUMNS:
        segments.count = segments.step = 16;
        segments.stride = 1;
        segments.length = r->n / 16;
        return;
    case OFFSETS:
    case SHAPES:
        segments.count = make_offsets(r->n);
        segments.offsets = starts.at;
        return;
    }
    segments.count = r->n / segments.length;
}

static void prepare(const row *r, const side *maker)
{
    size_t const copies = copies_of(r->n), all = copies * r->n, most = all * sizeof(uint64_t);

    shape_of(r);
    room_of(&work, most);
    room_of(&out, most);
    room_of(&where, most);
    make_keys(maker, r->type, r->dist, r->n, copies, room_of(&made, most));
    copy_bytes(room_of(&keys, most), made.at, all * r->type->size);
}

/* Keys outside the segments, and places without a result, have the same bytes for both sides. */
static void reset(const row *r)
{
    size_t const all = copies_of(r->n) * r->n;
    copy_bytes(work.at, keys.at, all * r->type->size);
    copy_bytes(out.at, keys.at, all * r->type->size);
}

static size_t result_size(const row *r)
{
    static const size_t sizes[VERBS] = {[ARGSORT] = sizeof(uint32_t),
                                        [RANK] = sizeof(double),
                                        [MEDIAN] = sizeof(double),
                                        [IS_SORTED] = sizeof(int)};
    return sizes[r->verb] != 0 ? sizes[r->verb] : r->type->size;
}

static void *place(const row *r, room *array, size_t size, size_t copy)
{
    return (char *)array->at + copy * r->n * size;
}

/* The places that a call writes; columns may leave out the last keys. */
static span result(const row *r, size_t copy, uint64_t number)
{
    size_t const size = result_size(r);
    size_t       n = segments.offsets != NULL ? r->n : segments.count * segments.length;

    (void)number;
    if (r->verb == SORT)
        return (span){place(r, &work, size, copy), r->n * size};
    if (r->verb == MEDIAN || r->verb == IS_SORTED)
        n = segments.count;
    if (r->verb == TOPK)
        n = segments.count * FIRST_K;
    return (span){place(r, &out, size, copy), n * size};
}

static ordo_status call(const row *r, const side *s, size_t copy, uint64_t *number)
{
    uint64_t const       on_gpu = set.on_gpu ? ORDO_ON_DEVICE : 0;
    ordo_sort_opts const sort = {
        .struct_size = sizeof sort, .flags = on_gpu, .segments = &segments};
    ordo_select_opts const pick = {
        .struct_size = sizeof pick, .flags = on_gpu, .segments = &segments};
    ordo_type const type = r->type->type;
    size_t const    n = r->n;
    void *const     in = place(r, &work, r->type->size, copy);
    void *const     to = place(r, &out, result_size(r), copy);

    (void)number;
    switch ((verb)r->verb) {
    case SORT:
        return s->lib->sort(s->ctx, type, in, n, &sort);
    case ARGSORT:
        return s->lib->argsort(s->ctx, type, in, n, ORDO_U32, to, &sort);
    case RANK:
        return s->lib->rank(s->ctx, type, in, n, ORDO_F64, to,
                            &ORDO_OPTS(ordo_rank_opts, .flags = on_gpu, .ties = ORDO_TIES_AVERAGE,
                                       .segments = &segments));
    case MEDIAN:
        return s->lib->median(
            s->ctx, type, in, n, to,
            &ORDO_OPTS(ordo_quantile_opts, .flags = on_gpu, .segments = &segments));
    case TOPK:
        return s->lib->topk(s->ctx, type, in, n, FIRST_K, to, ORDO_U32, NULL, NULL, &pick);
    case SCAN:
        return s->lib->scan(s->ctx, ORDO_SUM, type, in, n, type, to,
                            &ORDO_OPTS(ordo_scan_opts, .flags = on_gpu, .segments = &segments));
    case IS_SORTED:
    case VERBS:
        break;
    }
    return s->lib->is_sorted(s->ctx, type, in, n, to, place(r, &where, sizeof(size_t), copy),
                             &ORDO_OPTS(ordo_order_opts, .flags = on_gpu, .segments = &segments));
}

static void list(const section *self, row_list *rows, size_t n)
{
    static const ordo_type key_types[] = {ORDO_U32, ORDO_F64};
    static const ordo_dist key_dists[] = {ORDO_DIST_UNIFORM, ORDO_DIST_ZIPF, ORDO_DIST_SIGNED,
                                          ORDO_DIST_SORTED};

    for (int t = 0; t < 2; t++)
        for (int d = 0; d < 4; d++)
            for (int h = 0; h < SHAPES; h++)
                for (int v = 0; v < VERBS && n >= least_n[h]; v++)
                    row_add(rows,
                            (row){.section = self,
                                  .verb = v,
                                  .shape = h,
                                  .type = type_of(key_types[t]),
                                  .dist = dist_of(key_dists[d]),
                                  .n = n},
                            verb_names[v], shape_names[h]);
}

static outcome time_row(const row *r, const side *s, bool digest)
{
    static const calls all = {reset, call, result};
    return time_calls(&all, r, s, digest);
}

const section rows_section = {"rows", true, NULL, list, prepare, time_row};
