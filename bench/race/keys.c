/* keys.c - the section `keys`: every verb of one array, on every type and distribution. */
#include "race.h"

enum {
    QUANTILES = 99,
    FIRST_K = 100 /* of top-k */
};

typedef enum verb {
    SORT,
    PAIRS,
    ARGSORT,
    RANK,
    RANK_SORTED,
    MEDIAN,
    SELECT_99,
    TOPK,
    SCAN,
    SCAN_BITS,
    PARTITION,
    RADIUS,
    IS_SORTED,
    VERBS
} verb;

static const char *const verb_names[VERBS] = {
    "sort", "pairs", "argsort", "rank",      "rank_sorted", "median",   "select99",
    "topk", "scan",  "bits",    "partition", "radius",      "is_sorted"};

/* `keys` is the input, `work` is what a call reads or changes, `out` receives results of at most 8
 * bytes for each key. `flags` has random bits, also the payload of pairs. */
static room keys = {.on_gpu = true}, work = {.on_gpu = true}, out = {.on_gpu = true},
            flags = {.on_gpu = true}, made;

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void prepare(const row *r, const side *maker)
{
    static const type_row *type;
    static const dist_row *dist;
    static size_t          n;
    size_t const           all = copies_of(r->n) * r->n, most = all * sizeof(uint64_t);

    if (type == r->type && dist == r->dist && n == r->n)
        return; /* the row before has the same input */
    type = r->type;
    dist = r->dist;
    n = r->n;
    room_of(&work, most);
    room_of(&out, most);
    make_keys(maker, type_of(ORDO_U64), dist_of(ORDO_DIST_UNIFORM), all, 1, room_of(&made, most));
    copy_bytes(room_of(&flags, most), made.at, most);
    make_keys(maker, type, dist, n, copies_of(n), made.at);
    copy_bytes(room_of(&keys, most), made.at, all * type->size);
}

static void reset(const row *r)
{
    size_t const all = copies_of(r->n) * r->n;
    copy_bytes(work.at, keys.at, all * r->type->size);
    if (r->verb == PAIRS)
        copy_bytes(out.at, flags.at, all * sizeof(uint32_t));
}

/* Bytes of results for each key in `out`. */
static size_t result_size(const row *r)
{
    static const size_t sizes[VERBS] = {
        [PAIRS] = sizeof(uint32_t), [ARGSORT] = sizeof(uint32_t),
        [RANK] = sizeof(double),    [RANK_SORTED] = sizeof(uint32_t),
        [SCAN] = sizeof(uint64_t),  [SCAN_BITS] = sizeof(uint32_t)};
    return sizes[r->verb] != 0 ? sizes[r->verb] : r->type->size;
}

static void *place(const row *r, room *array, size_t size, size_t copy)
{
    return (char *)array->at + copy * r->n * size;
}

static span result(const row *r, size_t copy, uint64_t number)
{
    size_t const size = result_size(r);
    size_t       n = r->n;

    (void)number;
    switch ((verb)r->verb) {
    case SORT:
        return (span){place(r, &work, size, copy), n * size};
    case MEDIAN:
        n = 1;
        break;
    case SELECT_99:
        n = least(QUANTILES, n);
        break;
    case TOPK:
        n = least(FIRST_K, n);
        break;
    case RADIUS:
    case IS_SORTED:
        n = 0;
        break;
    default:
        break;
    }
    return (span){place(r, &out, size, copy), n * size};
}

static ordo_status call_select(const row *r, const side *s, const void *in, void *to)
{
    ordo_select_opts const opts = {.struct_size = sizeof opts,
                                   .flags = set.on_gpu ? ORDO_ON_DEVICE : 0};
    size_t const           count = r->verb == MEDIAN ? 1 : least(QUANTILES, r->n);
    size_t                 positions[QUANTILES];

    for (size_t i = 0; i < count; i++)
        positions[i] = (i + 1) * (r->n - 1) / (count + 1);
    return s->lib->select(s->ctx, r->type->type, in, r->n, positions, count, to, &opts);
}

static ordo_status call_scan(const row *r, const side *s, const void *in, void *to)
{
    ordo_scan_opts const opts = {.struct_size = sizeof opts,
                                 .flags = set.on_gpu ? ORDO_ON_DEVICE : 0};
    bool const           is_float = r->type->name[0] == 'f', is_signed = r->type->name[0] == 'i';
    ordo_type const      wide = is_float ? ORDO_F64 : is_signed ? ORDO_I64 : ORDO_U64;
    return s->lib->scan(s->ctx, ORDO_SUM, r->type->type, in, r->n, wide, to, &opts);
}

