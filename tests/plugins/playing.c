/* playing.c - a device simulated on the host, which works as late as allowed: copies and kernels
 * are queued, and executed only when a call waits for them. Work that join, mark and await do not
 * order is executed in the wrong order or not at all, so that a test notices it.
 *
 * ORDO_PLAY_FAIL=NAME:K, read when a stream begins, makes the K-th call of the link function or
 * verb NAME fail; NAME:K:memory makes it fail for lack of memory. ORDO_PLAY_MEMORY=BYTES is the
 * size of the device memory. ORDO_PLAY_PINNED, if set, makes all host arrays pinned. One lock
 * protects everything. */
#define _POSIX_C_SOURCE 200809L
#include "play_work.h"
#include "plugins/table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BUFFER = 1024,
    LANES = 8,
    DEVICES = 3,
    SMS = 24, /* multiprocessors; a limit is rounded up to a multiple of LEAST_SMS */
    LEAST_SMS = 8,
    FIRST_CAPACITY = 64 /* entries of a queue; it grows */
};

/* ---- Queues ---- */

typedef enum play_kind {
    PLAY_COPY,
    PLAY_SORT,
    PLAY_IOTA,
    PLAY_PACK,
    PLAY_AWAIT,
    PLAY_JOIN,
    PLAY_RANKS,
    PLAY_SAMPLE
} play_kind;

typedef struct play_entry {
    play_kind       kind;
    ordo_copy_job   copy;
    ordo_pairs_job  pairs; /* PLAY_SORT; value_size 0: only keys */
    void           *numbers;
    size_t          n, width;
    uint64_t        first;
    ordo_pack_job   pack;
    ordo_put_job    put;
    ordo_sample_job sample;
    size_t          until[LANES]; /* PLAY_JOIN: entries of each lane; PLAY_AWAIT: [0] of the work */
} play_entry;

typedef struct play_queue {
    play_entry *entries;
    size_t      count, done, capacity;
} play_queue;

typedef struct play_state { /* one opened device */
    play_queue lanes[LANES], work;
    size_t     closed[LANES][ORDO_LINK_SIDES], marks[ORDO_LINK_MARKS];
    char       buffers[LANES][ORDO_LINK_SIDES][BUFFER];
    char      *memory;
    double     ticks[ORDO_LINK_TICKS];
    size_t     sms;

    struct play_state *outer; /* the stream that was open when this one began */
} play_state;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char            failing[32];
static long            failing_at;
static ordo_status     failing_with;

/* The last stream that this thread began and did not end. A real device is the current one of its
 * thread while it streams, so streams of several devices must end in reverse order. */
static _Thread_local play_state *innermost;

static bool fails(ordo_exec *exec, const char *name)
{
    if (strcmp(failing, name) != 0 || --failing_at != 0)
        return false;
    ordo_fail(exec, failing_with, "the device was lost in %s", name);
    return true;
}

#define PLAY(name)                                                                                 \
    play_state *const my = state;                                                                  \
    (void)my;                                                                                      \
    pthread_mutex_lock(&lock);                                                                     \
    if (fails(exec, name)) {                                                                       \
        pthread_mutex_unlock(&lock);                                                               \
        return failing_with;                                                                       \
    }

static ordo_status played(void)
{
    pthread_mutex_unlock(&lock);
    return ORDO_OK;
}

static play_entry *note(play_queue *queue, play_kind kind)
{
    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity == 0 ? FIRST_CAPACITY : 2 * queue->capacity;
        play_entry *const grown = realloc(queue->entries, queue->capacity * sizeof *grown);
        if (grown == NULL)
            abort();
        queue->entries = grown;
    }
    play_entry *const entry = &queue->entries[queue->count++];
    memset(entry, 0, sizeof *entry);
    entry->kind = kind;
    return entry;
}

/* ---- Execution ---- */

