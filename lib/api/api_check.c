/* api_check.c - checks of arguments that calls share, the version, and the texts of statuses. */
#define _POSIX_C_SOURCE 200809L
#include "api/api_ctx.h"

#include <stdio.h>
#include <string.h>

ordo_status api_read_struct(ordo_exec *exec, void *dst, size_t known, const void *src,
                            const char *what)
{
    size_t given = 0;
    memset(dst, 0, known);
    memcpy(&given, src, sizeof given);
    FAIL_IF(given < sizeof given || given > API_MAX_OPTS, ORDO_E_ARG,
            "%s.struct_size is %zu; set it to the sizeof of the struct", what, given);
    for (size_t i = known; i < given; i++)
        FAIL_IF(((const unsigned char *)src)[i] != 0, ORDO_E_VERSION,
                "%s uses a field at byte %zu that this version of ordo does not know", what, i);
    memcpy(dst, src, ordo_min(given, known));
    return ORDO_OK;
}

ordo_status api_opts_read(ordo_exec *exec, void *dst, size_t known, const void *src)
{
    if (src != NULL)
        return api_read_struct(exec, dst, known, src, "opts");
    memset(dst, 0, known);
    return ORDO_OK;
}

const char *api_algorithm_name(uint32_t algorithm, char *buffer)
{
    static const char *const names[] = {"auto",    "sequential", "threads", "radix",  "sample",
                                        "merge",   "bitonic",    "split",   "bubble", "rough",
                                        "halving", "naive",      "shuffle", "hybrid", "windows",
                                        "prefix",  "ballot",     "shared"};
    if (algorithm < sizeof names / sizeof *names)
        return names[algorithm];
    (void)snprintf(buffer, API_ALGORITHM_SIZE, "%u", (unsigned)algorithm);
    return buffer;
}

ordo_status api_check_place(ordo_exec *exec, uint64_t flags, uint64_t known, void *stream)
{
    FAIL_IF((flags & ~known) != 0, ORDO_E_VERSION,
            "opts.flags has bits 0x%llx that this call does not know",
            (unsigned long long)(flags & ~known));
    exec->on_device = (flags & ORDO_ON_DEVICE) != 0;
    exec->stream = stream;
    FAIL_IF(stream != NULL && !exec->on_device, ORDO_E_ARG,
            "opts.stream is set, but not ORDO_ON_DEVICE; host arrays have no stream");
    return ORDO_OK;
}

ordo_status api_check_type(ordo_exec *exec, ordo_type type, const char *what)
{
    FAIL_IF(ordo_type_size(type) == 0, ORDO_E_ARG, "%s is %d; no such ordo_type", what, (int)type);
    return ORDO_OK;
}

/* The largest array. On every supported 64-bit machine the addresses of a process end at 2^56 or
 * earlier. No operation takes more than 2^7 bytes of scratch per byte of its arrays, so sums of
 * sizes below this limit fit a size_t. tests/test_sizes.c asks for all of them at the limit. */
#if SIZE_MAX > UINT32_MAX
#define MOST_BYTES ((size_t)1 << 56)
#else
#define MOST_BYTES (SIZE_MAX / 2)
#endif

/* Size queries have no arrays. */
static bool has_arrays(const ordo_exec *exec)
{
    return !((const ordo_ctx *)exec->owner)->size_query;
}

/* All checks in one condition, because separate checks would slow calls on a few keys. */
static inline bool is_array(const void *p, size_t n, size_t size)
{
    size_t bytes;
    return p != NULL && ordo_size_mul(n, size, &bytes) && bytes <= MOST_BYTES &&
           (uintptr_t)p <= UINTPTR_MAX - bytes;
}

ordo_status api_check_array(ordo_exec *exec, const void *p, size_t n, size_t size, const char *what)
{
    size_t bytes;
    if (ORDO_LIKELY(is_array(p, n, size)))
        return ORDO_OK;
    FAIL_IF(p == NULL && n > 0 && has_arrays(exec), ORDO_E_ARG, "%s is NULL but n is %zu", what, n);
    FAIL_IF(!ordo_size_mul(n, size, &bytes) || bytes > MOST_BYTES, ORDO_E_ARG,
            "%s: %zu elements of %zu bytes are more than memory can hold", what, n, size);
    FAIL_IF((uintptr_t)p > UINTPTR_MAX - bytes, ORDO_E_ARG,
            "%s: %zu elements of %zu bytes reach past the end of memory", what, n, size);
    return ORDO_OK;
}

ordo_status api_check_aligned(ordo_exec *exec, const void *p, size_t n, size_t size,
                              const char *what)
{
    bool const aligned = ((uintptr_t)p & (size - 1)) == 0;
    if (ORDO_LIKELY(aligned && is_array(p, n, size)))
        return ORDO_OK;
    TRY(api_check_array(exec, p, n, size, what));
    FAIL_IF(n > 0 && !aligned, ORDO_E_ARG,
            "%s is at %p; expected an address that is a multiple of %zu", what, p, size);
    return ORDO_OK;
}

ordo_status api_check_apart(ordo_exec *exec, const void *a, size_t a_bytes, const char *a_what,
                            const void *b, size_t b_bytes, const char *b_what)
{
    uintptr_t const a_at = (uintptr_t)a, b_at = (uintptr_t)b;
    FAIL_IF(a_bytes > 0 && b_bytes > 0 && a_at < b_at + b_bytes && b_at < a_at + a_bytes &&
                has_arrays(exec),
            ORDO_E_ARG, "%s and %s overlap; they must be separate arrays", a_what, b_what);
    return ORDO_OK;
}

/* ---- Names ---- */

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *ordo_version(void)
{
    return TEXT(ORDO_VERSION_MAJOR) "." TEXT(ORDO_VERSION_MINOR) "." TEXT(ORDO_VERSION_PATCH);
}

const char *ordo_status_text(ordo_status s)
{
    switch (s) {
    case ORDO_OK:
        return "success";
    case ORDO_E_ARG:
        return "invalid argument";
    case ORDO_E_NOMEM:
        return "out of memory";
    case ORDO_E_UNSUPPORTED:
        return "not supported here";
    case ORDO_E_DEVICE:
        return "device failure";
    case ORDO_E_VERSION:
        return "the caller is newer than this library";
    case ORDO_E_ORDER:
        return "the array is not sorted";
    case ORDO_E_CANCELLED:
        return "cancelled";
    case ORDO_E_BUSY:
        return "the context is in use by another call";
    }
    return "unknown status";
}
