/* oracle.c - see oracle.h. */
#include "oracle.h"

#include "testkit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One element of any type, without rounding. */
typedef struct element {
    bool     is_float, is_signed, nan, negative;
    int64_t  i;
    uint64_t u; /* the value of unsigned types; the bit pattern of floats */
    double   d;
} element;

bool oracle_is_float(ordo_type type) { return type == ORDO_F32 || type == ORDO_F64; }

static bool is_signed(ordo_type type)
{
    return type == ORDO_I8 || type == ORDO_I16 || type == ORDO_I32 || type == ORDO_I64;
}

static element load(ordo_type type, const void *array, size_t index)
{
    size_t const      size = ordo_type_size(type);
    const void *const at = (const char *)array + index * size;
    element           e = {.is_float = oracle_is_float(type), .is_signed = is_signed(type)};
    if (e.is_signed)
        e.i = size == 1   ? *(const int8_t *)at
              : size == 2 ? *(const int16_t *)at
              : size == 4 ? *(const int32_t *)at
                          : *(const int64_t *)at;
    else if (!e.is_float)
        e.u = size == 1   ? *(const uint8_t *)at
              : size == 2 ? *(const uint16_t *)at
              : size == 4 ? *(const uint32_t *)at
                          : *(const uint64_t *)at;
    else {
        oracle_copy(&e.u, at, size); /* little endian */
        e.d = size == 4 ? (double)*(const float *)at : *(const double *)at;
        e.negative = e.u >> (8 * size - 1) != 0;
        e.nan = isnan(e.d);
    }
    return e;
}

bool oracle_is_nan(ordo_type type, const void *a, size_t i) { return load(type, a, i).nan; }

double oracle_as_double(ordo_type type, const void *a, size_t i)
{
    element const e = load(type, a, i);
    return e.is_float ? e.d : e.is_signed ? (double)e.i : (double)e.u;
}

ordo_type oracle_widest(ordo_type type)
{
    return oracle_is_float(type) ? ORDO_F64 : is_signed(type) ? ORDO_I64 : ORDO_U64;
}

/* By value, for elements that are not NaN. */
static int compare_values(const element *x, const element *y)
{
    if (x->is_float)
        return (x->d > y->d) - (x->d < y->d);
    if (x->is_signed)
        return (x->i > y->i) - (x->i < y->i);
    return (x->u > y->u) - (x->u < y->u);
}

static int compare_tied(const element *x, const element *y, bool desc)
{
    if (x->nan || y->nan)
        return x->nan - y->nan;
    return desc ? compare_values(y, x) : compare_values(x, y);
}

static int compare_total(const element *x, const element *y, bool desc)
{
    int const order = compare_tied(x, y, desc);
    if (order != 0 || !x->is_float)
        return order;
    if (!x->nan) /* two zeros, or the same value */
        return desc ? x->negative - y->negative : y->negative - x->negative;
    if (x->negative != y->negative)
        return x->negative - y->negative;
    int const rising = (x->u > y->u) - (x->u < y->u);
    return x->negative ? -rising : rising;
}

int oracle_compare(ordo_type type, const void *a, size_t i, const void *b, size_t j, bool desc)
{
    element const x = load(type, a, i), y = load(type, b, j);
    return compare_tied(&x, &y, desc);
}

int oracle_compare_total(ordo_type type, const void *a, size_t i, const void *b, size_t j,
                         bool desc)
{
    element const x = load(type, a, i), y = load(type, b, j);
    return compare_total(&x, &y, desc);
}

static void put_count(ordo_type type, void *array, size_t index, uint64_t value)
{
    if (type == ORDO_U32)
        ((uint32_t *)array)[index] = (uint32_t)value;
    else if (type == ORDO_U64)
        ((uint64_t *)array)[index] = value;
    else
        ((double *)array)[index] = (double)value;
}

/* Stable bottom-up merge sort of the numbers index[0 .. n), which are in ascending order where the
 * things tie. */
