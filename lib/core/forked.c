/* forked.c - the process number (see forked.h).
 *
 * The number is in a page that the kernel clears in the child of a fork (Linux 4.14), however the
 * child was made. A fork() handler also clears the page, for kernels and emulators that do not. The
 * first thread that finds the page cleared takes the next number; the child inherits the counter,
 * so the number is new. */
#define _GNU_SOURCE
#include "core/forked.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

static atomic_uint_fast64_t  last;     /* the last number that was used */
static atomic_uint_fast64_t  fallback; /* if the page cannot be mapped */
static atomic_uint_fast64_t *number = &fallback;

static void clear_number(void) { atomic_store_explicit(number, 0, memory_order_relaxed); }

static void make_number(void)
{
    long const  size = sysconf(_SC_PAGESIZE);
    void *const page = mmap(NULL, size > 0 ? (size_t)size : 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) {
        number = page;
#ifdef MADV_WIPEONFORK
        (void)madvise(page, size > 0 ? (size_t)size : 4096, MADV_WIPEONFORK);
#endif
    }
    (void)pthread_atfork(NULL, NULL, clear_number);
}

uint64_t ordo_process_number(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_number);
    uint_fast64_t now = atomic_load_explicit(number, memory_order_relaxed);
    if (now == 0) {
        uint_fast64_t const next = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
        if (atomic_compare_exchange_strong_explicit(number, &now, next, memory_order_relaxed,
                                                    memory_order_relaxed))
            now = next;
    }
    return now;
}
