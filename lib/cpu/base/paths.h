/* paths.h - tables of paths: which code of the CPU backend does a call.
 *
 * A verb has a table of rows, and a look: what its conditions know about the call. A walk calls the
 * first row whose condition holds. A row may still decline when it sees more of the keys; then the
 * walk goes on. The last row of a table does every call. ordo_path_at lists the rows. */
#ifndef ORDO_CPU_BASE_PATHS_H
#define ORDO_CPU_BASE_PATHS_H

#include "cpu/base/cpu.h"

/* The file of a table defines what its look holds. Each part is measured when a condition first
 * asks for it, so a row that is tried early costs nothing but its condition. */
typedef struct cpu_look cpu_look;

typedef struct cpu_path {
    ordo_path text;
    bool (*applies)(cpu_look *look);                /* NULL: always */
    ordo_status (*run)(cpu_look *look, bool *done); /* declines if *done stays false */
} cpu_path;

#define CPU_PATH(verb, name, when, fallback, applies, run)                                         \
    {                                                                                              \
        {"cpu", verb, name, when, fallback}, applies, run                                          \
    }

typedef struct cpu_paths {
    const cpu_path *rows;
    size_t          count;
} cpu_paths;

extern const cpu_paths cpu_sort_paths;     /* sort/sort_paths.c */
extern const cpu_paths cpu_argsort_paths;  /* sort/order_paths.c */
extern const cpu_paths cpu_pairs_paths;    /* sort/order_paths.c */
extern const cpu_paths cpu_rank_paths;     /* rank/cpu_rank.c */
extern const cpu_paths cpu_select_paths;   /* select/cpu_select.c */
extern const cpu_paths cpu_topk_paths;     /* select/cpu_topk.c */
extern const cpu_paths cpu_strings_paths;  /* strings/string_sort.c */
extern const cpu_paths cpu_segments_paths; /* segments/cpu_segments.c */

/* Tries rows [first, end) of a table, and notes the row that did the call. A row with a fallback
 * also declines if scratch is refused; if no later row takes the call, the walk returns
 * ORDO_E_NOMEM. Unrolled, so that the compiler knows the functions of each row: an indirect call is
 * a part of the time of a few keys. */
INLINE ordo_status cpu_walk(const cpu_path *rows, size_t first, size_t end, cpu_look *look,
                            ordo_exec *exec)
{
    ordo_status refused = ORDO_OK;
#pragma GCC unroll 16
    for (size_t i = first; i < end; i++) {
        bool done = false;
        if (rows[i].applies != NULL && !rows[i].applies(look))
            continue;
        ordo_status const status = rows[i].run(look, &done);
        if (status == ORDO_E_NOMEM && rows[i].text.fallback != NULL) {
            refused = status;
            continue;
        }
        if (status == ORDO_OK && !done)
            continue;
        exec->path = &rows[i].text;
        return status;
    }
    return refused;
}

#endif
