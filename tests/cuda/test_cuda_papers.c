/* test_cuda_papers.c - the algorithms that the ballot counting poster, the median paper and the
 * Roughsort paper describe, on device arrays and on host arrays: sizes around the edges of warps,
 * blocks and spans, every kind of flags and counts, every length of sub-arrays, a given radius of
 * any size, and what is refused. The results of the CPU, which the tests of the verbs compare with
 * the oracle, are the reference.
 *
 * ORDO_TEST_SMALL=1 takes few sizes, for compute-sanitizer; ORDO_TEST_SMALL=2 takes fewer still,
 * for its race checker. */
#include "device.h"
#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPANS = 8192,                 /* most spans of a scan (CUDA_TUNE_SPANS)     */
    BLOCK = 1024,                 /* elements that a block scans at a time      */
    MOST = 2 * SPANS * BLOCK + 5, /* a span of three blocks                     */
    SELECTED = 4
};

static size_t const sizes[] = {1,    2,    31,   32,   33,    63,    64,    65,    255,  256,
                               257,  511,  992,  1023, 1024,  1025,  2047,  2048,  2049, 4095,
                               4097, 8191, 8192, 8193, 16385, 65535, 65537, 100003};
static size_t const large_sizes[] = {(size_t)SPANS * BLOCK - 1, (size_t)SPANS *BLOCK,
                                     (size_t)SPANS *BLOCK + 1, MOST};
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    LARGE_SIZES = sizeof large_sizes / sizeof *large_sizes
};

static device_array   in, out, rls, dms; /* the last two for sequences of a radius */
static unsigned char *given, *expected, *found;
static long           small;

static size_t flag_bytes(ordo_flags_kind kind, size_t n)
{
    return kind == ORDO_FLAG_BITS ? (n + 7) / 8 : n;
}

/* Random flags, or all of them set, or none. */
static void make_flags(ordo_flags_kind kind, size_t n, unsigned shape)
{
    size_t const bytes = flag_bytes(kind, n);
    if (shape == 0)
        inputs_flags(kind, given, n, 3, n);
    else
        memset(given, shape == 1 ? 0xff : 0, bytes);
}

/* One call on device arrays and one on host arrays. */
static void try_flags(ordo_flags_kind kind, ordo_type type, size_t n, ordo_algorithm algorithm,
                      uint64_t flags)
{
    size_t const         bytes = n * ordo_type_size(type);
    ordo_scan_opts const usual = ORDO_OPTS(ordo_scan_opts, .flags = flags);
    ordo_scan_opts       opts = ORDO_OPTS(ordo_scan_opts, .flags = flags | ORDO_ON_DEVICE,
                                          .stream = stream, .algorithm = (uint32_t)algorithm);
    uint64_t             total = 7, host_total = 7, only_total = 7, wanted = 0;
    size_t               scratch = 0;

    testkit_case("flags %d to %s n=%zu algorithm=%d flags=%llu", (int)kind, ordo_type_name(type), n,
                 (int)algorithm, (unsigned long long)flags);
    device_place(&in, flag_bytes(kind, n), n % 13);
    device_place(&out, bytes, 8 * (n % 3));
    device_put(&in, given);
    device_overwrite(&out);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, ordo_scan_bits(cpu, kind, given, n, type, expected, &wanted, &usual),
                 cpu);
    CHECK_STATUS(ORDO_OK, ordo_scan_bits_scratch(gpu, kind, n, type, &opts, &scratch), gpu);
    CHECK(scratch > 0);
    CHECK_STATUS(ORDO_OK, ordo_scan_bits(gpu, kind, in.data, n, type, out.data, &total, &opts),
                 gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&out, found);
    CHECK_BYTES(expected, found, bytes, ordo_type_size(type));
    CHECK(device_intact(&out) && device_intact(&in));
    CHECK_EQ_U64(wanted, total);
    CHECK_STATUS(ORDO_OK, ordo_scan_bits(gpu, kind, in.data, n, type, NULL, &only_total, &opts),
                 gpu);
    CHECK_EQ_U64(wanted, only_total);
    opts.flags = flags;
    opts.stream = NULL;
    CHECK_STATUS(ORDO_OK, ordo_scan_bits(gpu, kind, given, n, type, found, &host_total, &opts),
                 gpu);
    CHECK_BYTES(expected, found, bytes, ordo_type_size(type));
    CHECK_EQ_U64(wanted, host_total);
}

