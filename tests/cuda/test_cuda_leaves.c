/* test_cuda_leaves.c - sorts, pairs and argsorts of device arrays that are sorted by their leading
 * digits, or partitioned because their keys are spread evenly, and then sorted leaf by leaf; and
 * sorts of arrays with few distinct values. All are compared with the CPU. Some inputs defeat the
 * leaves: long groups of keys with one prefix, keys that crowd in one bucket of a leaf, and values
 * that repeat. Other keys are in order, so that the lanes of a warp count the same bucket.
 * ORDO_TEST_SMALL=1 tests one length of u32 and of f32, for compute-sanitizer;
 * ORDO_TEST_SMALL=2 tests two short arrays and one long one, for its race checker. */
#include "device.h"

#include "core/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 8400007,
    LARGE = (128 << 20) / 4 + 7 /* keys of four bytes; such arrays are looked at first */
};

typedef enum shape {
    EVEN,
    JOINT,  /* the two leading digits are equal: groups are 256 times as long as expected */
    CROWD,  /* in a group all keys but a few are neighbours */
    NARROW, /* fewer than 2^20 values */
    HILL,   /* sums of four numbers */
    LOW,    /* keys differ only in the lower half */
    LOST,   /* small numbers, and one key in 32 has all bits set */
    LINKED, /* the bits of the second digit are equal to the bit below them */
    SHAPES
} shape;

static uint64_t key_of(shape how, size_t size, uint64_t draw)
{
    unsigned const half = (unsigned)(4 * size);
    uint64_t const top = draw >> (64 - 2 * half), few = ordo_random_mix(draw);
    uint64_t const upper = top >> half << half, digit = draw >> 56;
    switch (how) {
    case JOINT:
        return (digit << (2 * half - 8) | digit << (2 * half - 16)) | (top >> 16);
    case CROWD:
        return upper | (few % 500 == 0 ? (UINT64_C(1) << half) - 1 : few % 4);
    case NARROW:
        return draw % 1000000;
    case HILL:
        return ((draw & 0xffff) + (draw >> 16 & 0xffff) + (draw >> 32 & 0xffff) + (draw >> 48))
                   << (2 * half - 18) |
               (few & 0x3fff);
    case LOW:
        return top >> half;
    case LOST:
        return few % 32 == 0 ? UINT64_MAX : draw % 3000;
    case LINKED: {
        uint64_t const second = UINT64_C(0xff) << (2 * half - 16);
        return (top & ~second) | (top >> (2 * half - 17) & 1 ? second : 0);
    }
    default:
        return top;
    }
}

static void fill(shape how, size_t size, void *keys, size_t n)
{
    uint64_t const sequence = ordo_random_sequence(n + (size_t)how, 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t const key = key_of(how, size, ordo_random_at(sequence, i));
        uint32_t const narrow = (uint32_t)key;
        if (size == 4)
            ((uint32_t *)keys)[i] = narrow;
        else
            ((uint64_t *)keys)[i] = key;
    }
}

static device_array device_keys, device_values;
static void        *given, *keys, *found;
static uint64_t    *values, *found_values;

static ordo_sort_opts opts_of(bool descending, bool there)
{
    return ORDO_OPTS(ordo_sort_opts,
                     .flags = (descending ? ORDO_DESCENDING : 0) | (there ? ORDO_ON_DEVICE : 0));
}

/* The array starts `offset` bytes after a multiple of 256 bytes. */
static void try_sort(ordo_type type, size_t n, bool descending, size_t offset)
{
    size_t const         size = ordo_type_size(type);
    ordo_sort_opts const here = opts_of(descending, false), there = opts_of(descending, true);
    memcpy(keys, given, n * size);
    device_place(&device_keys, n * size, offset);
    device_put(&device_keys, given);
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, type, keys, n, &here), cpu);
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, type, device_keys.data, n, &there), gpu);
    CUDA_CHECK(cudaDeviceSynchronize());
    device_get(&device_keys, found);
    CHECK_BYTES(keys, found, n * size, size);
    CHECK(device_intact(&device_keys));
}

static void try_pairs(ordo_type type, size_t n, size_t value_size, bool descending)
{
    size_t const         size = ordo_type_size(type);
    ordo_sort_opts const here = opts_of(descending, false), there = opts_of(descending, true);
    memcpy(keys, given, n * size);
    for (size_t i = 0; i < n; i++)
        memcpy((char *)values + i * value_size, &(uint64_t){i}, value_size);
    device_place(&device_keys, n * size, 0);
    device_put(&device_keys, given);
    device_place(&device_values, n * value_size, 0);
    device_put(&device_values, values);
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(cpu, type, keys, n, values, value_size, &here), cpu);
    CHECK_STATUS(
        ORDO_OK,
        ordo_sort_pairs(gpu, type, device_keys.data, n, device_values.data, value_size, &there),
        gpu);
    CUDA_CHECK(cudaDeviceSynchronize());
    device_get(&device_keys, found);
    device_get(&device_values, found_values);
    CHECK_BYTES(keys, found, n * size, size);
    CHECK_BYTES(values, found_values, n * value_size, value_size);
    CHECK(device_intact(&device_keys) && device_intact(&device_values));
}

