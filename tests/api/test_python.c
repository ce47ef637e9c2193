/* test_python.c - the functions that Python calls without ctypes, with objects of the same layout
 * as those of CPython and NumPy. The real objects are in python/tests/test_quick.py. */
#include "ordo_python.h"
#include "testkit.h"

#include <string.h>

typedef struct object { /* an int: its value follows the header */
    intptr_t    references;
    const void *type;
    long long   value;
} object;

typedef struct array {
    intptr_t    references;
    const void *type;
    void       *data;
    int         dimensions;
    intptr_t   *shape, *strides;
    const void *base;
    const void *dtype;
    int         flags;
} array;

enum {
    PLAIN = 0x0101
};

/* Objects in place of types and dtypes: only their addresses matter. */
static char types_of[16];
#define ARRAY (&types_of[14])
#define NUMBER (&types_of[15])
#define DTYPE(type) (&types_of[type])

static object none, zero, last = {.value = -1}, answer;

static unsigned long long number_of(void *o) { return (unsigned long long)((object *)o)->value; }

static void *integer_of(long value)
{
    answer.value = value;
    return &answer;
}

static ordo_python python;

static long long returned(void *(*function)(void *, void *const *, intptr_t), void *const *args,
                          intptr_t count)
{
    array self = {.type = ARRAY, .data = &python};
    return ((object *)function(&self, args, count))->value;
}

static array array_of(void *data, intptr_t *n, ordo_type type)
{
    return (array){.type = ARRAY,
                   .data = data,
                   .dimensions = 1,
                   .shape = n,
                   .dtype = DTYPE(type),
                   .flags = PLAIN | 0x0400};
}

static void types(void)
{
    double   keys[4] = {0};
    intptr_t n = 4;
    for (int type = ORDO_I8; type <= ORDO_F64; type++) {
        array a = array_of(keys, &n, (ordo_type)type);
        CHECK_EQ_U64(type, returned(ordo_python_type, (void *[]){&a}, 1));
        object one = {1, NUMBER, 1};
        void  *axes[] = {&none, &zero, &last, &one};
        for (size_t i = 0; i < 4; i++)
            CHECK_EQ_U64(i < 3 ? type : 0, returned(ordo_python_type, (void *[]){&a, axes[i]}, 2));
        CHECK_EQ_U64(0, returned(ordo_python_type, (void *[]){&a, &none, &none}, 3));
        CHECK_EQ_U64(0, returned(ordo_python_type, NULL, 0));
        array others[5] = {a, a, a, a, a};
        others[0].type = NUMBER;
        others[1].dimensions = 2;
        others[2].flags = 0x0001;
        others[3].flags = 0x0100;
        others[4].dtype = DTYPE(0);
        for (size_t i = 0; i < 5; i++)
            CHECK_EQ_U64(0, returned(ordo_python_type, (void *[]){&others[i]}, 1));
    }
}

static void nans(void)
{
    static const uint64_t patterns[] = {0x7ff0000000000001, 0xfff0000000000001, 0x7fffffffffffffff};
    uint64_t              wide[9];
    uint32_t              narrow[9];
    intptr_t              n = 9;
    for (size_t i = 0; i < 9; i++) {
        wide[i] = i % 2 == 0 ? 0x7ff0000000000000 : 0xfff0000000000000; /* infinities */
        narrow[i] = i % 2 == 0 ? 0x7f800000 : 0xff800000;
    }
    array a = array_of(wide, &n, ORDO_F64), b = array_of(narrow, &n, ORDO_F32);
    array c = array_of(wide, &n, ORDO_U64);
    CHECK_EQ_U64(0, returned(ordo_python_has_nan, (void *[]){&a}, 1));
    CHECK_EQ_U64(0, returned(ordo_python_has_nan, (void *[]){&b}, 1));
    for (size_t i = 0; i < 27; i++) {
        uint64_t const kept = wide[i / 3];
        uint32_t const half = narrow[i / 3];
        wide[i / 3] = patterns[i % 3];
        narrow[i / 3] = (uint32_t)(patterns[i % 3] >> 32) | 0x7f800001;
        CHECK_EQ_U64(1, returned(ordo_python_has_nan, (void *[]){&a}, 1));
        CHECK_EQ_U64(1, returned(ordo_python_has_nan, (void *[]){&b}, 1));
        CHECK_EQ_U64(0, returned(ordo_python_has_nan, (void *[]){&c}, 1));
        wide[i / 3] = kept;
        narrow[i / 3] = half;
    }
    CHECK_EQ_U64(0, returned(ordo_python_has_nan, NULL, 0));
}

static void calls(ordo_ctx *ctx)
{
    double   keys[4] = {3, 1, 4, 1.5}, values[2];
    uint64_t index[2];
    size_t   found = 0;
    intptr_t n = 4, two = 2;
    array    a = array_of(keys, &n, ORDO_F64), v = array_of(values, &two, ORDO_F64);
    array    i = array_of(index, &two, ORDO_U64);
    object   topk = {1, NUMBER, (long long)(uintptr_t)ordo_topk};
    object   sort = {1, NUMBER, (long long)(uintptr_t)ordo_sort};
    object   context = {1, NUMBER, (long long)(uintptr_t)ctx};
    object   f64 = {1, NUMBER, ORDO_F64}, u64 = {1, NUMBER, ORDO_U64};
    object   size = {1, NUMBER, 4}, k = {1, NUMBER, 2}, bad = {1, NUMBER, 99};
    object   at = {1, NUMBER, (long long)(uintptr_t)&found};
    void    *most[] = {&topk, &context, &f64, &a, &size, &k, &v, &u64, &i, &at, &none};
    CHECK_EQ_U64(ORDO_OK, returned(ordo_python_call, most, 11));
    CHECK(values[0] == 1 && values[1] == 1.5 && index[0] == 1 && index[1] == 3 && found == 2);
    void *few[] = {&sort, &context, &f64, &a, &size, &none};
    CHECK_EQ_U64(ORDO_OK, returned(ordo_python_call, few, 6));
    CHECK(keys[0] == 1 && keys[1] == 1.5 && keys[2] == 3 && keys[3] == 4);
    few[2] = &bad;
    CHECK(returned(ordo_python_call, few, 6) == ORDO_E_ARG);
    CHECK(strlen(ordo_last_error(ctx)) > 0);
    CHECK(returned(ordo_python_call, few, 1) == ORDO_E_ARG);
    CHECK(returned(ordo_python_call, few, 0) == ORDO_E_ARG);
    CHECK(returned(ordo_python_call, most, 12) == ORDO_E_ARG);
}

int main(void)
{
    ordo_ctx *ctx = NULL;
    testkit_start();
    python = (ordo_python){.array = ARRAY,
                           .none = &none,
                           .number = number_of,
                           .integer = integer_of,
                           .axes = {&zero, &last}};
    for (size_t i = 0; i < 10; i++)
        python.dtypes[i] = DTYPE(i + 1);
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, NULL), NULL);
    types();
    nans();
    calls(ctx);
    ordo_ctx_free(ctx);
    return testkit_done();
}