static void test_flags(size_t n, unsigned shape)
{
    static const ordo_flags_kind kinds[] = {ORDO_FLAG_BITS, ORDO_FLAG_BYTES};
    static const ordo_type       types[] = {ORDO_U32, ORDO_U64};
    for (size_t k = 0; k < 2; k++) {
        make_flags(kinds[k], n, shape);
        for (size_t t = 0; t < 2; t++)
            for (int exclusive = 0; exclusive < 2; exclusive++) {
                uint64_t const flags = exclusive != 0 ? ORDO_EXCLUSIVE : 0;
                try_flags(kinds[k], types[t], n, ORDO_ALGORITHM_BALLOT, flags);
                try_flags(kinds[k], types[t], n, ORDO_ALGORITHM_SHARED, flags);
            }
    }
}

/* Sums of 32-bit integers by ballots, to another array and in place. */
static void try_words(ordo_type type, size_t n, bool exclusive, bool in_place)
{
    uint64_t const       flags = exclusive ? ORDO_EXCLUSIVE : 0;
    size_t const         bytes = n * sizeof(uint32_t);
    ordo_scan_opts const usual = ORDO_OPTS(ordo_scan_opts, .flags = flags);
    ordo_scan_opts const opts = ORDO_OPTS(ordo_scan_opts, .flags = flags | ORDO_ON_DEVICE,
                                          .stream = stream, .algorithm = ORDO_ALGORITHM_BALLOT);
    device_array *const  to = in_place ? &in : &out;

    testkit_case("sum of %s n=%zu exclusive=%d in place=%d", ordo_type_name(type), n, exclusive,
                 in_place);
    inputs_fill(n % inputs_count(), type, given, n, n);
    device_place(&in, bytes, 4 * (n % 5));
    device_place(&out, bytes, 4 * (n % 3));
    device_put(&in, given);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, ordo_scan(cpu, ORDO_SUM, type, given, n, type, expected, &usual), cpu);
    CHECK_STATUS(ORDO_OK, ordo_scan(gpu, ORDO_SUM, type, in.data, n, type, to->data, &opts), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(to, found);
    CHECK_BYTES(expected, found, bytes, sizeof(uint32_t));
    CHECK(device_intact(to) && device_intact(&in));
}

static void test_words(size_t n)
{
    for (int way = 0; way < 4; way++)
        try_words(n % 2 != 0 ? ORDO_I32 : ORDO_U32, n, way % 2 != 0, way / 2 != 0);
}

/* ---- Selection by sub-arrays ---- */

/* Positions in any order, one of them twice. */
static void choose(size_t n, size_t k[SELECTED])
{
    k[0] = n - 1;
    k[1] = n / 2;
    k[2] = 0;
    k[3] = n / 2;
}

