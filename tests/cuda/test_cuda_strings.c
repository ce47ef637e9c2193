/* test_cuda_strings.c - strings sorted with the GPU (hybrid/strings/hybrid_strings.h): protein
 * records, random strings, few letters, letters that the sample misses, equal strings; argsort,
 * rank, sort and pointers. The CPU gives the expected bytes. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = 400 * 1000,
    MOST = 72 << 20 /* bytes of text */
};

static size_t       n;
static char        *bytes, *ended, *sorted[2];
static uint64_t    *offsets, *out[2];
static const char **pointers;

static ordo_ctx *context(ordo_where where, size_t limit)
{
    return CONTEXT(.where = where, .device_limit = limit);
}

static bool streamed(const ordo_ctx *ctx)
{
    ordo_report report = {.struct_size = sizeof report};
    return ordo_last_report(ctx, &report) == ORDO_OK &&
           report.facts.strategy == ORDO_STRATEGY_STREAMED;
}

static void few_letters(const char *letters, size_t length)
{
    test_rng     rng = {length};
    size_t const all = strlen(letters);
    n = N;
    for (size_t i = 0; i < n; i++) {
        size_t const here = i % 17 == 0 ? i % length : length;
        offsets[i + 1] = offsets[i] + here;
        for (size_t at = 0; at < here; at++)
            bytes[offsets[i] + at] = letters[(test_rng_next(&rng) >> 30) % all];
    }
}

static void generate(int kind)
{
    ordo_gen_opts const opts = ORDO_OPTS(ordo_gen_opts, .seed = 7);
    switch (kind) {
    case 0:
        n = 2 * N;
        CHECK_STATUS(ORDO_OK,
                     ordo_gen_strings(cpu, ORDO_DIST_FASTA, n, offsets, bytes, MOST, &opts), cpu);
        break;
    case 1:
        n = MOST / 260;
        CHECK_STATUS(ORDO_OK,
                     ordo_gen_strings(cpu, ORDO_DIST_STRINGS, n, offsets, bytes, MOST, &opts), cpu);
        break;
    case 2:
        few_letters("ACGT", 60);
        break;
    case 3: /* letters that the sample misses */
        few_letters("ACGT", 40);
        bytes[offsets[77777] + 1] = 'N';
        bytes[offsets[155555] + 20] = 'n';
        break;
    default: /* most strings are equal, many have equal prefixes */
        few_letters("x", 90);
        for (size_t i = 0; i < n; i += 3)
            if (offsets[i + 1] > offsets[i])
                bytes[offsets[i + 1] - 1] = (char)('a' + i % 26);
        break;
    }
    char *to = ended;
    for (size_t i = 0; i < n; i++) {
        size_t const length = (size_t)(offsets[i + 1] - offsets[i]);
        pointers[i] = memcpy(to, bytes + offsets[i], length);
        to[length] = '\0';
        to += length + 1;
    }
}

static uint32_t algorithm; /* of the contexts with the GPU */

static ordo_status call(ordo_ctx *ctx, int verb, uint64_t flags, int at)
{
    ordo_strings const   strings = ORDO_OPTS(ordo_strings, .bytes = bytes, .offsets = offsets);
    ordo_strings const   by_pointer = ORDO_OPTS(ordo_strings, .pointers = pointers);
    uint32_t const       by = ctx == cpu ? ORDO_ALGORITHM_AUTO : algorithm;
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags, .algorithm = by);
    ordo_rank_opts const rank = ORDO_OPTS(ordo_rank_opts, .flags = flags, .algorithm = by);
    memset(out[at], 0, (n + 1) * sizeof *out[at]);
    switch (verb) {
    case 0:
        return ordo_argsort_strings(ctx, &strings, n, ORDO_U32, out[at], &opts);
    case 1:
        return ordo_argsort_strings(ctx, &by_pointer, n, ORDO_U64, out[at], &opts);
    case 2:
        return ordo_rank_strings(ctx, &strings, n, ORDO_U32, out[at], &rank);
    case 3:
        return ordo_sort_strings(ctx, &strings, n, sorted[at], out[at], &opts);
    default:
        memcpy(out[at], (const void *)pointers, n * sizeof *pointers);
        return ordo_sort_pointers(ctx, (const char **)(void *)out[at], n, &opts);
    }
}

/* The sample sort on the GPU alone and with shares of the CPU. */
static void sample(int kind, int verb)
{
    static const double shares[] = {0, 0.1, 0.6};
    algorithm = ORDO_ALGORITHM_SAMPLE;
    CHECK_STATUS(ORDO_OK, call(cpu, verb, 0, 0), cpu);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        ordo_ctx *const ctx =
            CONTEXT(.where = i == 0 ? ORDO_CUDA : ORDO_HYBRID, .cpu_share = shares[i]);
        ordo_report report = {.struct_size = sizeof report};
        testkit_case("text %d, verb %d, sample sort, share %g", kind, verb, shares[i]);
        CHECK_STATUS(ORDO_OK, call(ctx, verb, 0, 1), ctx);
        CHECK_BYTES(out[0], out[1], n * sizeof *out[0], sizeof *out[0]);
        if (verb == 3)
            CHECK_BYTES(sorted[0], sorted[1], (size_t)offsets[n], 1);
        CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
        CHECK(report.facts.strategy == ORDO_STRATEGY_PHASES);
        CHECK(report.facts.cpu_share > shares[i] - 0.001 &&
              report.facts.cpu_share < shares[i] + 0.001);
        ordo_ctx_free(ctx);
    }
    algorithm = ORDO_ALGORITHM_AUTO;
}

int main(void)
{
    device_start();
    bytes = test_keep(MOST);
    ended = test_keep(MOST + 2 * N);
    offsets = test_keep((2 * N + 1) * sizeof *offsets);
    pointers = test_keep(2 * N * sizeof *pointers);
    for (int i = 0; i < 2; i++) {
        sorted[i] = test_keep(MOST);
        out[i] = test_keep((2 * N + 1) * sizeof *out[i]);
    }
    ordo_ctx *const small = context(ORDO_CUDA, (size_t)4 << 20);
    ordo_ctx *const both = context(ORDO_HYBRID, (size_t)4 << 20);
    for (int kind = 0; kind < 5; kind++) {
        generate(kind);
        for (int verb = 0; verb < 5; verb++) {
            uint64_t const flags = (kind + verb) % 2 != 0 ? ORDO_DESCENDING : 0;
            testkit_case("text %d, verb %d", kind, verb);
            CHECK_STATUS(ORDO_OK, call(cpu, verb, flags, 0), cpu);
            CHECK_STATUS(ORDO_OK, call(gpu, verb, flags, 1), gpu);
            CHECK(streamed(gpu));
            CHECK_BYTES(out[0], out[1], n * sizeof *out[0], sizeof *out[0]);
            if (verb == 3)
                CHECK_BYTES(sorted[0], sorted[1], (size_t)offsets[n], 1);
        }
        sample(kind, kind);
        testkit_case("text %d, too little device memory", kind);
        CHECK_STATUS(ORDO_E_NOMEM, call(small, 4, 0, 0), small);
        CHECK_BYTES((const void *)pointers, out[0], n * sizeof *pointers, sizeof *pointers);
        CHECK_STATUS(ORDO_OK, call(both, 4, 0, 0), both);
        CHECK(!streamed(both));
        CHECK_STATUS(ORDO_OK, call(gpu, 4, 0, 1), gpu);
        CHECK_BYTES(out[0], out[1], n * sizeof *out[0], sizeof *out[0]);
    }
    ordo_ctx_free(both);
    ordo_ctx_free(small);
    return device_done();
}
