/* bench_cuda.c - the bench_place of a GPU: opens the module, allocates, uploads, times.
 *
 * The state is static, because a process measures one GPU. The library's generators write the keys
 * into pinned memory with all threads, so the keys equal those of the CPU benchmarks. */
#include "bench/harness/bench_cuda.h"
#include "bench/harness/bench_cuda_module.h"
#include "bench/harness/bench_peers.h"
#include "cli/base/cli.h"

#include <stdio.h>
#include <string.h>

enum {
    WIPED = 0xa5
};

static const bench_cuda_module *module;
static bench_place              place;
static ordo_ctx                *generator, *host;
static void                    *staging; /* pinned */
static size_t                   staging_bytes;
static bool                     opened; /* the module, for peers of host arrays */

static bool went_well(int failed, const char *what)
{
    if (failed)
        cli_error("bench: %s: %s", what, module->last_error());
    return !failed;
}

/* ---- The place ---------------------------------------------------------------------------- */

static size_t place_available(void) { return module->available(); }

static void *place_alloc(size_t bytes)
{
    void *array = NULL;
    return went_well(module->alloc(&array, bytes), "memory of the GPU") ? array : NULL;
}

static void place_release(void *array) { module->release(array); }

static bool reserve_staging(size_t bytes)
{
    if (bytes <= staging_bytes)
        return true;
    module->release_host(staging);
    staging = NULL;
    staging_bytes = 0;
    if (!went_well(module->alloc_host(&staging, bytes), "pinned memory"))
        return false;
    staging_bytes = bytes;
    return true;
}

static bool place_generate(ordo_dist dist, ordo_type type, void *out, size_t n,
                           const ordo_gen_opts *opts)
{
    const size_t bytes = n * ordo_type_size(type);

    if (!reserve_staging(bytes))
        return false;
    if (ordo_gen(generator, dist, type, staging, n, opts) != ORDO_OK) {
        cli_error("bench: cannot generate %zu keys of type %s: %s", n, ordo_type_name(type),
                  ordo_last_error(generator));
        return false;
    }
    return went_well(module->upload(out, staging, bytes), "upload");
}

bool bench_cuda_upload(void *to, const void *from, size_t bytes)
{
    return went_well(module->upload(to, from, bytes), "upload");
}

static bool place_copy(void *dst, const void *src, size_t bytes)
{
    return went_well(module->copy(dst, src, bytes), "copy");
}

static bool place_wipe(void *array, size_t bytes)
{
    if (module->on_device(array))
        return went_well(module->wipe(array, bytes), "wipe");
    memset(array, WIPED, bytes);
    return true;
}

static bool place_fingerprint(const void *array, size_t bytes, uint64_t *out)
{
    if (module->on_device(array))
        return went_well(module->fingerprint(array, bytes, out), "an answer");
    *out = bench_fingerprint(array, bytes);
    return true;
}

static bool place_start(void) { return went_well(module->start(), "event"); }

static bool place_stop(double *seconds) { return went_well(module->stop(seconds), "a call"); }

/* ---- Opening ------------------------------------------------------------------------------ */

static ordo_ctx *cpu_context(unsigned threads)
{
    ordo_ctx           *ctx = NULL;
    const ordo_ctx_opts opts =
        ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = (uint32_t)threads);

    if (ordo_ctx_create(&ctx, &opts) != ORDO_OK)
        cli_error("bench: no context with %u threads: %s", threads, ordo_last_error(NULL));
    return ctx;
}

/* Fails early if the library cannot use the GPU, instead of once for each row. */
static bool library_finds_gpu(void)
{
    ordo_ctx *ctx = NULL;
    ordo_info info = {.struct_size = sizeof info};

    if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CUDA)) != ORDO_OK ||
        ordo_ctx_info(ctx, &info) != ORDO_OK) {
        cli_error("bench: no context for the GPU: %s", ordo_last_error(ctx));
        ordo_ctx_free(ctx);
        return false;
    }
    const bool usable = info.cuda[0] == '\0';
    if (!usable)
        cli_error("bench: the GPU cannot be used: %s", info.cuda);
    ordo_ctx_free(ctx);
    return usable;
}

static bool open_module(char *why, size_t why_size)
{
    module = bench_module_open("ORDO_CUDA_PEERS", "libordo_cuda_peers.so", BENCH_CUDA_SYMBOL,
                               BENCH_CUDA_ABI, why, why_size);
    return module != NULL;
}

const bench_peer_table *bench_cuda_host_peers(char *why, size_t why_size)
{
    char  device[sizeof place.device];
    void *stream;

    if (module == NULL && !open_module(why, why_size))
        return NULL;
    if (opened || module->open(device, sizeof device, &stream) == 0) {
        opened = true;
        return &module->peers;
    }
    snprintf(why, why_size, "%s", module->last_error());
    return NULL;
}

const bench_place *bench_cuda_open(unsigned threads)
{
    char why[300];

    if (!open_module(why, sizeof why)) {
        cli_error("bench: %s; 'make gpu-check' builds it if nvcc is installed", why);
        return NULL;
    }
    place = (bench_place){
        .peers = &module->peers,
        .available = place_available,
        .alloc = place_alloc,
        .release = place_release,
        .generate = place_generate,
        .copy = place_copy,
        .wipe = place_wipe,
        .fingerprint = place_fingerprint,
        .start = place_start,
        .stop = place_stop,
    };
    if (!went_well(module->open(place.device, sizeof place.device, &place.stream), "no GPU"))
        return NULL;
    if (!library_finds_gpu())
        return NULL;
    generator = cpu_context(threads);
    return generator != NULL ? &place : NULL;
}

void bench_cuda_close(void)
{
    ordo_ctx_free(generator);
    ordo_ctx_free(host);
    generator = host = NULL;
    if (module != NULL)
        module->release_host(staging);
    staging = NULL;
    staging_bytes = 0;
}

/* ---- For the subjects --------------------------------------------------------------------- */

const void *bench_cuda_host_keys(void) { return staging; }

ordo_ctx *bench_cuda_host_context(void)
{
    if (host == NULL)
        host = cpu_context(1);
    return host;
}

bool bench_cuda_flags(bench *b, ordo_flags_kind kind, void *flags, size_t n)
{
    const size_t bytes = kind == ORDO_FLAG_BITS ? n / 8 + (n % 8 != 0) : n;

    return bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U8, flags, bytes, 0) &&
           (kind == ORDO_FLAG_BITS || went_well(module->lower_to_flags(flags, n), "flags"));
}

void *bench_cuda_record(bench *b, bench_call *call, const void *what)
{
    ordo_ctx *const ctx = bench_context(b, b->set.threads);
    void           *graph = NULL;

    if (ctx == NULL || call(ctx, what) != ORDO_OK || /* allocates scratch before the recording */
        module->graph_begin() != 0)
        return NULL;
    const ordo_status status = call(ctx, what);
    if (module->graph_end(&graph) != 0 || status != ORDO_OK) {
        module->graph_free(graph);
        return NULL;
    }
    return graph;
}

ordo_status bench_cuda_replay(ordo_ctx *ctx, const void *graph)
{
    void *writable;

    (void)ctx;
    memcpy(&writable, &graph, sizeof writable); /* casts const away for graph_run */
    return went_well(module->graph_run(writable), "graph") ? ORDO_OK : ORDO_E_DEVICE;
}

void bench_cuda_forget(void *graph)
{
    if (graph != NULL)
        module->graph_free(graph);
}
