/* team.c - the threads of a team choose their next step under one lock (see team.h). Slots form a
 * ring: block number k is in slot k % slots. */
#include "text/bzip2/team.h"

#include "core/pool.h"

typedef struct ring {
    const bz_team  *team;
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    size_t          read, prepared, started, written; /* blocks that passed each step */
    size_t          preparing;                        /* blocks in this step */
    bool            reading, writing, ended;
    atomic_uint     arrived;
    bool           *done; /* slots */
} ring;

typedef enum step {
    STEP_NONE,
    STEP_READ,
    STEP_PREPARE,
    STEP_WORK,
    STEP_WRITE,
    STEP_END
} step;

/* Whether a batch is complete; the last one is at the end of the data. */
static bool may_prepare(const ring *r)
{
    size_t const waiting = r->read - r->prepared;
    return r->team->prepare != NULL && r->preparing == 0 &&
           (waiting >= r->team->batch || (r->ended && waiting > 0));
}

/* Whether the next block is wanted: for the next batch, or if the threads have little to do. */
static bool may_read(const ring *r)
{
    const bz_team *const team = r->team;
    return !r->ended && !r->reading && r->read - r->written < team->slots &&
           (team->prepare != NULL || r->read - r->started < (size_t)team->workers / 2 + 1);
}

static step choose(ring *r, size_t *slot)
{
    const bz_team *const team = r->team;
    if (failure_seen(team->failure) || (r->ended && r->written == r->read))
        return STEP_END;
    if (!r->writing && r->written < r->started && r->done[r->written % team->slots]) {
        *slot = r->written % team->slots;
        r->writing = true;
        return STEP_WRITE;
    }
    if (may_prepare(r)) {
        *slot = r->prepared % team->slots;
        r->preparing = ordo_min(r->read - r->prepared, team->batch);
        return STEP_PREPARE;
    }
    if (may_read(r)) {
        *slot = r->read % team->slots;
        r->reading = true;
        return STEP_READ;
    }
    if (r->started < (team->prepare != NULL ? r->prepared : r->read)) {
        *slot = r->started++ % team->slots;
        return STEP_WORK;
    }
    return STEP_NONE;
}

/* Does the step without the lock, and records with the lock that it is done. */
static void perform(ring *r, step what, size_t slot, unsigned worker)
{
    const bz_team *const team = r->team;
    size_t const         batch = r->preparing;
    bool                 ended = false;
    pthread_mutex_unlock(&r->lock);
    if (ordo_poll(team->exec, team->share(team->user)))
        failure_record(team->failure, ORDO_E_CANCELLED, "cancelled");
    else if (what == STEP_READ)
        (void)team->read(team->user, slot, &ended);
    else if (what == STEP_PREPARE)
        (void)team->prepare(team->user, slot, batch);
    else if (what == STEP_WORK)
        (void)team->work(team->user, slot, worker);
    else
        (void)team->write(team->user, slot, worker);
    pthread_mutex_lock(&r->lock);
    if (what == STEP_READ) {
        r->reading = false;
        r->ended = ended;
        r->read += !ended;
    } else if (what == STEP_PREPARE) {
        r->preparing = 0;
        r->prepared += batch;
    } else if (what == STEP_WORK) {
        r->done[slot] = true;
    } else {
        r->done[slot] = false;
        r->writing = false;
        r->written++;
    }
    pthread_cond_broadcast(&r->changed);
}

static void pause_thread(ring *r)
{
    (void)ordo_pause(&r->changed, &r->lock);
    pthread_mutex_unlock(&r->lock);
    if (ordo_poll(r->team->exec, r->team->share(r->team->user)))
        failure_record(r->team->failure, ORDO_E_CANCELLED, "cancelled");
    pthread_mutex_lock(&r->lock);
}

static void run_worker(void *arg, size_t lo, size_t hi)
{
    ring *const    r = arg;
    unsigned const worker = atomic_fetch_add(&r->arrived, 1);
    size_t         slot = 0;
    (void)lo;
    (void)hi;
    pthread_mutex_lock(&r->lock);
    for (step what; (what = choose(r, &slot)) != STEP_END;) {
        if (what == STEP_NONE)
            pause_thread(r);
        else
            perform(r, what, slot, worker);
    }
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

bool bz_team_run(const bz_team *team)
{
    ring  r = {.team = team, .lock = PTHREAD_MUTEX_INITIALIZER};
    void *done;
    if (ordo_scratch(team->exec, team->slots * sizeof(bool), &done) != ORDO_OK)
        return failure_record(team->failure, ORDO_E_NOMEM, "too little memory for %zu slots",
                              team->slots);
    r.done = done;
    for (size_t i = 0; i < team->slots; i++)
        r.done[i] = false;
    ordo_pause_init(&r.changed);
    bool const all = ordo_loop(team->exec, team->workers, 1, run_worker, &r);
    pthread_cond_destroy(&r.changed);
    if (!all)
        failure_record(team->failure, ORDO_E_CANCELLED, "cancelled");
    return !failure_seen(team->failure);
}
