/* test_sort_by.c - ordo_sort_by: element sizes, shapes, stability, the number of comparisons, wrong
 * and adversarial comparisons, too little memory, and cancellation.
 *
 * An element has a key of 1 or 2 bytes, then its index as far as it fits. After every call, also a
 * failed one, the array must contain the same elements. */
#include "oracle.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 30000,            /* its indices fit in 2 bytes */
    MOST_BYTES = MOST * 100, /* of the largest array */
    GIANT = 600              /* bytes of an element that is sorted by a pointer */
};

static char        *input, *data, *check; /* an inaccessible page follows data */
static guard_region area;

/* ---- Elements ---- */

typedef struct facts { /* the user pointer of a comparison */
    size_t        size;
    atomic_size_t calls;
    ordo_ctx     *cancel; /* this context after `limit` calls */
    size_t        limit;
    int           lie; /* the result of a wrong comparison; 2: random */
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

static size_t order_size;
static int    order_bytes(const void *a, const void *b) { return memcmp(a, b, order_size); }

/* Whether data contains the elements of input: compares sorted copies. */
static bool same_short_elements(size_t n, size_t size)
{
    order_size = size;
    char *const x = test_need(n * size), *const y = test_need(n * size);
    memcpy(x, input, n * size);
    memcpy(y, data, n * size);
    qsort(x, n, size, order_bytes);
    qsort(y, n, size, order_bytes);
    bool const same = memcmp(x, y, n * size) == 0;
    free(x);
    free(y);
    return same;
}

/* Whether data contains the elements of input. An element of 4 bytes or more has its index, so each
 * element is compared with the one of input that has the same index, and no index occurs twice. */
static bool same_elements(size_t n, size_t size)
{
    static bool seen[MOST];
    if (n == 0)
        return true;
    if (size < 4)
        return same_short_elements(n, size);
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < n; i++) {
        const unsigned char *const e = (unsigned char *)data + i * size;
        size_t const               index = e[2] | (size_t)e[3] << 8;
        if (index >= n || seen[index] || memcmp(e, input + index * size, size) != 0)
            return false;
        seen[index] = true;
    }
    return true;
}

enum {
    RANDOM,
    FEW_KEYS,
    SORTED,
    REVERSED,
    EQUAL,
    ORGAN_PIPE,
    NEARLY_SORTED,
    SHAPES
};

static unsigned draw(unsigned shape, size_t i, size_t n, test_rng *rng)
{
    switch (shape) {
    case FEW_KEYS:
        return (unsigned)test_rng_below(rng, 5) * 300;
    case SORTED:
        return (unsigned)(i * 65535 / n);
    case REVERSED:
        return (unsigned)((n - i) * 65535 / n);
    case EQUAL:
        return 77;
    case ORGAN_PIPE:
        return (unsigned)((i < n - i ? i : n - i) * 65535 / n);
    case NEARLY_SORTED:
        return (unsigned)((i * 60000 / n) + test_rng_below(rng, 50));
    default:
        return (unsigned)test_rng_next(rng) & 0xffff;
    }
}

TESTKIT_UNWATCHED static void fill(unsigned shape, size_t n, size_t size, uint64_t seed)
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

static int key_order(const void *user, size_t i, size_t j)
{
    size_t const               size = *(const size_t *)user;
    const unsigned char *const e = (const unsigned char *)input;
    unsigned const             x = key_of(e + i * size, size), y = key_of(e + j * size, size);
    return (x > y) - (x < y);
}

/* The stable result. */
static void expect(size_t n, size_t size)
{
    uint64_t *const order = test_need(n * sizeof *order);
    oracle_order(n, order, key_order, &size);
    oracle_gather(input, size, order, n, check);
    free(order);
}

static bool in_order(size_t n, size_t size)
{
    for (size_t i = 1; i < n; i++)
        if (key_of((unsigned char *)data + i * size, size) <
            key_of((unsigned char *)data + (i - 1) * size, size))
            return false;
    return true;
}

/* times * n lg n, and some more for small n. */
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
    CHECK(same_elements(n, size));
    CHECK(f.calls <= calls_allowed(n, 4));
    CHECK(guard_intact(&area, n * size, GUARD_END));
}

static void test_sizes(ordo_ctx *const *ctx, size_t count)
{
    size_t const step = TESTKIT_SANITIZED ? 9 : 1;
    for (size_t n = 0; n <= 66; n++)
        for (size_t size = 1; size <= 41; size += size < 9 ? 1 : step + 3)
            if (testkit_run_case(3))
                try_sort(ctx[(n + size) % count], (unsigned)(n + size) % SHAPES, n, size);
    for (size_t size = 1; size <= 41; size++)
        for (size_t n = 100; n < 5000; n = n * 3 + 1)
            if (testkit_run_case(3))
                try_sort(ctx[(n + size) % count], (unsigned)(n + size) % SHAPES, n, size);
    for (unsigned shape = 0; shape < SHAPES; shape++)
        for (size_t size = 4; size <= 100; size += 48) {
            try_sort(ctx[shape % count], shape, 3000, size);
            try_sort(ctx[shape % count], shape, 4000, GIANT);
            try_sort(ctx[(shape + 1) % count], shape, TESTKIT_SANITIZED ? 20000 : MOST, size);
        }
}

/* ---- Wrong comparisons ---- */

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
                    fill(RANDOM, ns[i], sizes[s], i);
                    testkit_case("lie=%d n=%zu size=%zu flags=%u", lie, ns[i], sizes[s], flags);
                    CHECK_STATUS(ORDO_OK,
                                 ordo_sort_by(with, data, ns[i], sizes[s], liar, &f, &opts), with);
                    CHECK(same_elements(ns[i], sizes[s]));
                    CHECK(guard_intact(&area, ns[i] * sizes[s], GUARD_END));
                }
}

