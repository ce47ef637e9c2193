/* link.h - the way between host memory and a backend's own memory, for those who stream arrays
 * through it (lib/hybrid).
 *
 * A lane is one thread's way: two buffers of host memory that the device reaches at full speed,
 * and a queue of copies, done in order. The device's own work, the verbs of the backend's table
 * called with exec->on_device and the stream that begin gave, is another queue. join and await
 * order the one behind the other; nothing else does. Functions that name a lane may be called by
 * several threads at once, each with a lane of its own; the others, and the verbs, by one at a
 * time. Errors are recorded in the exec given. */
#ifndef ORDO_BACKEND_LINK_H
#define ORDO_BACKEND_LINK_H

#include "backend/exec.h"

enum {
    ORDO_LINK_SIDES = 2, /* buffers of a lane */
    ORDO_LINK_MARKS = 4, /* places in the device's queue that can be waited for */
    ORDO_LINK_TICKS = 1024
};

typedef struct ordo_link {
    size_t buffer_bytes; /* of one buffer */

    /* The most bytes that begin can hold, memory and scratch together. */
    size_t (*room)(void *state);

    /* Holds device memory: `memory` bytes, which *base is, and `scratch` for the verbs. Makes up
     * to *lanes lanes and says how many there are. Everything earlier is over by then. */
    ordo_status (*begin)(void *state, ordo_exec *exec, size_t memory, size_t scratch,
                         unsigned *lanes, char **base, void **stream);
    /* Waits until nothing that was asked for is going on any more. */
    ordo_status (*end)(void *state, ordo_exec *exec);

    char *(*buffer)(void *state, unsigned lane, unsigned side);
    ordo_status (*copy_in)(void *state, ordo_exec *exec, unsigned lane, void *device,
                           const void *buffer, size_t bytes);
    ordo_status (*copy_out)(void *state, ordo_exec *exec, unsigned lane, void *buffer,
                            const void *device, size_t bytes);
    /* Every copy asked of the lane so far uses this side; wait is over when they are done. */
    ordo_status (*close_side)(void *state, ordo_exec *exec, unsigned lane, unsigned side);
    ordo_status (*wait_side)(void *state, ordo_exec *exec, unsigned lane, unsigned side);

    /* The device's work from now on begins after the sides closed so far, of every lane. */
    ordo_status (*join)(void *state, ordo_exec *exec);
    /* A place in the device's work, and a lane whose copies from now on begin after it. */
    ordo_status (*mark)(void *state, ordo_exec *exec, unsigned mark);
    ordo_status (*await)(void *state, ordo_exec *exec, unsigned lane, unsigned mark);

    /* Device work: first, first + 1, ... as u32 or u64. */
    ordo_status (*iota)(void *state, ordo_exec *exec, void *device, size_t n, ordo_type type,
                        uint64_t first);

    /* Of a device that can tell when things were done; NULL elsewhere. watch is called after begin
     * and lasts until end; times are those of CLOCK_MONOTONIC, in seconds. side_times is for a side
     * that has been waited for; tick is a point in the device's work, numbered as the caller likes
     * below ORDO_LINK_TICKS, and ticked is for after end. */
    ordo_status (*watch)(void *state, ordo_exec *exec);
    bool (*side_times)(void *state, unsigned lane, unsigned side, double *began, double *ended);
    ordo_status (*tick)(void *state, ordo_exec *exec, unsigned number);
    bool (*ticked)(void *state, unsigned number, double *when);
} ordo_link;

#endif
