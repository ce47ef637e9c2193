/* ordo_mpi.h - the ranks of an MPI communicator as an ordo_comm for ordo_dist.h.
 *
 * Header only: it is compiled with the caller's own MPI, so MPICH and Open MPI both work. Counts
 * are int and messages have at most 256 MiB, because large counts of MPI-4 are missing or young
 * in many installations. MPI_THREAD_FUNNELED is enough: all calls of MPI come from the thread
 * that calls ordo.
 *
 *     MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
 *     ordo_comm comm;
 *     if (ordo_mpi_open(MPI_COMM_WORLD, &comm) == ORDO_OK) {
 *         status = ordo_dist_sort(ctx, &comm, ORDO_U64, keys, n, NULL);
 *         ordo_mpi_close(&comm);
 *     }
 *
 * GPU arrays go through MPI as they are if the MPI library says that it is CUDA-aware; otherwise
 * the library copies them through host memory.
 *
 * If a rank cannot go on (its transport failed, or a call of ordo_dist.h has no memory for a few
 * kilobytes), it calls MPI_Abort, because MPI has no portable way to tell the others. The functions
 * of the transport take no memory. */
#ifndef ORDO_MPI_H
#define ORDO_MPI_H

#include "ordo_dist.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

#ifndef ORDO_MPI_PIECE
#define ORDO_MPI_PIECE (256 << 20) /* bytes of a message at most; a multiple of 8 */
#endif

enum {
    ORDO_MPI_PARTNERS = 8 /* messages in flight in each direction */
};

typedef struct ordo_mpi_group {
    MPI_Comm comm; /* a duplicate, so that messages do not mix with the caller's */
    int      rank, size;
    int     *counts; /* of an allgather: the bytes of each rank, then where they go */
} ordo_mpi_group;

/* By broadcasts, for more bytes than an int counts. */
static inline int ordo_mpi_gather_large(const ordo_mpi_group *g, const void *mine,
                                        const uint64_t *bytes_of, char *all)
{
    for (int r = 0; r < g->size; all += bytes_of[r++]) {
        if (r == g->rank)
            memcpy(all, mine, (size_t)bytes_of[r]);
        for (uint64_t done = 0; done < bytes_of[r];) {
            uint64_t const left = bytes_of[r] - done;
            int const      now = left < ORDO_MPI_PIECE ? (int)left : (int)ORDO_MPI_PIECE;
            if (MPI_Bcast(all + done, now, MPI_BYTE, r, g->comm) != MPI_SUCCESS)
                return 1;
            done += (uint64_t)now;
        }
    }
    return 0;
}

static inline int ordo_mpi_allgather(void *user, const void *mine, const uint64_t *bytes_of,
                                     void *all)
{
    const ordo_mpi_group *const g = (const ordo_mpi_group *)user;
    uint64_t                    sum = 0;
    for (int r = 0; r < g->size; r++)
        sum += bytes_of[r];
    if (sum > ORDO_MPI_PIECE)
        return ordo_mpi_gather_large(g, mine, bytes_of, (char *)all);
    int *const counts = g->counts;
    int *const at = counts + g->size;
    for (int r = 0, place = 0; r < g->size; place += counts[r++]) {
        counts[r] = (int)bytes_of[r];
        at[r] = place;
    }
    return MPI_Allgatherv(mine, counts[g->rank], MPI_BYTE, all, counts, at, MPI_BYTE, g->comm) !=
           MPI_SUCCESS;
}

static inline int ordo_mpi_sum(void *user, uint64_t *values, size_t count)
{
    const ordo_mpi_group *const g = (const ordo_mpi_group *)user;
    while (count > 0) {
        int const now = count < ORDO_MPI_PIECE / 8 ? (int)count : ORDO_MPI_PIECE / 8;
        if (MPI_Allreduce(MPI_IN_PLACE, values, now, MPI_UINT64_T, MPI_SUM, g->comm) != MPI_SUCCESS)
            return 1;
        values += now;
        count -= (size_t)now;
    }
    return 0;
}

static inline int ordo_mpi_prefix(void *user, uint64_t *values, size_t count)
{
    const ordo_mpi_group *const g = (const ordo_mpi_group *)user;
    while (count > 0) {
        int const now = count < ORDO_MPI_PIECE / 8 ? (int)count : ORDO_MPI_PIECE / 8;
        if (MPI_Exscan(MPI_IN_PLACE, values, now, MPI_UINT64_T, MPI_SUM, g->comm) != MPI_SUCCESS)
            return 1;
        if (g->rank == 0) /* MPI leaves the values of the first rank undefined */
            memset(values, 0, (size_t)now * sizeof *values);
        values += now;
        count -= (size_t)now;
    }
    return 0;
}

/* The pieces of up to ORDO_MPI_PARTNERS partners, message by message. Partner i of the batch is
 * `step + i` ranks ahead for sending and as many behind for receiving, so no rank gets the messages
 * of all others at once. Messages between two ranks keep their sequence, and both sides count the
 * same messages. */
