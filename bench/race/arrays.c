/* arrays.c - the arrays of a row, in the memory of the CPU or of a GPU, and the timing of calls.
 *
 * A timing is a loop over several arrays of the same length, so that a call on 16 keys takes long
 * enough for the clock and finds other keys than the call before. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "race.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int (*gpu_malloc)(void **, size_t);
static int (*gpu_free)(void *);
static int (*gpu_copy)(void *, const void *, size_t,
                       int); /* direction 4: found from the pointers */
static int (*gpu_wait)(void);

static void load(void *loaded, const char *name, void *function)
{
    void *const address = dlsym(loaded, name);
    if (address == NULL)
        fail(name, dlerror());
    memcpy(function, &address, sizeof address);
}

void gpu_load(void)
{
    static const char *const names[] = {"libcudart.so", "libcudart.so.13", "libcudart.so.12"};
    void                    *loaded = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && loaded == NULL; i++)
        loaded = dlopen(names[i], RTLD_NOW);
    if (loaded == NULL)
        fail("libcudart.so", dlerror());
    load(loaded, "cudaMalloc", &gpu_malloc);
    load(loaded, "cudaFree", &gpu_free);
    load(loaded, "cudaMemcpy", &gpu_copy);
    load(loaded, "cudaDeviceSynchronize", &gpu_wait);
}

void gpu_finish(void)
{
    if (set.on_gpu && gpu_wait() != 0)
        fail("cudaDeviceSynchronize", "failed");
}

void *room_of(room *r, size_t bytes)
{
    bool const on_gpu = r->on_gpu && set.on_gpu;
    bool       fine;

    bytes += bytes == 0;
    if (bytes <= r->bytes)
        return r->at;
    if (on_gpu && r->at != NULL)
        gpu_free(r->at);
    else if (r->at != NULL)
        free(r->at);
    if (on_gpu)
        fine = gpu_malloc(&r->at, bytes) == 0;
    else
        fine = (r->at = malloc(bytes)) != NULL;
    if (!fine)
        fail("memory", "not enough for the arrays");
    r->bytes = bytes;
    return r->at;
}

void copy_bytes(void *to, const void *from, size_t bytes)
{
    if (!set.on_gpu)
        memcpy(to, from, bytes);
    else if (gpu_copy(to, from, bytes, 4) != 0)
        fail("cudaMemcpy", "failed");
}

size_t copies_of(size_t n)
{
    size_t const copies = set.batch / n;
    return copies < 1 ? 1 : copies > MOST_COPIES ? MOST_COPIES : copies;
}

void make_keys(const side *maker, const type_row *type, const dist_row *dist, size_t n,
               size_t copies, void *keys)
{
    static ordo_ctx    *host;
    ordo_ctx_opts const opts = {.struct_size = sizeof opts, .where = ORDO_CPU, .calibration = ""};
    uint64_t const      k = dist->dist != ORDO_DIST_KSORTED ? 0 : n >= 4000 ? 1000 : n / 4;

    if (host == NULL && maker->lib->ctx_create(&host, &opts) != ORDO_OK)
        fail("context", "not created");
    for (size_t i = 0; i < copies; i++) {
        ordo_gen_opts const gen = {.struct_size = sizeof gen, .seed = 1 + i, .k = k};
        if (maker->lib->gen(host, dist->dist, type->type, (char *)keys + i * n * type->size, n,
                            &gen) != ORDO_OK)
            fail(dist->name, maker->lib->last_error(host));
    }
}

double now(void)
{
    struct timespec t;
    clock_gettime(set.cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t digest_bytes(uint64_t digest, span bytes)
{
    const char *at = bytes.at;
    size_t      left = bytes.bytes;

    while (left > 0) {
        uint64_t     word = 0;
        size_t const step = left < sizeof word ? left : sizeof word;
        memcpy(&word, at, step);
        digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        digest ^= digest >> 29;
        at += step;
        left -= step;
    }
    return (digest ^ bytes.bytes) * UINT64_C(0xbf58476d1ce4e5b9);
}

outcome time_calls(const calls *c, const row *r, const side *s, bool digest)
{
    static uint64_t numbers[MOST_COPIES];
    static room     copy; /* of a result in GPU memory */
    size_t const    copies = copies_of(r->n);
    outcome         result = {0};

    if (c->reset != NULL)
        c->reset(r);
    memset(numbers, 0, copies * sizeof *numbers);
    gpu_finish();
    double const start = now();
    for (size_t i = 0; i < copies; i++)
        if (c->call(r, s, i, &numbers[i]) != ORDO_OK)
            fail(r->name, s->lib->last_error(s->ctx));
    gpu_finish();
    result.seconds = (now() - start) / (double)copies;
    for (size_t i = 0; digest && i < copies; i++) {
        span bytes = c->result(r, i, numbers[i]);
        if (set.on_gpu && bytes.bytes > 0) {
            void *const host = room_of(&copy, bytes.bytes);
            copy_bytes(host, bytes.at, bytes.bytes);
            bytes.at = host;
        }
        result.digest = digest_bytes(result.digest, bytes);
        result.digest = digest_bytes(result.digest, (span){&numbers[i], sizeof numbers[i]});
    }
    return result;
}
