/* test_cuda_streams.c - calls on device arrays and CUDA streams: a call enqueues its work and does
 * not wait (unless it returns a single result), follows earlier work of its stream, is separate
 * from calls on other streams of its context, can be captured in a graph after ordo_reserve, and
 * refuses host memory. */
#define _POSIX_C_SOURCE 200809L
#include "calls.h"
#include "device.h"
#include "inputs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    KEYS = 70001,
    ELEMENT = 16,
    REPLAYS = 3,
    PATIENCE = 3000 /* a stream is blocked for at most this many milliseconds */
};

static ordo_type const types[] = {ORDO_F32, ORDO_U64, ORDO_I16};
enum {
    TYPES = sizeof types / sizeof *types
};

static device_array   device[CALL_ARRAYS];
static unsigned char *given[CALL_ARRAYS]; /* pinned */
static unsigned char *expected[CALL_ARRAYS], *found[CALL_ARRAYS];

/* ---- A blocked stream ---- */

static atomic_int held, released; /* released: the host function that blocks a stream has ended */

static void CUDART_CB hold(void *user)
{
    struct timespec const moment = {0, 1000000};
    (void)user;
    for (int i = 0; i < PATIENCE && atomic_load(&held) != 0; i++)
        nanosleep(&moment, NULL);
    atomic_store(&released, 1);
}

/* Notes in an atomic_int whether it runs before (1) or after (2) the end of hold. */
static void CUDART_CB note_order(void *user)
{
    atomic_store((atomic_int *)user, 1 + atomic_load(&released));
}

static void hold_stream(cudaStream_t which)
{
    atomic_store(&released, 0);
    atomic_store(&held, 1);
    CUDA_CHECK(cudaLaunchHostFunc(which, hold, NULL));
}

static void let_go(void) { atomic_store(&held, 0); }

/* ---- One call ---- */

static void make_input(const call_plan *plan, uint64_t seed)
{
    for (int i = 0; i < CALL_ARRAYS; i++) {
        const call_array *const array = &plan->arrays[i];
        if (array->use == ARRAY_NONE)
            continue;
        calls_noise(given[i], array->bytes, seed + (uint64_t)i);
        if (array->content == CONTENT_KEYS || array->content == CONTENT_SORTED)
            inputs_fill(seed % 3, plan->type, given[i], plan->n, seed);
        if (array->content == CONTENT_SORTED)
            inputs_sort(plan->type, given[i], plan->n, (plan->flags & ORDO_DESCENDING) != 0);
        memcpy(expected[i], given[i], array->bytes);
    }
}

static void place_arrays(const call_plan *plan, call_place *host, call_place *place)
{
    for (int i = 0; i < CALL_ARRAYS; i++) {
        bool const used = plan->arrays[i].use != ARRAY_NONE;
        if (used)
            device_place(&device[i], plan->arrays[i].bytes, 0);
        host->arrays[i] = used ? expected[i] : NULL;
        place->arrays[i] = used ? device[i].data : NULL;
    }
}

/* Uploads from pinned memory on the stream of the call, so that the call must wait for them. */
static void upload(const call_plan *plan, cudaStream_t on)
{
    for (int i = 0; i < CALL_ARRAYS; i++)
        if (plan->arrays[i].use != ARRAY_NONE)
            CUDA_CHECK(cudaMemcpyAsync(device[i].data, given[i], plan->arrays[i].bytes,
                                       cudaMemcpyHostToDevice, on));
}

static void compare(const call_plan *plan)
{
    for (int i = 0; i < CALL_ARRAYS; i++) {
        if (plan->arrays[i].use == ARRAY_NONE || plan->inexact)
            continue;
        device_get(&device[i], found[i]);
        CHECK_BYTES(plan->arrays[i].use == ARRAY_READ ? given[i] : expected[i], found[i],
                    plan->arrays[i].bytes, 1);
        CHECK(device_intact(&device[i]));
    }
}

/* ---- Tests ---- */

