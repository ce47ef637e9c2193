/* test_cuda_few.c - few keys on a GPU, which one block distributes to buckets, compared with the
 * CPU: evenly distributed keys, uneven keys, and buckets that are just full or one key too full.
 *
 * All shapes of inputs.h in every type; then arrays made for the buckets: a crowd of neighbours
 * among spread keys, an outlier that puts all others into one bucket, keys with equal upper halves,
 * infinities and NaNs beside finite numbers, signed zeros. For sorts also buckets of equal keys,
 * and arrays whose sampled keys differ from all the others. ORDO_TEST_SMALL=1 takes only arrays
 * made for the buckets and the samples, for compute-sanitizer; ORDO_TEST_SMALL=2 takes few of them,
 * for its race checker; ORDO_TEST_SMALL=3 two of each, with one sort for each, for its race checker
 * in less than a minute. */
#include "device.h"
#include "inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_KEYS = 65536, /* of the sorts by a cluster of blocks */
    POSITIONS = 32,
    VALUE_SIZE = 4
};

static size_t const sizes[] = {1, 2, 300, 1024, 2049, 4096, 4097, 16384};

static bool         fewest; /* few cases, for the race checker, which takes seconds for each */
static bool         least;  /* fewer still, and one sort for each */
static device_array device_keys, device_out, device_index;
static uint64_t     given[MOST_KEYS], sorted[MOST_KEYS], found[MOST_KEYS];
static uint32_t     index_of[MOST_KEYS], found_index[MOST_KEYS];

/* ---- One array, every verb ---- */

static void place(ordo_type type, size_t n, size_t out_bytes, size_t index_bytes)
{
    size_t const size = ordo_type_size(type);
    device_place(&device_keys, n * size, size * (n % 3));
    device_place(&device_out, out_bytes, size * (n % 5));
    device_place(&device_index, index_bytes, 4 * (n % 7));
    device_put(&device_keys, given);
    device_overwrite(&device_out);
    device_overwrite(&device_index);
    CUDA_CHECK(cudaDeviceSynchronize()); /* the uploads use another stream */
}

/* Compares the device arrays with `sorted` and `index_of`. The keys must be unchanged, unless they
 * were sorted in place. */
static void compare(ordo_type type, size_t n, size_t outs, size_t indices, bool in_place)
{
    size_t const size = ordo_type_size(type);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&device_keys, found);
    CHECK_BYTES(in_place ? sorted : given, found, n * size, size);
    if (outs > 0) {
        device_get(&device_out, found);
        CHECK_BYTES(sorted, found, outs * size, size);
    }
    if (indices > 0) {
        device_get(&device_index, found_index);
        CHECK_BYTES(index_of, found_index, indices * sizeof *index_of, sizeof *index_of);
    }
    CHECK(device_intact(&device_keys) && device_intact(&device_out) &&
          device_intact(&device_index));
}

/* In place, and from another array. */
static void try_sort(ordo_type type, size_t n, uint64_t flags)
{
    ordo_sort_opts const there =
        ORDO_OPTS(ordo_sort_opts, .flags = flags | ORDO_ON_DEVICE, .stream = stream);
    ordo_sort_opts const here = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    size_t const         bytes = n * ordo_type_size(type);

    memcpy(sorted, given, bytes);
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, type, sorted, n, &here), cpu);
    place(type, n, 0, 0);
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, type, device_keys.data, n, &there), gpu);
    compare(type, n, 0, 0, true);
    if (least)
        return;

    ordo_sort_opts from = there;
    place(type, n, bytes, 0);
    from.source = device_keys.data;
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, type, device_out.data, n, &from), gpu);
    compare(type, n, n, 0, false);
}

static void try_argsort(ordo_type type, size_t n, uint64_t flags)
{
    ordo_sort_opts const there =
        ORDO_OPTS(ordo_sort_opts, .flags = flags | ORDO_ON_DEVICE, .stream = stream);
    ordo_sort_opts const here = ORDO_OPTS(ordo_sort_opts, .flags = flags);

    CHECK_STATUS(ORDO_OK, ordo_argsort(cpu, type, given, n, ORDO_U32, index_of, &here), cpu);
    place(type, n, 0, n * sizeof *index_of);
    CHECK_STATUS(ORDO_OK,
                 ordo_argsort(gpu, type, device_keys.data, n, ORDO_U32, device_index.data, &there),
                 gpu);
    compare(type, n, 0, n, false);
}