/* Calls whose result is a number. */
static ordo_status call_number(const row *r, const side *s, void *in, void *to, const void *bits,
                               uint64_t *number)
{
    uint64_t const on_gpu = set.on_gpu ? ORDO_ON_DEVICE : 0;
    size_t         where = 0;
    int            sorted = 0;
    ordo_status    status;

    switch ((verb)r->verb) {
    case SCAN_BITS:
        return s->lib->scan_bits(s->ctx, ORDO_FLAG_BITS, bits, r->n, ORDO_U32, to, number,
                                 &ORDO_OPTS(ordo_scan_opts, .flags = on_gpu));
    case PARTITION:
        status = s->lib->partition(s->ctx, ORDO_FLAG_BITS, bits, in, r->n, r->type->size, to,
                                   &where, &ORDO_OPTS(ordo_partition_opts, .flags = on_gpu));
        break;
    case RADIUS:
        status = s->lib->radius(s->ctx, r->type->type, in, r->n, &where,
                                &ORDO_OPTS(ordo_order_opts, .flags = on_gpu));
        break;
    default:
        status = s->lib->is_sorted(s->ctx, r->type->type, in, r->n, &sorted, &where,
                                   &ORDO_OPTS(ordo_order_opts, .flags = on_gpu));
    }
    *number = where;
    return status;
}

static ordo_status call(const row *r, const side *s, size_t copy, uint64_t *number)
{
    uint64_t const       on_gpu = set.on_gpu ? ORDO_ON_DEVICE : 0;
    ordo_sort_opts const sort = {.struct_size = sizeof sort, .flags = on_gpu};
    ordo_type const      type = r->type->type;
    size_t const         n = r->n;
    void *const          in = place(r, &work, r->type->size, copy);
    void *const          to = place(r, &out, result_size(r), copy);

    switch ((verb)r->verb) {
    case SORT:
        return s->lib->sort(s->ctx, type, in, n, &sort);
    case PAIRS:
        return s->lib->sort_pairs(s->ctx, type, in, n, to, sizeof(uint32_t), &sort);
    case ARGSORT:
        return s->lib->argsort(s->ctx, type, in, n, ORDO_U32, to, &sort);
    case RANK:
        return s->lib->rank(s->ctx, type, in, n, ORDO_F64, to,
                            &ORDO_OPTS(ordo_rank_opts, .flags = on_gpu, .ties = ORDO_TIES_AVERAGE));
    case RANK_SORTED:
        return s->lib->rank_sorted(s->ctx, type, in, n, ORDO_U32, to,
                                   &ORDO_OPTS(ordo_rank_opts, .flags = on_gpu));
    case MEDIAN:
    case SELECT_99:
        return call_select(r, s, in, to);
    case TOPK:
        return s->lib->topk(s->ctx, type, in, n, least(FIRST_K, n), to, ORDO_U32, NULL, NULL,
                            &ORDO_OPTS(ordo_select_opts, .flags = on_gpu));
    case SCAN:
        return call_scan(r, s, in, to);
    default:
        return call_number(r, s, in, to, flags.at, number);
    }
}

static bool is_wide(const type_row *type) { return type->size >= 4 && type->type != ORDO_I64; }

/* Every verb on uniform keys of every type, and every distribution for verbs that adapt. */
static bool has_row(verb v, const type_row *type, const dist_row *dist)
{
    if (v == RANK_SORTED)
        return dist->dist == ORDO_DIST_SORTED;
    if (dist->dist == ORDO_DIST_UNIFORM)
        return true;
    if (dist->dist >= ORDO_DIST_STRINGS && dist->dist <= ORDO_DIST_FASTA)
        return false;
    return is_wide(type) &&
           (v <= RANK || v == MEDIAN || v == SELECT_99 || v == RADIUS || v == IS_SORTED);
}

static void list(const section *self, row_list *rows, size_t n)
{
    for (const type_row *type = types; type->name != NULL; type++)
        for (const dist_row *dist = dists; dist->name != NULL; dist++)
            for (int v = 0; v < VERBS; v++)
                if (has_row((verb)v, type, dist))
                    row_add(rows,
                            (row){.section = self, .verb = v, .type = type, .dist = dist, .n = n},
                            verb_names[v], "");
}

static outcome time_row(const row *r, const side *s, bool digest)
{
    static const calls all = {reset, call, result};
    return time_calls(&all, r, s, digest);
}

const section keys_section = {"keys", true, NULL, list, prepare, time_row};
