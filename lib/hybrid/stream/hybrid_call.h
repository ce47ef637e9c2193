/* hybrid_call.h - the state and the functions that the files of lib/hybrid share.
 *
 * A call sorts records (keys, with or without values) of a host array on a device and optionally on
 * the CPU. The array travels in chunks; a batch is a group of chunks that the device sorts as soon
 * as all of them have arrived. Each side sorts whole ranges of keys, so the results need no merge.
 *
 * Device memory: the records, three segments, the packed keys of three segments, the scratch of one
 * sort. Host memory: hybrid_tables, an entry per chunk, and a copy of the records if the CPU has a
 * share or must be able to replace a failed device. */
#ifndef ORDO_HYBRID_STREAM_HYBRID_CALL_H
#define ORDO_HYBRID_STREAM_HYBRID_CALL_H

#include "backend/profile.h"
#include "core/sequencer.h"
#include "backend/backend.h"
#include "hybrid/stream/tuning.h"

#include <pthread.h>

/* The phases have the numbers of S. Subashini and N. Ramya, "Hybrid Comparison Sorting":
 *
 *   I        splitters.c          choose the pivot between device and CPU, splitters, buckets
 *   II, III  send_chunks.c        send chunks to the device, which sorts each batch;
 *            buckets.c            put the CPU's part of a chunk into buckets
 *   IV       segments.c           find the splitters in every batch, plan the segments
 *            fetch_segments.c     gather and sort segments on the device, fetch them in chunks
 *            sort_buckets.c       sort the CPU's buckets */

enum {
    HYBRID_PHASES = 3,
    HYBRID_SCRATCH_TAKES = 16, /* scratch requests of one CPU sort; each is rounded up */
    HYBRID_MOST_BATCHES = 16,
    HYBRID_SEGMENT_BUFFERS = 3, /* one is sorted, one is fetched, one waits */
    HYBRID_SPLITTERS = 256,
    HYBRID_MOST_SPLITTERS = 2 * HYBRID_SPLITTERS + 2, /* a frequent key has two */
    HYBRID_MOST_LANES = 64,
    HYBRID_MOST_BUCKETS = 2048,
    HYBRID_CELLS = 1 << 14, /* ranges of equal width; a bucket is several cells */
    HYBRID_PADDING = 64     /* bytes that a division may write past its records */
};

typedef struct hybrid_records { /* the input and the output of a sort */
    ordo_type   type;
    bool        descending;
    bool        folded;    /* -0 ties +0 and NaNs tie, as in stable sorts */
    bool        intervals; /* the splitters of a sample sort are keys at intervals of sqrt(n) */
    size_t      n;
    size_t      key_size, value_size;  /* value_size 0: no values */
    const char *keys, *values;         /* values NULL: the values are the indices */
    char       *out_keys, *out_values; /* NULL: not wanted; may be the input arrays */
} hybrid_records;

/* Whether the CPU and the device can share a sample sort of n records (lib/papers/hybrid). */
static inline bool hybrid_may_sample(const ordo_both *both, size_t n, const ordo_exec *exec)
{
    return n >= ORDO_TUNE_SAMPLE_LEAST && n > both->part_count && exec->papers != NULL &&
           both->device->link != NULL && both->device->sample != NULL;
}

typedef struct hybrid_splitter {
    uint64_t code;
    bool     equal; /* all keys between this splitter and the next have this code */
} hybrid_splitter;

typedef struct hybrid_segment { /* a range of the result, sorted on the device in one call */
    size_t        first_splitter, end_splitter;
    size_t        start, count; /* records of the result */
    bool          as_is;        /* all keys are equal: fetched from the batches, not sorted */
    unsigned      buffer;       /* index of the segment buffer */
    size_t        first_chunk, chunk_count; /* the segment's chunks in result_chunks */
    atomic_size_t requested;                /* chunks whose copy has been queued */
    atomic_int    widths;                   /* packed_keys.c: state of the chunks' widths */
} hybrid_segment;

typedef struct hybrid_result_chunk { /* part of a segment, copied to the host in one step */
    size_t segment;
    size_t to, count; /* records of the result */
    char  *keys, *values;
    size_t width; /* bytes per key on the link; less than key_size if packed */
} hybrid_result_chunk;

typedef struct hybrid_tables { /* arrays too large for the stack; in scratch */
    hybrid_splitter splitters[HYBRID_MOST_SPLITTERS];
    size_t          position[HYBRID_MOST_BATCHES][HYBRID_MOST_SPLITTERS]; /* position of each
                                                                           * splitter in each
                                                                           * batch */
    uint16_t        cells[HYBRID_CELLS];                                  /* bucket of each cell */
    size_t          sent_bytes[HYBRID_MOST_LANES][ORDO_LINK_SIDES];       /* bytes being sent from
                                                                           * each staging buffer */
    size_t          work_bytes[ORDO_LINK_TICKS / 2]; /* bytes of the records of each piece of device
                                                      * work */
} hybrid_tables;

