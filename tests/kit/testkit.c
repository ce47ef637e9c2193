/* testkit.c - see testkit.h. Guarded memory is one mapping with a page of no access at each end. */
#define _GNU_SOURCE
#include "testkit.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    SHOWN_FAILURES = 20,
    PATTERN_BYTES = 64,
    PATTERN = 0xa5,
    ALL_SKIPPED = 77
};

static size_t passed, failed, skipped;
static bool   on_device, some_turns;
static char   case_text[256];

static void die(const char *what)
{
    perror(what);
    exit(99);
}

/* A forbidden page was touched: say in which case, then die of it as usual. */
static void on_crash(int signal_number)
{
    static const char text[] = "crashed in the case: ";
    ssize_t           ignored = write(STDOUT_FILENO, text, sizeof text - 1);
    ignored += write(STDOUT_FILENO, case_text, strlen(case_text));
    ignored += write(STDOUT_FILENO, "\n", 1);
    (void)ignored;
    raise(signal_number); /* the handler is gone by now: SA_RESETHAND */
}

bool testkit_on_device(void) { return on_device; }

bool testkit_turn(size_t of)
{
    static size_t turn;
    return !some_turns || turn++ % of == 0;
}

/* Whether the tests can run on the device that ORDO_TEST_DEVICE names; else they end here. */
static void use_device(const char *device)
{
    ordo_ctx *ctx = NULL;
    ordo_info info = {.struct_size = sizeof info};

    setenv("ORDO_DEVICE", device, 1);
    if (ordo_ctx_create(&ctx, NULL) != ORDO_OK || ordo_ctx_info(ctx, &info) != ORDO_OK) {
        printf("no context: %s\n", ordo_last_error(NULL));
        exit(99);
    }
    if (info.cuda[0] != '\0') {
        testkit_skip("device %s: %s", device, info.cuda);
        exit(testkit_done());
    }
    ordo_ctx_free(ctx);
    on_device = true;
}

