/* oracle.c - see oracle.h. One element at a time, no tricks. */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One element of any type, held exactly: integers as a sign and 64 bits, floats as a double. */
typedef struct element {
    bool     is_float, is_signed, nan, negative;
    int64_t  i;
    uint64_t u; /* the value of unsigned types; the bit pattern of floats */
    double   d;
} element;

bool oracle_is_float(ordo_type type) { return type == ORDO_F32 || type == ORDO_F64; }

static element load(ordo_type type, const void *array, size_t index)
{
    element e = {.is_float = oracle_is_float(type)};
    switch (type) {
    case ORDO_I8:
        e.is_signed = true, e.i = ((const int8_t *)array)[index];
        break;
    case ORDO_I16:
        e.is_signed = true, e.i = ((const int16_t *)array)[index];
        break;
    case ORDO_I32:
        e.is_signed = true, e.i = ((const int32_t *)array)[index];
        break;
    case ORDO_I64:
        e.is_signed = true, e.i = ((const int64_t *)array)[index];
        break;
    case ORDO_U8:
        e.u = ((const uint8_t *)array)[index];
        break;
    case ORDO_U16:
        e.u = ((const uint16_t *)array)[index];
        break;
    case ORDO_U32:
        e.u = ((const uint32_t *)array)[index];
        break;
    case ORDO_U64:
        e.u = ((const uint64_t *)array)[index];
        break;
    case ORDO_F32: {
        uint32_t pattern;
        e.d = (double)((const float *)array)[index];
        memcpy(&pattern, (const float *)array + index, sizeof pattern);
        e.u = pattern;
        e.negative = pattern >> 31 != 0;
        break;
    }
    case ORDO_F64:
        e.d = ((const double *)array)[index];
        memcpy(&e.u, (const double *)array + index, sizeof e.u);
        e.negative = e.u >> 63 != 0;
        break;
    }
    e.nan = e.is_float && isnan(e.d);
    return e;
}

bool oracle_is_nan(ordo_type type, const void *a, size_t i) { return load(type, a, i).nan; }

/* By value, for elements that are no NaN. */
static int compare_values(const element *x, const element *y)
{
    if (x->is_float)
        return (x->d > y->d) - (x->d < y->d);
    if (x->is_signed)
        return (x->i > y->i) - (x->i < y->i);
    return (x->u > y->u) - (x->u < y->u);
}

/* The order with ties: all NaNs last, descending too; -0 with +0. */
static int compare_tied(const element *x, const element *y, bool desc)
{
    if (x->nan || y->nan)
        return x->nan - y->nan;
    return desc ? compare_values(y, x) : compare_values(x, y);
}

/* The order without ties: what compare_tied leaves open goes by sign and pattern; descending turns
 * all around but the NaNs. */
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

static void *need(size_t bytes)
{
    void *const block = calloc(bytes + 1, 1);
    if (block == NULL)
        abort();
    return block;
}

/* Merge sort of the indices from the bottom up: the left one goes first unless the right one must,
 * so elements that compare equal keep their order. */
void oracle_order(size_t n, uint64_t *index, oracle_compare_fn *compare, const void *user)
{
    uint64_t *const spare = need(n * sizeof *spare);
    uint64_t       *from = index, *to = spare;

    for (size_t i = 0; i < n; i++)
        index[i] = i;
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

/* The elements of an array, loaded once. */
typedef struct loaded {
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

/* Which key comes i-th; the caller frees it. */
static uint64_t *order_keys(ordo_type type, const void *keys, size_t n, bool desc,
                            oracle_compare_fn *compare)
{
    uint64_t *const index = need(n * sizeof *index);
    loaded const    l = {need(n * sizeof *l.elements), desc};
    for (size_t i = 0; i < n; i++)
        l.elements[i] = load(type, keys, i);
    oracle_order(n, index, compare, &l);
    free(l.elements);
    return index;
}

void oracle_gather(const void *from, size_t item, const uint64_t *index, size_t n, void *to)
{
    for (size_t i = 0; i < n; i++)
        memcpy((char *)to + i * item, (const char *)from + index[i] * item, item);
}

void oracle_sort(ordo_type type, const void *keys, size_t n, bool desc, void *out)
{
    uint64_t *const index = order_keys(type, keys, n, desc, loaded_total);
    oracle_gather(keys, ordo_type_size(type), index, n, out);
    free(index);
}

void oracle_argsort(ordo_type type, const void *keys, size_t n, bool desc, ordo_type index_type,
                    void *out)
{
    uint64_t *const index = order_keys(type, keys, n, desc, loaded_tied);
    for (size_t i = 0; i < n; i++)
        put_count(index_type, out, i, index[i]);
    free(index);
}

void oracle_rank_unsorted(ordo_type type, const void *keys, size_t n, bool desc, ordo_ties ties,
                          ordo_type rank_type, void *ranks)
{
    size_t const    key = ordo_type_size(type), rank = ordo_type_size(rank_type);
    uint64_t *const index = order_keys(type, keys, n, desc, loaded_tied);
    char *const     sorted = need(n * key);
    char *const     of_sorted = need(n * rank);

    oracle_gather(keys, key, index, n, sorted);
    oracle_rank(type, sorted, n, desc, ties, rank_type, of_sorted);
    for (size_t i = 0; i < n; i++)
        memcpy((char *)ranks + index[i] * rank, of_sorted + i * rank, rank);
    free(index);
    free(sorted);
    free(of_sorted);
}

size_t oracle_first_violation(ordo_type type, const void *keys, size_t n, bool desc)
{
    for (size_t i = 1; i < n; i++)
        if (oracle_compare(type, keys, i, keys, i - 1, desc) < 0)
            return i;
    return n;
}

/* For every key, the first one that should come after it is the first prefix maximum that does; the
 * prefix maxima are in order, so it is found by halving. */
size_t oracle_radius(ordo_type type, const void *keys, size_t n, bool desc)
{
    size_t *const last = need(n * sizeof *last); /* of the first i + 1 keys, where the last is */
    size_t        radius = 0;
    for (size_t i = 0; i < n; i++)
        last[i] =
            i == 0 || oracle_compare(type, keys, i, keys, last[i - 1], desc) > 0 ? i : last[i - 1];
    for (size_t j = 0; j < n; j++) {
        size_t lo = 0, hi = j;
        while (lo < hi) {
            size_t const mid = lo + (hi - lo) / 2;
            if (oracle_compare(type, keys, last[mid], keys, j, desc) > 0)
                hi = mid;
            else
                lo = mid + 1;
        }
        radius = j - lo > radius ? j - lo : radius;
    }
    free(last);
    return radius;
}

size_t oracle_runs(ordo_type type, const void *keys, size_t n, bool desc)
{
    size_t runs = n > 0;
    for (size_t i = 1; i < n; i++)
        runs += oracle_compare(type, keys, i, keys, i - 1, desc) < 0;
    return runs;
}

void oracle_rank(ordo_type type, const void *sorted, size_t n, bool desc, ordo_ties ties,
                 ordo_type rank_type, void *ranks)
{
    uint64_t groups = 0;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n; end++)
            if (oracle_compare(type, sorted, first, sorted, end, desc) != 0)
                break;
        groups++;
        for (size_t i = first; i < end; i++) {
            switch (ties) {
            case ORDO_TIES_MIN:
                put_count(rank_type, ranks, i, first + 1);
                break;
            case ORDO_TIES_MAX:
                put_count(rank_type, ranks, i, end);
                break;
            case ORDO_TIES_DENSE:
                put_count(rank_type, ranks, i, groups);
                break;
            case ORDO_TIES_ORDINAL:
                put_count(rank_type, ranks, i, i + 1);
                break;
            case ORDO_TIES_AVERAGE:
                ((double *)ranks)[i] = ((double)(first + 1) + (double)end) / 2;
                break;
            }
        }
    }
}

