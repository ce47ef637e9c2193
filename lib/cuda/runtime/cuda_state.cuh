/* cuda_state.cuh - an opened device: what one context holds of it.
 *
 * Device memory is one block, as large as the largest call so far, cut into pieces anew by every
 * call. Calls follow each other on it: the end of each is an event, which the next call waits for
 * (on the device) if it uses another stream. Streams are compared by identity, not by handle:
 * cudaStreamPerThread is one handle for a different stream in every thread, and the handle of a
 * destroyed stream is used again. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_STATE_H
#define ORDO_CUDA_RUNTIME_CUDA_STATE_H

#include "cuda/runtime/cuda_rt.cuh"
#include "backend/backend.h"

enum {
    CUDA_LANES = 16,              /* at most; threads that stage at once */
    CUDA_STAGE_BYTES = 4 << 20,   /* of one pinned buffer; a lane has two */
    CUDA_STAGE_LEAST = 128 << 10, /* that are copied at a time */
    CUDA_LEAST_SCRATCH = 1 << 20, /* held from the start: small calls never allocate */
    CUDA_ISA = 16                 /* "sm_90" */
};

struct cuda_lane {      /* a thread's way between pageable host memory and the device */
    int          taken; /* by a thread; changed atomically */
    char        *buffer[2];
    cudaEvent_t  done[2]; /* the buffer's last copy */
    cudaStream_t stream;
};

struct cuda_profile; /* cuda_profile.cu */

struct cuda_state {
    cuda_facts         facts;
    char               isa[CUDA_ISA];
    size_t             limit; /* bytes of device memory; 0: none */
    char              *block;
    size_t             block_bytes;
    char              *store; /* of arrays that are streamed (cuda_link.cu) */
    size_t             store_bytes;
    bool               streaming;   /* the store is in use */
    int                before;      /* the caller's current device then, which lanes change */
    void              *fetch;       /* CUDA_FETCH_BYTES, pinned */
    cudaStream_t       own;         /* of calls on host arrays */
    unsigned long long last_stream; /* identity of the last call's stream: cudaStreamGetId */
    cudaEvent_t        last;        /* its end */
    bool               used;        /* there was one */
    cuda_lane          lanes[CUDA_LANES];
    unsigned           lane_count; /* made so far */
    cudaEvent_t        marks[ORDO_LINK_MARKS];
    cuda_profile        *profile; /* NULL: nobody asks when things are done */
};

/* cuda_state.cu */
ordo_status cuda_open(void **state, const ordo_backend_wishes *wishes, char *why, size_t why_size);
void        cuda_close(void *state);
void        cuda_devices(char *text, size_t size);
ordo_status cuda_reserve(void *state, size_t bytes, ordo_exec *exec);
size_t      cuda_held(const void *state);
/* Makes the store, for arrays that are streamed, and the block large enough. */
ordo_status cuda_hold_stream(cuda_state *state, ordo_exec *exec, size_t store, size_t block);

/* Begins a call with `bytes` of device memory; call->scratch is them. The caller's current device
 * is put back by call_end, which also marks the end of the call on its stream. */
struct cuda_frame {
    cuda_call   call;
    cuda_state *state;
    int         previous; /* the caller's device */
};
ordo_status frame_begin(cuda_frame *frame, cuda_state *state, ordo_exec *exec, size_t bytes);
ordo_status frame_end(cuda_frame *frame, ordo_status status);

/* cuda_stage.cu: host arrays to the device and back, by all threads of the call, through pinned
 * buffers. stage_in returns when the copies are enqueued, and the call's stream waits for them;
 * stage_out returns when the host array is written. */
ordo_status stage_in(cuda_frame *frame, void *device, const void *host, size_t bytes);
ordo_status stage_out(cuda_frame *frame, void *host, const void *device, size_t bytes);
ordo_status stage_lanes(cuda_state *state, ordo_exec *exec, size_t wanted);
void        stage_close(cuda_state *state);

/* cuda_profile.cu: when copies and work are done, for a profile. A lane's copies begin, and the side
 * that they use is closed; nothing happens without a watch. */
ordo_status profile_begin(void *state, ordo_exec *exec);
void        profile_end(cuda_state *state); /* no more is noted; what was stays */
void        profile_close(cuda_state *state);
ordo_status profile_copy(cuda_state *state, ordo_exec *exec, unsigned lane);
ordo_status profile_side(cuda_state *state, ordo_exec *exec, unsigned lane, unsigned side);
bool profile_side_times(void *state, unsigned lane, unsigned side, double *began, double *ended);
ordo_status profile_tick(void *state, ordo_exec *exec, unsigned number);
bool        profile_ticked(void *state, unsigned number, double *when);

/* cuda_link.cu: how lib/hybrid streams arrays through the device. */
extern const ordo_link cuda_link;
ordo_status            cuda_search(void *state, const ordo_search_job *job, ordo_exec *exec);
ordo_status            cuda_pack(void *state, const ordo_pack_job *job, ordo_exec *exec);

#endif