static void try_select(ordo_type type, size_t n, size_t shape, ordo_algorithm algorithm,
                       size_t sub_array, bool desc)
{
    uint64_t const         flags = desc ? ORDO_DESCENDING : 0;
    size_t const           size = ordo_type_size(type);
    ordo_select_opts const usual = ORDO_OPTS(ordo_select_opts, .flags = flags);
    ordo_select_opts       opts =
        ORDO_OPTS(ordo_select_opts, .flags = flags | ORDO_ON_DEVICE, .stream = stream,
                  .algorithm = (uint32_t)algorithm, .sub_array = sub_array);
    ordo_report report = {.struct_size = sizeof report};
    size_t      k[SELECTED];

    testkit_case("select %s n=%zu %s algorithm=%d sub-array %zu desc=%d", ordo_type_name(type), n,
                 inputs_name(shape), (int)algorithm, sub_array, desc);
    choose(n, k);
    inputs_fill(shape, type, given, n, n);
    device_place(&in, n * size, size * (n % 5));
    device_place(&out, SELECTED * size, 0);
    device_put(&in, given);
    device_overwrite(&out);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, ordo_select(cpu, type, given, n, k, SELECTED, expected, &usual), cpu);
    CHECK_STATUS(ORDO_OK, ordo_select(gpu, type, in.data, n, k, SELECTED, out.data, &opts), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&out, found);
    CHECK_BYTES(expected, found, SELECTED * size, size);
    CHECK(device_intact(&out) && device_intact(&in));
    CHECK_STATUS(ORDO_OK, ordo_last_report(gpu, &report), gpu);
    CHECK_EQ_U64(ORDO_STRATEGY_SUB_ARRAYS, report.facts.strategy);
    CHECK_EQ_U64(sub_array, report.facts.tile);
    if (algorithm == ORDO_ALGORITHM_BITONIC)
        CHECK(report.facts.phase_seconds[0] > 0 && report.facts.phase_seconds[1] > 0);

    /* Ascending positions on a device need no copy to the host; and host arrays. */
    k[0] = n / 2;
    CHECK_STATUS(ORDO_OK, ordo_select(cpu, type, given, n, k, 1, expected, &usual), cpu);
    CHECK_STATUS(ORDO_OK, ordo_select(gpu, type, in.data, n, k, 1, out.data, &opts), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&out, found);
    CHECK_BYTES(expected, found, size, size);
    opts.flags = flags;
    opts.stream = NULL;
    CHECK_STATUS(ORDO_OK, ordo_select(gpu, type, given, n, k, 1, found, &opts), gpu);
    CHECK_BYTES(expected, found, size, size);
}

static void test_sub_arrays(void)
{
    size_t turn = 0;
    for (size_t sub_array = 2; sub_array <= 2048; sub_array *= small != 0 ? 8 : 2) {
        size_t const keys[] = {1, sub_array - 1, sub_array, sub_array + 1, 7 * sub_array + 5, 5000};
        for (size_t i = 0; i < (small > 1 ? 5 : 6); i++)
            for (size_t t = 0; t < INPUTS_TYPES; t += small != 0 ? 4 : 1) {
                size_t const shape = turn++ % inputs_count();
                try_select(inputs_types[t], keys[i], shape, ORDO_ALGORITHM_BITONIC, sub_array,
                           turn % 2 != 0);
                try_select(inputs_types[t], keys[i], shape, ORDO_ALGORITHM_MERGE, sub_array,
                           turn % 2 == 0);
            }
    }
    if (small == 0) {
        try_select(ORDO_F64, 200003, 3, ORDO_ALGORITHM_BITONIC, 2048, false);
        try_select(ORDO_U8, 1 << 17, 3, ORDO_ALGORITHM_BITONIC, 256, true);
        try_select(ORDO_I16, 3000001, 3, ORDO_ALGORITHM_MERGE, 4, false);
        try_select(ORDO_F32, 3000001, 3, ORDO_ALGORITHM_MERGE, 128, true);
    }
}

/* NaNs last, omitted and propagated; the quantiles of the CPU's AUTO. */
static void test_nans(void)
{
    static const double q[] = {0.9, 0, 0.5, 0.25, 1};
    size_t const        n = 5003, shape = inputs_find("some NaNs");
    double              usual[5], values[5];
    inputs_fill(shape, ORDO_F64, given, n, 5);
    for (uint32_t nans = ORDO_NANS_LAST; nans <= ORDO_NANS_PROPAGATE; nans++)
        for (int merge = 0; merge < 2; merge++) {
            ordo_quantile_opts opts = ORDO_OPTS(ordo_quantile_opts, .nans = nans);
            testkit_case("quantiles, nans %u, merge %d", nans, merge);
            CHECK_STATUS(ORDO_OK, ordo_quantiles(cpu, ORDO_F64, given, n, q, 5, usual, &opts), cpu);
            opts.algorithm = merge != 0 ? ORDO_ALGORITHM_MERGE : ORDO_ALGORITHM_BITONIC;
            opts.sub_array = 64;
            CHECK_STATUS(ORDO_OK, ordo_quantiles(gpu, ORDO_F64, given, n, q, 5, values, &opts),
                         gpu);
            CHECK_BYTES(usual, values, sizeof usual, sizeof *usual);
        }
}

