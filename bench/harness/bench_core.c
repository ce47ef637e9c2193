/* bench_core.c - contexts, arrays and rows of `ordo bench`.
 *
 * Arrays are allocated once, on huge pages if the system gives them, and touched by the threads
 * that will use them, so that a row measures the algorithm and not page faults. The copy that a row
 * is compared with uses the same arrays. Arrays on a GPU come from the bench_place instead. */
#define _GNU_SOURCE
#include "bench/harness/bench_core.h"
#include "bench/harness/bench_machine.h"
#include "cli/base/cli.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HUGE_PAGE = 2 << 20,
    LEAST_ARRAY = 4 << 20 /* enough for the sections of small arrays */
};

static bool grow(void **array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity)
        return true;
    const size_t wanted = *capacity == 0 ? 64 : *capacity * 2;
    void *const  bigger = realloc(*array, wanted * size);
    if (bigger == NULL) {
        cli_error("bench: not enough memory for the results");
        return false;
    }
    *array = bigger;
    *capacity = wanted;
    return true;
}

/* ---- Contexts and arrays ---------------------------------------------------------------- */

bool bench_selected(const char *only, const char *name)
{
    const size_t length = strlen(name);

    if (only == NULL)
        return true;
    for (const char *at = only; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strcspn(at, ",") == length && memcmp(at, name, length) == 0)
            return true;
    }
    return false;
}

ordo_ctx *bench_context(bench *b, unsigned threads)
{
    if (b->contexts[threads] == NULL) {
        const ordo_ctx_opts opts =
            ORDO_OPTS(ordo_ctx_opts, .where = b->set.where, .threads = (uint32_t)threads);
        if (ordo_ctx_create(&b->contexts[threads], &opts) != ORDO_OK)
            cli_error("bench: no context with %u threads: %s", threads, ordo_last_error(NULL));
    }
    return b->contexts[threads];
}

/* The numbers of threads that sections sweep: 1 2 4 8 12 16 24 32 48 ... and all threads. */
static bool list_threads(bench *b)
{
    const size_t all = b->set.threads;
    b->contexts = calloc(all + 1, sizeof *b->contexts);
    b->thread_counts = calloc(2 * 8 * sizeof all + 1, sizeof *b->thread_counts);
    if (b->contexts == NULL || b->thread_counts == NULL) {
        cli_error("bench: not enough memory for %zu contexts", all);
        return false;
    }
    for (size_t t = 1; t < all; t = t < 8 ? 2 * t : t % 3 != 0 ? t / 2 * 3 : t / 3 * 4)
        b->thread_counts[b->thread_count_count++] = (unsigned)t;
    b->thread_counts[b->thread_count_count++] = (unsigned)all;
    return true;
}

