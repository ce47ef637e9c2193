/* device_exchange.c - exchanges arrays on devices between the processes (see device.h).
 *
 * Ranks that are threads copy from each other's arrays. A transport that moves device memory gets
 * the arrays as they are. For other transports the pieces go through pinned host memory in rounds:
 * in a round every process sends up to `part` bytes to every other one, while the part of the next
 * round leaves the device and that of the round before enters it. */
#define _POSIX_C_SOURCE 200809L
#include "dist/device/device.h"

#include "backend/tuning.h"

enum {
    STAGE = ORDO_TUNE(16 << 20, 512), /* bytes of a round; four such buffers are held */
    LEAST_PART = ORDO_TUNE(4096, 16)  /* bytes for each process in a round */
};

typedef struct shipment {
    dist_call      *c;
    const char     *send;
    char           *receive;
    const uint64_t *send_at, *receive_at;
    uint64_t       *send_bytes, *receive_bytes;
    size_t          ranks, part, rounds;
    char           *host;                /* two buffers to send, two to receive */
    uint64_t       *at, *out, *in, *all; /* of a round, for each process */
} shipment;

static const ordo_dist_slots *slots_of(const shipment *s) { return s->c->device.backend->dist; }

/* This process's own piece does not leave the device. */
static ordo_status keep_own(const shipment *s)
{
    size_t const   me = (size_t)s->c->comm.rank;
    uint64_t const bytes = s->send_bytes[me];
    s->send_bytes[me] = s->receive_bytes[me] = 0;
    return device_copy(s->c, s->receive + s->receive_at[me], s->send + s->send_at[me], bytes);
}

/* ---- Straight from device to device ---- */

typedef struct copying {
    dist_call  *c;
    ordo_status status;
} copying;

static void copy_piece(void *user, void *to, const void *from, size_t bytes)
{
    copying *const w = user;
    if (w->status == ORDO_OK)
        w->status = device_copy(w->c, to, from, bytes);
}

static void finish_pieces(void *user)
{
    copying *const w = user;
    if (w->status == ORDO_OK)
        w->status = device_finish(w->c);
}

static ordo_status by_threads(const shipment *s)
{
    dist_call *const  c = s->c;
    copying           w = {c, ORDO_OK};
    dist_copier const copier = {copy_piece, finish_pieces, &w};
    TRY(dist_agree(c, device_finish(c))); /* the others read what this process's stream wrote */
    TRY(dist_moved(c, "exchange",
                   dist_threads_exchange(c->comm.user, &copier, s->send, s->send_at, s->send_bytes,
                                         s->receive, s->receive_at, s->receive_bytes)));
    return dist_agree(c, w.status);
}

static ordo_status by_transport(const shipment *s)
{
    dist_call *const c = s->c;
    ordo_status      status = keep_own(s);
    if (status == ORDO_OK)
        status = device_finish(c);
    TRY(dist_agree(c, status));
    return dist_moved(c, "exchange",
                      c->comm.exchange(c->comm.user, s->send, s->send_at, s->send_bytes, s->receive,
                                       s->receive_at, s->receive_bytes));
}

/* ---- Through host memory ---- */

static char *buffer(const shipment *s, size_t which, size_t round)
{
    return s->host + (2 * which + round % 2) * s->ranks * s->part;
}

static uint64_t bytes_in(const shipment *s, uint64_t bytes, size_t round)
{
    uint64_t const done = (uint64_t)round * s->part;
    return bytes <= done ? 0 : bytes - done < s->part ? bytes - done : s->part;
}

/* Enqueues the copies of a round between the device and the host buffer of that round. */
static ordo_status stage(const shipment *s, size_t round, unsigned queue)
{
    dist_call *const c = s->c;
    bool const       outward = queue == ORDO_QUEUE_OUT;
    char *const      host = buffer(s, queue, round);
    uint64_t const   done = (uint64_t)round * s->part;
    for (size_t r = 0; r < s->ranks; r++) {
        uint64_t const bytes = bytes_in(s, outward ? s->send_bytes[r] : s->receive_bytes[r], round);
        if (bytes == 0)
            continue;
        char *const piece = host + s->at[r];
        if (outward)
            TRY(slots_of(s)->transfer(c->device.state, c->exec, queue, piece,
                                      s->send + s->send_at[r] + done, (size_t)bytes));
        else
            TRY(slots_of(s)->transfer(c->device.state, c->exec, queue,
                                      s->receive + s->receive_at[r] + done, piece, (size_t)bytes));
    }
    return slots_of(s)->mark(c->device.state, c->exec, queue, (unsigned)(round % 2));
}

