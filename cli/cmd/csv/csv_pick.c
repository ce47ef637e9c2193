/* csv_pick.c - `ordo topk --csv`: the first rows in order, of all rows or of each group of --by;
 * `ordo select --csv`: the rows at given places of the order. */
#include "cli/cmd/csv/csv_command.h"

#include <stdlib.h>

static bool sort_rows(execution *e, const csv_rows *rows, ordo_type type, void *index)
{
    call_begin("sorting");
    return call_done(e, "sort", csv_rows_sort(e->ctx, rows, type, index));
}

static bool write_index(execution *e, const csv_rows *rows, ordo_type type, const void *index,
                        size_t n)
{
    const csv_selection picked = {.rows = rows, .type = type, .index = index, .n = n};

    csv_note_bad(e, rows);
    return finish_output(e, csv_write_selection(&picked, thread_count(e), &e->out));
}

/* Puts the first k rows of each group, the groups in their order, into picked[0..*found). next and
 * end have a place for each group. */
static void pick_groups(const csv_groups *groups, uint64_t k, ordo_type type, const void *index,
                        size_t n, uint64_t *next, uint64_t *end, uint64_t *picked, size_t *found)
{
    *found = 0;
    for (size_t g = 0; g < groups->n; g++)
        end[g] = 0;
    for (size_t i = 0; i < n; i++)
        end[groups->numbers[index_at(type, index, i)]]++;
    for (size_t g = 0; g < groups->n; g++) {
        const uint64_t size = end[g] < k ? end[g] : k;
        next[g] = *found;
        *found += size;
        end[g] = *found;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t row = index_at(type, index, i);
        const size_t g = groups->numbers[row];
        if (next[g] < end[g])
            picked[next[g]++] = row;
    }
}

static bool topk_groups(execution *e, const csv_rows *rows, ordo_type type, const void *index,
                        size_t n)
{
    csv_groups groups;
    size_t     found = 0;

    if (!csv_find_groups(e, &groups))
        return false;
    uint64_t *const picked = new_results(e, ORDO_U64, n, "the top rows");
    uint64_t *const places = cli_alloc(2 * groups.n, sizeof *places, "the groups");
    const bool      ok = picked != NULL && places != NULL;
    if (ok)
        pick_groups(&groups, e->o.k, type, index, n, places, places + groups.n, picked, &found);
    free(places);
    csv_groups_free(&groups);
    return ok && write_index(e, rows, ORDO_U64, picked, found);
}

static bool topk(execution *e, const csv_rows *rows)
{
    const ordo_type type = index_type(0, rows->n);
    void *const     index = new_results(e, type, rows->n, "the order of the rows");
    const size_t    n = rows->n - (csv_bad_of(e) == CSV_BAD_SKIP ? rows->bad : 0);

    if (index == NULL || !sort_rows(e, rows, type, index))
        return false;
    return e->o.csv.by.n > 0 ? topk_groups(e, rows, type, index, n)
                             : write_index(e, rows, type, index, e->o.k < n ? (size_t)e->o.k : n);
}

bool csv_topk(execution *e)
{
    csv_rows   rows = {.n = 0};
    const bool ok = csv_read(e) && csv_read_keys(e, &rows) && topk(e, &rows);

    csv_rows_free(&rows);
    return ok;
}

/* The K of the command line, from 1, as rows. */
static bool select_rows(execution *e, const csv_rows *rows)
{
    const ordo_type       type = index_type(0, rows->n);
    void *const           index = new_results(e, type, rows->n, "the order of the rows");
    uint64_t *const       picked = new_results(e, ORDO_U64, e->o.count, "the selected rows");
    const uint64_t *const k = e->o.list;
    const size_t          n = rows->n - (csv_bad_of(e) == CSV_BAD_SKIP ? rows->bad : 0);

    if (index == NULL || picked == NULL || !sort_rows(e, rows, type, index))
        return false;
    for (size_t i = 0; i < e->o.count; i++) {
        if (k[i] > n)
            return cli_fail("select: -k %llu is too large; expected at most %zu, the number of "
                            "rows in %s",
                            (unsigned long long)k[i], n, e->table.files[0].name);
        picked[i] = index_at(type, index, (size_t)k[i] - 1);
    }
    return write_index(e, rows, ORDO_U64, picked, e->o.count);
}

bool csv_select(execution *e)
{
    csv_rows   rows = {.n = 0};
    const bool ok = csv_read(e) && csv_read_keys(e, &rows) && select_rows(e, &rows);

    csv_rows_free(&rows);
    return ok;
}