/* Behind a host function that does not end, a call returns only if it does not wait. */
static void test_enqueues(const call_plan *plan)
{
    call_place host = {.ctx = cpu}, place = {.ctx = gpu, .on_device = true, .stream = stream};
    char       name[128];

    testkit_case("enqueued: %s", calls_name(plan, name, sizeof name));
    make_input(plan, 5);
    place_arrays(plan, &host, &place);
    if (!CHECK_STATUS(ORDO_OK, calls_run(plan, &host), cpu))
        return;
    CUDA_CHECK(cudaDeviceSynchronize());
    upload(plan, stream);
    calls_run(plan, &place); /* allocates the scratch, which may wait */
    CUDA_CHECK(cudaStreamSynchronize(stream));

    hold_stream(stream);
    upload(plan, stream);
    ordo_status const status = calls_run(plan, &place);
    CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
    let_go();
    if (!CHECK_STATUS(ORDO_OK, status, gpu))
        return;
    CUDA_CHECK(cudaStreamSynchronize(stream));
    compare(plan);
}

/* The graph reads the arrays when it runs. */
static void replay(const call_plan *plan, cudaGraphExec_t graph, call_place *host)
{
    for (uint64_t round = 0; round < REPLAYS; round++) {
        make_input(plan, 100 + round);
        CHECK_STATUS(ORDO_OK, calls_run(plan, host), cpu);
        upload(plan, stream);
        CUDA_CHECK(cudaGraphLaunch(graph, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        compare(plan);
    }
}

static void test_captured(const call_plan *plan)
{
    ordo_ctx *const fresh = device_context();
    call_place  host = {.ctx = cpu}, place = {.ctx = fresh, .on_device = true, .stream = stream};
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    size_t          bytes = 0;
    char            name[128];

    testkit_case("captured: %s", calls_name(plan, name, sizeof name));
    place_arrays(plan, &host, &place);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, calls_scratch(plan, &place, &bytes), fresh);
    CHECK_STATUS(ORDO_OK, ordo_reserve(fresh, bytes), fresh);
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    ordo_status const status = calls_run(plan, &place);
    cudaError_t const ended = cudaStreamEndCapture(stream, &graph);
    if (CHECK_STATUS(ORDO_OK, status, fresh) && CHECK(ended == cudaSuccess && graph != NULL)) {
        CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
        replay(plan, ready, &host);
        CUDA_CHECK(cudaGraphExecDestroy(ready));
    }
    if (graph != NULL)
        CUDA_CHECK(cudaGraphDestroy(graph));
    (void)cudaGetLastError();
    ordo_ctx_free(fresh);
}

/* A call that cannot be captured says so and leaves the capture valid: a call with a single result,
 * and a call whose scratch was not reserved. */
static void test_not_captured(void)
{
    size_t const         bytes = (size_t)KEYS * 8;
    ordo_ctx *const      fresh = device_context();
    device_array         keys = device_make(bytes, 0), values = device_make(bytes, 0);
    ordo_scan_opts const scan =
        ORDO_OPTS(ordo_scan_opts, .flags = ORDO_ON_DEVICE, .stream = stream);
    ordo_sort_opts const sort =
        ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE, .stream = stream);
    cudaGraph_t graph = NULL;
    uint64_t    total = 77;

    testkit_case("not captured");
    CHECK_STATUS(ORDO_OK, ordo_reserve(fresh, 1), fresh);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    CHECK_STATUS(
        ORDO_E_ARG,
        ordo_scan_bits(fresh, ORDO_FLAG_BYTES, keys.data, 1000, ORDO_U64, NULL, &total, &scan),
        fresh);
    CHECK(strstr(ordo_last_error(fresh), "captured") != NULL && total == 77);
    CHECK_STATUS(ORDO_E_NOMEM,
                 ordo_sort_pairs(fresh, ORDO_U64, keys.data, KEYS, values.data, 8, &sort), fresh);
    CHECK(strstr(ordo_last_error(fresh), "ordo_reserve") != NULL);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    if (graph != NULL)
        CUDA_CHECK(cudaGraphDestroy(graph));
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(fresh, ORDO_U64, keys.data, KEYS, values.data, 8, &sort),
                 fresh);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_free(&keys);
    device_free(&values);
    ordo_ctx_free(fresh);
}

