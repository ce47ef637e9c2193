/* cuda_state.cuh - an opened device: everything that one context holds on it.
 *
 * Device memory is one block, as large as the largest call so far; every call divides it again. An
 * event marks the end of each call; if the next call uses another stream, that stream waits for the
 * event. Streams are compared by identity, not by handle: cudaStreamPerThread is one handle for a
 * different stream in every thread, and handles of destroyed streams are reused. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_STATE_H
#define ORDO_CUDA_RUNTIME_CUDA_STATE_H

#include "cuda/runtime/cuda_rt.cuh"
#include "backend/backend.h"

enum {
    CUDA_LANES = 16,              /* most threads that copy through staging buffers at the same
                                   * time */
    CUDA_STAGE_BYTES = 4 << 20,   /* bytes of one pinned staging buffer; a lane has two */
    CUDA_STAGE_LEAST = 128 << 10, /* fewest bytes of a chunk */
    CUDA_LEAST_SCRATCH =
        1 << 20,  /* fewest bytes of an allocation, so that small calls allocate only once */
    CUDA_ISA = 16 /* "sm_90" */
};

struct cuda_lane {      /* copies between pageable host memory and the device for one thread */
    int          taken; /* claimed by a thread; changed atomically */
    char        *buffer[2];
    cudaEvent_t  done[2]; /* end of the last copy of each buffer */
    cudaStream_t stream;
};

struct cuda_profile; /* cuda_profile.cu */
struct cuda_queues;  /* cuda_queues.cu */

struct cuda_state {
    cuda_facts         facts;
    char               isa[CUDA_ISA];
    size_t             limit; /* largest number of bytes of device memory; 0: no limit */
    char              *block;
    size_t             block_bytes;
    char              *store; /* for streamed arrays (cuda_link.cu) */
    size_t             store_bytes;
    bool               streaming;   /* the store is in use */
    int                before;      /* the caller's current device while streaming */
    void              *fetch;       /* CUDA_FETCH_BYTES, pinned */
    cudaStream_t       own;         /* stream of calls on host arrays */
    void              *green;       /* the green context of `own`; NULL: all multiprocessors */
    unsigned long long last_stream; /* identity of the last call's stream (cudaStreamGetId) */
    cudaEvent_t        last;        /* end of the last call */
    bool               used;        /* whether `last` marks a call that may still run */
    cuda_lane          lanes[CUDA_LANES];
    unsigned           lane_count; /* created so far */
    cudaEvent_t        marks[ORDO_LINK_MARKS];
    cuda_profile      *profile; /* NULL until the first profile */
    cuda_queues       *queues;  /* NULL until the first exchange of ranks through pinned memory */
};

/* cuda_state.cu */
ordo_status cuda_open(void **state, const ordo_backend_wishes *wishes, char *why, size_t why_size);
void        cuda_close(void *state);
void        cuda_devices(char *text, size_t size);
ordo_status cuda_reserve(void *state, size_t bytes, ordo_exec *exec);
size_t      cuda_held(const void *state);
size_t      cuda_sms(const void *state);
/* Makes the store (for streamed arrays) and the block large enough. */
ordo_status cuda_hold_stream(cuda_state *state, ordo_exec *exec, size_t store, size_t block);

/* cuda_limit.cu: makes state->own a stream on `wanted` multiprocessors or a few more, and sets
 * facts.sms. Does nothing if `wanted` is the number of all multiprocessors. After a failure
 * cuda_close frees what was created. */
ordo_status cuda_limit_open(cuda_state *state, size_t wanted, char *why, size_t why_size);
void        cuda_limit_close(cuda_state *state);

/* frame_begin begins a call with `bytes` of device memory as call->scratch. frame_end restores the
 * caller's current device and marks the end of the call on its stream. */
struct cuda_frame {
    cuda_call   call;
    cuda_state *state;
    int         previous; /* the caller's device */
};
ordo_status frame_begin(cuda_frame *frame, cuda_state *state, ordo_exec *exec, size_t bytes);
ordo_status frame_end(cuda_frame *frame, ordo_status status);

/* cuda_stage.cu: copies between host arrays and the device, by all threads of the call, through
 * pinned staging buffers. stage_in returns when the copies are enqueued, and the call's stream
 * waits for them; stage_out returns when the host array is written. */
ordo_status stage_in(cuda_frame *frame, void *device, const void *host, size_t bytes);
ordo_status stage_out(cuda_frame *frame, void *host, const void *device, size_t bytes);
ordo_status stage_lanes(cuda_state *state, ordo_exec *exec, size_t wanted);
void        stage_close(cuda_state *state);

/* cuda_profile.cu: the times of copies and work. profile_copy is called before each copy of a lane,
 * profile_side after the last copy of a side. Without a profile both do nothing. */
ordo_status profile_begin(void *state, ordo_exec *exec);
void        profile_end(cuda_state *state); /* stops recording; recorded times stay */
void        profile_close(cuda_state *state);
ordo_status profile_copy(cuda_state *state, ordo_exec *exec, unsigned lane);
ordo_status profile_side(cuda_state *state, ordo_exec *exec, unsigned lane, unsigned side);
bool profile_side_times(void *state, unsigned lane, unsigned side, double *began, double *ended);
ordo_status profile_tick(void *state, ordo_exec *exec, unsigned number);
bool        profile_ticked(void *state, unsigned number, double *when);

/* cuda_queues.cu: the last five slots of ordo_dist_slots. */
ordo_status queues_pinned(void *state, ordo_exec *exec, size_t bytes, char **out);
ordo_status queues_transfer(void *state, ordo_exec *exec, unsigned queue, void *to,
                            const void *from, size_t bytes);
ordo_status queues_mark(void *state, ordo_exec *exec, unsigned queue, unsigned side);
ordo_status queues_wait(void *state, ordo_exec *exec, unsigned queue, unsigned side);
ordo_status queues_finish(void *state, ordo_exec *exec);
void        queues_close(cuda_state *state);

/* cuda_arrays.cu: refuses host memory given as a device array; `what` names it. */
ordo_status cuda_check_memory(ordo_exec *exec, const void *array, const char *what);

/* stream/cuda_link.cu: streams arrays of lib/hybrid through the device. */
extern const ordo_link cuda_link;
ordo_status            cuda_search(void *state, const ordo_search_job *job, ordo_exec *exec);
ordo_status            cuda_pack(void *state, const ordo_pack_job *job, ordo_exec *exec);

#endif