static void merge_sort(size_t n, uint64_t *index, oracle_compare_fn *compare, const void *user)
{
    uint64_t *const spare = test_need(n * sizeof *spare);
    uint64_t       *from = index, *to = spare;

    for (size_t width = 1; width < n; width *= 2) {
        for (size_t lo = 0; lo < n; lo += 2 * width) {
            size_t const mid = lo + width < n ? lo + width : n;
            size_t const hi = mid + width < n ? mid + width : n;
            for (size_t i = lo, j = mid, k = lo; k < hi; k++) {
                bool const right = i == mid || (j < hi && compare(user, from[j], from[i]) < 0);
                to[k] = right ? from[j++] : from[i++];
            }
        }
        uint64_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != index)
        memcpy(index, from, n * sizeof *index);
    free(spare);
}

void oracle_order(size_t n, uint64_t *index, oracle_compare_fn *compare, const void *user)
{
    for (size_t i = 0; i < n; i++)
        index[i] = i;
    merge_sort(n, index, compare, user);
}

typedef struct loaded { /* all elements of an array */
    element *elements;
    bool     desc;
} loaded;

static int loaded_tied(const void *user, size_t i, size_t j)
{
    const loaded *const l = user;
    return compare_tied(&l->elements[i], &l->elements[j], l->desc);
}

static int loaded_total(const void *user, size_t i, size_t j)
{
    const loaded *const l = user;
    return compare_total(&l->elements[i], &l->elements[j], l->desc);
}

static loaded load_all(ordo_type type, const void *keys, size_t n, bool desc)
{
    loaded const l = {test_need(n * sizeof *l.elements), desc};
    for (size_t i = 0; i < n; i++)
        l.elements[i] = load(type, keys, i);
    return l;
}

typedef struct placed {
    uint64_t place, index;
} placed;

/* An element with a lower place comes first. All NaNs have one place, and so have both zeros. */
static uint64_t place_of(const element *e, bool desc)
{
    uint64_t const top = UINT64_C(1) << 63;
    uint64_t       place = e->u;
    if (e->nan)
        return UINT64_MAX;
    if (e->is_signed)
        place = (uint64_t)e->i ^ top;
    if (e->is_float) {
        double const d = e->d == 0 ? 0.0 : e->d;
        memcpy(&place, &d, sizeof place);
        place = d < 0 ? ~place : place | top;
    }
    return desc ? ~place : place;
}

/* Stable sort by place, byte by byte from the last one. Bytes that all places share are skipped. */
static placed *sort_places(placed *from, placed *to, size_t n)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t start[257] = {0};
        for (size_t i = 0; i < n; i++)
            start[1 + (from[i].place >> shift & 255)]++;
        if (n == 0 || start[1 + (from[0].place >> shift & 255)] == n)
            continue;
        for (size_t b = 1; b < 256; b++)
            start[b] += start[b - 1];
        for (size_t i = 0; i < n; i++)
            to[start[from[i].place >> shift & 255]++] = from[i];
        placed *const swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static void fail_order(void)
{
    fputs("oracle.c: the order by places contradicts the comparison\n", stderr);
    abort();
}

/* The stable order of the keys by a comparison. The caller frees it. A sort by places replaces a
 * merge sort by the comparison, which took most of the time of some tests. The comparison decides
 * elements of one place, and then checks the order of all. */
static uint64_t *order_of(const loaded *l, size_t n, oracle_compare_fn *compare)
{
    uint64_t *const index = test_need(n * sizeof *index);
    placed *const   places = test_need(2 * n * sizeof *places);
    for (size_t i = 0; i < n; i++)
        places[i] = (placed){place_of(&l->elements[i], l->desc), i};
    const placed *const sorted = sort_places(places, places + n, n);
    for (size_t i = 0; i < n; i++)
        index[i] = sorted[i].index;
    for (size_t first = 0, end; first < n; first = end) {
        bool ordered = true;
        for (end = first + 1; end < n && sorted[end].place == sorted[first].place; end++)
            ordered = ordered && compare(l, index[end - 1], index[end]) <= 0;
        if (!ordered)
            merge_sort(end - first, index + first, compare, l);
    }
    for (size_t i = 1; i < n; i++) {
        int const order = compare(l, index[i - 1], index[i]);
        if (order > 0 || (order == 0 && index[i - 1] > index[i]))
            fail_order();
    }
    free(places);
    return index;
}

