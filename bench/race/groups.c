/* groups.c - the section `groups`: calls of ordo_groups.h. The distribution of a row is that of its
 * group keys (u32); the values are uniform. */
#include "race.h"

#include <string.h>

typedef enum verb {
    COUNTS,
    ARGSORT,
    RANK,
    MEDIAN,
    TOPK,
    VERBS
} verb;

enum {
    FIRST_K = 3 /* of top-k */
};

static const char *const verb_names[VERBS] = {"counts", "argsort", "rank", "median", "topk"};
static room              keys, values, out;

static const char *trouble(const side *old, const side *new)
{
#define CALL(name) || old->lib->name == NULL || new->lib->name == NULL
    return false RACE_NEWER_CALLS(CALL) ? "a build has no ordo_group_*" : NULL;
#undef CALL
}

static void prepare(const row *r, const side *maker)
{
    size_t const copies = copies_of(r->n), all = copies * r->n;

    make_keys(maker, type_of(ORDO_U32), r->dist, r->n, copies,
              room_of(&keys, all * sizeof(uint32_t)));
    make_keys(maker, r->type, dist_of(ORDO_DIST_UNIFORM), r->n, copies,
              room_of(&values, all * sizeof(uint64_t)));
    room_of(&out, FIRST_K * all * sizeof(uint64_t));
}

/* A small group leaves places of top-k unwritten, which are compared, too. */
static void reset(const row *r)
{
    if (r->verb == TOPK)
        memset(out.at, 0, FIRST_K * copies_of(r->n) * r->n * sizeof(uint64_t));
}

static ordo_status call(const row *r, const side *s, size_t copy, uint64_t *number)
{
    size_t const      n = r->n;
    ordo_type const   type = r->type->type;
    size_t            count = 0;
    const void *const in = (const char *)values.at + copy * n * r->type->size;
    uint64_t *const   to = (uint64_t *)out.at + FIRST_K * copy * n;
    ordo_groups const groups = {.struct_size = sizeof groups,
                                .keys = (const uint32_t *)keys.at + copy * n,
                                .type = ORDO_U32,
                                .capacity = n,
                                .sizes = r->verb == COUNTS ? to : NULL,
                                .count = &count};
    ordo_status       status = ORDO_E_ARG;

    switch ((verb)r->verb) {
    case COUNTS:
        status = s->lib->group_counts(s->ctx, &groups, n, NULL);
        break;
    case ARGSORT:
        status = s->lib->group_argsort(s->ctx, &groups, type, in, n, ORDO_U32, to, NULL);
        break;
    case RANK:
        status = s->lib->group_rank(s->ctx, &groups, type, in, n, ORDO_U32, to, NULL);
        break;
    case MEDIAN:
        status = s->lib->group_median(s->ctx, &groups, type, in, n, (void *)to, NULL);
        break;
    case TOPK:
        status = s->lib->group_topk(s->ctx, &groups, type, in, n, FIRST_K, NULL, ORDO_U32, to, NULL,
                                    NULL);
        break;
    case VERBS:
        break;
    }
    *number = count;
    return status;
}

static span result(const row *r, size_t copy, uint64_t number)
{
    const uint64_t *const to = (const uint64_t *)out.at + FIRST_K * copy * r->n;
    size_t const          groups = (size_t)number;

    switch ((verb)r->verb) {
    case ARGSORT:
    case RANK:
        return (span){to, r->n * sizeof(uint32_t)};
    case TOPK:
        return (span){to, groups * FIRST_K * sizeof(uint32_t)};
    case COUNTS:
    case MEDIAN:
    case VERBS:
        break;
    }
    return (span){to, groups * sizeof(uint64_t)};
}

static void list(const section *self, row_list *rows, size_t n)
{
    static const ordo_type value_types[] = {ORDO_I32, ORDO_F64};
    static const ordo_dist key_dists[] = {ORDO_DIST_FEW, ORDO_DIST_ZIPF, ORDO_DIST_UNIFORM,
                                          ORDO_DIST_SORTED};

    for (int t = 0; t < 2; t++)
        for (int d = 0; d < 4; d++)
            for (int v = t; v < VERBS; v++) /* counts have no values */
                row_add(rows,
                        (row){.section = self,
                              .verb = v,
                              .type = type_of(value_types[t]),
                              .dist = dist_of(key_dists[d]),
                              .n = n},
                        verb_names[v], "");
}

static outcome time_row(const row *r, const side *s, bool digest)
{
    static const calls all = {reset, call, result};
    return time_calls(&all, r, s, digest);
}

const section groups_section = {"groups", false, trouble, list, prepare, time_row};
