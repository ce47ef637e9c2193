/* testkit.c - see testkit.h. */
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
static bool   on_device, fewer_cases;
static char   case_text[256];

test_context contexts[TEST_MAX_CONTEXTS];
size_t       context_count;

typedef struct kept_block {
    struct kept_block *next;
    max_align_t        bytes[];
} kept_block;

static kept_block *kept;

static void die(const char *what)
{
    perror(what);
    exit(99);
}

/* An inaccessible page was touched: prints the case, then ends the process as usual. */
static void on_crash(int signal_number)
{
    static const char text[] = "crashed in the case: ";
    ssize_t           ignored = write(STDOUT_FILENO, text, sizeof text - 1);
    ignored += write(STDOUT_FILENO, case_text, strlen(case_text));
    ignored += write(STDOUT_FILENO, "\n", 1);
    (void)ignored;
    raise(signal_number); /* SA_RESETHAND has removed the handler */
}

bool testkit_on_device(void) { return on_device; }

bool testkit_run_case(size_t one_of)
{
    static size_t asked;
    return !fewer_cases || asked++ % one_of == 0;
}

/* Makes contexts use the device that ORDO_TEST_DEVICE names. Ends the test if there is none. */
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
    if (!TESTKIT_SANITIZED) { /* sanitizers report more */
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
    fewer_cases = (on_device || TESTKIT_TSAN) && getenv("ORDO_TEST_BIG") == NULL;
}

int testkit_done(void)
{
    printf("%zu passed, %zu failed", passed, failed);
    if (skipped != 0)
        printf(", %zu skipped", skipped);
    printf("\n");
    for (size_t i = 0; i < context_count; i++)
        ordo_ctx_free(contexts[i].ctx);
    for (kept_block *block; (block = kept) != NULL; free(block))
        kept = block->next;
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

void testkit_case_keys(const char *what, ordo_type type, size_t n, bool desc,
                       const test_context *with)
{
    testkit_case("%s %s n=%zu %s isa=%s threads=%u", what, ordo_type_name(type), n,
                 desc ? "desc" : "asc", with->isa, with->threads);
}

size_t testkit_free_memory(void)
{
    FILE *const        file = fopen("/proc/meminfo", "r");
    char               line[128];
    unsigned long long kib = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return (size_t)kib * 1024;
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

/* Counts a check. Returns true if its failure must be printed. */
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

/* splitmix64 */
uint64_t test_rng_next(test_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t test_rng_below(test_rng *rng, uint64_t bound) { return test_rng_next(rng) % bound; }

void *test_need(size_t bytes)
{
    void *const block = calloc(bytes + 1, 1);
    if (block == NULL)
        die("test_need");
    return block;
}

void *test_keep(size_t bytes)
{
    kept_block *const block = test_need(sizeof *block + bytes);
    block->next = kept;
    kept = block;
    return block->bytes;
}

size_t test_bytes_not(const void *bytes, size_t count_bytes, unsigned char value)
{
    const unsigned char *const all = bytes;
    size_t                     others = 0;
    for (size_t i = 0; i < count_bytes; i++)
        others += all[i] != value;
    return others;
}

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

/* Up to PATTERN_BYTES free bytes beside an array of that size. */
static unsigned char *free_side(const guard_region *region, size_t bytes, guard_side side,
                                size_t *length)
{
    size_t const rest = region->bytes - bytes;
    *length = rest < PATTERN_BYTES ? rest : PATTERN_BYTES;
    return side == GUARD_START ? region->data + bytes : region->data + rest - *length;
}

void *guard_place(const guard_region *region, size_t bytes, guard_side side)
{
    size_t length;
    if (bytes > region->bytes) {
        fprintf(stderr, "guard_place: %zu bytes do not fit in %zu\n", bytes, region->bytes);
        exit(99);
    }
    unsigned char *const beside = free_side(region, bytes, side, &length);
    memset(beside, PATTERN, length);
    return side == GUARD_START ? region->data : region->data + region->bytes - bytes;
}

bool guard_intact(const guard_region *region, size_t bytes, guard_side side)
{
    size_t                     length;
    const unsigned char *const beside = free_side(region, bytes, side, &length);
    for (size_t i = 0; i < length; i++)
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

ordo_ctx *test_context_checked(const ordo_ctx_opts *opts, const char *file, int line)
{
    ordo_ctx *ctx = NULL;
    testkit_check_status(ORDO_OK, ordo_ctx_create(&ctx, opts), NULL, file, line, "a new context");
    return ctx;
}

static void add_context(const char *isa, unsigned threads)
{
    test_context *const at = &contexts[context_count++];
    at->ctx = test_context_make(threads);
    at->threads = threads;
    snprintf(at->isa, sizeof at->isa, "%s", isa);
}

void test_contexts_start(void)
{
    ordo_ctx *const probe = test_context_make(1);
    ordo_info       info = {.struct_size = sizeof info};
    char            names[128];
    char           *rest = NULL;

    if (ordo_ctx_info(probe, &info) != ORDO_OK)
        die("ordo_ctx_info");
    snprintf(names, sizeof names, "%s", info.isa_all);
    ordo_ctx_free(probe);
    if (on_device) { /* the threads only fill the staging buffers */
        add_context("cuda", 1);
        add_context("cuda", 4);
        return;
    }
    for (char *isa = strtok_r(names, " ", &rest); isa != NULL; isa = strtok_r(NULL, " ", &rest)) {
        setenv("ORDO_ISA", isa, 1);
        for (unsigned threads = 1; threads <= TEST_MAX_THREADS; threads++)
            if (context_count < TEST_MAX_CONTEXTS)
                add_context(isa, threads);
    }
    unsetenv("ORDO_ISA");
    if (context_count == 0)
        die("isa_all is empty");
}

const test_context *next_context(void)
{
    static size_t turn;
    return &contexts[turn++ % context_count];
}

const test_context *any_context(test_rng *rng)
{
    return &contexts[test_rng_below(rng, context_count)];
}

ordo_info info_of(ordo_ctx *ctx)
{
    ordo_info info = {.struct_size = sizeof info};
    CHECK_STATUS(ORDO_OK, ordo_ctx_info(ctx, &info), ctx);
    return info;
}

ordo_report report_of(const ordo_ctx *ctx)
{
    ordo_report report = {.struct_size = sizeof report};
    CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
    return report;
}

bool test_check_limited(const ordo_ctx *ctx, ordo_status status, const char *operation,
                        size_t limit, size_t enough)
{
    if (status != ORDO_OK) {
        CHECK_STATUS(ORDO_E_NOMEM, status, ctx);
        CHECK(limit != 0 && limit < enough);
        CHECK(ordo_last_error(ctx)[0] != '\0');
        return false;
    }
    ordo_report const report = report_of(ctx);
    CHECK(limit == 0 || report.scratch_bytes <= limit);
    CHECK(report.scratch_bytes <= enough);
    CHECK(strcmp(report.operation, operation) == 0 && report.algorithm[0] != '\0');
    return true;
}

int test_never_compare(void *user, const void *a, const void *b)
{
    (void)user, (void)a, (void)b;
    testkit_check(false, __FILE__, __LINE__, "a refused call makes no comparison");
    return 0;
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