static void iota_now(const play_entry *entry)
{
    for (size_t i = 0; i < entry->n; i++) {
        uint64_t const wide = entry->first + i;
        uint32_t const narrow = (uint32_t)wide;
        memcpy((char *)entry->numbers + i * entry->width,
               entry->width == 4 ? (const void *)&narrow : (const void *)&wide, entry->width);
    }
}

static void do_until(play_state *my, play_queue *queue, size_t until)
{
    while (queue->done < until) {
        const play_entry *const entry = &queue->entries[queue->done++];
        switch (entry->kind) {
        case PLAY_COPY:
            memcpy(entry->copy.dst, entry->copy.src, entry->copy.bytes);
            break;
        case PLAY_SORT:
            sort_now(&entry->pairs);
            break;
        case PLAY_IOTA:
            iota_now(entry);
            break;
        case PLAY_PACK:
            pack_now(&entry->pack);
            break;
        case PLAY_AWAIT:
            do_until(my, &my->work, entry->until[0]);
            break;
        case PLAY_JOIN:
            for (int i = 0; i < LANES; i++)
                do_until(my, &my->lanes[i], entry->until[i]);
            break;
        case PLAY_RANKS:
            ranks_now(&entry->put);
            break;
        case PLAY_SAMPLE:
            sample_now(&entry->sample);
            break;
        }
    }
}

/* ---- The link ---- */

static size_t room(void *state)
{
    const char *const text = getenv("ORDO_PLAY_MEMORY");
    (void)state;
    return text != NULL ? (size_t)strtoull(text, NULL, 10) : (size_t)1 << 40;
}

static void read_wishes(void)
{
    const char *const text = getenv("ORDO_PLAY_FAIL");
    const char *const colon = text != NULL ? strchr(text, ':') : NULL;
    failing[0] = '\0';
    if (colon == NULL || (size_t)(colon - text) >= sizeof failing)
        return;
    memcpy(failing, text, (size_t)(colon - text));
    failing[colon - text] = '\0';
    char *end;
    failing_at = strtol(colon + 1, &end, 10);
    failing_with = strcmp(end, ":memory") == 0 ? ORDO_E_NOMEM : ORDO_E_DEVICE;
}

static ordo_status begin(void *state, ordo_exec *exec, size_t bytes, size_t scratch,
                         unsigned *wanted, char **base, void **stream)
{
    if (bytes + scratch > room(state))
        return ordo_fail(exec, ORDO_E_NOMEM, "the device has %zu bytes", room(state));
    read_wishes();
    PLAY("begin");
    for (int i = 0; i < LANES; i++)
        my->lanes[i].count = my->lanes[i].done = 0;
    memset(my->closed, 0, sizeof my->closed);
    memset(my->marks, 0, sizeof my->marks);
    my->work.count = my->work.done = 0;
    free(my->memory);
    my->memory = malloc(bytes + 1);
    if (my->memory == NULL)
        abort();
    memset(my->memory, 0xcc, bytes);
    my->outer = innermost;
    innermost = my;
    *base = my->memory;
    *stream = NULL;
    *wanted = *wanted < LANES ? *wanted : LANES;
    return played();
}

static ordo_status end(void *state, ordo_exec *exec)
{
    play_state *const ended = state;
    if (innermost != ended)
        return ordo_fail(exec, ORDO_E_DEVICE, "another stream began later and has not ended");
    innermost = ended->outer;
    PLAY("end");
    for (int i = 0; i < LANES; i++)
        do_until(my, &my->lanes[i], my->lanes[i].count);
    do_until(my, &my->work, my->work.count);
    return played();
}

/* ORDO_PLAY_PINNED says that all host arrays are pinned. */
static bool pinned(void *state, const void *array, size_t bytes)
{
    (void)state;
    (void)array;
    (void)bytes;
    return getenv("ORDO_PLAY_PINNED") != NULL;
}

static char *buffer(void *state, unsigned lane, unsigned side)
{
    return ((play_state *)state)->buffers[lane][side];
}