void oracle_gather(const void *from, size_t item, const uint64_t *index, size_t n, void *to)
{
    for (size_t i = 0; i < n; i++)
        oracle_copy((char *)to + i * item, (const char *)from + index[i] * item, item);
}

size_t oracle_segment_length(const ordo_segments *s, size_t n, size_t i)
{
    const uint64_t *const o = s->offsets;
    if (o == NULL)
        return s->length;
    return o[i] <= o[i + 1] && o[i + 1] <= n ? (size_t)(o[i + 1] - o[i]) : 0;
}

/* The position of element j of segment i. */
static size_t segment_position(const ordo_segments *s, size_t i, size_t j)
{
    if (s->offsets != NULL)
        return (size_t)s->offsets[i] + j;
    size_t const step = s->step != 0 ? s->step : 1;
    size_t const stride = s->stride != 0 ? s->stride : s->length * step;
    size_t const group = s->group != 0 ? s->group : s->count;
    size_t const groups = s->group_stride != 0 ? s->group_stride : group * stride;
    return i / group * groups + i % group * stride + j * step;
}

size_t oracle_segment_take(const ordo_segments *s, size_t n, size_t i, const void *array,
                           size_t size, void *to)
{
    size_t const length = oracle_segment_length(s, n, i);
    for (size_t j = 0; j < length; j++)
        oracle_copy((char *)to + j * size, (const char *)array + segment_position(s, i, j) * size,
                    size);
    return length;
}

void oracle_segment_put(const ordo_segments *s, size_t n, size_t i, void *array, size_t size,
                        const void *from)
{
    size_t const length = oracle_segment_length(s, n, i);
    for (size_t j = 0; j < length; j++)
        oracle_copy((char *)array + segment_position(s, i, j) * size, (const char *)from + j * size,
                    size);
}

void oracle_sort(ordo_type type, const void *keys, size_t n, bool desc, void *out)
{
    loaded const    l = load_all(type, keys, n, desc);
    uint64_t *const index = order_of(&l, n, loaded_total);
    oracle_gather(keys, ordo_type_size(type), index, n, out);
    free(index);
    free(l.elements);
}

void oracle_argsort(ordo_type type, const void *keys, size_t n, bool desc, ordo_type index_type,
                    void *out)
{
    loaded const    l = load_all(type, keys, n, desc);
    uint64_t *const index = order_of(&l, n, loaded_tied);
    for (size_t i = 0; i < n; i++)
        put_count(index_type, out, i, index[i]);
    free(index);
    free(l.elements);
}

void oracle_rank_unsorted(ordo_type type, const void *keys, size_t n, bool desc, ordo_ties ties,
                          ordo_type rank_type, void *ranks)
{
    loaded const    l = load_all(type, keys, n, desc);
    uint64_t *const index = order_of(&l, n, loaded_tied);
    oracle_rank_ordered(n, index, loaded_tied, &l, ties, rank_type, ranks);
    free(index);
    free(l.elements);
}

void oracle_rank(ordo_type type, const void *sorted, size_t n, bool desc, ordo_ties ties,
                 ordo_type rank_type, void *ranks)
{
    loaded const    l = load_all(type, sorted, n, desc);
    uint64_t *const index = test_need(n * sizeof *index);
    for (size_t i = 0; i < n; i++)
        index[i] = i;
    oracle_rank_ordered(n, index, loaded_tied, &l, ties, rank_type, ranks);
    free(index);
    free(l.elements);
}

void oracle_rank_ordered(size_t n, const uint64_t *index, oracle_compare_fn *compare,
                         const void *user, ordo_ties ties, ordo_type rank_type, void *ranks)
{
    uint64_t groups = 0;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && compare(user, index[first], index[end]) == 0;)
            end++;
        groups++;
        for (size_t i = first; i < end; i++) {
            uint64_t const of_rule[] = {[ORDO_TIES_MIN] = first + 1,
                                        [ORDO_TIES_MAX] = end,
                                        [ORDO_TIES_DENSE] = groups,
                                        [ORDO_TIES_ORDINAL] = i + 1};
            if (ties == ORDO_TIES_AVERAGE)
                ((double *)ranks)[index[i]] = ((double)(first + 1) + (double)end) / 2;
            else
                put_count(rank_type, ranks, index[i], of_rule[ties]);
        }
    }
}