static void try_pairs(ordo_type type, size_t n, uint64_t flags)
{
    ordo_sort_opts const there =
        ORDO_OPTS(ordo_sort_opts, .flags = flags | ORDO_ON_DEVICE, .stream = stream);
    ordo_sort_opts const here = ORDO_OPTS(ordo_sort_opts, .flags = flags);

    for (size_t i = 0; i < n; i++)
        index_of[i] = (uint32_t)i * 7;
    memcpy(sorted, given, n * ordo_type_size(type));
    place(type, n, 0, n * VALUE_SIZE);
    device_put(&device_index, index_of);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(cpu, type, sorted, n, index_of, VALUE_SIZE, &here), cpu);
    CHECK_STATUS(
        ORDO_OK,
        ordo_sort_pairs(gpu, type, device_keys.data, n, device_index.data, VALUE_SIZE, &there),
        gpu);
    compare(type, n, 0, n, true);
}

static void try_sorts(ordo_type type, size_t n, uint64_t flags)
{
    static size_t turn = 0;
    size_t const  only = turn++ % 3;
    if (!least || only == 0)
        try_sort(type, n, flags);
    if (!least || only == 1)
        try_argsort(type, n, flags);
    if (!least || only == 2)
        try_pairs(type, n, flags);
}

static void try_select(ordo_type type, size_t n, uint64_t flags, size_t count)
{
    ordo_select_opts const there =
        ORDO_OPTS(ordo_select_opts, .flags = flags | ORDO_ON_DEVICE, .stream = stream);
    ordo_select_opts const here = ORDO_OPTS(ordo_select_opts, .flags = flags);
    size_t                 k[POSITIONS];

    for (size_t j = 0; j < count; j++) /* the first, the last, and some positions twice */
        k[j] = count == 1 ? n / 2 : j % 5 == 4 ? k[j - 1] : (n - 1) * j / (count - 1);
    CHECK_STATUS(ORDO_OK, ordo_select(cpu, type, given, n, k, count, sorted, &here), cpu);
    place(type, n, count * ordo_type_size(type), 0);
    CHECK_STATUS(ORDO_OK,
                 ordo_select(gpu, type, device_keys.data, n, k, count, device_out.data, &there),
                 gpu);
    compare(type, n, count, 0, false);
}

static void try_topk(ordo_type type, size_t n, uint64_t flags, size_t k)
{
    ordo_select_opts const there =
        ORDO_OPTS(ordo_select_opts, .flags = flags | ORDO_ON_DEVICE, .stream = stream);
    ordo_select_opts const here = ORDO_OPTS(ordo_select_opts, .flags = flags);

    if (k == 0 || k > n)
        return;
    CHECK_STATUS(ORDO_OK,
                 ordo_topk(cpu, type, given, n, k, sorted, ORDO_U32, index_of, NULL, &here), cpu);
    place(type, n, k * ordo_type_size(type), k * sizeof *index_of);
    CHECK_STATUS(ORDO_OK,
                 ordo_topk(gpu, type, device_keys.data, n, k, device_out.data, ORDO_U32,
                           device_index.data, NULL, &there),
                 gpu);
    compare(type, n, k, k, false);
}

static void try_order(ordo_type type, size_t n, uint64_t flags)
{
    ordo_order_opts const there =
        ORDO_OPTS(ordo_order_opts, .flags = flags | ORDO_ON_DEVICE, .stream = stream);
    ordo_order_opts const here = ORDO_OPTS(ordo_order_opts, .flags = flags);
    int                   is[2] = {-1, -2};
    size_t                where[2] = {0, 0}, runs[2] = {0, 0};

    place(type, n, 0, 0);
    CHECK_STATUS(ORDO_OK, ordo_is_sorted(cpu, type, given, n, &is[0], &where[0], &here), cpu);
    CHECK_STATUS(ORDO_OK, ordo_is_sorted(gpu, type, device_keys.data, n, &is[1], &where[1], &there),
                 gpu);
    CHECK_STATUS(ORDO_OK, ordo_runs(cpu, type, given, n, &runs[0], &here), cpu);
    CHECK_STATUS(ORDO_OK, ordo_runs(gpu, type, device_keys.data, n, &runs[1], &there), gpu);
    CHECK(is[0] == is[1]);
    CHECK_EQ_U64(where[0], where[1]);
    CHECK_EQ_U64(runs[0], runs[1]);
    compare(type, n, 0, 0, false);
}

