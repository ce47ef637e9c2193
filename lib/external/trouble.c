/* trouble.c - keeps the first failure of several threads. */
#define _GNU_SOURCE
#include "external/trouble.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool record(trouble *t, ordo_status status, int error, const char *format, va_list args)
{
    pthread_mutex_lock(&t->lock);
    if (!trouble_is(t)) {
        int const length = vsnprintf(t->text, sizeof t->text, format, args);
        if (error != 0 && length >= 0 && (size_t)length < sizeof t->text) {
            char        buffer[128];
            const char *why = strerror_r(error, buffer, sizeof buffer);
            snprintf(t->text + length, sizeof t->text - (size_t)length, ": %s", why);
        }
        atomic_store_explicit(&t->status, status, memory_order_release);
    }
    pthread_mutex_unlock(&t->lock);
    return false;
}

bool trouble_set(trouble *t, ordo_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(t, status, 0, format, args);
    va_end(args);
    return false;
}

bool trouble_errno(trouble *t, int error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    record(t, ORDO_E_IO, error, format, args);
    va_end(args);
    return false;
}
