/* test_strings_limits.c - the verbs of strings: refused arguments, too little memory, long shared
 * prefixes, many equal strings, and cancellation of long calls. */
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

/* ---- Refused arguments ---- */

#define REFUSED(status, words, call)                                                               \
    do {                                                                                           \
        CHECK_STATUS((status), (call), NULL);                                                      \
        CHECK(strstr(ordo_last_error(ctx), (words)) != NULL);                                      \
    } while (0)

static void test_refusals(void)
{
    ordo_ctx *const    ctx = test_context_make(2);
    const char        *pointers[3] = {"b", "a", NULL};
    uint64_t           offsets[4] = {0, 2, 1, 3}, out[4] = {0};
    uint32_t           index[4] = {7, 7, 7, 7};
    char               bytes[8] = "abcdefg", out_bytes[8];
    size_t             k = 3;
    ordo_strings const falling = {sizeof falling, bytes, offsets, NULL};
    ordo_strings const with_null = {sizeof with_null, NULL, NULL, pointers};
    ordo_strings const both = {sizeof both, bytes, offsets, pointers};
    ordo_strings const neither = {sizeof neither, NULL, NULL, NULL};
    ordo_strings const no_offsets = {sizeof no_offsets, bytes, NULL, NULL};
    ordo_strings const no_size = {0, bytes, offsets, NULL};
    testkit_case("refusals");
#define ARGSORT(s, n) ordo_argsort_strings(ctx, s, n, ORDO_U32, index, NULL)
    REFUSED(ORDO_E_ARG, "offsets decreases at 2", ARGSORT(&falling, 3));
    REFUSED(ORDO_E_ARG, "pointers[2] is NULL", ARGSORT(&with_null, 3));
    REFUSED(ORDO_E_ARG, "both", ARGSORT(&both, 3));
    REFUSED(ORDO_E_ARG, "neither", ARGSORT(&neither, 3));
    REFUSED(ORDO_E_ARG, "offsets is NULL", ARGSORT(&no_offsets, 3));
    REFUSED(ORDO_E_ARG, "struct_size", ARGSORT(&no_size, 3));
    REFUSED(ORDO_E_ARG, "strings is NULL", ARGSORT(NULL, 3));
    CHECK_STATUS(ORDO_OK, ARGSORT(&neither, 0), ctx);
    REFUSED(ORDO_E_ARG, "pointers[2] is NULL", ordo_sort_pointers(ctx, pointers, 3, NULL));
    CHECK(index[0] == 7 && strcmp(pointers[0], "b") == 0);

    uint64_t           huge[3] = {0, UINT64_C(1) << 32, UINT64_C(1) << 33};
    ordo_strings const too_long = {sizeof too_long, bytes, huge, NULL};
    REFUSED(ORDO_E_ARG, "string 0 has 4294967296 bytes", ARGSORT(&too_long, 2));
    offsets[1] = 1;
    offsets[2] = 3;
    ordo_strings const no_bytes = {sizeof no_bytes, NULL, offsets, NULL};
    REFUSED(ORDO_E_ARG, "bytes is NULL", ARGSORT(&no_bytes, 3));
    REFUSED(ORDO_E_ARG, "overlap", ordo_argsort_strings(ctx, &falling, 3, ORDO_U64, offsets, NULL));
    REFUSED(ORDO_E_ARG, "overlap", ordo_sort_strings(ctx, &falling, 3, bytes + 2, out, NULL));
    REFUSED(ORDO_E_ARG, "overlap", ordo_sort_strings(ctx, &falling, 3, (char *)&out[1], out, NULL));
    REFUSED(ORDO_E_ARG, "out_bytes is NULL", ordo_sort_strings(ctx, &falling, 3, NULL, out, NULL));
    REFUSED(ORDO_E_ARG, "has pointers",
            ordo_sort_strings(ctx, &with_null, 2, out_bytes, out, NULL));
    REFUSED(ORDO_E_ARG, "k[0] is 3", ordo_select_strings(ctx, &falling, 3, &k, 1, out, NULL));
    REFUSED(ORDO_E_ARG, "expected auto",
            ordo_argsort_strings(ctx, &falling, 3, ORDO_U32, index,
                                 &ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_MERGE)));
    REFUSED(ORDO_E_ARG, "radius",
            ordo_argsort_strings(ctx, &falling, 3, ORDO_U32, index,
                                 &ORDO_OPTS(ordo_sort_opts, .radius = 1)));
    REFUSED(ORDO_E_VERSION, "flags",
            ordo_argsort_strings(ctx, &falling, 3, ORDO_U32, index,
                                 &ORDO_OPTS(ordo_sort_opts, .flags = ORDO_CHECK)));
    REFUSED(ORDO_E_ARG, "average ranks need f64",
            ordo_rank_strings(ctx, &falling, 3, ORDO_U32, index,
                              &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE)));
    REFUSED(ORDO_E_ARG, "index_type",
            ordo_argsort_strings(ctx, &falling, 3, ORDO_I32, index, NULL));
    REFUSED(ORDO_E_ARG, "rank_type", ordo_rank_strings(ctx, &falling, 3, ORDO_F32, index, NULL));
    ordo_ctx_free(ctx);
}

