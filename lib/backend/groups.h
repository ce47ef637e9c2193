/* groups.h - the job that collects the keys of each group of rows. */
#ifndef ORDO_BACKEND_GROUPS_H
#define ORDO_BACKEND_GROUPS_H

#include "core/base.h"

/* The keys of each group in order, for group keys that are integers of a narrow range. If the range
 * is too wide or scratch is refused, count is 0 and nothing else is set. Results are in scratch. */
typedef struct ordo_collect_job {
    ordo_type   group_type; /* not a float */
    const void *group_keys;
    size_t      n;
    ordo_type   type;
    const void *keys; /* NULL: only the groups are wanted */
    size_t      count;
    uint64_t   *starts; /* count + 1 entries: where each group begins in `sorted` */
    void       *unique; /* the key of each group */
    void       *sorted; /* the keys of each group, as a sort of keys only leaves them */
} ordo_collect_job;

#endif
