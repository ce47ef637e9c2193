/* test_sort_by.c - ordo_sort_by through the public call: element sizes, shapes, stability, the
 * number of comparisons, comparisons that lie or fight back, refusals of memory, and cancel.
 *
 * An element holds a key in its first byte or bytes and says in the rest where it was; whatever
 * happens, the same elements must still be there. */
#include "inputs.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 30000,
    MOST_BYTES = MOST * 100, /* or fewer larger elements */
    GIANT = 600              /* bytes of an element that is sorted by a pointer to it */
};

static char        *input, *data, *check; /* data ends at a forbidden page */
static guard_region area;

/* ---- Elements: keys of 1 or 2 bytes, then the index as far as it fits ---- */

typedef struct facts { /* of a comparison, for its user pointer */
    size_t        size;
    atomic_size_t calls;
    ordo_ctx     *cancel; /* after `limit` calls */
    size_t        limit;
    int           lie; /* what a lying comparison says; 2: anything */
    atomic_uint   seed;
} facts;

static unsigned key_of(const unsigned char *element, size_t size)
{
    return size == 1 ? element[0] : (unsigned)element[0] << 8 | element[1];
}

static int by_key(void *user, const void *a, const void *b)
{
    facts *const   f = user;
    unsigned const x = key_of(a, f->size), y = key_of(b, f->size);
    atomic_fetch_add_explicit(&f->calls, 1, memory_order_relaxed);
    return (x > y) - (x < y);
}

static int by_bytes(const void *a, const void *b, size_t size) { return memcmp(a, b, size); }

/* Sorts a copy by all bytes: two arrays of the same elements give the same copy. */
static size_t order_size;
static int    order_bytes(const void *a, const void *b) { return by_bytes(a, b, order_size); }

static bool same_elements(const char *a, const char *b, size_t n, size_t size)
{
    if (n == 0)
        return true;
    order_size = size;
    char *const x = malloc(n * size), *const y = malloc(n * size);
    memcpy(x, a, n * size);
    memcpy(y, b, n * size);
    qsort(x, n, size, order_bytes);
    qsort(y, n, size, order_bytes);
    bool const same = memcmp(x, y, n * size) == 0;
    free(x);
    free(y);
    return same;
}

/* 0 random, 1 few keys, 2 sorted, 3 reversed, 4 equal, 5 organ pipe, 6 nearly sorted. */
enum {
    SHAPES = 7
};

static unsigned draw(unsigned shape, size_t i, size_t n, test_rng *rng)
{
    switch (shape) {
    case 1:
        return (unsigned)test_rng_below(rng, 5) * 300;
    case 2:
        return (unsigned)(i * 65535 / n);
    case 3:
        return (unsigned)((n - i) * 65535 / n);
    case 4:
        return 77;
    case 5:
        return (unsigned)((i < n - i ? i : n - i) * 65535 / n);
    case 6:
        return (unsigned)((i * 60000 / n) + test_rng_below(rng, 50));
    default:
        return (unsigned)test_rng_next(rng) & 0xffff;
    }
}

static void fill(unsigned shape, size_t n, size_t size, uint64_t seed)
{
    test_rng rng = {seed};
    for (size_t i = 0; i < n; i++) {
        unsigned char *const e = (unsigned char *)input + i * size;
        unsigned const       key = draw(shape, i, n, &rng);
        uint64_t const       index = i;
        e[0] = (unsigned char)(key >> 8);
        if (size > 1)
            e[1] = (unsigned char)key;
        for (size_t b = 2; b < size; b++)
            e[b] = (unsigned char)(b - 2 < 8 ? index >> 8 * (b - 2) : key + b);
    }
    data = guard_place(&area, n * size, GUARD_END);
    memcpy(data, input, n * size);
}

/* The stable answer, by counting the keys. */
static void expect(size_t n, size_t size)
{
    size_t *const next = calloc(65537, sizeof *next);
    for (size_t i = 0; i < n; i++)
        next[key_of((const unsigned char *)input + i * size, size) + 1]++;
    for (size_t k = 1; k < 65537; k++)
        next[k] += next[k - 1];
    for (size_t i = 0; i < n; i++) {
        const char *const e = input + i * size;
        memcpy(check + next[key_of((const unsigned char *)e, size)]++ * size, e, size);
    }
    free(next);
}

