/* dist.h - the jobs of a backend with device arrays that are divided over many ranks (lib/dist).
 *
 * Arrays are device memory unless a comment says that they are on the host. An order is the key
 * bits of a key (core/keybits.h), as a number of 64 bits. Jobs with results on the host wait for
 * them; the other jobs are only enqueued on the stream of exec. */
#ifndef ORDO_BACKEND_DIST_H
#define ORDO_BACKEND_DIST_H

#include "backend/exec.h"

typedef struct ordo_order_of { /* what the order of a key is */
    ordo_type type;
    bool      descending, folded; /* folded: keys that tie have one order */
} ordo_order_of;

typedef struct ordo_orders_job { /* the orders of single keys */
    ordo_order_of   order;
    const void     *keys;
    const uint64_t *places; /* on the host; the same in the next line */
    uint64_t       *orders;
    size_t          count;
} ordo_orders_job;

typedef struct
    ordo_place_target { /* the first place in [from, to) whose order is at least `order` */
    uint64_t from, to, order;
    uint64_t above; /* not 0: more than `order` */
} ordo_place_target;

typedef struct ordo_places_job { /* searches in sorted parts of an array */
    ordo_order_of            order;
    const void              *keys;
    const ordo_place_target *targets; /* on the host; the same in the next line */
    uint64_t                *places;
    size_t                   count;
} ordo_places_job;

/* Counts the keys in cells: cell 2 i is between boundaries i - 1 and i, cell 2 i + 1 has the order
 * of boundary i. */
typedef struct ordo_cells_job {
    ordo_order_of   order;
    const void     *keys;
    size_t          n;
    const uint64_t *boundaries; /* ascending; on the host, as keep, counts and kept_count */
    size_t          boundary_count;
    const uint8_t  *keep; /* of each cell: whether its orders go to `kept`; NULL: none */
    uint64_t       *kept; /* in any sequence */
    size_t          capacity;
    uint64_t       *counts;
    uint64_t       *kept_count; /* more than the capacity: the rest is missing */
} ordo_cells_job;

typedef struct ordo_carry_job { /* joins a scan with the result of all earlier elements */
    ordo_op   op;               /* SUM, MIN, MAX */
    ordo_type type;
    void     *values;
    size_t    n;
    uint64_t  carry;     /* its bytes are those of the type */
    bool      exclusive; /* the first result is the carry itself */
} ordo_carry_job;

/* Turns ranks among n keys, a part of an ordered array, into ranks of the whole array. */
typedef struct ordo_whole_job {
    ordo_ties ties;
    ordo_type rank_type; /* U32, U64, F64 */
    void     *ranks;
    size_t    n;
    uint64_t  before; /* keys before this part; DENSE: distinct keys before it */
    /* Ties of the first and of the last key of the part: here, and on other parts. */
    uint64_t first_count, last_count, first_before, last_after;
} ordo_whole_job;

enum { /* queues of copies between pinned memory and the device */
    ORDO_QUEUE_OUT,
    ORDO_QUEUE_IN,
    ORDO_QUEUES,
    ORDO_QUEUE_SIDES = 2
};

typedef struct ordo_dist_slots {
    ordo_status (*orders)(void *state, const ordo_orders_job *job, ordo_exec *exec);
    ordo_status (*places)(void *state, const ordo_places_job *job, ordo_exec *exec);
    ordo_status (*cells)(void *state, const ordo_cells_job *job, ordo_exec *exec);
    ordo_status (*carry)(void *state, const ordo_carry_job *job, ordo_exec *exec);
    ordo_status (*whole)(void *state, const ordo_whole_job *job, ordo_exec *exec);

    /* Host memory that the device copies at full speed. A larger request replaces it. */
    ordo_status (*pinned)(void *state, ordo_exec *exec, size_t bytes, char **out);
    /* Enqueues a copy; `mark` sets a point in a queue, and `wait` waits for that point. A queue
     * knows nothing of the stream of exec: call finish between them. */
    ordo_status (*transfer)(void *state, ordo_exec *exec, unsigned queue, void *to,
                            const void *from, size_t bytes);
    ordo_status (*mark)(void *state, ordo_exec *exec, unsigned queue, unsigned side);
    ordo_status (*wait)(void *state, ordo_exec *exec, unsigned queue, unsigned side);
    /* Waits for the stream of exec and for both queues. */
    ordo_status (*finish)(void *state, ordo_exec *exec);
} ordo_dist_slots;

#endif