typedef struct hybrid_call hybrid_call;

/* The exec of one thread. A backend records errors in the exec it gets, and only one thread may use
 * the caller's exec. */
typedef struct hybrid_worker {
    ordo_exec    exec;
    hybrid_call *call;
    char        *scratch; /* for the sort of one bucket */
    size_t       scratch_bytes, scratch_used;
} hybrid_worker;

struct hybrid_call {
    const hybrid_records *records;
    const ordo_both      *both;
    const ordo_link      *link;
    ordo_exec            *exec;   /* the caller's */
    hybrid_worker         device; /* the exec of jobs on device arrays */
    hybrid_tables        *tables; /* NULL until hybrid_take_tables */
    unsigned              lanes;
    atomic_int            lane_taken[HYBRID_MOST_LANES];
    pthread_mutex_t       device_lock; /* held while work is queued on the device */
    pthread_mutex_t       error_lock;  /* held while an error is recorded */
    atomic_int            status;      /* the first error, or ORDO_OK */
    char                  error_text[256];
    double                phase_began, phase_seconds[HYBRID_PHASES]; /* phase I; II and III; IV */
    bool                  open;                                      /* link->begin has succeeded */
    bool                  timed;      /* the device reports times for a profile */
    unsigned              work_count; /* pieces of device work; piece i has ticks 2 i and 2 i + 1;
                                       * under device_lock */

    /* Device memory. */
    char  *device_keys, *device_values; /* the batches */
    char  *segment_keys[HYBRID_SEGMENT_BUFFERS], *segment_values[HYBRID_SEGMENT_BUFFERS];
    size_t segment_records; /* capacity of a segment buffer */
    bool   packing;         /* results are packed on the device */
    char  *packed_keys[HYBRID_SEGMENT_BUFFERS];

    /* Phase I. */
    double   wanted_share; /* share of the CPU, 0 to 1 */
    size_t   splitter_count;
    bool     divided;     /* the CPU has a share */
    double   share;       /* expected share of the CPU */
    uint64_t pivot;       /* the CPU sorts records whose code is not less than the pivot */
    uint64_t plain_pivot; /* the pivot as an unfolded code */
    unsigned cell_shift;  /* cell = (code - pivot) >> cell_shift */
    size_t   cell_count;
    size_t   bucket_count;

    /* Phases II and III. */
    size_t         chunk_records, chunk_count, batch_chunks, batch_count;
    atomic_size_t  next_chunk;
    ordo_sequencer turn;
    size_t         next_place; /* place of the next chunk on the device; only the thread with the
                                * turn uses it */
    size_t         batch_start[HYBRID_MOST_BATCHES + 1];
    atomic_size_t  batch_sent[HYBRID_MOST_BATCHES]; /* sent chunks of each batch */
    char          *kept_keys, *kept_values; /* copy of each chunk: the device's records, then the
                                             * buckets */
    uint32_t      *bucket_in_chunk;         /* [chunk_count][bucket_count + 1]: starts in kept_* */
    char          *aside;                   /* per lane: the CPU's records of one chunk */
    size_t         aside_bytes;

    /* Phase IV. */
    hybrid_segment      *segments;
    size_t               segment_count;
    hybrid_result_chunk *result_chunks;
    size_t               result_count;
    atomic_size_t        next_result;
    atomic_size_t        fetched_key_bytes;
    atomic_size_t        stored_chunks;
    atomic_size_t        queued_segments; /* segments whose sort has been queued */
    size_t              *bucket_start;    /* start of each bucket in the result; bucket_count + 1
                                           * entries */
    atomic_size_t        next_bucket, handed_over;
    char                *bucket_scratch; /* per lane */
    size_t               bucket_scratch_bytes, largest_bucket;
};

/* Keeps two nested calls within small thread stacks. */
_Static_assert(sizeof(hybrid_call) < 4096, "large arrays belong in hybrid_tables");

/* ---- call.c ---- */

/* Initialises a call. Takes no memory, so size queries may also use the call. */
void hybrid_call_open(hybrid_call *call, const ordo_both *both, const hybrid_records *records,
                      ordo_exec *exec);
void hybrid_call_close(hybrid_call *call);
/* Fills the report fields that streamed sorts and ranks have in common. */
void hybrid_record(const hybrid_call *call, ordo_exec *exec);
/* Takes call->tables from scratch. Phase I and all later phases need the tables. */
ordo_status hybrid_take_tables(hybrid_call *call);
/* Runs the phases of a sort or a ranking. `begin` is phase I and reserves the device; `finish` is
 * phase IV. */