char *bench_host_array(size_t bytes)
{
    void *block = NULL;

    if (posix_memalign(&block, HUGE_PAGE, bytes) != 0) {
        cli_error("bench: not enough memory for an array of %zu bytes; lower -n", bytes);
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    (void)madvise(block, bytes, MADV_HUGEPAGE); /* optional, so the result is ignored */
#endif
    return block;
}

static bool make_array(bench *b, char **array, size_t bytes)
{
    if (bytes == 0)
        return true;
    *array = b->place != NULL ? b->place->alloc(bytes) : bench_host_array(bytes);
    return *array != NULL &&
           (b->place != NULL || bench_generate(b, ORDO_DIST_ZERO, ORDO_U8, *array, bytes, 0));
}

static size_t array_bytes(size_t per_key, size_t n)
{
    const size_t bytes = per_key * n;
    return per_key != 0 && bytes < LEAST_ARRAY ? LEAST_ARRAY : bytes;
}

static bool make_arrays(bench *b, const bench_section *sections)
{
    size_t src = 0, dst = 0, flags = 0;

    for (const bench_section *s = sections; s->name != NULL; s++) {
        if (!bench_selected(b->set.only, s->name))
            continue;
        src = s->src_per_key > src ? s->src_per_key : src;
        dst = s->dst_per_key > dst ? s->dst_per_key : dst;
        flags = s->flags_per_key > flags ? s->flags_per_key : flags;
    }
    b->src_bytes = array_bytes(src, b->set.n);
    b->dst_bytes = array_bytes(dst, b->set.n);
    b->flags_bytes = array_bytes(flags, b->set.n);

    const size_t total = b->src_bytes + b->dst_bytes + b->flags_bytes;
    const size_t available = b->place != NULL ? b->place->available() : bench_memory_available();
    if (total > available) {
        cli_error("bench: n = %zu needs %.2f GB of memory, but %.2f GB are available; "
                  "lower -n, or choose fewer sections with --only",
                  b->set.n, (double)total * 1e-9, (double)available * 1e-9);
        return false;
    }
    const size_t stagger = b->place == NULL && b->dst_bytes > 0 ? BENCH_STAGGER : 0;
    if (!make_array(b, &b->src, b->src_bytes) ||
        !make_array(b, &b->dst_block, b->dst_bytes + stagger) ||
        !make_array(b, &b->flags, b->flags_bytes))
        return false;
    if (b->dst_block != NULL)
        b->dst = b->dst_block + stagger;
    return true;
}

bool bench_open(bench *b, const bench_settings *set, const bench_place *place,
                const bench_section *sections)
{
    *b = (bench){.set = *set, .place = place, .unit = 1e-3};
    b->terminal = isatty(STDERR_FILENO) == 1;
    return list_threads(b) && make_arrays(b, sections);
}

static void release_array(const bench *b, char *array)
{
    if (b->place != NULL && array != NULL)
        b->place->release(array);
    else
        free(array);
}

void bench_close(bench *b)
{
    for (unsigned t = 0; b->contexts != NULL && t <= b->set.threads; t++)
        ordo_ctx_free(b->contexts[t]);
    for (size_t i = 0; i < b->row_count; i++)
        free(b->rows[i].seconds);
    free(b->contexts);
    free(b->thread_counts);
    release_array(b, b->src);
    release_array(b, b->dst_block);
    release_array(b, b->flags);
    free(b->rows);
    free(b->facts);
}

static bool generate_strings(ordo_ctx *ctx, const bench *b, const bench_keys *keys)
{
    if (ordo_gen_strings(ctx, keys->dist, keys->n, keys->offsets, b->src, b->src_bytes,
                         &keys->opts) == ORDO_OK)
        return true;
    cli_error("bench: cannot generate %zu strings: %s", keys->n, ordo_last_error(ctx));
    return false;
}

static bool generate(bench *b, const bench_keys *keys, void *out)
{
    if (b->place != NULL)
        return b->place->generate(keys->dist, keys->type, out, keys->n, &keys->opts);
    ordo_ctx *const ctx = bench_context(b, b->set.threads);
    if (ctx == NULL)
        return false;
    if (keys->offsets != NULL)
        return generate_strings(ctx, b, keys);
    if (ordo_gen(ctx, keys->dist, keys->type, out, keys->n, &keys->opts) != ORDO_OK) {
        cli_error("bench: cannot generate %zu keys of type %s: %s", keys->n,
                  ordo_type_name(keys->type), ordo_last_error(ctx));
        return false;
    }
    return true;
}

/* Generates keys and remembers how, if they are in b->src. */
static bool generate_first(bench *b, const bench_keys *keys, void *out)
{
    if (out == b->src)
        b->keys = *keys;
    return generate(b, keys, out);
}

bool bench_generate(bench *b, ordo_dist dist, ordo_type type, void *out, size_t n, double p)
{
    return generate_first(
        b,
        &(bench_keys){dist, type, n, ORDO_OPTS(ordo_gen_opts, .seed = b->set.seed, .p = p), NULL},
        out);
}

bool bench_generate_k(bench *b, ordo_dist dist, ordo_type type, void *out, size_t n, size_t k)
{
    return generate_first(
        b,
        &(bench_keys){dist, type, n, ORDO_OPTS(ordo_gen_opts, .seed = b->set.seed, .k = k), NULL},
        out);
}

bool bench_generate_strings(bench *b, ordo_dist dist, size_t n, uint64_t *offsets)
{
    return generate_first(
        b, &(bench_keys){dist, 0, n, ORDO_OPTS(ordo_gen_opts, .seed = b->set.seed), offsets},
        b->src);
}

bool bench_renew(bench *b, unsigned round)
{
    bench_keys keys = b->keys;

    assert(keys.n > 0);
    keys.opts.seed += 1 + round;
    return generate(b, &keys, b->src);
}

/* ---- Rows and facts --------------------------------------------------------------------- */

bool bench_add(bench *b, const char *name, unsigned threads, bench_role role, bench_call *call,
               const void *what)
{
    if (!grow((void **)&b->rows, &b->row_capacity, b->row_count, sizeof *b->rows))
        return false;
    b->rows[b->row_count] = (bench_row){
        .section = b->section,
        .name = name,
        .role = role,
        .threads = threads,
        .call = call,
        .what = what,
        .calls = 1,
        .seconds = calloc(b->set.repeat, sizeof(double)),
    };
    if (b->rows[b->row_count].seconds == NULL) {
        cli_error("bench: not enough memory for the results");
        return false;
    }
    b->row_count++;
    return true;
}

void bench_describe(bench *b, bench_parameters parameters)
{
    b->rows[b->row_count - 1].parameters = parameters;
}

/* The call of a row that shows a phase: the previous row has made the call already. */
static ordo_status no_call(ordo_ctx *ctx, const void *what)
{
    (void)ctx;
    (void)what;
    return ORDO_OK;
}

bool bench_add_phase(bench *b, const char *name, unsigned threads, unsigned phase)
{
    if (!bench_add(b, name, threads, BENCH_BESIDE, no_call, NULL))
        return false;
    bench_row *const row = &b->rows[b->row_count - 1];
    row->phase = phase;
    row->parameters = row[-1].parameters;
    return true;
}

bool bench_add_times(bench *b, const char *name, unsigned threads, bench_role role,
                     const double *seconds)
{
    if (!bench_add(b, name, threads, role, NULL, NULL))
        return false;
    memcpy(b->rows[b->row_count - 1].seconds, seconds, b->set.repeat * sizeof *seconds);
    return true;
}

uint64_t bench_fingerprint(const char *bytes, size_t size)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t       h[4] = {1, 2, 3, 4}, word[4];
    size_t         i = 0;

    for (; size - i >= sizeof word; i += sizeof word) {
        memcpy(word, bytes + i, sizeof word);
        for (int k = 0; k < 4; k++) {
            h[k] = (h[k] ^ word[k]) * odd;
            h[k] ^= h[k] >> 29;
        }
    }
    for (; i < size; i++)
        h[i % 4] = (h[i % 4] ^ (unsigned char)bytes[i]) * odd;
    return ((h[0] * odd ^ h[1]) * odd ^ h[2]) * odd ^ h[3];
}

double bench_last_median(const bench *b, const char *name, unsigned threads)
{
    for (size_t i = b->last; i < b->row_count; i++)
        if (strcmp(b->rows[i].name, name) == 0 && b->rows[i].threads == threads)
            return b->rows[i].median;
    return NAN;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort_times(double *times, unsigned count)
{
    qsort(times, count, sizeof *times, by_value);
}

double bench_quantile(const double *sorted, unsigned count, double share)
{
    const double   place = share * (count - 1);
    const unsigned below = (unsigned)place;
    const unsigned above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

bool bench_note(bench *b, const char *name, double value)
{
    if (!grow((void **)&b->facts, &b->fact_capacity, b->fact_count, sizeof *b->facts))
        return false;
    bench_fact *const fact = &b->facts[b->fact_count++];
    snprintf(fact->name, sizeof fact->name, "%s", name);
    fact->value = value;
    return true;
}
