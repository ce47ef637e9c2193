/* bench_pin.c - pins host arrays with the CUDA driver, which is loaded when it is needed, so
 * ordo-bench itself needs no CUDA. */
#include "bench/harness/bench_pin.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

enum {
    PAGE = 4096,
    PORTABLE = 1 /* CU_MEMHOSTREGISTER_PORTABLE: pinned for all contexts */
};

typedef struct pin_driver { /* the functions return 0 on success */
    int (*init)(unsigned flags);
    int (*device)(int *device, int ordinal);
    int (*retain)(void **context, int device); /* the context that the runtime uses, too */
    int (*use)(void *context);
    int (*pin)(void *array, size_t bytes, unsigned flags);
    int (*unpin)(void *array);
} pin_driver;

static pin_driver driver;

static bool find(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol); /* ISO C has no conversion to a function pointer */
    return symbol != NULL;
}

bool bench_can_pin(void)
{
    static bool tried, found;
    void       *library, *context;
    int         device;

    if (tried)
        return found;
    tried = true;
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    found = library != NULL && find(library, "cuInit", &driver.init) &&
            find(library, "cuDeviceGet", &driver.device) &&
            find(library, "cuDevicePrimaryCtxRetain", &driver.retain) &&
            find(library, "cuCtxSetCurrent", &driver.use) &&
            find(library, "cuMemHostRegister_v2", &driver.pin) &&
            find(library, "cuMemHostUnregister", &driver.unpin) && driver.init(0) == 0 &&
            driver.device(&device, 0) == 0 && driver.retain(&context, device) == 0 &&
            driver.use(context) == 0;
    return found;
}

/* The start of the page of an address: the driver pins whole pages. */
static char *page_of(void *array) { return (char *)array - (uintptr_t)array % PAGE; }

bool bench_pin(void *array, size_t bytes)
{
    char *const page = page_of(array);
    return bench_can_pin() &&
           driver.pin(page, bytes + (size_t)((char *)array - page), PORTABLE) == 0;
}

void bench_unpin(void *array) { (void)driver.unpin(page_of(array)); }
