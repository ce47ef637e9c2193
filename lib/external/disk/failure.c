/* failure.c - keeps the first failure of several threads. */
#define _GNU_SOURCE
#include "external/disk/failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool record(failure *f, ordo_status status, int error, const char *format, va_list args)
{
    pthread_mutex_lock(&f->lock);
    if (!failure_seen(f)) {
        int const length = vsnprintf(f->text, sizeof f->text, format, args);
        if (error != 0 && length >= 0 && (size_t)length < sizeof f->text) {
            char        buffer[128];
            const char *why = strerror_r(error, buffer, sizeof buffer);
            snprintf(f->text + length, sizeof f->text - (size_t)length, ": %s", why);
        }
        atomic_store_explicit(&f->status, status, memory_order_release);
    }
    pthread_mutex_unlock(&f->lock);
    return false;
}

bool failure_record(failure *f, ordo_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(f, status, 0, format, args);
    va_end(args);
    return false;
}

bool failure_record_errno(failure *f, int error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(f, ORDO_E_IO, error, format, args);
    va_end(args);
    return false;
}

bool failure_grow(failure *f, void **array, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity)
        return true;
    size_t const wanted = ordo_max(count, *capacity + *capacity / 4 + 16);
    void *const  larger = realloc(*array, wanted * size);
    if (larger == NULL)
        return failure_record(f, ORDO_E_NOMEM,
                              "the system refused memory for the index of the temporary files");
    *array = larger;
    *capacity = wanted;
    return true;
}