void testkit_start(void)
{
    const char *const      device = getenv("ORDO_TEST_DEVICE");
    struct sigaction const crash = {.sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND};
    if (!TESTKIT_SANITIZED) { /* sanitizers tell more */
        sigaction(SIGSEGV, &crash, NULL);
        sigaction(SIGBUS, &crash, NULL);
    }
    unsetenv("ORDO_ISA");
    unsetenv("ORDO_THREADS");
    unsetenv("ORDO_DEVICE");
    setenv("ORDO_TUNE_FILE", "", 1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (device != NULL && *device != '\0')
        use_device(device);
#ifdef TESTKIT_TSAN
    some_turns = true;
#else
    some_turns = on_device;
#endif
    some_turns = some_turns && getenv("ORDO_TEST_BIG") == NULL;
}

int testkit_done(void)
{
    printf("%zu passed, %zu failed", passed, failed);
    if (skipped != 0)
        printf(", %zu skipped", skipped);
    printf("\n");
    if (failed == 0 && passed != 0)
        return 0;
    return failed == 0 && skipped != 0 ? ALL_SKIPPED : 1;
}

void testkit_case(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(case_text, sizeof case_text, format, args);
    va_end(args);
}

void testkit_skip(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("skipped: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
    skipped++;
}

/* Counts a check; true if its failure is to be printed. */
static bool count(bool ok, const char *file, int line)
{
    if (ok) {
        passed++;
        return false;
    }
    if (failed++ >= SHOWN_FAILURES)
        return false;
    printf("%s:%d: [%s] ", file, line, case_text);
    return true;
}

bool testkit_check(bool ok, const char *file, int line, const char *what)
{
    if (count(ok, file, line))
        printf("failed: %s\n", what);
    return ok;
}

bool testkit_check_u64(uint64_t expected, uint64_t got, const char *file, int line,
                       const char *what)
{
    if (count(expected == got, file, line))
        printf("%s is %" PRIu64 ", expected %" PRIu64 "\n", what, got, expected);
    return expected == got;
}

bool testkit_check_status(ordo_status expected, ordo_status got, const ordo_ctx *ctx,
                          const char *file, int line, const char *what)
{
    if (count(expected == got, file, line))
        printf("%s gave %d, expected %d; last error: \"%s\"\n", what, (int)got, (int)expected,
               ordo_last_error(ctx));
    return expected == got;
}

static void print_hex(const unsigned char *bytes, size_t count_bytes)
{
    for (size_t i = 0; i < count_bytes; i++)
        printf("%02x", bytes[i]);
}

bool testkit_check_bytes(const void *expected, const void *got, size_t bytes, size_t item,
                         const char *file, int line, const char *what)
{
    bool const ok = bytes == 0 || memcmp(expected, got, bytes) == 0;
    if (count(ok, file, line)) {
        const unsigned char *const e = expected, *const g = got;
        size_t at = 0;
        while (e[at] == g[at])
            at++;
        at = at / item * item;
        printf("%s differs first at item %zu of %zu: bytes ", what, at / item, bytes / item);
        print_hex(g + at, item);
        printf(", expected ");
        print_hex(e + at, item);
        printf("\n");
    }
    return ok;
}

/* splitmix64: every state is good and the sequence is the same everywhere. */
uint64_t test_rng_next(test_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t test_rng_below(test_rng *rng, uint64_t bound) { return test_rng_next(rng) % bound; }

guard_region guard_make(size_t bytes)
{
    size_t const page = (size_t)sysconf(_SC_PAGESIZE);
    guard_region region = {NULL, 0, NULL, (bytes + page) / page * page};

    region.map_bytes = region.bytes + 2 * page;
    region.map = mmap(NULL, region.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region.map == MAP_FAILED)
        die("guard_make: mmap");
    region.data = region.map + page;
    if (mprotect(region.data, region.bytes, PROT_READ | PROT_WRITE) != 0)
        die("guard_make: mprotect");
    return region;
}

void guard_free(guard_region *region)
{
    munmap(region->map, region->map_bytes);
    region->map = NULL;
}

void guard_readonly(guard_region *region, bool readonly)
{
    int const access = readonly ? PROT_READ : PROT_READ | PROT_WRITE;
    if (mprotect(region->data, region->bytes, access) != 0)
        die("guard_readonly: mprotect");
}

/* The free bytes beside an array of that size: up to PATTERN_BYTES of them. */
static unsigned char *free_side(const guard_region *region, size_t bytes, guard_side side,
                                size_t *room)
{
    size_t const rest = region->bytes - bytes;
    *room = rest < PATTERN_BYTES ? rest : PATTERN_BYTES;
    return side == GUARD_START ? region->data + bytes : region->data + rest - *room;
}

void *guard_place(const guard_region *region, size_t bytes, guard_side side)
{
    size_t room;
    if (bytes > region->bytes) {
        fprintf(stderr, "guard_place: %zu bytes do not fit in %zu\n", bytes, region->bytes);
        exit(99);
    }
    unsigned char *const beside = free_side(region, bytes, side, &room);
    memset(beside, PATTERN, room);
    return side == GUARD_START ? region->data : region->data + region->bytes - bytes;
}

bool guard_intact(const guard_region *region, size_t bytes, guard_side side)
{
    size_t                     room;
    const unsigned char *const beside = free_side(region, bytes, side, &room);
    for (size_t i = 0; i < room; i++)
        if (beside[i] != PATTERN)
            return false;
    return true;
}

guard_block guard_alloc(size_t bytes, guard_side side)
{
    guard_block block = {guard_make(bytes), NULL};
    block.data = guard_place(&block.region, bytes, side);
    return block;
}

void *test_alloc(void *user, size_t bytes)
{
    test_allocator *const allocator = user;
    size_t const          call = atomic_fetch_add(&allocator->calls, 1) + 1;
    size_t const          fail_at = allocator->fail_at;

    if (fail_at != 0 && (allocator->only_one ? call == fail_at : call >= fail_at)) {
        atomic_fetch_add(&allocator->refused, 1);
        return NULL;
    }
    void *const block = malloc(bytes);
    if (block != NULL) {
        memset(block, 0xcd, bytes);
        atomic_fetch_add(&allocator->live, 1);
    }
    return block;
}

void test_release(void *user, void *block)
{
    test_allocator *const allocator = user;
    if (block == NULL)
        return;
    atomic_fetch_sub(&allocator->live, 1);
    free(block);
}

static uint64_t seed_of_contexts;

void testkit_seed(uint64_t seed) { seed_of_contexts = seed; }

ordo_ctx *test_context_make(unsigned threads)
{
    ordo_ctx *ctx = NULL;
    if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = threads,
                                         .seed = seed_of_contexts)) != ORDO_OK) {
        fprintf(stderr, "no context with %u threads: %s\n", threads, ordo_last_error(NULL));
        exit(99);
    }
    return ctx;
}

size_t test_contexts_make(test_context contexts[TEST_MAX_CONTEXTS])
{
    ordo_ctx *const probe = test_context_make(1);
    ordo_info       info = {.struct_size = sizeof info};
    char            names[128];
    char           *rest = NULL;
    size_t          made = 0;

    if (ordo_ctx_info(probe, &info) != ORDO_OK)
        die("ordo_ctx_info");
    snprintf(names, sizeof names, "%s", info.isa_all);
    ordo_ctx_free(probe);
    if (on_device) { /* threads only fill its buffers */
        contexts[0] = (test_context){test_context_make(1), "cuda", 1};
        contexts[1] = (test_context){test_context_make(4), "cuda", 4};
        return 2;
    }
    for (char *isa = strtok_r(names, " ", &rest); isa != NULL; isa = strtok_r(NULL, " ", &rest)) {
        setenv("ORDO_ISA", isa, 1);
        for (unsigned threads = 1; threads <= TEST_MAX_THREADS && made < TEST_MAX_CONTEXTS;
             threads++) {
            test_context *const at = &contexts[made++];
            at->ctx = test_context_make(threads);
            at->threads = threads;
            snprintf(at->isa, sizeof at->isa, "%s", isa);
        }
    }
    unsetenv("ORDO_ISA");
    if (made == 0)
        die("isa_all is empty");
    return made;
}

void test_contexts_free(test_context *contexts, size_t count_contexts)
{
    for (size_t i = 0; i < count_contexts; i++)
        ordo_ctx_free(contexts[i].ctx);
}

double test_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool test_times_count(void)
{
    const char *const wish = getenv("ORDO_TEST_TIMES");
    return wish != NULL && strcmp(wish, "1") == 0 && !TESTKIT_SANITIZED;
}

double test_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
