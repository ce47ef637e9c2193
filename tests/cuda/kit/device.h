/* device.h - helpers of the tests on a GPU: contexts, and device arrays of any alignment with a
 * pattern on both sides that must not change. A CUDA error ends the test. */
#ifndef ORDO_TESTS_CUDA_DEVICE_H
#define ORDO_TESTS_CUDA_DEVICE_H

#include "testkit.h"

#include <cuda_runtime_api.h>

void device_check(cudaError_t error, const char *file, int line);
#define CUDA_CHECK(call) device_check((call), __FILE__, __LINE__)

/* testkit_start for tests of device arrays. Makes the contexts and the stream below. The test ends
 * as skipped if there is no GPU or the backend does not open. device_done frees them and ends the
 * test. */
void device_start(void);
int  device_done(void);

extern ordo_ctx    *cpu, *gpu;
extern cudaStream_t stream;

ordo_ctx *device_context(void); /* a new context for the GPU; the test ends if there is none */

typedef struct device_array {
    unsigned char *map;
    unsigned char *data; /* `bytes` that the test may use */
    size_t         bytes;
} device_array;

/* data is `shift` bytes after an address that is aligned for every type. */
device_array device_make(size_t bytes, size_t shift);
void         device_free(device_array *array);

/* Places a smaller array in the same memory. */
void device_place(device_array *array, size_t bytes, size_t shift);

/* Waits for copies and fills on the default stream. They may still run when their call returns, and
 * the stream of the tests does not wait for them. */
void device_settle(void);
void device_put(device_array *array, const void *host);
void device_get(const device_array *array, void *host);
void device_overwrite(device_array *array);    /* sets all bytes to 0xee            */
bool device_intact(const device_array *array); /* the bytes on both sides are unchanged */

/* Captures the calls on `stream` between the first two of these functions into a graph. The third
 * runs them once. */
void            device_capture(void);
cudaGraphExec_t device_captured(void);
void            device_replay(cudaGraphExec_t graph);

#endif
