/* device.h - arrays of a GPU for tests: with bytes on both sides that nobody may write, at any
 * alignment of their elements. What CUDA refuses ends the test. */
#ifndef ORDO_TESTS_CUDA_DEVICE_H
#define ORDO_TESTS_CUDA_DEVICE_H

#include "testkit.h"

#include <cuda_runtime_api.h>

void device_check(cudaError_t error, const char *file, int line);
#define CUDA_CHECK(call) device_check((call), __FILE__, __LINE__)

/* testkit_start for the tests of device arrays: they are skipped, with the reason, where there is
 * no GPU or the backend does not open. */
void device_start(void);

ordo_ctx *device_context(void); /* for the GPU; the end of the test if there is none */

typedef struct device_array {
    unsigned char *map;
    unsigned char *data; /* `bytes` that the test may use */
    size_t         bytes;
} device_array;

/* data is `shift` bytes past an address that every type may have. */
device_array device_make(size_t bytes, size_t shift);
void         device_free(device_array *array);

/* The same memory again, for an array of at most as many bytes. */
void device_place(device_array *array, size_t bytes, size_t shift);

void device_put(device_array *array, const void *host);
void device_get(const device_array *array, void *host);
void device_spoil(device_array *array);        /* 0xee everywhere  */
bool device_intact(const device_array *array); /* nothing beside it was written */

#endif