static bool in_order(size_t n, size_t size)
{
    for (size_t i = 1; i < n; i++)
        if (key_of((unsigned char *)data + i * size, size) <
            key_of((unsigned char *)data + (i - 1) * size, size))
            return false;
    return true;
}

/* n lg n and something for small n; the sample and the cuts cost some more. */
static size_t calls_allowed(size_t n, size_t times)
{
    size_t lg = 1;
    while (n >> lg != 0)
        lg++;
    return times * n * lg + 100;
}

static void try_sort(ordo_ctx *ctx, unsigned shape, size_t n, size_t size)
{
    fill(shape, n, size, n + size);
    expect(n, size);
    facts                f = {.size = size};
    ordo_sort_opts const stable = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_STABLE);
    testkit_case("stable shape=%u n=%zu size=%zu", shape, n, size);
    CHECK_STATUS(ORDO_OK, ordo_sort_by(ctx, data, n, size, by_key, &f, &stable), ctx);
    CHECK_BYTES(check, data, n * size, size);
    CHECK(f.calls <= calls_allowed(n, 3));

    memcpy(data, input, n * size);
    f = (facts){.size = size};
    testkit_case("sample shape=%u n=%zu size=%zu", shape, n, size);
    CHECK_STATUS(ORDO_OK, ordo_sort_by(ctx, data, n, size, by_key, &f, NULL), ctx);
    CHECK(in_order(n, size));
    CHECK(same_elements(input, data, n, size));
    CHECK(f.calls <= calls_allowed(n, 4));
    CHECK(guard_intact(&area, n * size, GUARD_END));
}

static void test_sizes(ordo_ctx *const *ctx, size_t count)
{
    size_t const step = TESTKIT_SANITIZED ? 9 : 1;
    for (size_t n = 0; n <= 66; n++)
        for (size_t size = 1; size <= 41; size += size < 9 ? 1 : step + 3)
            if (testkit_turn(3))
                try_sort(ctx[(n + size) % count], (unsigned)(n + size) % SHAPES, n, size);
    for (size_t size = 1; size <= 41; size++)
        for (size_t n = 100; n < 5000; n = n * 3 + 1)
            if (testkit_turn(3))
                try_sort(ctx[(n + size) % count], (unsigned)(n + size) % SHAPES, n, size);
    for (unsigned shape = 0; shape < SHAPES; shape++)
        for (size_t size = 4; size <= 100; size += 48) {
            try_sort(ctx[shape % count], shape, 3000, size);
            try_sort(ctx[shape % count], shape, 4000, GIANT);
            try_sort(ctx[(shape + 1) % count], shape, TESTKIT_SANITIZED ? 20000 : MOST, size);
        }
}

/* ---- Comparisons that lie ---- */

static int liar(void *user, const void *a, const void *b)
{
    facts *const f = user;
    (void)a, (void)b;
    if (f->lie != 2)
        return f->lie;
    unsigned const draw = atomic_fetch_add_explicit(&f->seed, 0x9e3779b9u, memory_order_relaxed);
    return (int)((draw ^ draw >> 15) * 0x85ebca6bu >> 13) % 3 - 1;
}

static void test_liars(ordo_ctx *const *ctx, size_t count)
{
    static const size_t ns[] = {2, 3, 9, 50, 400, 3000, 20001};
    static const size_t sizes[] = {1, 4, 12, 33, 100, GIANT};
    for (int lie = -1; lie <= 2; lie++)
        for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (unsigned flags = 0; flags <= ORDO_STABLE; flags += ORDO_STABLE) {
                    if (ns[i] * sizes[s] > MOST_BYTES)
                        continue;
                    facts                f = {.size = sizes[s], .lie = lie, .seed = (unsigned)i};
                    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags);
                    ordo_ctx *const      with = ctx[(i + s) % count];
                    fill(0, ns[i], sizes[s], i);
                    testkit_case("lie=%d n=%zu size=%zu flags=%u", lie, ns[i], sizes[s], flags);
                    CHECK_STATUS(ORDO_OK,
                                 ordo_sort_by(with, data, ns[i], sizes[s], liar, &f, &opts), with);
                    CHECK(same_elements(input, data, ns[i], sizes[s]));
                    CHECK(guard_intact(&area, ns[i] * sizes[s], GUARD_END));
                }
}

/* ---- McIlroy's adversary: values are fixed only when they are asked about ---- */