static void for_all_calls(size_t n, void (*test)(const call_plan *plan))
{
    for (size_t which = 0; which < calls_count(); which++)
        for (size_t t = 0; t < TYPES; t++) {
            call_plan plan;
            if (calls_plan(which, types[t], n, &plan) && !plan.waits)
                test(&plan);
        }
    call_plan plan; /* verbs without a type */
    for (size_t which = 0; which < calls_count(); which++)
        if (!calls_plan(which, ORDO_F32, n, &plan) && calls_plan(which, ORDO_U32, n, &plan) &&
            !plan.waits)
            test(&plan);
}

/* Two arrays sorted repeatedly on two streams: with the scratch of one context, or, with two
 * contexts, at the same time, although the blocks of each sort wait for each other. */
static void test_two_streams(ordo_ctx *other)
{
    ordo_ctx *const callers[2] = {gpu, other};
    size_t const    bytes = (size_t)KEYS * 4;
    cudaStream_t    streams[2];
    device_array    keys[2] = {device_make(bytes, 0), device_make(bytes, 0)};
    uint32_t *const before[2] = {test_keep(bytes), test_keep(bytes)}, *const after =
                                                                          test_need(bytes);

    testkit_case("two streams, %d contexts", other == gpu ? 1 : 2);
    for (int s = 0; s < 2; s++) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        inputs_fill(0, ORDO_U32, before[s], KEYS, 40 + (uint64_t)s);
    }
    for (int round = 0; round < 20; round++)
        for (int s = 0; s < 2; s++) {
            ordo_sort_opts const opts =
                ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE | (s != 0 ? ORDO_DESCENDING : 0),
                          .algorithm = ORDO_ALGORITHM_RADIX, .stream = streams[s]);
            CUDA_CHECK(cudaMemcpyAsync(keys[s].data, before[s], bytes, cudaMemcpyHostToDevice,
                                       streams[s]));
            CHECK_STATUS(ORDO_OK, ordo_sort(callers[s], ORDO_U32, keys[s].data, KEYS, &opts),
                         callers[s]);
        }
    for (int s = 0; s < 2; s++) {
        ordo_sort_opts const opts =
            ORDO_OPTS(ordo_sort_opts, .flags = s != 0 ? ORDO_DESCENDING : 0);
        CUDA_CHECK(cudaStreamSynchronize(streams[s]));
        CHECK_STATUS(ORDO_OK, ordo_sort(cpu, ORDO_U32, before[s], KEYS, &opts), cpu);
        device_get(&keys[s], after);
        CHECK_BYTES(before[s], after, bytes, 4);
        CUDA_CHECK(cudaStreamDestroy(streams[s]));
        device_free(&keys[s]);
    }
}

/* cudaStreamPerThread is a different stream in every thread. While a call of one thread is blocked,
 * a call of another thread on the same context must wait for it: they share scratch. */
typedef struct other_thread {
    device_array keys;
    ordo_status  status;
} other_thread;

static void *sort_held(void *user)
{
    other_thread *const  other = user;
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE, .algorithm = ORDO_ALGORITHM_RADIX,
                  .stream = cudaStreamPerThread);
    hold_stream(cudaStreamPerThread);
    other->status = ordo_sort(gpu, ORDO_U32, other->keys.data, KEYS, &opts);
    return NULL;
}

static void test_streams_per_thread(void)
{
    size_t const          bytes = (size_t)KEYS * 4;
    struct timespec const moment = {0, 1000000};
    ordo_sort_opts const  opts =
        ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE, .algorithm = ORDO_ALGORITHM_RADIX,
                  .stream = cudaStreamPerThread);
    uint32_t *const before = test_keep(bytes), *const after = test_keep(bytes);
    other_thread other = {device_make(bytes, 0), ORDO_OK};
    device_array keys = device_make(bytes, 0);
    pthread_t    thread;
    atomic_int   order = 0;

    testkit_case("streams per thread");
    inputs_fill(0, ORDO_U32, before, KEYS, 50);
    device_put(&other.keys, before);
    device_put(&keys, before);
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, ORDO_U32, keys.data, KEYS, &opts), gpu); /* scratch */
    CUDA_CHECK(cudaDeviceSynchronize());
    if (!CHECK(pthread_create(&thread, NULL, sort_held, &other) == 0))
        return;
    pthread_join(thread, NULL);
    CHECK_STATUS(ORDO_OK, other.status, gpu);
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, ORDO_U32, keys.data, KEYS, &opts), gpu);
    CUDA_CHECK(cudaLaunchHostFunc(cudaStreamPerThread, note_order, &order));
    for (int i = 0; i < 200 && atomic_load(&order) == 0; i++) /* time to run too early */
        nanosleep(&moment, NULL);
    let_go();
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK(atomic_load(&order) == 2); /* it waited for the blocked call */
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, ORDO_U32, before, KEYS, NULL), cpu);
    device_get(&other.keys, after);
    CHECK_BYTES(before, after, bytes, 4);
    device_get(&keys, after);
    CHECK_BYTES(before, after, bytes, 4);
    device_free(&other.keys);
    device_free(&keys);
}

