/* link.h - copies between host memory and a device, for streamed arrays (lib/hybrid).
 *
 * A lane belongs to one thread: two staging buffers in host memory that the device accesses at full
 * speed, and a queue of copies that are done in order. The device's own work is a second queue: the
 * verbs of the backend's table, called with exec->on_device and the stream from begin. Only join
 * and await order one queue after the other. Several threads may call the functions with a lane
 * argument at once, each with its own lane; the other functions and the verbs need one thread at a
 * time. Errors are recorded in the exec argument. */
#ifndef ORDO_BACKEND_LINK_H
#define ORDO_BACKEND_LINK_H

#include "backend/exec.h"

enum {
    ORDO_LINK_SIDES = 2,  /* buffers of a lane */
    ORDO_LINK_MARKS = 20, /* points in the device's queue that copies can wait for */
    ORDO_LINK_TICKS = 1024
};

typedef struct ordo_link {
    size_t buffer_bytes; /* of one buffer */

    /* The most bytes that begin can reserve, memory and scratch together. */
    size_t (*room)(void *state);

    /* Waits for all earlier work. Reserves device memory: `memory` bytes at *base, and `scratch`
     * bytes for the verbs. Makes at most *lanes lanes and writes their number to *lanes. */
    ordo_status (*begin)(void *state, ordo_exec *exec, size_t memory, size_t scratch,
                         unsigned *lanes, char **base, void **stream);
    /* Waits for all work and copies. A thread ends its last stream first: begin and end nest. */
    ordo_status (*end)(void *state, ordo_exec *exec);

    /* Whether the device copies from and to this host array at full speed, so that it may be the
     * `buffer` of copies. */
    bool (*pinned)(void *state, const void *array, size_t bytes);

    char *(*buffer)(void *state, unsigned lane, unsigned side);
    ordo_status (*copy_in)(void *state, ordo_exec *exec, unsigned lane, void *device,
                           const void *buffer, size_t bytes);
    ordo_status (*copy_out)(void *state, ordo_exec *exec, unsigned lane, void *buffer,
                            const void *device, size_t bytes);
    /* close_side marks the copies queued so far as uses of this side; wait_side waits for them. */
    ordo_status (*close_side)(void *state, ordo_exec *exec, unsigned lane, unsigned side);
    ordo_status (*wait_side)(void *state, ordo_exec *exec, unsigned lane, unsigned side);

    /* Later device work begins after the sides that are closed now, of all lanes. */
    ordo_status (*join)(void *state, ordo_exec *exec);
    /* mark sets a point in the device's work; after await, later copies of the lane wait for it. */
    ordo_status (*mark)(void *state, ordo_exec *exec, unsigned mark);
    ordo_status (*await)(void *state, ordo_exec *exec, unsigned lane, unsigned mark);

    /* Device work: writes first, first + 1, ... as u32 or u64. */
    ordo_status (*iota)(void *state, ordo_exec *exec, void *device, size_t n, ordo_type type,
                        uint64_t first);

    /* Time stamps, for profiles; NULL if the device has none. watch is called after begin and lasts
     * until end. Times are seconds of CLOCK_MONOTONIC. side_times is for a side after wait_side.
     * tick records a point in the device's work under a number below ORDO_LINK_TICKS; ticked reads
     * its time after end. */
    ordo_status (*watch)(void *state, ordo_exec *exec);
    bool (*side_times)(void *state, unsigned lane, unsigned side, double *began, double *ended);
    ordo_status (*tick)(void *state, ordo_exec *exec, unsigned number);
    bool (*ticked)(void *state, unsigned number, double *when);
} ordo_link;

#endif