static void try_all(ordo_type type, size_t n, const char *name)
{
    for (int desc = 0; desc < (fewest ? 1 : 2); desc++) {
        uint64_t const flags = desc ? (uint64_t)ORDO_DESCENDING : 0;
        testkit_case("%s n=%zu %s%s", ordo_type_name(type), n, name, desc ? " descending" : "");
        try_sorts(type, n, flags);
        if (!least || ordo_type_size(type) == 8)
            try_select(type, n, flags, 1);
        if (least)
            continue;
        try_select(type, n, flags, POSITIONS);
        try_topk(type, n, flags, 1);
        try_topk(type, n, flags, n / 7);
        try_topk(type, n, flags, 2048);
        try_order(type, n, flags);
    }
}

/* ---- Arrays made for the buckets ---- */

/* Puts a key at the fraction x of the range of the type. */
static void put(ordo_type type, size_t i, double x)
{
    switch (type) {
    case ORDO_U32:
        ((uint32_t *)(void *)given)[i] = (uint32_t)(x * 4294967295.0);
        break;
    case ORDO_U64:
        given[i] = (uint64_t)(x * 9007199254740991.0) << 11;
        break;
    case ORDO_F32:
        ((float *)(void *)given)[i] = (float)(x - 0.5);
        break;
    default:
        ((double *)(void *)given)[i] = x - 0.5;
    }
}

/* `crowd` keys that are closer to each other than the width of a bucket; the others are random. */
static void make_crowd(ordo_type type, size_t n, size_t crowd, uint64_t seed)
{
    test_rng rng = {seed};
    for (size_t i = 0; i < n; i++) {
        double const x = (double)(test_rng_next(&rng) >> 11) / 9007199254740992.0;
        put(type, i, i % 3 == 1 && i / 3 < crowd ? 0.7501 + x * 1e-5 : x);
    }
    put(type, 0, 0);
    put(type, n - 1, 1);
}

static void test_crowds(void)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F32, ORDO_U64, ORDO_F64};
    static const size_t    crowds[] = {30, 32, 33, 60, 63, 64, 65, 200};

    for (size_t t = 0; t < sizeof types / sizeof *types; t += fewest ? 3 : 1) /* both widths */
        for (size_t c = 0; c < sizeof crowds / sizeof *crowds; c++) {
            char name[32];
            if (fewest && c % 5 != 1) /* one crowd that fits a bucket, and one that does not */
                continue;
            if (least && (t == 0) == (c == 1)) /* one for each width */
                continue;
            snprintf(name, sizeof name, "crowd of %zu", crowds[c]);
            make_crowd(types[t], 1000 + 500 * c, crowds[c], c);
            try_all(types[t], 1000 + 500 * c, name);
        }
}

static void make_special(ordo_type type, size_t i, uint64_t r)
{
    static const double specials[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 5e-324, -1e308, 1e308};
    double const        x = specials[r % (sizeof specials / sizeof *specials)];
    if (type == ORDO_F32)
        ((float *)(void *)given)[i] = (float)x;
    else
        ((double *)(void *)given)[i] = x;
}

static void test_made(void)
{
    static const ordo_type types[] = {ORDO_F32, ORDO_F64};
    test_rng               rng = {5};

    for (size_t n = 1000; n <= 6000; n += 2500) {
        for (size_t i = 0; i < n; i++)
            given[i] = i == n / 2 ? UINT64_MAX : test_rng_next(&rng) % 10000;
        try_all(ORDO_U64, n, "an outlier");
        for (size_t i = 0; i < n; i++)
            given[i] = UINT64_C(7) << 40 | test_rng_next(&rng) >> 36;
        try_all(ORDO_U64, n, "one upper half");
        for (size_t i = 0; i < n; i++)
            given[i] = UINT64_C(7) << 40 | test_rng_next(&rng) >> 30;
        try_all(ORDO_I64, n, "few upper halves");
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            make_crowd(types[t], n, 0, n);
            put(types[t], n / 2, 1e5);
            try_all(types[t], n, "an outlier");
            for (size_t each = 2; each <= 200; each *= 10) {
                make_crowd(types[t], n, 0, n);
                for (size_t i = 0; i < n; i++)
                    if (test_rng_next(&rng) % each == 0)
                        make_special(types[t], i, test_rng_next(&rng));
                try_all(types[t], n, "specials");
            }
        }
    }
}