/* Host arrays and device arrays in one context, on the default stream. */
static void test_mixed(void)
{
    size_t const    bytes = (size_t)KEYS * 4;
    uint32_t *const host = test_keep(bytes), *const after = test_keep(bytes),
                    *const sorted = test_keep(bytes);
    device_array           keys = device_make(bytes, 4);
    ordo_sort_opts const   opts = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE);

    testkit_case("host arrays between device arrays");
    inputs_fill(0, ORDO_U32, host, KEYS, 3);
    memcpy(sorted, host, bytes);
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, ORDO_U32, sorted, KEYS, NULL), cpu);
    for (int round = 0; round < 5; round++) {
        inputs_fill(0, ORDO_U32, host, KEYS, 3);
        device_put(&keys, host);
        CHECK_STATUS(ORDO_OK, ordo_sort(gpu, ORDO_U32, keys.data, KEYS, &opts), gpu);
        CHECK_STATUS(ORDO_OK, ordo_sort(gpu, ORDO_U32, host, KEYS, NULL), gpu);
        CHECK_BYTES(sorted, host, bytes, 4);
        device_get(&keys, after);
        CHECK_BYTES(sorted, after, bytes, 4);
    }
    ordo_report const report = report_of(gpu);
    CHECK(strcmp(report.backend, "cuda") == 0 && strncmp(report.isa, "sm_", 3) == 0);
    CHECK(report.algorithm[0] != '\0' && report.n == KEYS);

    testkit_case("host memory with ORDO_ON_DEVICE");
    memcpy(after, host, bytes);
    CHECK_STATUS(ORDO_E_ARG, ordo_sort(gpu, ORDO_U32, host, KEYS, &opts), gpu);
    CHECK(ordo_last_error(gpu)[0] != '\0');
    CHECK_BYTES(after, host, bytes, 4);
    CHECK_STATUS(ORDO_OK, ordo_sort(gpu, ORDO_U32, keys.data, KEYS, &opts), gpu);
    CUDA_CHECK(cudaDeviceSynchronize());

    testkit_case("a stream without ORDO_ON_DEVICE");
    ordo_sort_opts const stray = ORDO_OPTS(ordo_sort_opts, .stream = stream);
    CHECK(ordo_sort(gpu, ORDO_U32, host, KEYS, &stray) != ORDO_OK);
    device_free(&keys);
}

int main(void)
{
    device_start();
    for (int i = 0; i < CALL_ARRAYS; i++) {
        device[i] = device_make((size_t)KEYS * ELEMENT, 0);
        CUDA_CHECK(cudaMallocHost((void **)&given[i], (size_t)KEYS * ELEMENT));
        expected[i] = test_keep((size_t)KEYS * ELEMENT);
        found[i] = test_keep((size_t)KEYS * ELEMENT);
    }

    test_mixed();
    ordo_ctx *const other = device_context();
    test_two_streams(gpu);
    test_two_streams(other);
    ordo_ctx_free(other);
    test_streams_per_thread();
    test_not_captured();
    for_all_calls(KEYS, test_enqueues);
    for_all_calls(KEYS, test_captured);
    for_all_calls(1000, test_captured);

    for (int i = 0; i < CALL_ARRAYS; i++) {
        device_free(&device[i]);
        CUDA_CHECK(cudaFreeHost(given[i]));
    }
    return device_done();
}
