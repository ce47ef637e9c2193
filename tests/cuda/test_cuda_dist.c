/* test_cuda_dist.c - calls over many ranks on arrays in GPU memory: every verb and type, 1 to 8
 * ranks that share one GPU, and three ways to exchange device arrays. The expected bytes are those
 * of the CPU on the whole array. ORDO_TEST_SMALL=1 takes fewer cases, for compute-sanitizer. */
#define _GNU_SOURCE
#include "device.h"
#include "dist/device_cases.h"

#include <stdlib.h>

enum {
    CASES = 280,
    FEW_CASES = 20
};

static void *make(size_t bytes)
{
    void *array;
    CUDA_CHECK(cudaMalloc(&array, bytes));
    return array;
}

static void drop(void *array) { CUDA_CHECK(cudaFree(array)); }

static void copy(void *to, const void *from, size_t bytes)
{
    CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    CUDA_CHECK(cudaDeviceSynchronize());
}

int main(void)
{
    cases_device const device = {make, drop, copy};
    device_start();
    cases_open(&device);
    check_cases(cpu, getenv("ORDO_TEST_SMALL") != NULL ? FEW_CASES : CASES);
    cases_close();
    return device_done();
}