static inline int ordo_mpi_batch(const ordo_mpi_group *g, int step, int partners, const char *send,
                                 const uint64_t *send_at, const uint64_t *send_bytes, char *receive,
                                 const uint64_t *receive_at, const uint64_t *receive_bytes)
{
    for (uint64_t done = 0;; done += ORDO_MPI_PIECE) {
        MPI_Request requests[2 * ORDO_MPI_PARTNERS];
        MPI_Status  statuses[2 * ORDO_MPI_PARTNERS];
        int         count = 0;
        for (int i = 0; i < partners; i++) {
            int const from = (g->rank - step - i + 2 * g->size) % g->size;
            if (receive_bytes[from] <= done)
                continue;
            uint64_t const left = receive_bytes[from] - done;
            if (MPI_Irecv(receive + receive_at[from] + done,
                          left < ORDO_MPI_PIECE ? (int)left : (int)ORDO_MPI_PIECE, MPI_BYTE, from,
                          0, g->comm, &requests[count++]) != MPI_SUCCESS)
                return 1;
        }
        for (int i = 0; i < partners; i++) {
            int const to = (g->rank + step + i) % g->size;
            if (send_bytes[to] <= done)
                continue;
            uint64_t const left = send_bytes[to] - done;
            if (MPI_Isend(send + send_at[to] + done,
                          left < ORDO_MPI_PIECE ? (int)left : (int)ORDO_MPI_PIECE, MPI_BYTE, to, 0,
                          g->comm, &requests[count++]) != MPI_SUCCESS)
                return 1;
        }
        if (count == 0)
            return 0;
        if (MPI_Waitall(count, requests, statuses) != MPI_SUCCESS)
            return 1;
    }
}

static inline int ordo_mpi_exchange(void *user, const char *send, const uint64_t *send_at,
                                    const uint64_t *send_bytes, char *receive,
                                    const uint64_t *receive_at, const uint64_t *receive_bytes)
{
    const ordo_mpi_group *const g = (const ordo_mpi_group *)user;
    int const                   me = g->rank;
    if (send_bytes[me] > 0)
        memcpy(receive + receive_at[me], send + send_at[me], (size_t)send_bytes[me]);
    for (int step = 1; step < g->size; step += ORDO_MPI_PARTNERS) {
        int const left = g->size - step;
        if (ordo_mpi_batch(g, step, left < ORDO_MPI_PARTNERS ? left : (int)ORDO_MPI_PARTNERS, send,
                           send_at, send_bytes, receive, receive_at, receive_bytes) != 0)
            return 1;
    }
    return 0;
}

/* Whether messages may be GPU memory: the MPI library says so. Open MPI and MPICH from 4 on have
 * the query; define ORDO_MPI_CUDA as 0 or 1 to decide it yourself. */
static inline int ordo_mpi_moves_device_memory(void)
{
#if defined(ORDO_MPI_CUDA)
    return ORDO_MPI_CUDA;
#elif defined(MPIX_CUDA_AWARE_SUPPORT) ||                                                          \
    (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000)
    return MPIX_Query_cuda_support();
#else
    return 0;
#endif
}

static inline void ordo_mpi_give_up(void *user)
{
    MPI_Abort(((const ordo_mpi_group *)user)->comm, 2);
}

/* The status of the rank with the worst one, on every rank; ORDO_OK is 0, and others are below. */
static inline ordo_status ordo_mpi_agree(MPI_Comm comm, ordo_status status)
{
    int const mine = (int)status;
    int       worst = mine;
    if (MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
        return ORDO_E_IO;
    return (ordo_status)worst;
}

static inline void ordo_mpi_free(ordo_mpi_group *g)
{
    if (g != NULL)
        free(g->counts);
    free(g);
}

/* Fills *out with the ranks of `comm`; every rank of it must call this and gets the same status:
 * ORDO_E_NOMEM, ORDO_E_IO. Close it with ordo_mpi_close. */
static inline ordo_status ordo_mpi_open(MPI_Comm comm, ordo_comm *out)
{
    ordo_mpi_group *const g = (ordo_mpi_group *)calloc(1, sizeof *g);
    int                   size = 0;
    MPI_Comm_size(comm, &size);
    if (g != NULL)
        g->counts = (int *)malloc(2 * (size_t)size * sizeof *g->counts);
    ordo_status const memory =
        ordo_mpi_agree(comm, g != NULL && g->counts != NULL ? ORDO_OK : ORDO_E_NOMEM);
    if (g == NULL || memory != ORDO_OK) {
        ordo_mpi_free(g);
        return memory;
    }
    int const         made = MPI_Comm_dup(comm, &g->comm) == MPI_SUCCESS;
    ordo_status const status = ordo_mpi_agree(comm, made ? ORDO_OK : ORDO_E_IO);
    if (status != ORDO_OK) { /* a duplicate stays: MPI_Comm_free would wait for the other ranks */
        ordo_mpi_free(g);
        return status;
    }
    MPI_Comm_rank(g->comm, &g->rank);
    MPI_Comm_size(g->comm, &g->size);
    memset(out, 0, sizeof *out);
    out->struct_size = sizeof *out;
    out->rank = g->rank;
    out->size = g->size;
    out->user = g;
    out->allgather = ordo_mpi_allgather;
    out->sum = ordo_mpi_sum;
    out->prefix = ordo_mpi_prefix;
    out->exchange = ordo_mpi_exchange;
    out->give_up = ordo_mpi_give_up;
    out->moves_device_memory = ordo_mpi_moves_device_memory() != 0;
    return ORDO_OK;
}

static inline void ordo_mpi_close(ordo_comm *comm)
{
    ordo_mpi_group *const g = (ordo_mpi_group *)comm->user;
    MPI_Comm_free(&g->comm);
    ordo_mpi_free(g);
    memset(comm, 0, sizeof *comm);
}

#endif
