/* driver.c - stands in for the CUDA driver, libcuda.so.1. FAKE_CUDA is the number of the device
 * whose context is active. Without FAKE_CUDA the driver is not initialised. */
#include <stdlib.h>

enum {
    SUCCESS = 0,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    DEVICES = 2,
    FIRST_HANDLE = 70 /* a handle is not the number of the device */
};

__attribute__((visibility("default"))) int cuDeviceGet(int *device, int ordinal);
__attribute__((visibility("default"))) int
cuDevicePrimaryCtxGetState(int device, unsigned int *flags, int *active);

int cuDeviceGet(int *device, int ordinal)
{
    if (getenv("FAKE_CUDA") == NULL)
        return NOT_INITIALIZED;
    if (ordinal < 0 || ordinal >= DEVICES)
        return INVALID_DEVICE;
    *device = FIRST_HANDLE + ordinal;
    return SUCCESS;
}

int cuDevicePrimaryCtxGetState(int device, unsigned int *flags, int *active)
{
    const char *const number = getenv("FAKE_CUDA");
    if (number == NULL)
        return NOT_INITIALIZED;
    *flags = 0;
    *active = device == FIRST_HANDLE + atoi(number);
    return SUCCESS;
}
