/* team.h - blocks pass through three steps: read in order, work in any order, write in order. A
 * fourth step may prepare batches of blocks before the work.
 *
 * Every thread of the context does whatever step is possible: it writes the next block if that
 * is done, reads one if the others have little to do, else it works. So no thread waits for
 * another one as long as there is work, and one thread alone does all steps. */
#ifndef ORDO_TEXT_BZIP2_TEAM_H
#define ORDO_TEXT_BZIP2_TEAM_H

#include "backend/exec.h"
#include "external/disk/failure.h"

/* Steps return false after failure_record(). Calls of `read` come one at a time, and so do those of
 * `prepare` and `write`. `worker` is the number of the thread, less than `workers`. */
typedef struct bz_team {
    ordo_exec *exec;
    failure   *failure;
    unsigned   workers;
    size_t     slots; /* at least workers + 1, or see `prepare` */
    void      *user;
    bool (*read)(void *user, size_t slot, bool *ended); /* ended: there is no block in the slot */
    /* NULL, or a step for `batch` blocks in neighbouring slots, in order; the last batch has fewer.
     * `slots` is then a multiple of `batch`, at least twice as many. */
    bool (*prepare)(void *user, size_t slot, size_t count);
    size_t batch;
    bool (*work)(void *user, size_t slot, unsigned worker);
    bool (*write)(void *user, size_t slot, unsigned worker);
    double (*share)(void *user); /* done, for progress; any thread calls it */
} bz_team;

/* Returns false after a failure; cancellation is one. */
bool bz_team_run(const bz_team *team);

#endif
