/* device.c - see device.h. */
#define _POSIX_C_SOURCE 200809L
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 256, /* bytes on each side of an array */
    FILL_BYTE = 0xee,
    PATTERN = 0xa5
};

ordo_ctx    *cpu, *gpu;
cudaStream_t stream;

void device_check(cudaError_t error, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    printf("%s:%d: CUDA: %s (%s)\n", file, line, cudaGetErrorString(error),
           cudaGetErrorName(error));
    exit(99);
}

void device_start(void)
{
    setenv("ORDO_TEST_DEVICE", "cuda", 1);
    testkit_start();
    unsetenv("ORDO_DEVICE"); /* these tests choose the backend of each context */
    CUDA_CHECK(cudaSetDevice(0));
    if (ordo_ctx_create(&cpu, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU)) != ORDO_OK)
        exit(99);
    gpu = device_context();
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
}

int device_done(void)
{
    CUDA_CHECK(cudaStreamDestroy(stream));
    ordo_ctx_free(gpu);
    ordo_ctx_free(cpu);
    return testkit_done();
}

ordo_ctx *device_context(void)
{
    ordo_ctx *ctx = NULL;
    if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CUDA, .threads = 4)) !=
        ORDO_OK) {
        printf("no context for the GPU: %s\n", ordo_last_error(NULL));
        exit(99);
    }
    return ctx;
}

void device_settle(void) { CUDA_CHECK(cudaStreamSynchronize(NULL)); }

static void mark_sides(const device_array *array)
{
    CUDA_CHECK(cudaMemset(array->data - SIDE, PATTERN, SIDE));
    CUDA_CHECK(cudaMemset(array->data + array->bytes, PATTERN, SIDE));
    device_settle();
}

device_array device_make(size_t bytes, size_t shift)
{
    device_array array = {NULL, NULL, bytes};
    void        *map = NULL;
    CUDA_CHECK(cudaMalloc(&map, bytes + 3 * (size_t)SIDE));
    array.map = map;
    device_place(&array, bytes, shift);
    return array;
}

void device_place(device_array *array, size_t bytes, size_t shift)
{
    array->data = array->map + SIDE + shift;
    array->bytes = bytes;
    mark_sides(array);
}

void device_free(device_array *array)
{
    CUDA_CHECK(cudaFree(array->map));
    array->map = NULL;
}

void device_put(device_array *array, const void *host)
{
    CUDA_CHECK(cudaMemcpy(array->data, host, array->bytes, cudaMemcpyHostToDevice));
    device_settle();
}

void device_get(const device_array *array, void *host)
{
    CUDA_CHECK(cudaMemcpy(host, array->data, array->bytes, cudaMemcpyDeviceToHost));
}

void device_overwrite(device_array *array)
{
    CUDA_CHECK(cudaMemset(array->data, FILL_BYTE, array->bytes));
    device_settle();
}

bool device_intact(const device_array *array)
{
    unsigned char sides[2 * SIDE];
    CUDA_CHECK(cudaMemcpy(sides, array->data - SIDE, SIDE, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(sides + SIDE, array->data + array->bytes, SIDE, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < sizeof sides; i++)
        if (sides[i] != PATTERN)
            return false;
    return true;
}

void device_capture(void)
{
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
}

cudaGraphExec_t device_captured(void)
{
    cudaGraph_t     graph;
    cudaGraphExec_t ready;
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    return ready;
}

void device_replay(cudaGraphExec_t graph)
{
    CUDA_CHECK(cudaGraphLaunch(graph, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaGraphExecDestroy(graph));
}