/* The example of the median paper. */
static void test_example(void)
{
    static const int32_t keys[] = {41,    18467, 6334, 26500, 19169, 15724, 11478, 29358,
                                   26962, 24464, 5705, 28145, 23281, 16827, 9961,  491};
    ordo_select_opts     opts = ORDO_OPTS(ordo_select_opts, .sub_array = 4);
    size_t const         middle = 16 / 2;
    for (int merge = 0; merge < 2; merge++) {
        int32_t median = 0;
        testkit_case("the paper's example, merge %d", merge);
        opts.algorithm = merge != 0 ? ORDO_ALGORITHM_MERGE : ORDO_ALGORITHM_BITONIC;
        CHECK_STATUS(ORDO_OK, ordo_select(gpu, ORDO_I32, keys, 16, &middle, 1, &median, &opts),
                     gpu);
        CHECK(median == 18467);
    }
}

/* ---- Sorts of k-sorted arrays ---- */

/* Brings `bytes` bytes to a device array, `shift` bytes after an aligned address. */
static void bring(device_array *to, const void *from, size_t bytes, size_t shift)
{
    device_place(to, bytes, shift);
    device_put(to, from);
}

static void is_found(const device_array *array, const void *wanted, size_t size)
{
    device_get(array, found);
    CHECK_BYTES(wanted, found, array->bytes, size);
    CHECK(device_intact(array));
}

/* Keys alone, indices, and pairs whose values are the indices. The caller gives the radius `told`,
 * which may be wrong. */
static void try_sort(ordo_type type, size_t n, ordo_algorithm algorithm, size_t told, bool desc)
{
    uint64_t const       flags = desc ? ORDO_DESCENDING : 0;
    size_t const         size = ordo_type_size(type), bytes = n * size, shift = size * (n % 5);
    uint32_t *const      order = test_need(n * sizeof *order);
    uint32_t *const      index = test_need(n * sizeof *index);
    ordo_sort_opts const usual = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = flags | ORDO_ON_DEVICE, .stream = stream,
                  .algorithm = (uint32_t)algorithm, .radius = told);
    ordo_report report = {.struct_size = sizeof report};

    for (size_t i = 0; i < n; i++)
        index[i] = (uint32_t)i;
    memcpy(expected, given, bytes);
    CHECK_STATUS(ORDO_OK, ordo_argsort(cpu, type, given, n, ORDO_U32, order, &usual), cpu);
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, type, expected, n, &usual), cpu);

    bring(&in, given, bytes, shift);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, type, in.data, n, &opts), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    is_found(&in, expected, size);
    CHECK_STATUS(ORDO_OK, ordo_last_report(gpu, &report), gpu);
    CHECK(strcmp(report.algorithm, inputs_sort_name(algorithm)) == 0);

    bring(&in, given, bytes, shift);
    device_place(&out, n * sizeof *order, 4 * (n % 3));
    device_overwrite(&out);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, ordo_argsort(gpu, type, in.data, n, ORDO_U32, out.data, &opts), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    is_found(&out, order, sizeof *order);
    is_found(&in, given, size);

    bring(&out, index, n * sizeof *index, 4 * (n % 3));
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(gpu, type, in.data, n, out.data, 4, &opts), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    is_found(&out, order, sizeof *order);
    for (size_t i = 0; i < n; i++) /* -0 and +0, and NaNs, keep their order in pairs */
        memcpy(expected + i * size, given + order[i] * size, size);
    is_found(&in, expected, size);
    free(order);
    free(index);
}