size_t oracle_first_violation(ordo_type type, const void *keys, size_t n, bool desc)
{
    for (size_t i = 1; i < n; i++)
        if (oracle_compare(type, keys, i, keys, i - 1, desc) < 0)
            return i;
    return n;
}

/* For every key, a binary search in the prefix maxima finds the first key that should follow it. */
static size_t radius_by(const loaded *l, size_t n, oracle_compare_fn *compare)
{
    size_t *const last = test_need(n * sizeof *last); /* place of the maximum of keys[0..i] */
    size_t        radius = 0;
    for (size_t i = 0; i < n; i++)
        last[i] = i == 0 || compare(l, i, last[i - 1]) > 0 ? i : last[i - 1];
    for (size_t j = 0; j < n; j++) {
        size_t lo = 0, hi = j;
        while (lo < hi) {
            size_t const mid = lo + (hi - lo) / 2;
            if (compare(l, last[mid], j) > 0)
                hi = mid;
            else
                lo = mid + 1;
        }
        radius = j - lo > radius ? j - lo : radius;
    }
    free(last);
    return radius;
}

size_t oracle_radius(ordo_type type, const void *keys, size_t n, bool desc)
{
    loaded const l = load_all(type, keys, n, desc);
    size_t const radius = radius_by(&l, n, loaded_tied);
    free(l.elements);
    return radius;
}

size_t oracle_radius_total(ordo_type type, const void *keys, size_t n, bool desc)
{
    loaded const l = load_all(type, keys, n, desc);
    size_t const radius = radius_by(&l, n, loaded_total);
    free(l.elements);
    return radius;
}

size_t oracle_runs(ordo_type type, const void *keys, size_t n, bool desc)
{
    size_t runs = n > 0;
    for (size_t i = 1; i < n; i++)
        runs += oracle_compare(type, keys, i, keys, i - 1, desc) < 0;
    return runs;
}

static void scan_integer_sum(ordo_type type, const void *in, size_t n, ordo_type out_type,
                             void *out, bool exclusive)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        element const  e = load(type, in, i);
        uint64_t const before = sum;
        sum += e.is_signed ? (uint64_t)e.i : e.u;
        oracle_put_bits(out_type, out, i, exclusive ? before : sum);
    }
}

/* One by one. A NaN is the default NaN. */
static void scan_product(ordo_type type, const void *in, size_t n, ordo_type out_type, void *out,
                         bool exclusive)
{
    uint64_t whole = 1;
    float    narrow = 1;
    double   wide = 1;
    for (size_t i = 0; i < n; i++) {
        element const  e = load(type, in, i);
        uint64_t const whole_before = whole;
        float const    narrow_before = narrow;
        double const   wide_before = wide;
        if (!oracle_is_float(type)) {
            whole *= e.is_signed ? (uint64_t)e.i : e.u;
            oracle_put_bits(out_type, out, i, exclusive ? whole_before : whole);
        } else if (out_type == ORDO_F32) {
            narrow *= (float)e.d;
            float const result = exclusive ? narrow_before : narrow;
            ((float *)out)[i] = isnan(result) ? NAN : result;
        } else {
            wide *= e.d;
            double const result = exclusive ? wide_before : wide;
            ((double *)out)[i] = isnan(result) ? (double)NAN : result;
        }
    }
}

/* The first result of an exclusive minimum or maximum: the identity of the operation. */
static void put_identity(ordo_op op, ordo_type type, void *out)
{
    bool const     min = op == ORDO_MIN;
    uint64_t const top = UINT64_C(1) << (8 * ordo_type_size(type) - 1);
    if (type == ORDO_F32)
        *(float *)out = min ? INFINITY : -INFINITY;
    else if (type == ORDO_F64)
        *(double *)out = min ? (double)INFINITY : -(double)INFINITY;
    else if (is_signed(type))
        oracle_put_bits(type, out, 0, min ? top - 1 : top);
    else
        oracle_put_bits(type, out, 0, min ? UINT64_MAX : 0);
}

