/* pipeline.c - three threads hand buffers to each other in a circle. Each buffer has a state that
 * says whose turn it is, under one lock. */
#define _GNU_SOURCE
#include "external/pipeline.h"

#include "backend/profile.h"
#include "core/pool.h"

typedef enum turn {
    TO_READ,
    TO_WORK,
    TO_WRITE
} turn;

typedef struct circle {
    const pipeline *pipe;
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    turn            turns[PIPELINE_BUFFERS];
    piece           pieces[PIPELINE_BUFFERS];
} circle;

/* Counts the time since `begin` as time of a step. Each step has its own thread and its own
 * counter. */
static void count_busy(const pipeline *pipe, turn step, double begin)
{
    pipe->busy[step] += ordo_profile_clock() - begin;
}

static void hand_on(circle *c, size_t at, turn next)
{
    pthread_mutex_lock(&c->lock);
    c->turns[at] = next;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

/* Asks whether to go on. */
static void ask(const pipeline *pipe)
{
    if (!pipe->goes_on(pipe->owner))
        failure_record(pipe->failure, ORDO_E_CANCELLED, "cancelled");
}

/* Waits until buffer `at` has the turn. The caller's thread asks goes_on meanwhile. */
static bool wait_for(circle *c, size_t at, turn wanted, bool asks)
{
    const pipeline *const pipe = c->pipe;
    pthread_mutex_lock(&c->lock);
    while (c->turns[at] != wanted && !failure_seen(pipe->failure)) {
        (void)ordo_pause(&c->changed, &c->lock);
        if (asks) {
            pthread_mutex_unlock(&c->lock);
            ask(pipe);
            pthread_mutex_lock(&c->lock);
        }
    }
    pthread_mutex_unlock(&c->lock);
    return !failure_seen(pipe->failure);
}

static void *read_all(void *user)
{
    circle *const         c = user;
    const pipeline *const pipe = c->pipe;
    for (size_t at = 0;; at = (at + 1) % PIPELINE_BUFFERS) {
        if (!wait_for(c, at, TO_READ, false))
            return NULL;
        piece *const p = &c->pieces[at];
        *p = (piece){.elements = pipe->buffers[at]};
        double const begin = ordo_profile_clock();
        bool const   ok = pipe->read(pipe->user, p);
        count_busy(pipe, TO_READ, begin);
        if (!ok)
            return NULL;
        hand_on(c, at, TO_WORK);
        if (p->ended)
            return NULL;
    }
}

static void *write_all(void *user)
{
    circle *const         c = user;
    const pipeline *const pipe = c->pipe;
    for (size_t at = 0;; at = (at + 1) % PIPELINE_BUFFERS) {
        if (!wait_for(c, at, TO_WRITE, false) || c->pieces[at].ended)
            return NULL;
        double const begin = ordo_profile_clock();
        bool const   ok = pipe->write(pipe->user, &c->pieces[at]);
        count_busy(pipe, TO_WRITE, begin);
        if (!ok)
            return NULL;
        hand_on(c, at, TO_READ);
    }
}

static void work_all(circle *c)
{
    const pipeline *const pipe = c->pipe;
    for (size_t at = 0;; at = (at + 1) % PIPELINE_BUFFERS) {
        if (!wait_for(c, at, TO_WORK, true))
            return;
        ask(pipe);
        bool const   ended = c->pieces[at].ended;
        double const begin = ordo_profile_clock();
        bool const   ok = ended || pipe->work(pipe->user, &c->pieces[at]);
        count_busy(pipe, TO_WORK, begin);
        if (!ok)
            return;
        hand_on(c, at, TO_WRITE);
        if (ended)
            return;
    }
}

bool pipeline_run(const pipeline *p)
{
    circle    c = {.pipe = p, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t reader, writer;
    ordo_pause_init(&c.changed);
    if (pthread_create(&reader, NULL, read_all, &c) != 0) {
        pthread_cond_destroy(&c.changed);
        return failure_record(p->failure, ORDO_E_NOMEM, "the system refused a thread for reading");
    }
    bool const writes = pthread_create(&writer, NULL, write_all, &c) == 0;
    if (writes)
        work_all(&c);
    else
        failure_record(p->failure, ORDO_E_NOMEM, "the system refused a thread for writing");
    pthread_join(reader, NULL);
    if (writes)
        pthread_join(writer, NULL);
    pthread_cond_destroy(&c.changed);
    return !failure_seen(p->failure);
}