/* The low bytes of a 64-bit sum are the sum modulo 2^width. */
static void put_low(ordo_type type, void *array, size_t index, uint64_t value)
{
    uint8_t const  v8 = (uint8_t)value;
    uint16_t const v16 = (uint16_t)value;
    uint32_t const v32 = (uint32_t)value;
    switch (ordo_type_size(type)) {
    case 1:
        memcpy((char *)array + index, &v8, 1);
        break;
    case 2:
        memcpy((char *)array + 2 * index, &v16, 2);
        break;
    case 4:
        memcpy((char *)array + 4 * index, &v32, 4);
        break;
    default:
        memcpy((char *)array + 8 * index, &value, 8);
        break;
    }
}

static void scan_integer_sum(ordo_type type, const void *in, size_t n, ordo_type out_type,
                             void *out, bool exclusive)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        element const  e = load(type, in, i);
        uint64_t const before = sum;
        sum += e.is_signed ? (uint64_t)e.i : e.u;
        put_low(out_type, out, i, exclusive ? before : sum);
    }
}

/* The first result of an exclusive scan, of no keys at all. */
static void put_empty(ordo_op op, ordo_type type, void *out)
{
    bool const min = op == ORDO_MIN;
    switch (type) {
    case ORDO_I8:
        *(int8_t *)out = min ? INT8_MAX : INT8_MIN;
        break;
    case ORDO_U8:
        *(uint8_t *)out = min ? UINT8_MAX : 0;
        break;
    case ORDO_I16:
        *(int16_t *)out = min ? INT16_MAX : INT16_MIN;
        break;
    case ORDO_U16:
        *(uint16_t *)out = min ? UINT16_MAX : 0;
        break;
    case ORDO_I32:
        *(int32_t *)out = min ? INT32_MAX : INT32_MIN;
        break;
    case ORDO_U32:
        *(uint32_t *)out = min ? UINT32_MAX : 0;
        break;
    case ORDO_I64:
        *(int64_t *)out = min ? INT64_MAX : INT64_MIN;
        break;
    case ORDO_U64:
        *(uint64_t *)out = min ? UINT64_MAX : 0;
        break;
    case ORDO_F32:
        *(float *)out = min ? INFINITY : -INFINITY;
        break;
    case ORDO_F64:
        *(double *)out = min ? (double)INFINITY : -(double)INFINITY;
        break;
    }
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
    for (size_t i = 0; i < n; i++) {
        const char *const key = (const char *)in + i * size;
        char *const       to = (char *)out + i * size;
        if (exclusive && i == 0)
            put_empty(op, type, to);
        else if (exclusive)
            memcpy(to, best, size);
        int const order = oracle_compare_total(type, key, 0, best, 0, false);
        if (op == ORDO_MIN ? order < 0 : order > 0)
            best = key;
        if (!exclusive)
            memcpy(to, best, size);
    }
}

/* What is known of the terms added so far. */
typedef struct float_sum {
    long double sum, sum_abs;
    size_t      terms;
    bool        nan, up, down; /* one of them is NaN, +inf, -inf */
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

/* unit: half the distance from 1 to the next number of the precision that was added in. */
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
                memcpy((char *)out + elem_size * written++, (const char *)in + elem_size * i,
                       elem_size);
        }
        n_first = group == 0 ? written : n_first;
    }
    return n_first;
}