/* ---- McIlroy's adversary, which fixes a value only when it is compared ---- */

typedef struct adversary {
    unsigned *value; /* of each element; `gas`: not fixed yet */
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
        unsigned *const elements = test_keep(n * sizeof *elements);
        unsigned *const value = test_keep(n * sizeof *value);
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
    }
}

/* ---- Cancellation ---- */

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
                fill(step % 4 == 0 ? FEW_KEYS : RANDOM, n, sizes[s], step);
                testkit_case("cancel after %zu size=%zu flags=%u", f.limit, sizes[s], flags);
                ordo_status const status =
                    ordo_sort_by(f.cancel, data, n, sizes[s], cancelling, &f, &opts);
                CHECK(status == ORDO_OK || status == ORDO_E_CANCELLED);
                CHECK(status != ORDO_OK || in_order(n, sizes[s]));
                CHECK(same_elements(n, sizes[s]));
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

/* One thread gets many callbacks. Of two threads the caller gets at least one in each loop. */
static void test_progress(void)
{
    for (int after = 0; after < 6; after += 2)
        for (unsigned flags = 0; flags <= ORDO_STABLE; flags += ORDO_STABLE) {
            int                  left = after;
            ordo_sort_opts const wish = ORDO_OPTS(ordo_sort_opts, .flags = flags);
            facts                f = {.size = 12};
            ordo_ctx *const ctx = CONTEXT(.threads = after == 0 ? 2 : 1, .progress = stop_later,
                                          .progress_user = &left, .progress_interval = -1);
            fill(RANDOM, MOST, 12, 1);
            testkit_case("progress stops after %d flags=%u", after, flags);
            CHECK_STATUS(ORDO_E_CANCELLED, ordo_sort_by(ctx, data, MOST, 12, by_key, &f, &wish),
                         ctx);
            CHECK(same_elements(MOST, 12));
            ordo_ctx_free(ctx);
        }
}

static int refuse(void *user, double done)
{
    (void)done;
    ++*(int *)user;
    return 1;
}

/* The first callback comes after the only comparison of the call. */
static void test_refused_at_the_end(void)
{
    int             calls = 0;
    facts           f = {.size = 12};
    ordo_ctx *const ctx =
        CONTEXT(.threads = 1, .progress = refuse, .progress_user = &calls, .progress_interval = -1);
    testkit_case("progress cancels a call that has done its work");
    fill(RANDOM, 2, 12, 1);
    ordo_sort_opts const wish = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_STABLE);
    CHECK_STATUS(ORDO_E_CANCELLED, ordo_sort_by(ctx, data, 2, 12, by_key, &f, &wish), ctx);
    CHECK(calls == 1 && same_elements(2, 12));
    CHECK(strstr(ordo_last_error(ctx), "unspecified") != NULL);
    CHECK_STATUS(ORDO_OK, ordo_sort_by(ctx, data, 1, 12, by_key, &f, NULL), ctx);
    ordo_ctx_free(ctx);
}

/* ---- Memory ---- */

static void test_memory(void)
{
    static const size_t sizes[] = {4, GIANT};
    size_t              failed = 0;
    for (size_t s = 0; s < 2; s++)
        for (unsigned flags = 0; flags <= ORDO_STABLE; flags += ORDO_STABLE) {
            ordo_sort_opts const wish = ORDO_OPTS(ordo_sort_opts, .flags = flags);
            for (size_t fail_at = 1; fail_at < 12; fail_at++) {
                test_allocator  allocator = {.fail_at = 0};
                facts           f = {.size = sizes[s]};
                ordo_ctx *const ctx = CONTEXT(ALLOCATOR(&allocator));
                fill(RANDOM, 3000, sizes[s], fail_at);
                allocator.fail_at = allocator.calls + fail_at;
                testkit_case("allocation %zu fails size=%zu flags=%u", fail_at, sizes[s], flags);
                ordo_status const status =
                    ordo_sort_by(ctx, data, 3000, sizes[s], by_key, &f, &wish);
                failed += status == ORDO_E_NOMEM;
                CHECK(status == (allocator.refused > 0 ? ORDO_E_NOMEM : ORDO_OK));
                if (status == ORDO_OK)
                    CHECK(in_order(3000, sizes[s]));
                else
                    CHECK_BYTES(input, data, 3000 * sizes[s], sizes[s]);
                ordo_ctx_free(ctx);
                CHECK_EQ_U64(0, allocator.live);
            }
            facts           f = {.size = sizes[s]};
            ordo_ctx *const ctx = CONTEXT(.mem_limit = 1000);
            fill(RANDOM, 3000, sizes[s], 5);
            testkit_case("memory limit size=%zu flags=%u", sizes[s], flags);
            CHECK_STATUS(ORDO_E_NOMEM, ordo_sort_by(ctx, data, 3000, sizes[s], by_key, &f, &wish),
                         ctx);
            CHECK_BYTES(input, data, 3000 * sizes[s], sizes[s]);
            CHECK(f.calls == 0);
            ordo_ctx_free(ctx);
        }
    CHECK(failed > 0);
}

int main(void)
{
    testkit_start();
    input = test_keep(MOST_BYTES);
    area = guard_make(MOST_BYTES);
    check = test_keep(MOST_BYTES);
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
    return testkit_done();
}