/* Arrays of radius k at most, and a few others. The radius given is 0, which means unknown; too
 * small; right; the largest. */
static void test_rough(void)
{
    static size_t const some[] = {33, 700, 2, 129, 1025, 5000, 20011};
    size_t const        count = small > 1 ? 1 : small == 1 ? 2 : sizeof some / sizeof *some;
    size_t              turn = 0;
    for (size_t s = 0; s < count; s++) {
        size_t const n = some[s];
        size_t const radii[] = {1, 2, 7, 31, 32, 33, 64, 65, n / 3, n - 1};
        for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
            size_t const k = radii[r] < n ? radii[r] : n - 1;
            size_t const told[] = {0, k / 2, k, n - 1};
            for (size_t t = 0; t < sizeof told / sizeof *told; t++, turn++) {
                ordo_type const type = inputs_types[(turn + turn / 20) % INPUTS_TYPES];
                bool const      desc = turn / INPUTS_TYPES % 4 == 3, others = turn % 7 == 6;
                testkit_case("rough %s n=%zu radius %zu given %zu desc=%d shapes=%d",
                             ordo_type_name(type), n, k, told[t], desc, others);
                if (others)
                    inputs_fill(turn % inputs_count(), type, given, n, turn);
                else
                    CHECK_STATUS(ORDO_OK,
                                 ordo_gen(cpu, ORDO_DIST_SHUFFLED, type, given, n,
                                          &ORDO_OPTS(ordo_gen_opts, .seed = turn, .k = k)),
                                 cpu);
                try_sort(type, n, ORDO_ALGORITHM_ROUGH, told[t], desc);
                try_sort(type, n, ORDO_ALGORITHM_INSERTION, told[t], desc);
                try_sort(type, n, ORDO_ALGORITHM_HALVING, told[t], desc);
            }
        }
    }
}

/* The radius and the sequences of the given keys by PREFIX and by SCANS, on device arrays. */
static void try_radius(ordo_type type, size_t n, ordo_algorithm algorithm, bool desc)
{
    uint64_t const       flags = desc ? ORDO_DESCENDING : 0;
    size_t const         size = ordo_type_size(type), bytes = n * size, shift = size * (n % 5);
    unsigned char *const lr = expected, *const rl = expected + bytes;
    uint64_t *const       dm = test_need((n + 1) * sizeof *dm);
    ordo_order_opts const usual =
        ORDO_OPTS(ordo_order_opts, .flags = flags, .lr = lr, .rl = rl, .dm = dm);
    ordo_order_opts opts = ORDO_OPTS(ordo_order_opts, .flags = flags | ORDO_ON_DEVICE,
                                     .stream = stream, .algorithm = (uint32_t)algorithm);
    ordo_report     report = {.struct_size = sizeof report};
    size_t          wanted = 7, alone = 7, all = 7, on_host = 7;

    CHECK_STATUS(ORDO_OK, ordo_radius(cpu, type, given, n, &wanted, &usual), cpu);
    bring(&in, given, bytes, shift);
    device_place(&out, bytes, 0);
    device_place(&rls, bytes, 0);
    device_place(&dms, n * sizeof *dm, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, ordo_radius(gpu, type, in.data, n, &alone, &opts), gpu);
    CHECK_EQ_U64(wanted, alone);
    CHECK_STATUS(ORDO_OK, ordo_last_report(gpu, &report), gpu);
    if (algorithm == ORDO_ALGORITHM_PREFIX) {
        CHECK(report.facts.rounds > 0 || wanted == 0); /* -0 and +0 tie, but LR sorts them */
        CHECK(report.facts.rounds < 64 && (UINT64_C(1) << report.facts.rounds) < 2 * n);
    }
    opts.lr = out.data;
    opts.rl = rls.data;
    opts.dm = (uint64_t *)(void *)dms.data;
    CHECK_STATUS(ORDO_OK, ordo_radius(gpu, type, in.data, n, &all, &opts), gpu);
    CHECK_EQ_U64(wanted, all);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    is_found(&out, lr, size);
    is_found(&rls, rl, size);
    is_found(&dms, dm, sizeof *dm);
    is_found(&in, given, size);
    opts = ORDO_OPTS(ordo_order_opts, .flags = flags, .algorithm = (uint32_t)algorithm);
    CHECK_STATUS(ORDO_OK, ordo_radius(gpu, type, given, n, &on_host, &opts), gpu);
    CHECK_EQ_U64(wanted, on_host);
    free(dm);
}