static ordo_status copy_in(void *state, ordo_exec *exec, unsigned lane, void *device,
                           const void *from, size_t bytes)
{
    PLAY("copy_in");
    note(&my->lanes[lane], PLAY_COPY)->copy = (ordo_copy_job){device, from, bytes};
    return played();
}

static ordo_status copy_out(void *state, ordo_exec *exec, unsigned lane, void *to,
                            const void *device, size_t bytes)
{
    PLAY("copy_out");
    note(&my->lanes[lane], PLAY_COPY)->copy = (ordo_copy_job){to, device, bytes};
    return played();
}

static ordo_status close_side(void *state, ordo_exec *exec, unsigned lane, unsigned side)
{
    PLAY("close_side");
    my->closed[lane][side] = my->lanes[lane].count;
    return played();
}

static ordo_status wait_side(void *state, ordo_exec *exec, unsigned lane, unsigned side)
{
    PLAY("wait_side");
    do_until(my, &my->lanes[lane], my->closed[lane][side]);
    return played();
}

static ordo_status join(void *state, ordo_exec *exec)
{
    PLAY("join");
    play_entry *const entry = note(&my->work, PLAY_JOIN);
    for (int i = 0; i < LANES; i++)
        for (int side = 0; side < ORDO_LINK_SIDES; side++)
            entry->until[i] = ordo_max(entry->until[i], my->closed[i][side]);
    return played();
}

static ordo_status mark(void *state, ordo_exec *exec, unsigned which)
{
    PLAY("mark");
    my->marks[which] = my->work.count;
    return played();
}

static ordo_status await(void *state, ordo_exec *exec, unsigned lane, unsigned which)
{
    PLAY("await");
    note(&my->lanes[lane], PLAY_AWAIT)->until[0] = my->marks[which];
    return played();
}

static ordo_status iota(void *state, ordo_exec *exec, void *device, size_t n, ordo_type type,
                        uint64_t first)
{
    PLAY("iota");
    play_entry *const entry = note(&my->work, PLAY_IOTA);
    entry->numbers = device;
    entry->n = n;
    entry->width = type == ORDO_U32 ? 4 : 8;
    entry->first = first;
    return played();
}

/* ---- A clock: copies take 1 ns and happen when they are queried; work takes no time ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ordo_status watch(void *state, ordo_exec *exec)
{
    PLAY("watch");
    memset(my->ticks, 0, sizeof my->ticks);
    return played();
}

static bool side_times(void *state, unsigned lane, unsigned side, double *began, double *ended)
{
    (void)state;
    (void)lane;
    (void)side;
    *began = now();
    *ended = *began + 1e-9;
    return true;
}

static ordo_status tick(void *state, ordo_exec *exec, unsigned number)
{
    PLAY("tick");
    my->ticks[number] = now();
    return played();
}

static bool ticked(void *state, unsigned number, double *when)
{
    *when = ((play_state *)state)->ticks[number];
    return *when != 0;
}

/* ---- Verbs: queued for device arrays, executed at once for host arrays ---- */

static ordo_status sort_pairs(void *state, const ordo_pairs_job *job, ordo_exec *exec)
{
    PLAY("sort");
    exec->algorithm = "radix";
    exec->isa = "sm_00";
    if (exec->on_device) {
        note(&my->work, PLAY_SORT)->pairs = *job;
    } else {
        exec->changed = true;
        sort_now(job);
    }
    return played();
}

static ordo_status sort(void *state, const ordo_sort_job *job, ordo_exec *exec)
{
    ordo_pairs_job const pairs = {*job, NULL, 0};
    return sort_pairs(state, &pairs, exec);
}

static size_t sort_scratch(const ordo_sort_job *job, const ordo_exec *exec)
{
    (void)exec;
    return job->n;
}

static size_t pairs_scratch(const ordo_pairs_job *job, const ordo_exec *exec)
{
    (void)exec;
    return job->keys.n;
}

static ordo_status copy(void *state, const ordo_copy_job *job, ordo_exec *exec)
{
    PLAY("copy");
    note(&my->work, PLAY_COPY)->copy = *job;
    return played();
}