typedef struct adversary {
    unsigned *value; /* of each element; `gas` until it is fixed */
    unsigned  gas, solid, candidate;
    size_t    calls;
} adversary;

static int adversarial(void *user, const void *a, const void *b)
{
    adversary *const adv = user;
    unsigned const   x = *(const unsigned *)a, y = *(const unsigned *)b;
    adv->calls++;
    if (adv->value[x] == adv->gas && adv->value[y] == adv->gas)
        adv->value[x == adv->candidate ? x : y] = adv->solid++;
    if (adv->value[x] == adv->gas)
        adv->candidate = x;
    else if (adv->value[y] == adv->gas)
        adv->candidate = y;
    return (adv->value[x] > adv->value[y]) - (adv->value[x] < adv->value[y]);
}

static void test_adversary(ordo_ctx *alone)
{
    for (size_t n = 1000; n <= 130000; n = n * 5 + 7) {
        unsigned *const elements = malloc(n * sizeof *elements);
        unsigned *const value = malloc(n * sizeof *value);
        for (size_t i = 0; i < n; i++)
            elements[i] = (unsigned)i, value[i] = (unsigned)n;
        adversary adv = {value, (unsigned)n, 0, 0, 0};
        testkit_case("adversary n=%zu", n);
        CHECK_STATUS(ORDO_OK,
                     ordo_sort_by(alone, elements, n, sizeof *elements, adversarial, &adv, NULL),
                     alone);
        CHECK(adv.calls <= calls_allowed(n, 4));
        bool sorted = true;
        for (size_t i = 1; i < n; i++)
            sorted = sorted && value[elements[i - 1]] <= value[elements[i]];
        CHECK(sorted);
        free(elements);
        free(value);
    }
}

/* ---- Cancel ---- */

static int cancelling(void *user, const void *a, const void *b)
{
    facts *const f = user;
    if (atomic_fetch_add_explicit(&f->calls, 1, memory_order_relaxed) == f->limit)
        ordo_cancel(f->cancel);
    unsigned const x = key_of(a, f->size), y = key_of(b, f->size);
    return (x > y) - (x < y);
}

static void test_cancel(ordo_ctx *const *ctx, size_t count)
{
    static const size_t sizes[] = {3, 100, GIANT};
    size_t              cancelled = 0;
    for (size_t s = 0; s < 3; s++)
        for (unsigned flags = 0; flags <= ORDO_STABLE; flags += ORDO_STABLE)
            for (size_t step = 0; step < 12; step++) {
                size_t const n = sizes[s] == GIANT ? MOST_BYTES / GIANT : MOST;
                facts        f = {.size = sizes[s], .limit = step * step * (n / 10)};
                f.cancel = ctx[step % count];
                ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags);
                fill(step % 4 == 0 ? 1 : 0, n, sizes[s], step);
                testkit_case("cancel after %zu size=%zu flags=%u", f.limit, sizes[s], flags);
                ordo_status const status =
                    ordo_sort_by(f.cancel, data, n, sizes[s], cancelling, &f, &opts);
                CHECK(status == ORDO_OK || status == ORDO_E_CANCELLED);
                CHECK(status != ORDO_OK || in_order(n, sizes[s]));
                CHECK(same_elements(input, data, n, sizes[s]));
                cancelled += status == ORDO_E_CANCELLED;
            }
    testkit_case("cancel");
    CHECK(cancelled > 10);
}

static int stop_later(void *user, double done)
{
    (void)done;
    return --*(int *)user < 0;
}

static int slow(void *user, const void *a, const void *b)
{
    double const until = test_now() + 2e-6;
    while (test_now() < until)
        ;
    return by_key(user, a, b);
}

static void test_progress(void)
{
    for (int after = 0; after < 6; after += 2)
        for (unsigned flags = 0; flags <= ORDO_STABLE; flags += ORDO_STABLE) {
            int                  left = after;
            ordo_ctx_opts const  opts = ORDO_OPTS(ordo_ctx_opts, .threads = 2,
                                                  .progress = stop_later, .progress_user = &left);
            ordo_sort_opts const wish = ORDO_OPTS(ordo_sort_opts, .flags = flags);
            ordo_ctx            *ctx;
            facts                f = {.size = 12};
            CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, &opts), NULL);
            fill(0, MOST, 12, 1);
            testkit_case("progress stops after %d flags=%u", after, flags);
            CHECK_STATUS(ORDO_E_CANCELLED, ordo_sort_by(ctx, data, MOST, 12, slow, &f, &wish), ctx);
            CHECK(same_elements(input, data, MOST, 12));
            ordo_ctx_free(ctx);
        }
}