/* Every type and shape, k-sorted keys among them. */
static void test_radius(void)
{
    static size_t const some[] = {1, 2, 3, 255, 256, 257, 511, 513, 1025, 5000, 65537, 100003};
    enum {
        LAST = sizeof some / sizeof *some - 1
    };
    size_t const count = small != 0 ? 6 : LAST + 1;
    size_t       turn = 0;
    rls = device_make(some[LAST] * sizeof(uint64_t), 0);
    dms = device_make(some[LAST] * sizeof(uint64_t), 0);
    for (size_t s = 0; s < count; s++)
        for (size_t t = 0; t < INPUTS_TYPES; t += small != 0 ? 4 : 1)
            for (size_t shape = turn % 3; shape <= inputs_count(); shape += small != 0       ? 5
                                                                            : some[s] < 2000 ? 2
                                                                                             : 3,
                        turn++) {
                ordo_type const type = inputs_types[t];
                size_t const    n = some[s], radius = n > 2 ? 1 + turn % (n - 1) % 100 : n - 1;
                bool const      k_sorted = shape == inputs_count();
                testkit_case("radius %s n=%zu %s %zu", ordo_type_name(type), n,
                             k_sorted ? "k-sorted" : inputs_name(shape), radius);
                if (k_sorted)
                    CHECK_STATUS(ORDO_OK,
                                 ordo_gen(cpu, ORDO_DIST_SHUFFLED, type, given, n,
                                          &ORDO_OPTS(ordo_gen_opts, .k = radius, .seed = n)),
                                 cpu);
                else
                    inputs_fill(shape, type, given, n, n);
                try_radius(type, n, ORDO_ALGORITHM_PREFIX, turn % 2 != 0);
                try_radius(type, n, ORDO_ALGORITHM_SCANS, turn % 2 == 0);
            }
    device_free(&rls);
    device_free(&dms);
}

/* The host waits for the radius or for the check of a given one. */
static void test_rough_capture(void)
{
    static const uint32_t keys[] = {3, 1, 2, 9, 5, 7};
    size_t const          n = sizeof keys / sizeof *keys;
    ordo_sort_opts opts = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE, .stream = stream);
    for (int way = 0; way < 4; way++) {
        cudaGraph_t graph;
        testkit_case("a sort of a k-sorted array in a captured graph, %d", way);
        opts.algorithm = way / 2 != 0 ? ORDO_ALGORITHM_HALVING : ORDO_ALGORITHM_ROUGH;
        opts.radius = way % 2 != 0 ? 2 : 0;
        bring(&in, keys, sizeof keys, 0);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        CHECK_STATUS(ORDO_E_ARG, ordo_sort(gpu, ORDO_U32, in.data, n, &opts), gpu);
        CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
        CUDA_CHECK(cudaGraphDestroy(graph));
        is_found(&in, keys, sizeof *keys);
    }
}

/* ---- Radix sorts by single bits ---- */

