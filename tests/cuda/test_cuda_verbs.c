/* test_cuda_verbs.c - every verb on device arrays gives the bytes of the CPU: each type and
 * variant, sizes around the edges of warps, tiles and grids, arrays with the least alignment, and
 * no write outside of the results. Sums of floats are checked against the oracle's bound.
 *
 * The test takes a part of all combinations in which every pair of variant, type and size meets;
 * ORDO_TEST_BIG=1 takes all. ORDO_TEST_SMALL=1 takes few sizes and types, for compute-sanitizer.
 * ORDO_TEST_SMALL=2 takes each variant once, with few keys, for its race checker. */
#include "calls.h"
#include "device.h"
#include "inputs.h"
#include "oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_KEYS = 1000003,
    MOST_ELEMENT = 16,
    SHAPES_A_SIZE = 2,
    FEW_SORTED = 700,  /* keys of a sort under the race checker        */
    FEW_KEYS = 5000,   /* up to this size, more shapes                 */
    MANY_KEYS = 100000 /* from this size on, one type for each variant */
};

static size_t const sizes[] = {0,     1,     2,     3,      31,     32,       33,   64,    255,
                               256,   257,   511,   1023,   1024,   1025,     2047, 2048,  2049,
                               3000,  4095,  4096,  4097,   6145,   8191,     8193, 16383, 16385,
                               32769, 65535, 65537, 131073, 262145, MOST_KEYS};

typedef struct few_keys {
    ordo_type type;
    size_t    n;
} few_keys;

static const few_keys of_all_sizes[] = {{ORDO_U32, 33},   {ORDO_U32, 1025}, {ORDO_F32, 4097},
                                        {ORDO_U64, 9001}, {ORDO_I16, 2047}, {ORDO_F64, 20011},
                                        {ORDO_U8, 6000},  {ORDO_U32, 70001}};
static const few_keys above_tiles[] = {
    {ORDO_U32, 10400}, {ORDO_F64, 5000}, {ORDO_I16, 4200}, {ORDO_U8, 2100}};

static device_array   device[CALL_ARRAYS];
static unsigned char *given[CALL_ARRAYS], *expected[CALL_ARRAYS], *found[CALL_ARRAYS];

static void fill(const call_plan *plan, int i, size_t shape)
{
    const call_array *const array = &plan->arrays[i];
    ordo_sort_opts const order = ORDO_OPTS(ordo_sort_opts, .flags = plan->flags & ORDO_DESCENDING);

    switch (array->content) {
    case CONTENT_KEYS:
    case CONTENT_SORTED:
        inputs_fill(shape, plan->type, given[i], plan->n, plan->n + 1);
        if (plan->inexact)
            inputs_limit_floats(plan->type, given[i], plan->n);
        if (array->content == CONTENT_SORTED)
            CHECK_STATUS(ORDO_OK, ordo_sort(cpu, plan->type, given[i], plan->n, &order), cpu);
        break;
    case CONTENT_FLAGS:
        inputs_flags(ORDO_FLAG_BYTES, given[i], plan->n, (unsigned)(shape % 17), plan->n);
        break;
    case CONTENT_ANY:
        calls_noise(given[i], array->bytes, plan->n + (size_t)i);
    }
}

/* The offset of a device array: a multiple of its element size; any number for flags, and for the
 * values of pairs. */
static size_t shift_for(const call_plan *plan, int i)
{
    bool const   has_no_type = i == 1 && strcmp(plan->verb, "radius") != 0;
    size_t const step = has_no_type ? 1 : i == 0 ? ordo_type_size(plan->type) : 8;
    return strcmp(plan->verb, "partition") == 0 ? plan->n % 13 : step * (plan->n % 7);
}

static bool written(const call_array *array)
{
    return array->use == ARRAY_WRITTEN || array->use == ARRAY_IN_PLACE;
}

static void prepare(const call_plan *plan, size_t shape, call_place *host, call_place *place)
{
    for (int i = 0; i < CALL_ARRAYS; i++) {
        const call_array *const array = &plan->arrays[i];
        host->arrays[i] = place->arrays[i] = NULL;
        if (array->use == ARRAY_NONE)
            continue;
        fill(plan, i, shape);
        memcpy(expected[i], given[i], array->bytes);
        device_place(&device[i], array->bytes, shift_for(plan, i));
        device_put(&device[i], given[i]);
        host->arrays[i] = expected[i];
        place->arrays[i] = device[i].data;
    }
}

