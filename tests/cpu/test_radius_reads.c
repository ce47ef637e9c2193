/* test_radius_reads.c - how many keys the radius reads. A view whose map counts them shows that
 * no shape makes the measurement read the array more than a few times: jittered keys, reversed
 * blocks, radii that grow from tile to tile, single keys far from their places. The radius
 * itself is compared with the definition by prefix maxima and suffix minima. */
#include "backend/exec.h"
#include "cpu/cpu.h"
#include "cpu/rough/view.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    N = 300007,
    MOST_READS = ORDO_TUNE(5, 12), /* of each key; the pieces of the tiny build are short */
    MORE_READS = 16 * ORDO_TUNE_RADIUS_NEAR
};

static uint64_t keys[N], most[N], least[N];
static size_t   reads;

static void counted(const void *from, size_t count, void *items)
{
    reads += count;
    memcpy(items, from, count * sizeof(uint64_t));
}

/* ---- An exec of one thread ---- */

static void *blocks[16];
static int   taken;

static bool loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    (void)exec;
    for (size_t at = 0; at < n; at += grain)
        body(arg, at, ordo_min(at + grain, n));
    return true;
}

static bool poll(ordo_exec *exec, double share)
{
    (void)exec, (void)share;
    return false;
}

static ordo_status scratch(ordo_exec *exec, size_t bytes, void **out)
{
    (void)exec;
    size_t const rounded = ordo_round_up(ordo_max(bytes, 1), ORDO_CACHE_LINE);
    *out = blocks[taken++] = aligned_alloc(ORDO_CACHE_LINE, rounded);
    return *out != NULL ? ORDO_OK : ORDO_E_NOMEM;
}

/* ---- Cases ---- */

static size_t slow_radius(size_t n)
{
    size_t radius = 0, j = 0;
    for (size_t i = 0; i < n; i++)
        most[i] = i > 0 && most[i - 1] > keys[i] ? most[i - 1] : keys[i];
    for (size_t i = n; i-- > 0;)
        least[i] = i + 1 < n && least[i + 1] < keys[i] ? least[i + 1] : keys[i];
    for (size_t i = 0; i < n; i++) {
        while (j < i && most[j] <= least[i])
            j++;
        radius = ordo_max(radius, i - j);
    }
    return radius;
}

static void try_keys(const char *what, size_t argument, size_t n)
{
    ordo_exec      exec = {.threads = 1, .loop = loop, .poll = poll, .scratch = scratch};
    cpu_view const view = {
        .kind = CPU_ITEM_64, .keys = keys, .n = n, .key_size = sizeof *keys, .map = counted};
    size_t radius = SIZE_MAX;
    testkit_case("%s %zu n=%zu", what, argument, n);
    reads = 0;
    CHECK_STATUS(ORDO_OK, cpu_view_radius(&view, &radius, &exec), NULL);
    CHECK_EQ_U64(slow_radius(n), radius);
    testkit_case("%s %zu n=%zu radius %zu: %zu reads", what, argument, n, radius, reads);
    CHECK(reads <= MOST_READS * n + MORE_READS);
    while (taken > 0)
        free(blocks[--taken]);
}

static void jitter(test_rng *rng, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = i * 10 + test_rng_below(rng, 20 * width + 1);
    try_keys("jitter", width, n);
    keys[n / 3] = 0;
    try_keys("jitter and a key far from its place", width, n);
}

static void reversed_blocks(size_t n, size_t block)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = i / block * block + (block - 1 - i % block);
    try_keys("reversed blocks of", block, n);
}

/* Pairs exchanged over a distance that grows by `step`. */
static void growing(size_t n, size_t step)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = i;
    for (size_t at = 0, reach = 1; at + reach < n; at += reach + 300, reach += step) {
        keys[at] = at + reach;
        keys[at + reach] = at;
    }
    try_keys("distances that grow by", step, n);
}

static void two_runs(size_t n, size_t first)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = i < first ? 2 * i : 2 * (i - first) + 1;
    try_keys("two runs, the first of", first, n);
    keys[n / 5] = 3;
    try_keys("two runs and a key out of place, the first of", first, n);
}

int main(void)
{
    static const size_t widths[] = {0, 1, 3, 16, 50, 255, 1000, 2000, 5000, 50000, 1000000};
    static const size_t sizes[] = {2, 17, 1000, 30011, N};
    test_rng            rng = {3};
    testkit_start();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t const n = sizes[s];
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            jitter(&rng, n, widths[i]);
            reversed_blocks(n, widths[i] + 1);
            growing(n, widths[i] / 16 + 1);
            two_runs(n, n / (i + 2));
        }
    }
    return testkit_done();
}