typedef ordo_status hybrid_step(void *arg);
ordo_status         hybrid_run_phases(hybrid_call *call, hybrid_step *begin, hybrid_step *finish,
                                      void *arg);
/* Reserves device memory and lanes. */
ordo_status hybrid_reserve_device(hybrid_call *call, size_t memory, size_t scratch, char **base);
/* Returns the next array of device memory and adds its size to *used. base NULL: only counts. */
char *hybrid_carve(char *base, size_t *used, size_t bytes);

/* ---- Sorts and ranks of whole arrays ---- */

/* workers.c: sorts n records of the types of `records` with one backend; stably if they have
 * values. */
ordo_status hybrid_sort_records(const ordo_backend *backend, void *state,
                                const hybrid_records *records, char *keys, char *values, size_t n,
                                ordo_exec *exec);
size_t      hybrid_sort_records_scratch(const ordo_backend *backend, const hybrid_records *records,
                                        size_t n, const ordo_exec *exec);
/* Queues a stable sort of records in device memory. */
ordo_status hybrid_sort_on_device(hybrid_call *call, char *keys, char *values, size_t count);

/* sort_streamed.c: sorts records that fit the device. After an error exec->changed says whether
 * results may have been written. If results were written, the sort was in place and both->keep is
 * set, the array still holds all input records, and tied records are in input order. */
ordo_status hybrid_sort_streamed(const ordo_both *both, const hybrid_records *records,
                                 ordo_exec *exec);
/* hybrid_device_bytes: device memory of hybrid_sort_streamed. hybrid_host_bytes: an upper bound of
 * its host scratch if both->keep is off and the CPU has no share. */
size_t hybrid_device_bytes(const ordo_both *both, const hybrid_records *records, ordo_exec *exec);
size_t hybrid_host_bytes(const ordo_both *both, const hybrid_records *records, ordo_exec *exec);

/* sort_in_rounds.c: sorts records that need `need` bytes on a device that has `room` bytes. */
ordo_status hybrid_sort_in_rounds(const ordo_both *both, const hybrid_records *records,
                                  ordo_exec *exec, size_t need, size_t room);

/* rank_streamed.c: ranks of unsorted keys. The records are the keys with their indices. After an
 * error exec->changed says whether ranks may have been written. */
ordo_status hybrid_rank_streamed(const ordo_both *both, const hybrid_records *records,
                                 const ordo_rank_job *job, ordo_exec *exec);

/* ---- splitters.c: phase I ---- */

/* Chooses the pivot, the device's splitters and the CPU's buckets. */
ordo_status hybrid_choose_splitters(hybrid_call *call);
/* Chooses at most `wanted` buckets for all records; there is no part for the device. */
ordo_status hybrid_choose_ranges(hybrid_call *call, size_t wanted);
/* Host scratch of hybrid_choose_splitters without a share for the CPU. */
size_t hybrid_sample_host_bytes(const hybrid_call *call);
/* Writes the bucket of every key. No key may be less than the pivot. */
void hybrid_bucket_labels(const hybrid_call *call, const void *keys, size_t n, uint16_t *labels);

/* ---- Chunks and buckets ---- */

static inline size_t hybrid_chunk_length(const hybrid_call *call, size_t chunk)
{
    return ordo_min(call->chunk_records, call->records->n - chunk * call->chunk_records);
}

/* packed_keys.c: copies with stores that bypass the cache, for memory that is not read soon. */
void hybrid_copy_nontemporal(void *to, const void *from, size_t bytes);
/* Waits until all nontemporal stores of this thread are visible to other threads. */
void hybrid_fence_nontemporal(void);

/* buckets.c: writes first, first + 1, ... as values of 4 or 8 bytes. */
void hybrid_write_indices(char *values, size_t size, size_t first, size_t n);
/* Takes bucket_in_chunk and `aside_bytes` per lane for aside. */
ordo_status hybrid_reserve_buckets(hybrid_call *call, size_t aside_bytes);
/* Copies n records of a chunk into the buckets of the kept copy, after the chunk's device_count
 * device records. */
void hybrid_fill_buckets(hybrid_call *call, size_t chunk, size_t device_count, const char *keys,
                         const char *values, uint16_t *labels, size_t n);
/* Computes bucket_start; the first bucket starts at `before`. */
ordo_status hybrid_bucket_starts(hybrid_call *call, size_t before);
/* Copies a bucket from all chunks, in input order. */
void hybrid_gather_bucket(const hybrid_call *call, size_t bucket, char *keys, char *values);

/* Copies the device's records of a chunk to keys and values, a lane's staging buffer, and
 * the others to their buckets. Returns the number of the device's records. */