static void compare(const call_plan *plan, const call_place *host, const call_place *place)
{
    for (int i = 0; i < CALL_ARRAYS; i++) {
        const call_array *const array = &plan->arrays[i];
        if (array->use == ARRAY_NONE)
            continue;
        device_get(&device[i], found[i]);
        if (!written(array))
            CHECK_BYTES(given[i], found[i], array->bytes, 1);
        else if (!plan->inexact)
            CHECK_BYTES(expected[i], found[i], array->bytes, 1);
        else
            CHECK_EQ_U64(plan->n,
                         oracle_check_float_sums(plan->type, given[0], plan->n, plan->out_type,
                                                 found[i], (plan->flags & ORDO_EXCLUSIVE) != 0));
        CHECK(device_intact(&device[i]));
    }
    CHECK_BYTES(host->numbers, place->numbers, sizeof place->numbers, sizeof(double));
}

static void try_call(size_t which, ordo_type type, size_t n, size_t shape)
{
    call_place host = {.ctx = cpu}, place = {.ctx = gpu, .on_device = true, .stream = stream};
    call_plan  plan;
    char       name[128];

    if (!calls_plan(which, type, n, &plan))
        return;
    prepare(&plan, shape, &host, &place);
    testkit_case("%s %s", calls_name(&plan, name, sizeof name), inputs_name(shape));
    CHECK_STATUS(ORDO_OK, calls_run(&plan, &host), cpu);
    CUDA_CHECK(cudaDeviceSynchronize()); /* the uploads use another stream */
    ordo_status const status = calls_run(&plan, &place);
    if (!CHECK_STATUS(ORDO_OK, status, gpu))
        return;
    CUDA_CHECK(cudaStreamSynchronize(stream));
    compare(&plan, &host, &place);
}

/* Whether the variant is tested with this type and size. Variants without a type take all sizes. */
static bool is_chosen(size_t which, size_t t, size_t s, size_t step)
{
    return !calls_typed(which) || (which + t + s) % step == 0;
}

static void test_all(bool product)
{
    size_t turn = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            size_t const step = product ? 1 : sizes[s] <= MANY_KEYS ? 3 : 10;
            for (size_t k = 0; k < (sizes[s] <= FEW_KEYS ? SHAPES_A_SIZE : 1); k++) {
                size_t const shape = turn++ % inputs_count();
                for (size_t which = 0; which < calls_count(); which++)
                    if (is_chosen(which, t, s, step))
                        try_call(which, inputs_types[t], sizes[s], shape);
            }
        }
}

static void test_few(void)
{
    for (size_t i = 0; i < sizeof of_all_sizes / sizeof *of_all_sizes; i++)
        for (size_t which = 0; which < calls_count(); which++)
            try_call(which, of_all_sizes[i].type, of_all_sizes[i].n, i % 3);
}

static void test_each_once(void)
{
    enum {
        WIDTHS = sizeof above_tiles / sizeof *above_tiles
    };
    for (size_t which = 0; which < calls_count(); which++) {
        const few_keys *const keys = &above_tiles[calls_typed(which) ? which % WIDTHS : 0];
        try_call(which, keys->type, calls_sorts(which) ? FEW_SORTED : keys->n, which % 3);
    }
}

int main(void)
{
    device_start();
    for (int i = 0; i < CALL_ARRAYS; i++) {
        size_t const bytes = (size_t)MOST_KEYS * MOST_ELEMENT;
        device[i] = device_make(bytes, 0);
        given[i] = test_keep(bytes);
        expected[i] = test_keep(bytes);
        found[i] = test_keep(bytes);
    }

    const char *const small = getenv("ORDO_TEST_SMALL");
    if (small == NULL)
        test_all(getenv("ORDO_TEST_BIG") != NULL);
    else if (strcmp(small, "2") == 0)
        test_each_once();
    else
        test_few();

    for (int i = 0; i < CALL_ARRAYS; i++)
        device_free(&device[i]);
    return device_done();
}
