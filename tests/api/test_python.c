/* test_python.c - the functions that Python calls without ctypes, with objects of the same layout
 * as those of CPython and NumPy. The real objects are in python/tests/test_quick.py. */
#include "ordo_python.h"
#include "testkit.h"

#include <float.h>
#include <math.h>
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
    for (int type = ORDO_I8; type <= ORDO_TYPES; type++) {
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

/* ---- Calls instead of the code of Python functions ---- */

enum {
    MOST = 2048
};

static union {
    uint64_t u64[MOST];
    double   f64[MOST];
} results; /* of the last array that was made */
static intptr_t made_n, kept, dropped;
static array    made;
static object   ran, truth[2]; /* `ran` stands for the result of a Python function */
static double   number;
static bool     no_memory;

static void *code_of(void *function, void *const *args, size_t count, void *names)
{
    (void)function, (void)args, (void)count, (void)names;
    return &ran;
}

static void *new_array(const void *type, void *dtype, int dimensions, const intptr_t *shape,
                       const intptr_t *strides, void *data, int flags, void *owner)
{
    CHECK(type == ARRAY && dimensions == 1 && strides == NULL && data == NULL && owner == NULL);
    CHECK(flags == 0);
    if (no_memory)
        return NULL;
    made_n = *shape;
    made = array_of(&results, &made_n, ORDO_F64);
    made.dtype = dtype;
    return &made;
}

static void *scalar(void *data, void *dtype, void *base)
{
    CHECK(base == NULL);
    if (dtype == DTYPE(ORDO_F32))
        number = (double)*(float *)data;
    else if (dtype == DTYPE(ORDO_F64))
        number = *(double *)data;
    else
        number = (double)*(int32_t *)data;
    return dtype;
}

static long long whole(void *o, int *overflow)
{
    *overflow = ((object *)o)->value == INT64_MAX;
    return *overflow != 0 ? -1 : ((object *)o)->value;
}

static double real(void *o) { return (double)((object *)o)->value / 10; }
static void   keep(void *o) { kept += o != NULL; }
static void   drop(void *o) { dropped += o != NULL; }
static void   clear(void) {}

static const ordo_python_calls functions = {.python = &python,
                                            .code = code_of,
                                            .new_array = new_array,
                                            .scalar = scalar,
                                            .whole = whole,
                                            .real = real,
                                            .keep = keep,
                                            .drop = drop,
                                            .clear = clear,
                                            .integers = NUMBER,
                                            .reals = &number,
                                            .truth = {&truth[0], &truth[1]},
                                            .few_to_split = 4};

static void use(const void *ctx)
{
    object address = {1, NUMBER, (long long)(uintptr_t)ctx};
    CHECK_EQ_U64(0, returned(ordo_python_use, (void *[]){&address}, 1));
}

#define HIGHEST ((size_t)1 << (8 * sizeof(size_t) - 1))

static void *called(ordo_python_vectorcall *function, void *a, void *second, size_t count)
{
    return function(NULL, (void *[]){a, second, &last}, count | HIGHEST, NULL);
}

static void arrays_by_library(void)
{
    static const double expected[] = {1, 2, 3, 4, 5};
    double              keys[] = {3, 1, 5, 4, 2};
    intptr_t            n = 5;
    array               a = array_of(keys, &n, ORDO_F64);
    object              two = {1, NUMBER, 2}, back = {1, NUMBER, -3};
    const double *const f64 = results.f64;
    CHECK(called(ordo_python_sort, &a, &none, 2) == &made && made.dtype == DTYPE(ORDO_F64));
    CHECK(memcmp(&results, expected, sizeof expected) == 0 && keys[0] == 3);
    CHECK(called(ordo_python_argsort, &a, NULL, 1) == &made && made.dtype == DTYPE(ORDO_I64));
    CHECK(results.u64[0] == 1 && results.u64[1] == 4 && results.u64[4] == 2);
    CHECK(called(ordo_python_rankdata, &a, NULL, 1) == &made);
    CHECK(f64[0] == 3 && f64[1] == 1 && f64[2] == 5);
    CHECK(called(ordo_python_partition, &a, &two, 2) == &made && f64[2] == 3);
    CHECK(called(ordo_python_partition, &a, &back, 3) == &made && f64[2] == 3);
    CHECK(called(ordo_python_argpartition, &a, &two, 2) == &made && results.u64[2] == 0);
    CHECK(called(ordo_python_cumsum, &a, NULL, 1) == &made && f64[4] == 15);
    CHECK(called(ordo_python_cumprod, &a, NULL, 1) == &made && f64[4] == 120);
    CHECK(called(ordo_python_cummax, &a, NULL, 1) == &made && f64[1] == 3 && f64[4] == 5);
    CHECK(called(ordo_python_cummin, &a, NULL, 1) == &made && f64[0] == 3 && f64[4] == 1);
    int32_t narrow[] = {INT32_MAX, INT32_MAX};
    n = 2;
    a = array_of(narrow, &n, ORDO_I32);
    CHECK(called(ordo_python_cumsum, &a, NULL, 1) == &made && made.dtype == DTYPE(ORDO_I64));
    CHECK_EQ_U64(2 * (uint64_t)INT32_MAX, results.u64[1]);
    CHECK_EQ_U64(0, dropped);
}

/* The mean of the two middle keys, which is not their quantile 1/2; a zero is positive. */
static void medians_of_numpy(void)
{
    static const struct {
        double keys[2], median;
    } cases[] = {
        {{0.15, 0.97}, (0.15 + 0.97) / 2}, {{-0.0, -0.0}, 0.0},       {{DBL_MAX, DBL_MAX}, DBL_MAX},
        {{-DBL_MAX, DBL_MAX}, 0.0},        {{INFINITY, 1}, INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double   keys[] = {cases[i].keys[0], cases[i].keys[1]};
        intptr_t n = 2;
        array    a = array_of(keys, &n, ORDO_F64);
        CHECK(called(ordo_python_median, &a, NULL, 1) == DTYPE(ORDO_F64));
        CHECK(number == cases[i].median && !signbit(number));
    }
}

static void numbers_by_library(void)
{
    float    keys[] = {3, 1, 5, 4, 2, 6};
    intptr_t n = 6;
    array    a = array_of(keys, &n, ORDO_F32);
    object   k = {1, NUMBER, 1}, q = {1, &number, 4};
    CHECK(called(ordo_python_median, &a, NULL, 1) == DTYPE(ORDO_F32) && number == 3.5);
    CHECK(called(ordo_python_nanmedian, &a, &zero, 2) == DTYPE(ORDO_F32) && number == 3.5);
    CHECK(called(ordo_python_quantile, &a, &q, 2) == DTYPE(ORDO_F32) && number == 3);
    CHECK(called(ordo_python_select, &a, &k, 2) == DTYPE(ORDO_F32) && number == 2);
    CHECK(called(ordo_python_is_sorted, &a, NULL, 1) == &truth[0]);
    n = 1;
    CHECK(called(ordo_python_is_sorted, &a, NULL, 1) == &truth[1]);
    n = 2;
    memset(&keys[1], 0xff, sizeof keys[1]); /* a NaN */
    CHECK(called(ordo_python_median, &a, NULL, 1) == DTYPE(ORDO_F32) && isnan(number));
    CHECK(called(ordo_python_nanmedian, &a, NULL, 1) == DTYPE(ORDO_F32) && number == 3);
    CHECK(called(ordo_python_rankdata, &a, NULL, 1) == &ran);
    CHECK(called(ordo_python_cummin, &a, NULL, 1) == &ran);
    keys[0] = keys[1];
    CHECK(called(ordo_python_nanmedian, &a, NULL, 1) == &ran);
    int32_t whole_keys[] = {1, 2};
    a = array_of(whole_keys, &n, ORDO_I32);
    CHECK(called(ordo_python_median, &a, NULL, 1) == DTYPE(ORDO_F64) && number == 1.5);
    medians_of_numpy();
    CHECK(called(ordo_python_select, &a, &k, 2) == DTYPE(ORDO_I32) && number == 2);
}

/* Calls for which the code of the Python function runs. */
static void left_to_python(ordo_ctx *ctx)
{
    static double keys[MOST];
    intptr_t      n = 3, long_n = MOST;
    array  a = array_of(keys, &n, ORDO_F64), wide = a, large = array_of(keys, &long_n, ORDO_F64);
    object one = {1, NUMBER, 1}, three = {1, NUMBER, 3}, before = {1, NUMBER, -4};
    object huge = {1, NUMBER, INT64_MAX}, text = {1, &none, 0}, q = {1, &number, 11};
    void *const bad[] = {&three, &before, &huge, &text};
    wide.dimensions = 2;
    CHECK(called(ordo_python_sort, &wide, NULL, 1) == &ran);
    CHECK(called(ordo_python_sort, &large, NULL, 1) == &ran);
    CHECK(called(ordo_python_sort, &a, &one, 2) == &ran);
    CHECK(called(ordo_python_sort, &a, &none, 3) == &ran);
    CHECK(called(ordo_python_rankdata, &a, &none, 2) == &ran);
    CHECK(ordo_python_sort(NULL, (void *[]){&a, &none}, 1, &none) == &ran);
    CHECK(ordo_python_sort(NULL, NULL, 0, NULL) == &ran);
    for (size_t i = 0; i < 4; i++) {
        CHECK(called(ordo_python_select, &a, bad[i], 2) == &ran);
        CHECK(called(ordo_python_partition, &a, bad[i], 2) == &ran);
    }
    CHECK(called(ordo_python_quantile, &a, &one, 2) == &ran);
    intptr_t const begun = dropped;
    CHECK(called(ordo_python_quantile, &a, &q, 2) == &ran); /* q is 1.1 */
    no_memory = true;
    CHECK(called(ordo_python_sort, &a, NULL, 1) == &ran);
    no_memory = false;
    CHECK(dropped == begun);
    n = 0;
    CHECK(called(ordo_python_median, &a, NULL, 1) == &ran);
    n = 3;
    CHECK(called(ordo_python_sort, &a, NULL, 1) == &made);
    CHECK_EQ_U64(0, returned(ordo_python_forget, NULL, 0));
    CHECK(called(ordo_python_sort, &a, NULL, 1) == &ran);
    use(ctx);
    CHECK(called(ordo_python_sort, &a, NULL, 1) == &made);
    use(NULL);
    CHECK(called(ordo_python_sort, &a, NULL, 1) == &ran);
}

/* Compares two keys. The context is busy, so a call fails after its result was made. */
static int compare_busy(void *user, const void *a, const void *b)
{
    double const   left = *(const double *)a, right = *(const double *)b;
    intptr_t const begun = dropped;
    CHECK(called(ordo_python_sort, user, NULL, 1) == &ran);
    CHECK(dropped == begun + 1);
    CHECK(called(ordo_python_argsort, user, NULL, 1) == &ran);
    CHECK(dropped == begun + 2);
    CHECK(called(ordo_python_median, user, NULL, 1) == &ran); /* makes its result last */
    CHECK(dropped == begun + 2);
    return (left > right) - (left < right);
}

static void left_after_a_failure(ordo_ctx *ctx)
{
    double         keys[] = {3, 1, 2}, others[] = {5, 4};
    intptr_t       n = 3;
    array          a = array_of(keys, &n, ORDO_F64);
    intptr_t const begun = dropped;
    use(ctx);
    CHECK_STATUS(ORDO_OK, ordo_sort_by(ctx, others, 2, sizeof *others, compare_busy, &a, NULL),
                 ctx);
    CHECK(others[0] == 4 && dropped > begun);
    use(NULL);
}

static void by_library(ordo_ctx *ctx)
{
    object address = {1, NUMBER, (long long)(uintptr_t)&functions};
    CHECK_EQ_U64(0, returned(ordo_python_install, (void *[]){&address}, 1));
    use(ctx);
    arrays_by_library();
    numbers_by_library();
    left_to_python(ctx);
    left_after_a_failure(ctx);
    CHECK(kept > 0);
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
    by_library(ctx);
    ordo_ctx_free(ctx);
    return testkit_done();
}