static void try_argsort(ordo_type type, size_t n, ordo_type index_type, bool descending)
{
    size_t const         size = ordo_type_size(type), index_size = ordo_type_size(index_type);
    ordo_sort_opts const here = opts_of(descending, false), there = opts_of(descending, true);
    device_place(&device_keys, n * size, 0);
    device_put(&device_keys, given);
    device_place(&device_values, n * index_size, 0);
    device_overwrite(&device_values);
    CHECK_STATUS(ORDO_OK, ordo_argsort(cpu, type, given, n, index_type, values, &here), cpu);
    CHECK_STATUS(
        ORDO_OK,
        ordo_argsort(gpu, type, device_keys.data, n, index_type, device_values.data, &there), gpu);
    CUDA_CHECK(cudaDeviceSynchronize());
    device_get(&device_values, found_values);
    CHECK_BYTES(values, found_values, n * index_size, index_size);
    CHECK(device_intact(&device_keys) && device_intact(&device_values));
}

static void test_leaves(long small)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F32, ORDO_I64, ORDO_F64};
    static const size_t    lengths[] = {1100001, 262143, 1048576, 2097151, 3000017};
    for (size_t t = 0; t < (small != 0 ? 1 : sizeof types / sizeof *types); t++)
        for (size_t l = 0; l < (small != 0 ? 1 : sizeof lengths / sizeof *lengths); l++)
            for (shape how = EVEN; how < (small > 1 ? CROWD : SHAPES); how++) {
                bool const   descending = (l + (size_t)how) % 2 == 1;
                size_t const n = small > 1 ? 262143 : lengths[l];
                testkit_case("%s n=%zu shape %d descending %d", ordo_type_name(types[t]), n,
                             (int)how, (int)descending);
                fill(how, ordo_type_size(types[t]), given, n);
                try_sort(types[t], n, descending, ordo_type_size(types[t]));
                try_pairs(types[t], n, l % 2 == 0 ? 4 : 8, descending);
                try_argsort(types[t], n, l % 2 == 0 ? ORDO_U64 : ORDO_U32, descending);
            }
}

typedef enum spread { /* evenly spread keys, with something that a sample does not see */
    PLAIN,
    SPECIAL, /* zeros of both signs, infinities and NaNs among floats */
    BELL,    /* uneven: sums of four numbers */
    TAILS,   /* uneven: most keys near the middle, a few far outside */
    FAR,     /* a few keys far outside the range of the others */
    OFTEN,   /* each value about 25 times */
    PILED,   /* one value 8000 times, too often for a leaf */
    BUNCHED, /* bunches of 300 keys with three values, too many for a bucket of a leaf */
    SKEWED,  /* a random number of leading zeros; integers have 24 bits */
    VALUES,  /* 100 values */
    UNSEEN,  /* 100 values, and about 5 keys with others */
    ENDS,    /* floats: infinities and values whose distance is not finite; few others */
    MISSING, /* 3000 values, and for one key in 32 another one, far from them */
    COMMON,  /* half of the keys have 1 of 200 values, every tenth of these the first one */
    CLUSTER, /* the same, and every 20th key is in a small range, too many for a leaf */
    PIPE,    /* ascending, then descending */
    BURSTS,  /* ascending; 125 neighbours have about the same value */
    RUNS,    /* at first runs of 100 or more equal keys, which fill a bucket of a leaf */
    TURNS,   /* two values in turn */
    SPREADS
} spread;

/* A sum of four numbers, below 2^32. */
static double bell_of(uint64_t draw)
{
    uint64_t const sum =
        (draw & 0xffff) + (draw >> 16 & 0xffff) + (draw >> 32 & 0xffff) + (draw >> 48);
    return (double)(sum << 14);
}

/* One of 200 values below 2^30 for about half of the keys; -1 for the others. */
static double common_of(uint64_t draw)
{
    uint64_t const few = ordo_random_mix(draw), which = few / 20 % 200;
    return few % 2 == 0 ? -1 : (double)(ordo_random_mix(few % 20 == 1 ? 0 : which) >> 34);
}