static ordo_status pack(void *state, const ordo_pack_job *job, ordo_exec *exec)
{
    PLAY("pack");
    note(&my->work, PLAY_PACK)->pack = *job;
    return played();
}

static ordo_status search(void *state, const ordo_search_job *job, ordo_exec *exec)
{
    size_t const size = size_of(job->type);
    PLAY("search");
    do_until(my, &my->work, my->work.count);
    for (size_t i = 0; i < job->count; i++) {
        size_t lo = 0, hi = job->n;
        while (lo < hi) {
            size_t const      mid = lo + (hi - lo) / 2;
            const char *const key = (const char *)job->sorted + mid * size;
            if (code_of(job->type, job->descending, job->folded, key) < job->codes[i])
                lo = mid + 1;
            else
                hi = mid;
        }
        job->positions[i] = lo;
    }
    return played();
}

static ordo_status put_ranks(void *state, const ordo_put_job *job, ordo_exec *exec)
{
    PLAY("put_ranks");
    note(&my->work, PLAY_RANKS)->put = *job;
    return played();
}

/* Each step fails under its own name. */
static ordo_status sample(void *state, const ordo_sample_job *job, ordo_exec *exec)
{
    static const char *const names[] = {
        [ORDO_SAMPLE_SPLIT] = "split",   [ORDO_SAMPLE_LABEL] = "label",
        [ORDO_SAMPLE_COUNT] = "count",   [ORDO_SAMPLE_SCATTER] = "scatter",
        [ORDO_SAMPLE_PLACE] = "place",   [ORDO_SAMPLE_SORT] = "sort_buckets",
        [ORDO_SAMPLE_RESULT] = "result", [ORDO_SAMPLE_VALUES] = "values"};
    PLAY(names[job->step]);
    exec->isa = "sm_00";
    note(&my->work, PLAY_SAMPLE)->sample = *job;
    return played();
}

static size_t sample_work(const ordo_sample_job *job) { return job->n; }

static const ordo_sample_slots sample_slots = {sample, sample_work};

/* A merge of two stretches needs memory, as on a real device. */
static size_t put_ranks_work(const ordo_put_job *job)
{
    return (job->total + (job->split < job->n ? job->n : 0)) * sizeof(uint64_t);
}

/* ---- The table ---- */

static ordo_status open(void **state, const ordo_backend_wishes *wishes, char *why, size_t why_size)
{
    if (wishes->device > DEVICES) {
        snprintf(why, why_size, "there are %d devices", DEVICES);
        return ORDO_E_UNSUPPORTED;
    }
    if (wishes->device_sms > SMS) {
        snprintf(why, why_size, "device_sms is %zu, but the device has %d multiprocessors",
                 wishes->device_sms, SMS);
        return ORDO_E_ARG;
    }
    play_state *const my = calloc(1, sizeof *my);
    if (my == NULL)
        return ORDO_E_NOMEM;
    my->sms = wishes->device_sms == 0 ? SMS : ordo_round_up(wishes->device_sms, LEAST_SMS);
    *state = my;
    return ORDO_OK;
}

static void close(void *state)
{
    play_state *const my = state;
    free(my->memory);
    free(my->work.entries);
    for (int i = 0; i < LANES; i++)
        free(my->lanes[i].entries);
    free(my);
}

static size_t sms(const void *state) { return ((const play_state *)state)->sms; }

static const ordo_link link = {BUFFER,  room,     begin,      end,        pinned, buffer,
                               copy_in, copy_out, close_side, wait_side,  join,   mark,
                               await,   iota,     watch,      side_times, tick,   ticked};

PLUGIN_TABLE(.sort = sort, .sort_scratch = sort_scratch, .sort_pairs = sort_pairs,
             .sort_pairs_scratch = pairs_scratch, .sms = sms, .copy = copy, .search = search,
             .pack = pack, .link = &link, .sample = &sample_slots, .put_ranks = put_ranks,
             .put_ranks_work = put_ranks_work)
