/* api_groups.h - the parts of ordo_group_*: the calls and their checks (api_groups.c), the groups
 * of a call and the order of their rows (api_find_groups.c), and quantiles of groups
 * (api_group_quantiles.c). */
#ifndef ORDO_API_GROUPS_H
#define ORDO_API_GROUPS_H

#include "api/api.h"
#include "core/indices.h"

enum {
    GROUPS_ROWS = 1 << 15, /* rows in one piece of a loop */
    GROUPS_PIECE = 1 << 10 /* groups in one piece */
};

typedef struct group_call { /* the checked arguments of a call, and its state */
    ordo_groups_job job;    /* its type is 0 if the call has no keys */
    ordo_choice     choice;
    ordo_group_opts options;
    ordo_type       index_type;
    void *index; /* the rows in order; groups_order_rows takes scratch if it is NULL. Stays NULL
                             * if the keys of each group, or the group keys, are in order */
    const void *unique; /* the key of each group; NULL: it is read from the first row */
    uint8_t    *heads;  /* of the rows in order; NULL: the group keys are in order */
    uint64_t   *starts; /* count + 1 entries: where each group begins in the order */
    size_t      count;
    uint64_t   *pieces;    /* groups that begin before each piece */
    bool        has_nulls; /* the rows after the last group belong to no group */
    bool        is_median;
} group_call;

/* Without an index the group keys themselves are in order. */
static inline size_t groups_row_at(const group_call *call, size_t i)
{
    return call->index == NULL ? i : ordo_index_at(call->index_type, call->index, i);
}

/* Whether the backend finds the groups itself. */
static inline bool groups_is_whole(const group_call *call)
{
    return call->choice.backend->groups != NULL;
}
/* Runs the job of such a backend. */
static inline ordo_status groups_run_whole(ordo_exec *exec, const group_call *call)
{
    return call->choice.backend->groups(call->choice.state, &call->job, exec);
}

/* Reads the groups and the options into the job, and checks them. `flags`: those that the call
 * accepts. */
ordo_status groups_check(ordo_exec *exec, group_call *call, const ordo_groups *groups,
                         const ordo_group_opts *opts, uint64_t flags);
/* Checks the arrays and chooses the backend. */
ordo_status groups_choose(ordo_ctx *ctx, ordo_exec *exec, group_call *call);

/* Sorts the rows and finds the groups. `folded`: rows with tied keys stay in input order. */
ordo_status groups_order_rows(ordo_exec *exec, group_call *call, bool folded);
/* Finds the groups without an order of rows. */
ordo_status groups_count(ordo_exec *exec, group_call *call);
/* The same by the backend's `collect`; if the call has keys, they become the keys of each
 * group in order. *done is false if the backend cannot do that for these group keys. */
ordo_status groups_collect(ordo_exec *exec, group_call *call, bool *done);
/* Writes the keys, sizes and number of groups, as far as the caller wants them. */
ordo_status groups_tell(ordo_exec *exec, group_call *call);
bool        groups_is_nan(ordo_type type, const void *keys, size_t row);
/* The number of NaNs at the end of a group. */
size_t groups_nans_of(const group_call *call, size_t start, size_t end);

#endif