static double real_of(spread how, uint64_t draw, size_t n)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN};
    static const double ends[] = {-INFINITY, -3e38, 0.5, 3e38, INFINITY};
    uint64_t const      few = ordo_random_mix(draw);
    double const        unit = (double)(draw >> 11) * 0x1p-53;
    if (how == SPECIAL && few % 1000 == 0)
        return special[few / 1000 % 6];
    if (how == BELL)
        return bell_of(draw) * 0x1p-31 - 1 + (double)(few >> 11) * 0x1p-90;
    if (how == TAILS)
        return (few & 1 ? -1 : 1) * log(unit + 0x1p-54);
    if (how == FAR && few % 100000 == 0)
        return few & 1 << 20 ? 1e30 : -1e30;
    if (how == OFTEN)
        return (double)(uint64_t)(unit * (double)n / 25) - 1000;
    if (how == BUNCHED)
        return (double)(draw % (n / 300)) + (double)(few % 3) / 256;
    if (how == SKEWED)
        return ldexp(unit, -(int)(few % 60));
    if (how == VALUES || (how == UNSEEN && few % n >= 5))
        return (double)(ordo_random_mix(draw % 100) >> 11) * 0x1p-53 - 0.5;
    if (how == ENDS && few % 50 != 0)
        return ends[few / 50 % 5];
    if (how == MISSING)
        return few % 32 == 0 ? NAN : (double)(draw % 3000) + 512;
    if (how == CLUSTER && few % 20 == 2)
        return 0.25 + (double)(draw % 3000) * 0x1p-26;
    if (how >= COMMON && common_of(draw) >= 0)
        return common_of(draw) * 0x1p-30;
    return how == PILED && few % n < 8000 ? 0.25 : 2 * unit - 1;
}

static uint64_t integer_of(spread how, uint64_t draw, size_t n)
{
    uint64_t const few = ordo_random_mix(draw);
    if (how == BELL)
        return (uint64_t)bell_of(draw) + (few & 0x3fff);
    if (how == TAILS)
        return (uint64_t)(0x1p31 + 0x1p26 * real_of(how, draw, n));
    if (how == FAR && few % 100000 == 0)
        return few & 1 << 20 ? UINT64_MAX : 0;
    if (how == OFTEN)
        return 7 + draw % (n / 25);
    if (how == BUNCHED)
        return draw % (n / 300) * 12000 + few % 3;
    if (how == SKEWED)
        return draw >> 40 >> few % 24;
    if (how == VALUES || (how == UNSEEN && few % n >= 5))
        return ordo_random_mix(draw % 100) >> 32;
    if (how == MISSING)
        return few % 32 == 0 ? UINT32_MAX : draw % 3000 + 512;
    if (how == CLUSTER && few % 20 == 2)
        return 123456789 + draw % 500;
    if (how >= COMMON && common_of(draw) >= 0)
        return (uint64_t)common_of(draw);
    return how == PILED && few % n < 8000 ? 123456789 : draw % 1000000007 + 5000;
}

/* Keys that depend on their place i. */
static uint64_t placed(spread how, size_t i, uint64_t draw, size_t n)
{
    size_t const near = i < n / 2 ? i : n - 1 - i, run = n < 600000 ? 100 : n / 6000;
    if (how == RUNS)
        return (i < n / 8 ? ordo_random_mix(i / run) : draw) >> 32;
    if (how == TURNS)
        return i % 2 == 0 ? 77 : 1000000007;
    return how == PIPE ? 100 * (uint64_t)near + draw % 100
                       : i / 1000 * 64 + (i % 1000 + draw % 16) / 125;
}

static void fill_even(spread how, ordo_type type, size_t n)
{
    uint64_t const sequence = ordo_random_sequence(n + (size_t)how, 3);
    for (size_t i = 0; i < n; i++) {
        uint64_t const draw = ordo_random_at(sequence, i);
        bool const     by_place = how >= PIPE;
        uint64_t const place = by_place ? placed(how, i, draw, n) : 0;
        if (type == ORDO_F32)
            ((float *)given)[i] = (float)(by_place ? (double)place : real_of(how, draw, n));
        else if (type == ORDO_F64)
            ((double *)given)[i] = by_place ? (double)place : real_of(how, draw, n);
        else if (ordo_type_size(type) == 4)
            ((uint32_t *)given)[i] = (uint32_t)(by_place ? place : integer_of(how, draw, n));
        else /* bells and tails in more than 32 bits */
            ((uint64_t *)given)[i] = by_place ? place
                                              : integer_of(how, draw, n)
                                                    << (how == BELL || how == TAILS ? 20 : 0);
    }
}