/* ---- Arrays made for the sample of a sort ---- */

enum { /* which keys an array has, beside single ones */
    FEW_VALUES,
    HALF_EQUAL,
    POWERS,
    ZEROS,
    HIDDEN,
    HIDDEN_CROWD,
    KINDS
};

/* Whether the sort of n keys samples the key i (shares_drawn). */
static bool is_sampled(size_t i, size_t n)
{
    for (size_t k = 0; k < 128; k++)
        if ((k * n + ((uint32_t)(k * 0x9e3779b1u) >> 19) * n / 8192) / 128 == i)
            return true;
    return false;
}

static double make_drawn(int kind, size_t i, size_t n, uint64_t r)
{
    double const x = (double)(r >> 11) / 9007199254740992.0;
    switch (kind) {
    case FEW_VALUES: /* buckets of equal keys */
        return (double)(r % 90) / 90;
    case HALF_EQUAL:
        return r % 2 == 0 ? 0.375 : x;
    case POWERS: /* most keys are close to an edge */
        return ldexp(x, -(int)(r % 40));
    case ZEROS: /* 0.5 becomes a zero of floats */
        return r % 4 == 0 ? x : 0.5;
    case HIDDEN: /* all keys but the sample are in one part */
        return is_sampled(i, n) ? x / 1024 : 0.5 + x / 2;
    default: /* and there in few buckets, because of one key */
        return is_sampled(i, n) ? x / 1024 : i == 1 ? 1 : 0.25 + x / 65536;
    }
}

static void test_samples(void)
{
    static const ordo_type   types[] = {ORDO_U32, ORDO_F32, ORDO_U64, ORDO_F64};
    static const size_t      lengths[] = {700, 4000, 8193, 20000, MOST_KEYS};
    static const char *const names[KINDS] = {"few values", "half equal", "powers",
                                             "zeros",      "hidden",     "hidden crowd"};
    size_t const             step = fewest ? 3 : 1;

    for (size_t t = 0; t < 4; t += step)
        for (size_t j = 0; j < sizeof lengths / sizeof *lengths; j += step)
            for (int kind = 0; kind < KINDS; kind += (int)step) {
                size_t const n = least && lengths[j] > 8193 ? 8193 : lengths[j];
                test_rng     rng = {(uint64_t)kind + n};
                if (least && (j == t || kind != (int)t)) /* one for each width and length */
                    continue;
                for (size_t i = 0; i < n; i++) {
                    put(types[t], i, make_drawn(kind, i, n, test_rng_next(&rng)));
                    if (kind == ZEROS && t % 2 == 1 && test_rng_next(&rng) % 2 == 0)
                        make_special(types[t], i, 4);
                }
                testkit_case("%s n=%zu sample, %s", ordo_type_name(types[t]), n, names[kind]);
                try_sorts(types[t], n, (j + (size_t)kind) % 2 == 0 ? 0 : (uint64_t)ORDO_DESCENDING);
            }
}

static void test_shapes(void)
{
    size_t turn = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t shape = 0; shape < inputs_count(); shape++) {
            size_t const n = sizes[turn++ % (sizeof sizes / sizeof *sizes)];
            inputs_fill(shape, inputs_types[t], given, n, n);
            try_all(inputs_types[t], n, inputs_name(shape));
        }
}

int main(void)
{
    device_start();
    device_keys = device_make(sizeof given + 64, 0);
    device_out = device_make(sizeof given + 64, 0);
    device_index = device_make(sizeof given + 64, 0);
    const char *const small = getenv("ORDO_TEST_SMALL");
    least = small != NULL && strcmp(small, "3") == 0;
    fewest = least || (small != NULL && strcmp(small, "2") == 0);
    test_crowds();
    test_samples();
    if (small == NULL) {
        test_made();
        test_shapes();
    }
    device_free(&device_keys);
    device_free(&device_out);
    device_free(&device_index);
    return device_done();
}