/* ---- Too little memory ---- */

enum {
    N = 100000,
    LENGTH = 9, /* with the zero byte */
    CALLS = 5
};

static char        words[N * LENGTH];
static uint64_t    offsets[N + 1], out[N + 1];
static const char *pointers[N], *before[N];
static char        out_bytes[sizeof words];

static ordo_status call_number(ordo_ctx *ctx, int number)
{
    ordo_strings const strings = {sizeof strings, words, offsets, NULL};
    size_t const       k = N / 2;
    switch (number) {
    case 0:
        return ordo_argsort_strings(ctx, &strings, N, ORDO_U64, out, NULL);
    case 1:
        return ordo_rank_strings(ctx, &strings, N, ORDO_U64, out, NULL);
    case 2:
        return ordo_select_strings(ctx, &strings, N, &k, 1, out, NULL);
    case 3:
        return ordo_sort_strings(ctx, &strings, N, out_bytes, out, NULL);
    default:
        return ordo_sort_pointers(ctx, pointers, N, NULL);
    }
}

static void make_words(void)
{
    test_rng rng = {5};
    for (size_t i = 0; i < N; i++) {
        uint64_t const word = test_rng_next(&rng) | UINT64_C(0x0101010101010101);
        memcpy(words + i * LENGTH, &word, sizeof word);
        offsets[i + 1] = (i + 1) * LENGTH;
        pointers[i] = before[i] = words + i * LENGTH;
    }
}

static void test_memory_limit(int number)
{
    testkit_case("memory limit, call %d", number);
    memset(out, 0x5a, sizeof out);
    ordo_ctx *const ctx = CONTEXT(.mem_limit = 1 << 20);
    CHECK_STATUS(ORDO_E_NOMEM, call_number(ctx, number), NULL);
    CHECK(memcmp(pointers, before, sizeof pointers) == 0);
    CHECK(out[0] == UINT64_C(0x5a5a5a5a5a5a5a5a) && out[N] == out[0]);
    ordo_ctx_free(ctx);
}

static void test_allocator_fails(int number)
{
    bool done = false;
    for (size_t fail_at = 1; !done && fail_at < 50; fail_at++) {
        test_allocator allocator = {.fail_at = fail_at};
        ordo_ctx      *ctx;
        testkit_case("allocation %zu refused, call %d", fail_at, number);
        if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 2, ALLOCATOR(&allocator))) ==
            ORDO_OK) {
            ordo_status const got = call_number(ctx, number);
            done = allocator.refused == 0;
            CHECK(got == (done ? ORDO_OK : ORDO_E_NOMEM));
            CHECK(done || memcmp(pointers, before, sizeof pointers) == 0);
        }
        ordo_ctx_free(ctx);
        CHECK_EQ_U64(0, allocator.live);
    }
    CHECK(done);
}

/* ---- Equal and nearly equal strings, which a quadratic sort would not finish in time ---- */

/* Sorts n pointers to `copies` copies of one string. */
static void sort_copies(const char *name, const char *string, size_t n, size_t copies)
{
    ordo_ctx *const    ctx = test_context_make(2);
    const char **const same = test_need(n * sizeof *same);
    uint32_t *const    index = test_need(n * sizeof *index);
    size_t const       length = strlen(string) + 1;
    char *const        memory = test_need(length * copies);
    ordo_strings const strings = {sizeof strings, NULL, NULL, same};
    size_t             wrong = 0;
    for (size_t i = 0; i < copies; i++)
        memcpy(memory + i * length, string, length);
    for (size_t i = 0; i < n; i++)
        same[i] = memory + i % copies * length;
    testkit_case("%s", name);
    CHECK_STATUS(ORDO_OK, ordo_argsort_strings(ctx, &strings, n, ORDO_U32, index, NULL), ctx);
    for (size_t i = 0; i < n; i++)
        wrong += index[i] != i;
    CHECK_EQ_U64(0, wrong);
    ordo_ctx_free(ctx);
    free(memory);
    free(index);
    free(same);
}