static void test_even(long small)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F32, ORDO_I32, ORDO_U64, ORDO_F64};
    size_t const           count = small > 1 ? 1 : small == 1 ? 2 : sizeof types / sizeof *types;
    spread const           end = small > 1 ? SPECIAL : small == 1 ? TAILS : SPREADS;
    for (size_t t = 0; t < count; t++)
        for (spread how = PLAIN; how < end; how++) {
            bool const   descending = (t + (size_t)how) % 2 == 1;
            size_t const n = MOST - t;
            testkit_case("%s n=%zu spread %d descending %d", ordo_type_name(types[t]), n, (int)how,
                         (int)descending);
            fill_even(how, types[t], n);
            try_sort(types[t], n, descending, 16);
            if (small > 1)
                continue;
            if (how == PLAIN) /* not aligned to 16 bytes */
                try_sort(types[t], n, descending, ordo_type_size(types[t]));
            try_argsort(types[t], n, (t + (size_t)how) % 3 == 0 ? ORDO_U64 : ORDO_U32, descending);
        }
}

/* Lengths that one launch sorts, and the next lengths, of all kinds of sorts. */
static void test_grid(long small)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F32, ORDO_I32};
    static const size_t    lengths[] = {65537, 600001, 2097152, 2097153, 4194304, 4194305};
    for (size_t t = 0; t < (small > 1 ? 1 : sizeof types / sizeof *types); t++)
        for (size_t l = 0; l < (small != 0 ? 1 : sizeof lengths / sizeof *lengths); l++)
            for (spread how = PLAIN; how < SPREADS; how++) {
                bool const   descending = (t + l + (size_t)how) % 2 == 1;
                size_t const n = lengths[l];
                if (small > 1 && how != PLAIN && how != RUNS && how != VALUES && how != COMMON)
                    continue;
                testkit_case("%s n=%zu spread %d descending %d", ordo_type_name(types[t]), n,
                             (int)how, (int)descending);
                fill_even(how, types[t], n);
                try_sort(types[t], n, descending, 4);
                try_pairs(types[t], n, (l + (size_t)how) % 2 == 0 ? 4 : 8, descending);
                try_argsort(types[t], n, (l + (size_t)how) % 3 == 0 ? ORDO_U64 : ORDO_U32,
                            descending);
            }
}

/* `rare` more values occur once each. */
static void test_few(ordo_type type, size_t distinct, size_t rare, bool descending)
{
    size_t const   size = ordo_type_size(type), n = size == 4 ? LARGE : LARGE / 2 + 1;
    uint64_t const sequence = ordo_random_sequence(distinct, 2);
    testkit_case("%s n=%zu, %zu distinct values, %zu rare ones", ordo_type_name(type), n, distinct,
                 rare);
    for (size_t i = 0; i < n; i++) {
        uint64_t const which = ordo_random_below(ordo_random_at(sequence, i), distinct);
        uint64_t const key = ordo_random_mix(i < rare ? n + i : which);
        bool const     zero = which == 0 && i >= rare;
        if (size == 4)
            ((uint32_t *)given)[i] = (uint32_t)(zero                    ? 0
                                                : which + 1 == distinct ? UINT32_MAX
                                                                        : key);
        else
            ((uint64_t *)given)[i] = zero ? 0 : which + 1 == distinct ? UINT64_MAX : key;
    }
    try_sort(type, n, descending, size);
}

int main(void)
{
    const char *const wish = getenv("ORDO_TEST_SMALL");
    long const        small = wish != NULL ? strtol(wish, NULL, 10) : 0;
    device_start();
    given = test_keep((size_t)LARGE * 4 + 64);
    keys = test_keep((size_t)LARGE * 4 + 64);
    found = test_keep((size_t)LARGE * 4 + 64);
    values = test_keep(MOST * sizeof *values);
    found_values = test_keep(MOST * sizeof *values);
    device_keys = device_make((size_t)LARGE * 4 + 64, 0);
    device_values = device_make(MOST * sizeof *values + 64, 0);
    test_grid(small);
    test_leaves(small);
    test_even(small);
    if (small == 0) {
        test_few(ORDO_U32, 100, 0, false);
        test_few(ORDO_F32, 256, 0, true);
        test_few(ORDO_U32, 100, 3, false);
        test_few(ORDO_U64, 2, 0, false);
        test_few(ORDO_F64, 1000, 0, false);
        test_few(ORDO_U32, 3000, 500, false);
        test_few(ORDO_I32, 4095, 0, true);
        test_few(ORDO_U64, 4097, 0, false);
        test_few(ORDO_F32, 250, 6000, false);
    }
    device_free(&device_keys);
    device_free(&device_values);
    return device_done();
}