/* SPLIT and GLOBAL: sizes at the edges of tiles and of the scan's spans, all types and shapes. */
static void test_split(void)
{
    static size_t const some[] = {1,   2,   3,    31,   32,    33,    255,   256,    257,    511,
                                  512, 513, 1023, 1025, 16383, 16384, 16385, 100003, 1 << 20};
    size_t const        count = small > 1 ? 9 : small == 1 ? 13 : sizeof some / sizeof *some;
    size_t              turn = 0;
    for (size_t s = 0; s < count; s += small != 0 ? 2 : 1)
        for (size_t t = 0; t < INPUTS_TYPES; t += small != 0 ? 3 : 1)
            for (unsigned draw = 0; draw < (small != 0 ? 1 : some[s] < 2000 ? 6 : 2); draw++) {
                size_t const shape = turn++ % inputs_count();
                testkit_case("split %s n=%zu %s", ordo_type_name(inputs_types[t]), some[s],
                             inputs_name(shape));
                inputs_fill(shape, inputs_types[t], given, some[s], turn);
                try_sort(inputs_types[t], some[s], ORDO_ALGORITHM_SPLIT, 0, turn % 3 == 0);
                try_sort(inputs_types[t], some[s], ORDO_ALGORITHM_GLOBAL, 0, turn % 3 == 1);
            }
}

/* ---- Refusals ---- */

static void test_refusals(void)
{
    static const float keys[4] = {1, 2, 3, 4};
    float              result = 9;
    size_t const       k = 1;
    size_t             bytes = 7;
    ordo_select_opts   opts =
        ORDO_OPTS(ordo_select_opts, .algorithm = ORDO_ALGORITHM_BITONIC, .sub_array = 4096);
    testkit_case("sub-arrays that are too long");
    for (int merge = 0; merge < 2; merge++) {
        opts.algorithm = merge != 0 ? ORDO_ALGORITHM_MERGE : ORDO_ALGORITHM_BITONIC;
        CHECK_STATUS(ORDO_E_ARG, ordo_select(gpu, ORDO_F32, keys, 4, &k, 1, &result, &opts), gpu);
        CHECK(strstr(ordo_last_error(gpu), "from 2 to 2048") != NULL);
        CHECK_STATUS(ORDO_E_ARG, ordo_select_scratch(gpu, ORDO_F32, 4, 1, &opts, &bytes), gpu);
    }
    CHECK(result == 9 && bytes == 7);

    testkit_case("a merge on the host in a captured graph");
    cudaGraph_t graph;
    opts.algorithm = ORDO_ALGORITHM_BITONIC;
    opts.sub_array = 4;
    opts.flags = ORDO_ON_DEVICE;
    opts.stream = stream;
    device_place(&in, sizeof keys, 0);
    device_place(&out, sizeof result, 0);
    device_put(&in, keys);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_STATUS(ORDO_E_ARG, ordo_select(gpu, ORDO_F32, in.data, 4, &k, 1, out.data, &opts), gpu);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CHECK_STATUS(ORDO_OK, ordo_select(gpu, ORDO_F32, in.data, 4, &k, 1, out.data, &opts), gpu);
}

int main(void)
{
    const char *const wish = getenv("ORDO_TEST_SMALL");
    size_t const      most = (size_t)MOST * sizeof(uint64_t);
    device_start();
    small = wish != NULL ? strtol(wish, NULL, 10) : 0;
    in = device_make(most, 0);
    out = device_make(most, 0);
    given = test_keep(most);
    expected = test_keep(most);
    found = test_keep(most);

    size_t const step = small > 1 ? 9 : small == 1 ? 5 : 1;
    for (size_t i = 0; i < SIZES; i += step) {
        for (unsigned shape = 0; shape < (small != 0 ? 1 : 3); shape++)
            test_flags(sizes[i], shape);
        test_words(sizes[i]);
    }
    for (size_t i = 0; i < LARGE_SIZES && small == 0; i++) {
        test_flags(large_sizes[i], 0);
        test_words(large_sizes[i]);
    }
    test_sub_arrays();
    test_nans();
    test_example();
    test_radius();
    test_rough();
    test_rough_capture();
    test_split();
    test_refusals();
    device_free(&in);
    device_free(&out);
    return device_done();
}
