/* dist_threads.c - ordo_dist_threads: ranks as threads of one process, for tests, examples and
 * machines with several memory nodes. An operation publishes the addresses of its arrays, waits for
 * all ranks, copies straight from the others' arrays, and waits again before they may change. */
#define _POSIX_C_SOURCE 200809L
#include "dist/call/dist_call.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct seat { /* what a rank publishes */
    const char     *data;
    const uint64_t *at, *bytes;
    uint64_t       *values;
} seat;

typedef struct group {
    int32_t         size;
    pthread_mutex_t lock;
    pthread_cond_t  turned;
    int32_t         waiting;
    uint64_t        turn;
    bool            left; /* a rank has left: every wait fails */
    seat           *seats;
    void (*body)(void *user, ordo_comm *comm);
    void *user;
} group;

typedef struct member {
    group    *group;
    int32_t   rank;
    pthread_t thread;
} member;

/* Waits for all ranks. Nonzero if one of them has left. */
static int meet(group *g)
{
    pthread_mutex_lock(&g->lock);
    uint64_t const turn = g->turn;
    if (++g->waiting == g->size) {
        g->waiting = 0;
        g->turn++;
        pthread_cond_broadcast(&g->turned);
    }
    while (turn == g->turn && !g->left)
        pthread_cond_wait(&g->turned, &g->lock);
    int const failed = g->left && turn == g->turn;
    pthread_mutex_unlock(&g->lock);
    return failed;
}

static void leave(void *user)
{
    group *const g = ((member *)user)->group;
    pthread_mutex_lock(&g->lock);
    g->left = true;
    pthread_cond_broadcast(&g->turned);
    pthread_mutex_unlock(&g->lock);
}

static int allgather(void *user, const void *mine, const uint64_t *bytes_of, void *all)
{
    const member *const m = user;
    group *const        g = m->group;
    char               *to = all;
    g->seats[m->rank].data = mine;
    if (meet(g) != 0)
        return 1;
    for (int32_t r = 0; r < g->size; to += bytes_of[r++])
        if (bytes_of[r] > 0)
            memcpy(to, g->seats[r].data, bytes_of[r]);
    return meet(g);
}

enum {
    BLOCK = 256 /* values that one rank adds at a time */
};

/* Replaces values [from, from + n) of every rank by their sum over all ranks, or over the ranks
 * before it. */
static void add_block(const group *g, size_t from, size_t n, bool before)
{
    uint64_t sums[BLOCK] = {0};
    for (int32_t r = 0; r < g->size; r++) {
        uint64_t *const theirs = g->seats[r].values + from;
        for (size_t i = 0; i < n; i++) {
            uint64_t const value = theirs[i];
            theirs[i] = before ? sums[i] : value;
            sums[i] += value;
        }
    }
    for (int32_t r = 0; r < g->size && !before; r++)
        memcpy(g->seats[r].values + from, sums, n * sizeof *sums);
}

/* Each rank adds a part of the values, for all ranks. */
static int add(const member *m, uint64_t *values, size_t count, bool before)
{
    group *const g = m->group;
    size_t const ranks = (size_t)g->size, part = ordo_div_up(count, ranks);
    size_t const from = ordo_min(part * (size_t)m->rank, count);
    size_t const to = ordo_min(from + part, count);
    g->seats[m->rank].values = values;
    if (meet(g) != 0)
        return 1;
    for (size_t at = from; at < to; at += BLOCK)
        add_block(g, at, ordo_min(BLOCK, to - at), before);
    return meet(g);
}

static int sum(void *user, uint64_t *values, size_t count)
{
    return add(user, values, count, false);
}

static int prefix(void *user, uint64_t *values, size_t count)
{
    return add(user, values, count, true);
}

/* Rank i begins with the piece of rank i, so that the ranks read different memory at a time. */
int dist_threads_exchange(void *user, const dist_copier *copier, const char *send,
                          const uint64_t *send_at, const uint64_t *send_bytes, char *receive,
                          const uint64_t *receive_at, const uint64_t *receive_bytes)
{
    const member *const m = user;
    group *const        g = m->group;
    g->seats[m->rank] = (seat){.data = send, .at = send_at, .bytes = send_bytes};
    if (meet(g) != 0)
        return 1;
    for (int32_t i = 0; i < g->size; i++) {
        int32_t const     r = (m->rank + i) % g->size;
        const seat *const from = &g->seats[r];
        if (from->bytes[m->rank] != receive_bytes[r])
            return 1;
        if (receive_bytes[r] > 0)
            copier->copy(copier->user, receive + receive_at[r], from->data + from->at[m->rank],
                         receive_bytes[r]);
    }
    copier->finish(copier->user);
    return meet(g);
}

static void copy_host(void *user, void *to, const void *from, size_t bytes)
{
    (void)user;
    memcpy(to, from, bytes);
}

static void finish_host(void *user) { (void)user; }

static int exchange(void *user, const char *send, const uint64_t *send_at,
                    const uint64_t *send_bytes, char *receive, const uint64_t *receive_at,
                    const uint64_t *receive_bytes)
{
    static const dist_copier host = {copy_host, finish_host, NULL};
    return dist_threads_exchange(user, &host, send, send_at, send_bytes, receive, receive_at,
                                 receive_bytes);
}

bool dist_has_threads(const ordo_comm *comm) { return comm->exchange == exchange; }

static void *run(void *arg)
{
    member *const m = arg;
    ordo_comm     comm = ORDO_OPTS(ordo_comm, .rank = m->rank, .size = m->group->size, .user = m,
                                   .allgather = allgather, .sum = sum, .prefix = prefix,
                                   .exchange = exchange, .give_up = leave);
    m->group->body(m->group->user, &comm);
    leave(m);
    return NULL;
}

/* Ranks that already run find that the others have left. */
static ordo_status start(group *g, member *members)
{
    int32_t started = 0;
    for (; started < g->size; started++) {
        members[started] = (member){.group = g, .rank = started};
        if (pthread_create(&members[started].thread, NULL, run, &members[started]) != 0)
            break;
    }
    bool const all = started == g->size;
    if (!all && started > 0)
        leave(&members[0]);
    while (started > 0)
        pthread_join(members[--started].thread, NULL);
    return all ? ORDO_OK : api_fail_in_thread(ORDO_E_NOMEM, "the system refused a thread");
}

ordo_status ordo_dist_threads(int32_t ranks, void (*body)(void *user, ordo_comm *comm), void *user)
{
    if (ranks < 1 || ranks > DIST_MOST_RANKS || body == NULL)
        return api_fail_in_thread(ORDO_E_ARG,
                                  "ranks is %d and body is %s; expected 1 to %d ranks and a body",
                                  (int)ranks, body == NULL ? "NULL" : "set", (int)DIST_MOST_RANKS);
    group g = {.size = ranks, .body = body, .user = user};
    g.seats = calloc((size_t)ranks, sizeof *g.seats);
    member *const members = calloc((size_t)ranks, sizeof *members);
    ordo_status   status = ORDO_OK;
    if (g.seats == NULL || members == NULL) {
        status =
            api_fail_in_thread(ORDO_E_NOMEM, "the system refused memory for %d ranks", (int)ranks);
    } else {
        pthread_mutex_init(&g.lock, NULL);
        pthread_cond_init(&g.turned, NULL);
        status = start(&g, members);
        pthread_cond_destroy(&g.turned);
        pthread_mutex_destroy(&g.lock);
    }
    free(members);
    free(g.seats);
    return status;
}
