/* mpi_shim.c - a library to preload into ordo-mpi that makes one call fail on one rank, for mpi.sh.
 *
 * ORDO_SHIM is "malloc BYTES NUMBER" (that malloc of so many bytes by the program returns NULL) or
 * "wait NUMBER" (that MPI_Waitall returns an error). ORDO_SHIM_RANK is the rank. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t bytes);

static size_t fail_bytes, malloc_left;
static long   waits_left;

static int is_chosen(void)
{
    const char *const wanted = getenv("ORDO_SHIM_RANK");
    int               started, rank;
    MPI_Initialized(&started);
    if (!started || wanted == NULL)
        return 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == atoi(wanted);
}

__attribute__((constructor)) static void read_wish(void)
{
    const char *const wish = getenv("ORDO_SHIM");
    if (wish != NULL && sscanf(wish, "malloc %zu %zu", &fail_bytes, &malloc_left) != 2)
        sscanf(wish, "wait %ld", &waits_left);
}

void *malloc(size_t bytes)
{
    Dl_info from;
    if (malloc_left > 0 && bytes == fail_bytes && dladdr(__builtin_return_address(0), &from) != 0 &&
        strstr(from.dli_fname, "ordo-mpi") != NULL && is_chosen() && --malloc_left == 0)
        return NULL;
    return __libc_malloc(bytes);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    if (waits_left > 0 && is_chosen() && --waits_left == 0)
        return MPI_ERR_OTHER;
    return PMPI_Waitall(count, requests, statuses);
}
