/* csv_pick.c - `ordo topk --csv --by`: the first rows of each group; `ordo select --csv`: the rows
 * at given places of the order. For topk of all rows see csv_top.c. */
#include "cli/cmd/csv/csv_large.h"

#include <stdlib.h>

static bool write_index(execution *e, const csv_rows *rows, ordo_type type, const void *index,
                        size_t n)
{
    const csv_selection picked = {.rows = rows, .type = type, .index = index, .n = n};

    csv_note_bad(e, rows);
    return finish_output(e, csv_write_selection(&picked, thread_count(e), &e->out));
}

/* Puts the first k rows of each group, the groups in their order, into `picked`, and returns their
 * number. next and end have a place for each group. */
static size_t pick_groups(const csv_groups *groups, uint64_t k, ordo_type type, const void *index,
                          size_t n, uint64_t *next, uint64_t *end, uint64_t *picked)
{
    size_t found = 0;
    for (size_t g = 0; g < groups->n; g++)
        end[g] = 0;
    for (size_t i = 0; i < n; i++)
        end[groups->numbers[index_at(type, index, i)]]++;
    for (size_t g = 0; g < groups->n; g++) {
        const uint64_t size = end[g] < k ? end[g] : k;
        next[g] = found;
        found += size;
        end[g] = found;
    }
    for (size_t i = 0; i < n; i++) {
        const size_t row = index_at(type, index, i);
        const size_t g = groups->numbers[row];
        if (next[g] < end[g])
            picked[next[g]++] = row;
    }
    return found;
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
        found = pick_groups(&groups, e->o.k, type, index, n, places, places + groups.n, picked);
    free(places);
    csv_groups_free(&groups);
    return ok && write_index(e, rows, ORDO_U64, picked, found);
}

static bool topk_in_memory(execution *e, const csv_rows *rows)
{
    const ordo_type type = index_type(0, rows->n);
    void *const     index = csv_order_rows(e, rows, type);
    const size_t    n = rows->n - (csv_bad_of(e) == CSV_BAD_SKIP ? rows->bad : 0);

    return index != NULL && topk_groups(e, rows, type, index, n);
}

/* ---- Larger than memory ---- */

typedef struct group_picker {
    const csv_large *x;
    uint64_t         k, taken; /* rows of this group */
    key_bytes        group, key;
} group_picker;

/* Writes the row if it is one of the first k of its group. */
static bool pick_row(void *user, const char *row, size_t length)
{
    group_picker *const p = user;
    size_t              bytes = 0;

    p->key.used = 0;
    if (!csv_large_key(p->x, row, length - 1, &p->key, &bytes))
        return cli_fail("topk: not enough memory for a row");
    const bool same = p->group.used == bytes && memcmp(p->key.data, p->group.data, bytes) == 0;
    if (!same || p->taken == 0) {
        p->group.used = 0;
        p->taken = 0;
        if (!csv_append_bytes(&p->group, p->key.data, bytes))
            return cli_fail("topk: not enough memory for a row");
    }
    return p->taken++ >= p->k || output_bytes(&p->x->e->out, row, length);
}

static bool topk_large(execution *e)
{
    csv_large    x;
    group_picker picker = {.x = &x, .k = e->o.k};
    const bool   ok = csv_large_open(&x, e, true, false) &&
                    csv_write_header(&x.feed.stream.beginning, &e->out) &&
                    csv_large_sort(&x, 0, pick_row, NULL, &picker);

    key_bytes_free(&picker.group);
    key_bytes_free(&picker.key);
    csv_large_close(&x);
    return ok;
}

bool csv_topk(execution *e)
{
    csv_rows rows = {.n = 0};

    if (e->o.csv.by.n == 0)
        return csv_top(e);
    if (csv_is_large(e))
        return topk_large(e);
    const bool ok = csv_read(e) && csv_read_keys(e, &rows) && topk_in_memory(e, &rows);
    csv_rows_free(&rows);
    return ok;
}

static bool too_large(uint64_t k, uint64_t n, const char *name)
{
    return cli_fail("select: -k %llu is too large; expected at most %llu, the number of rows in %s",
                    (unsigned long long)k, (unsigned long long)n, name);
}

/* The K of the command line, from 1, as rows. */
static bool select_rows(execution *e, const csv_rows *rows)
{
    const ordo_type       type = index_type(0, rows->n);
    void *const           index = csv_order_rows(e, rows, type);
    uint64_t *const       picked = new_results(e, ORDO_U64, e->o.count, "the selected rows");
    const uint64_t *const k = e->o.list;
    const size_t          n = rows->n - (csv_bad_of(e) == CSV_BAD_SKIP ? rows->bad : 0);

    if (index == NULL || picked == NULL)
        return false;
    for (size_t i = 0; i < e->o.count; i++) {
        if (k[i] > n)
            return too_large(k[i], n, e->table.files[0].name);
        picked[i] = index_at(type, index, (size_t)k[i] - 1);
    }
    return write_index(e, rows, ORDO_U64, picked, e->o.count);
}

typedef struct place_picker {
    const csv_large *x;
    uint64_t         seen;
    key_bytes       *rows; /* of each place */
} place_picker;

static bool keep_row(void *user, const char *row, size_t length)
{
    place_picker *const   p = user;
    const options *const  o = &p->x->e->o;
    const uint64_t *const k = o->list;

    p->seen++;
    for (size_t i = 0; i < o->count; i++)
        if (k[i] == p->seen && !csv_append_bytes(&p->rows[i], row, length))
            return cli_fail("select: not enough memory for a row");
    return true;
}

static bool write_kept(void *user)
{
    const place_picker *const p = user;
    execution *const          e = p->x->e;
    const uint64_t *const     k = e->o.list;
    bool                      ok = true;

    for (size_t i = 0; ok && i < e->o.count; i++)
        ok = k[i] <= p->seen ? output_bytes(&e->out, p->rows[i].data, p->rows[i].used)
                             : too_large(k[i], p->seen, p->x->feed.stream.files[1].name);
    return ok;
}

static bool select_large(execution *e)
{
    csv_large    x;
    place_picker picker = {.x = &x, .rows = cli_alloc(e->o.count, sizeof *picker.rows, "the rows")};
    for (size_t i = 0; picker.rows != NULL && i < e->o.count; i++)
        picker.rows[i] = (key_bytes){.used = 0};
    const bool ok = picker.rows != NULL && csv_large_open(&x, e, true, false) &&
                    csv_write_header(&x.feed.stream.beginning, &e->out) &&
                    csv_large_sort(&x, 0, keep_row, write_kept, &picker);

    for (size_t i = 0; picker.rows != NULL && i < e->o.count; i++)
        key_bytes_free(&picker.rows[i]);
    if (picker.rows != NULL)
        csv_large_close(&x);
    free(picker.rows);
    return ok;
}

bool csv_select(execution *e)
{
    csv_rows rows = {.n = 0};

    if (csv_is_large(e))
        return select_large(e);
    const bool ok = csv_read(e) && csv_read_keys(e, &rows) && select_rows(e, &rows);
    csv_rows_free(&rows);
    return ok;
}