void oracle_scan(ordo_op op, ordo_type type, const void *in, size_t n, ordo_type out_type,
                 void *out, bool exclusive)
{
    size_t const size = ordo_type_size(type);
    const char  *best = in; /* the least or greatest key so far */

    if (op == ORDO_SUM) {
        scan_integer_sum(type, in, n, out_type, out, exclusive);
        return;
    }
    if (op == ORDO_PRODUCT) {
        scan_product(type, in, n, out_type, out, exclusive);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const char *const key = (const char *)in + i * size;
        char *const       to = (char *)out + i * size;
        if (exclusive && i == 0)
            put_identity(op, type, to);
        else if (exclusive)
            oracle_copy(to, best, size);
        int const order = oracle_compare_total(type, key, 0, best, 0, false);
        if (op == ORDO_MIN ? order < 0 : order > 0)
            best = key;
        if (!exclusive)
            oracle_copy(to, best, size);
    }
}

typedef struct float_sum {
    long double sum, sum_abs;
    size_t      terms;
    bool        nan, up, down; /* a term is NaN, +inf, -inf */
} float_sum;

static void float_sum_add(float_sum *s, double x)
{
    s->nan = s->nan || isnan(x);
    s->up = s->up || (isinf(x) && x > 0);
    s->down = s->down || (isinf(x) && x < 0);
    s->sum += (long double)x;
    s->sum_abs += fabsl((long double)x);
    s->terms++;
}

/* unit: half the distance from 1 to the next number in the precision of the sum */
static bool float_sum_may_be(const float_sum *s, const element *got, long double unit)
{
    if (s->nan || (s->up && s->down))
        return got->u == UINT64_C(0x7ff8000000000000) || got->u == 0x7fc00000;
    if (s->up || s->down)
        return isinf(got->d) && (got->d > 0) == s->up;
    return fabsl((long double)got->d - s->sum) <= 1.01L * (long double)s->terms * unit * s->sum_abs;
}

size_t oracle_check_float_sums(ordo_type type, const void *in, size_t n, ordo_type out_type,
                               const void *out, bool exclusive)
{
    long double const unit =
        out_type == ORDO_F32 ? (long double)FLT_EPSILON / 2 : (long double)DBL_EPSILON / 2;
    float_sum s = {0};

    for (size_t i = 0; i < n; i++) {
        element const got = load(out_type, out, i);
        if (exclusive && !float_sum_may_be(&s, &got, unit))
            return i;
        float_sum_add(&s, load(type, in, i).d);
        if (!exclusive && !float_sum_may_be(&s, &got, unit))
            return i;
    }
    return n;
}

bool oracle_flag(ordo_flags_kind kind, const void *flags, size_t i)
{
    const unsigned char *const bytes = flags;
    return kind == ORDO_FLAG_BITS ? (bytes[i / 8] >> i % 8 & 1) != 0 : bytes[i] != 0;
}

uint64_t oracle_scan_bits(ordo_flags_kind kind, const void *flags, size_t n, ordo_type count_type,
                          void *counts, bool exclusive)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t const before = total;
        total += oracle_flag(kind, flags, i);
        put_count(count_type, counts, i, exclusive ? before : total);
    }
    return total;
}

size_t oracle_partition(ordo_flags_kind kind, const void *flags, const void *in, size_t n,
                        size_t elem_size, void *out, bool unset_first)
{
    size_t written = 0, n_first = 0;
    for (int group = 0; group < 2; group++) {
        for (size_t i = 0; i < n; i++) {
            bool const in_first = oracle_flag(kind, flags, i) != unset_first;
            if (in_first == (group == 0))
                oracle_copy((char *)out + elem_size * written++, (const char *)in + elem_size * i,
                            elem_size);
        }
        n_first = group == 0 ? written : n_first;
    }
    return n_first;
}