static ordo_status wait_for(const shipment *s, size_t round, unsigned queue)
{
    return slots_of(s)->wait(s->c->device.state, s->c->exec, queue, (unsigned)(round % 2));
}

/* Prepares the buffers of a round: its part is on the host, and the buffer to receive is free. */
static ordo_status prepare(const shipment *s, size_t round)
{
    TRY(wait_for(s, round, ORDO_QUEUE_OUT));
    if (round + 1 < s->rounds)
        TRY(stage(s, round + 1, ORDO_QUEUE_OUT));
    return round >= 2 ? wait_for(s, round, ORDO_QUEUE_IN) : ORDO_OK;
}

/* A process whose device fails goes on with all rounds, because the others wait for it. */
static ordo_status ship(const shipment *s)
{
    dist_call *const c = s->c;
    ordo_status      status = s->rounds > 0 ? stage(s, 0, ORDO_QUEUE_OUT) : ORDO_OK;
    for (size_t round = 0; round < s->rounds; round++) {
        if (status == ORDO_OK)
            status = prepare(s, round);
        for (size_t r = 0; r < s->ranks; r++) {
            s->out[r] = bytes_in(s, s->send_bytes[r], round);
            s->in[r] = bytes_in(s, s->receive_bytes[r], round);
        }
        TRY(dist_moved(c, "exchange",
                       c->comm.exchange(c->comm.user, buffer(s, ORDO_QUEUE_OUT, round), s->at,
                                        s->out, buffer(s, ORDO_QUEUE_IN, round), s->at, s->in)));
        if (status == ORDO_OK)
            status = stage(s, round, ORDO_QUEUE_IN);
    }
    if (status == ORDO_OK)
        status = device_finish(c);
    return dist_agree(c, status);
}

static uint64_t largest(const uint64_t *values, size_t count)
{
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

/* Memory of the rounds; the stream of the call has written what is sent. */
static ordo_status take_memory(shipment *s)
{
    uint64_t *all;
    TRY(keep_own(s));
    TRY(device_finish(s->c));
    TRY_SCRATCH(s->c->exec, 4 * s->ranks * sizeof *all, all);
    s->at = all;
    s->out = all + s->ranks;
    s->in = all + 2 * s->ranks;
    s->all = all + 3 * s->ranks;
    return ORDO_OK;
}

/* All processes must make the same number of rounds: those of the largest piece of all. */
static ordo_status by_host(shipment *s)
{
    dist_call *const c = s->c;
    TRY(dist_agree(c, take_memory(s)));
    uint64_t const mine = largest(s->send_bytes, s->ranks);
    TRY(dist_allgather(c, &mine, sizeof mine, s->all));
    uint64_t const most = largest(s->all, s->ranks);
    size_t const   even = ordo_max(STAGE / s->ranks / 64 * 64, LEAST_PART);
    s->part = most < even ? (size_t)ordo_round_up(most + 1, 64) : even;
    s->rounds = (size_t)ordo_div_up(most, s->part);
    for (size_t r = 0; r < s->ranks; r++)
        s->at[r] = r * s->part;
    TRY(dist_agree(
        c, slots_of(s)->pinned(c->device.state, c->exec, 4 * s->ranks * s->part, &s->host)));
    return ship(s);
}

ordo_status device_exchange(dist_call *c, const char *send, const uint64_t *send_at,
                            uint64_t *send_bytes, char *receive, const uint64_t *receive_at,
                            uint64_t *receive_bytes)
{
    shipment s = {.c = c,
                  .send = send,
                  .receive = receive,
                  .send_at = send_at,
                  .receive_at = receive_at,
                  .send_bytes = send_bytes,
                  .receive_bytes = receive_bytes,
                  .ranks = (size_t)c->comm.size};
    dist_count_moved(c, send_bytes);
    return dist_has_threads(&c->comm)         ? by_threads(&s)
           : c->comm.moves_device_memory != 0 ? by_transport(&s)
                                              : by_host(&s);
}