static int sleepy(void *user, const void *a, const void *b)
{
    double const until = test_now() + 6e-3; /* longer than the pause before the first callback */
    while (test_now() < until)
        ;
    return by_key(user, a, b);
}

static int refuse(void *user, double done)
{
    (void)done;
    ++*(int *)user;
    return 1;
}

/* The callback is first called when the only comparison, and so the call, is over. */
static void test_refused_at_the_end(void)
{
    int       calls = 0;
    ordo_ctx *ctx;
    facts     f = {.size = 12};
    testkit_case("progress cancels a call that has done its work");
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 1, .progress = refuse,
                                                  .progress_user = &calls)),
                 NULL);
    fill(0, 2, 12, 1);
    ordo_sort_opts const wish = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_STABLE);
    CHECK_STATUS(ORDO_E_CANCELLED, ordo_sort_by(ctx, data, 2, 12, sleepy, &f, &wish), ctx);
    CHECK(calls == 1 && same_elements(input, data, 2, 12));
    CHECK(strstr(ordo_last_error(ctx), "unspecified") != NULL);
    CHECK_STATUS(ORDO_OK, ordo_sort_by(ctx, data, 1, 12, sleepy, &f, NULL), ctx);
    ordo_ctx_free(ctx);
}

/* ---- Memory ---- */

static void test_memory(void)
{
    static const size_t sizes[] = {4, GIANT};
    for (size_t s = 0; s < 2; s++)
        for (unsigned flags = 0; flags <= ORDO_STABLE; flags += ORDO_STABLE) {
            ordo_sort_opts const wish = ORDO_OPTS(ordo_sort_opts, .flags = flags);
            for (size_t fail_at = 1; fail_at < 12; fail_at++) {
                test_allocator      allocator = {.fail_at = 0};
                ordo_ctx_opts const opts =
                    ORDO_OPTS(ordo_ctx_opts, .alloc = test_alloc, .release = test_release,
                              .alloc_user = &allocator);
                ordo_ctx *ctx;
                facts     f = {.size = sizes[s]};
                CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, &opts), NULL);
                fill(0, 3000, sizes[s], fail_at);
                allocator.fail_at = allocator.calls + fail_at;
                testkit_case("allocation %zu fails size=%zu flags=%u", fail_at, sizes[s], flags);
                ordo_status const status =
                    ordo_sort_by(ctx, data, 3000, sizes[s], by_key, &f, &wish);
                CHECK(status == (allocator.refused > 0 ? ORDO_E_NOMEM : ORDO_OK));
                if (status == ORDO_OK)
                    CHECK(in_order(3000, sizes[s]));
                else
                    CHECK_BYTES(input, data, 3000 * sizes[s], sizes[s]);
                ordo_ctx_free(ctx);
                CHECK_EQ_U64(0, allocator.live);
            }
            ordo_ctx_opts const small = ORDO_OPTS(ordo_ctx_opts, .mem_limit = 1000);
            ordo_ctx           *ctx;
            facts               f = {.size = sizes[s]};
            CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, &small), NULL);
            fill(0, 3000, sizes[s], 5);
            testkit_case("memory limit size=%zu flags=%u", sizes[s], flags);
            CHECK_STATUS(ORDO_E_NOMEM, ordo_sort_by(ctx, data, 3000, sizes[s], by_key, &f, &wish),
                         ctx);
            CHECK_BYTES(input, data, 3000 * sizes[s], sizes[s]);
            CHECK(f.calls == 0);
            ordo_ctx_free(ctx);
        }
}

int main(void)
{
    testkit_start();
    input = malloc(MOST_BYTES);
    area = guard_make(MOST_BYTES);
    check = malloc(MOST_BYTES);
    ordo_ctx *const ctx[] = {test_context_make(1), test_context_make(2), test_context_make(5)};

    test_sizes(ctx, 3);
    test_liars(ctx, 3);
    test_adversary(ctx[0]);
    test_cancel(ctx, 3);
    test_progress();
    test_refused_at_the_end();
    test_memory();

    for (size_t c = 0; c < 3; c++)
        ordo_ctx_free(ctx[c]);
    free(input);
    guard_free(&area);
    free(check);
    return testkit_done();
}