size_t hybrid_divide_chunk(hybrid_call *call, unsigned lane, size_t chunk, char *keys,
                           char *values);

/* send_chunks.c: phases II and III. */
ordo_status hybrid_send_chunks(hybrid_call *call);

/* ---- Phase IV ---- */

/* segments.c: finds the splitters in the batches; lists the segments and their chunks. */
ordo_status hybrid_make_segments(hybrid_call *call);
size_t      hybrid_segments_host_bytes(const hybrid_call *call); /* upper bound of the scratch of
                                                                  * hybrid_make_segments */

/* fetch_segments.c: phase IV, as a hybrid_step. */
ordo_status hybrid_fetch_segments(void *call);

/* sort_buckets.c: takes the memory of the CPU's share. gathers_keys: also room for the keys of the
 * bucket of each lane. */
ordo_status hybrid_prepare_buckets(hybrid_call *call, bool gathers_keys);
/* Takes buckets until none is left. hands_over: the device sorts some of them once it is free. */
typedef void hybrid_bucket_step(void *arg, hybrid_worker *worker, size_t bucket);
void hybrid_each_bucket(hybrid_call *call, unsigned lane, bool hands_over, hybrid_bucket_step *step,
                        void *arg);
/* Sorts buckets of a hybrid_call until none is left. */
void hybrid_sort_buckets(void *call, unsigned lane);

/* packed_keys.c: whether this call packs its results; device memory of one packed segment. */
bool   hybrid_uses_packing(const hybrid_call *call);
size_t hybrid_packed_buffer_bytes(const hybrid_call *call);
/* Queues the packing of a sorted segment. */
ordo_status hybrid_pack_segment(hybrid_call *call, const hybrid_segment *segment);
/* Fetches the widths of a segment's chunks unless they are known. The staging buffer of this lane
 * and side must be free. */
ordo_status hybrid_know_widths(hybrid_call *call, ordo_exec *exec, unsigned lane, unsigned side,
                               hybrid_segment *segment);
size_t      hybrid_packed_chunk_bytes(const hybrid_call *call, const hybrid_result_chunk *chunk);
void        hybrid_unpack_chunk(const hybrid_call *call, const hybrid_result_chunk *chunk,
                                const char *packed, char *to);

/* ---- workers.c: times of the link and of the device, for a profile ---- */

ordo_status hybrid_spans_begin(hybrid_call *call);
/* Records the times of the copies of a side after wait_side; `way` is ORDO_SPAN_IN or
 * ORDO_SPAN_OUT. */
void hybrid_span_copy(hybrid_call *call, unsigned lane, unsigned side, ordo_span_kind way,
                      size_t bytes);
/* Records where device work on `count` records begins and ends. Called under device_lock. */
ordo_status hybrid_span_work_begin(hybrid_call *call, size_t count);
ordo_status hybrid_span_work_end(hybrid_call *call);
void        hybrid_spans_end(hybrid_call *call); /* called after link->end */

/* ---- workers.c: threads, lanes, errors ---- */

void hybrid_worker_init(hybrid_call *call, hybrid_worker *worker);
/* The worker gets the lane's scratch for buckets. */
void hybrid_bucket_worker_init(hybrid_call *call, hybrid_worker *worker, unsigned lane);
bool hybrid_has_failed(const hybrid_call *call); /* also true if the call was cancelled */
void hybrid_back_off(unsigned tries);            /* waits a little; `tries` counts the calls */
void hybrid_mark_cancelled(hybrid_call *call);
typedef ordo_status hybrid_chunk_step(void *arg, ordo_exec *exec, unsigned lane, unsigned side,
                                      size_t chunk);
typedef struct hybrid_chunks { /* work on chunks 0 to count - 1 */
    hybrid_call       *call;
    atomic_size_t     *next; /* the next chunk; starts at 0 */
    size_t             count;
    hybrid_chunk_step *queue; /* queues the copies of a chunk, closes the side */
    hybrid_chunk_step *store; /* waits for the side, stores a fetched chunk; NULL: nothing to do */
    void (*sort_buckets)(void *arg, unsigned lane); /* the CPU's share; NULL: none */
    void *arg;
} hybrid_chunks;
/* Sends or fetches chunks. Threads take them in increasing order. Each thread keeps its lane until
 * the end and uses the two sides of the lane in turn: the link works on one side while the thread
 * works on the other. Some threads fetch first and then sort buckets; the others start with
 * buckets. */
ordo_status hybrid_run_chunks(const hybrid_chunks *chunks);
/* The status after a loop. Records the first error in the caller's exec. all_done false: the loop
 * was cancelled before its end. */
ordo_status hybrid_result(hybrid_call *call, bool all_done);

#endif