/* 100 strings in reverse order that share a megabyte and differ in their last bytes. */
static void test_shared_megabyte(void)
{
    enum {
        COUNT = 100,
        SHARED = 1 << 20
    };
    ordo_ctx *const ctx = test_context_make(2);
    size_t const    length = SHARED + 3;
    char *const     memory = test_need(COUNT * length);
    uint64_t        starts[COUNT + 1];
    const char     *ends[COUNT];
    uint32_t        index[COUNT];
    memset(memory, 'm', COUNT * length);
    for (size_t i = 0; i < COUNT; i++) {
        starts[i] = i * length;
        ends[i] = memory + starts[i];
        memory[starts[i] + SHARED] = (char)('0' + (COUNT - 1 - i) / 10);
        memory[starts[i] + SHARED + 1] = (char)('0' + (COUNT - 1 - i) % 10);
        memory[starts[i] + SHARED + 2] = '\0';
    }
    starts[COUNT] = COUNT * length;
    ordo_strings const forms[2] = {{sizeof *forms, memory, starts, NULL},
                                   {sizeof *forms, NULL, NULL, ends}};
    for (int form = 0; form < 2; form++) {
        testkit_case("shared megabyte, form %d", form);
        CHECK_STATUS(ORDO_OK, ordo_argsort_strings(ctx, &forms[form], COUNT, ORDO_U32, index, NULL),
                     ctx);
        for (size_t i = 0; i < COUNT; i++)
            CHECK_EQ_U64(COUNT - 1 - i, index[i]);
    }
    ordo_ctx_free(ctx);
    free(memory);
}

static void test_copies(void)
{
    enum {
        LONG = 1 << 20
    };
    char *const string = test_keep(LONG + 1);
    memset(string, 'e', LONG);
    string[LONG] = '\0';
    sort_copies("a million equal words", "fifteen letters", 1000000, 1000);
    sort_copies("equal strings of a megabyte", string, 200, 20);
    sort_copies("two equal strings of a megabyte", string, 2, 2);
    string[300] = '\0';
    sort_copies("many equal strings", string, 200000, 1000);
    test_shared_megabyte();
}

/* ---- Cancel ---- */

typedef struct progress {
    unsigned calls;
    double   when; /* time of the cancellation */
} progress;

static int cancel_third(void *user, double done)
{
    progress *const self = user;
    CHECK(done >= 0 && done <= 1);
    if (++self->calls < 3)
        return 0;
    self->when = test_now();
    return 1;
}

/* n pointers to one string of `length` bytes: the whole sort would take very long. */
static void try_cancel(size_t n, size_t length, unsigned threads)
{
    char *const        string = test_need(length + 1);
    const char **const same = test_need(n * sizeof *same);
    memset(string, 's', length);
    string[length] = '\0';
    testkit_case("cancel, n=%zu length=%zu threads=%u", n, length, threads);
    progress self = {0, 0};
    for (size_t i = 0; i < n; i++)
        same[i] = string + i % 2;
    ordo_ctx *const ctx =
        CONTEXT(.threads = threads, .progress = cancel_third, .progress_user = &self);
    CHECK_STATUS(ORDO_E_CANCELLED, ordo_sort_pointers(ctx, same, n, NULL), NULL);
    CHECK(!test_times_count() || test_now() - self.when < 0.050);
    CHECK_EQ_U64(3, self.calls);
    CHECK(same[0] == string && same[1] == string + 1 && same[n - 1] == string + (n - 1) % 2);
    ordo_ctx_free(ctx);
    free(same);
    free(string);
}

/* Two long strings that differ in their first byte: the call mostly copies. The callback comes at
 * every opportunity, so that the test does not depend on the speed of the machine. */
static void try_cancel_copy(void)
{
    enum {
        LENGTH_EACH = 1 << 28
    };
    char *const        bytes = test_need(2 * (size_t)LENGTH_EACH);
    char *const        copy = test_need(2 * (size_t)LENGTH_EACH);
    uint64_t const     starts[3] = {0, LENGTH_EACH, 2 * (uint64_t)LENGTH_EACH};
    uint64_t           copied[3];
    ordo_strings const strings = {sizeof strings, bytes, starts, NULL};
    progress           self = {0, 0};
    ordo_ctx *const    ctx =
        CONTEXT(.progress = cancel_third, .progress_user = &self, .progress_interval = -1);
    memset(bytes, 'b', LENGTH_EACH);
    memset(bytes + LENGTH_EACH, 'a', LENGTH_EACH);
    testkit_case("cancel a copy");
    CHECK_STATUS(ORDO_E_CANCELLED, ordo_sort_strings(ctx, &strings, 2, copy, copied, NULL), NULL);
    ordo_ctx_free(ctx);
    free(bytes);
    free(copy);
}

int main(void)
{
    testkit_start();
    test_refusals();
    make_words();
    for (int number = 0; number < CALLS; number++) {
        test_memory_limit(number);
        test_allocator_fails(number);
    }
    test_copies();
    try_cancel(1000000, 1 << 20, 1);
    try_cancel(1000000, 1 << 20, 4);
    try_cancel(60000, 1 << 20, 1);
    try_cancel(2, 1 << 29, 1);
    try_cancel(8, 1 << 27, 1);
    try_cancel_copy();
    return testkit_done();
}
