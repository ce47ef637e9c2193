/* dist_sort_strings.c - ordo_dist_sort_strings and ordo_dist_argsort_strings.
 *
 * Each process sorts its strings, the cuts of the global order are found in the sorted parts
 * (string_cuts.c), each string is sent at most once, to its final rank, and the runs that arrive
 * there are merged (string_merge.c). */
#define _POSIX_C_SOURCE 200809L
#include "dist/strings/string_pieces.h"
#include "ordo_records.h"

static uint64_t no_index; /* stands for an empty array */

/* ---- Sort ---- */

static ordo_status write_sorted(dist_call *c, const string_pieces *s, const ordo_dist_text *out,
                                char *bytes)
{
    double const       started = dist_clock();
    ordo_strings const strings = string_list_view(&s->received);
    string_list const  to = {bytes, out->offsets, s->received.n};
    uint64_t          *order;
    TRY_SCRATCH(c->exec, (to.n + 1) * sizeof *order, order);
    TRY(string_merge(s, order));
    TRY(string_measure(c, &strings, order, order, &to));
    TRY(string_copy(c, strings.bytes, order, &to));
    c->report.merge_seconds += dist_clock() - started;
    return ORDO_OK;
}

static ordo_status sort_run(string_part *p, const ordo_dist_text *out)
{
    dist_call *const c = &p->c;
    string_pieces    s = {0};
    uint64_t        *wanted;
    char            *bytes = NULL;
    TRY(pieces_wanted(c, out->n, "out.n", "strings", &wanted));
    TRY(string_pieces_move(p, wanted, false, &s));
    TRY(dist_agree(c, string_text_take(c, out, s.received.offsets[s.received.n], &bytes)));
    return dist_agree(c, write_sorted(c, &s, out, bytes));
}

static ordo_status sort_check(string_part *p, const ordo_strings *strings,
                              const ordo_dist_text *given, ordo_dist_text *out,
                              const ordo_dist_opts *opts)
{
    ordo_exec *const exec = p->c.exec;
    TRY(string_text_check(p, given, out, false));
    FAIL_IF(out->n >= SIZE_MAX / sizeof *out->offsets, ORDO_E_ARG,
            "out.n is %zu; so many offsets are more than memory can hold", out->n);
    TRY(api_check_aligned(exec, out->offsets, out->n + 1, sizeof *out->offsets, "out.offsets"));
    TRY(string_part_check(p, strings, opts));
    return api_check_strings_apart(exec, &p->strings, p->c.n, out->offsets,
                                   (out->n + 1) * sizeof *out->offsets, "out.offsets");
}

ordo_status ordo_dist_sort_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                   const ordo_strings *strings, size_t n, const ordo_dist_text *out,
                                   const ordo_dist_opts *opts)
{
    string_part    p = {.c = {.n = n}};
    ordo_dist_text to;
    DIST_CALL("dist_sort_strings", &p.c, sort_check(&p, strings, out, &to, opts), sort_run(&p, &to),
              "ordo_dist_sort_strings", {0});
}

/* ---- Argsort ---- */

/* Global indices, of `width` bytes, travel with the strings. */
static ordo_status take_indices(string_part *p, size_t width, void **sent, void **received)
{
    dist_call *const c = &p->c;
    TRY_SCRATCH(c->exec, (c->n + 1) * width, *sent);
    TRY_SCRATCH(c->exec, (c->n + 1) * width, *received);
    for (size_t i = 0; i < c->n; i++) {
        uint64_t const index = c->offset + p->order[i];
        if (width == sizeof index)
            ((uint64_t *)*sent)[i] = index;
        else
            ((uint32_t *)*sent)[i] = (uint32_t)index;
    }
    return ORDO_OK;
}

/* Writes the received indices in the order of their strings. */
static ordo_status write_indices(string_part *p, const string_pieces *s, const void *received,
                                 size_t width, void *index)
{
    dist_call *const c = &p->c;
    double const     started = dist_clock();
    size_t const     n = s->received.n;
    uint64_t *const  order = p->order; /* the own order is no longer needed */
    TRY(string_merge(s, order));
    TRY(dist_inner(c, ordo_gather(c->inner, received, n, width, ORDO_U64, order, n, index, NULL)));
    c->report.merge_seconds += dist_clock() - started;
    return ORDO_OK;
}

static ordo_status argsort_run(string_part *p, ordo_type index_type, void *index)
{
    dist_call *const c = &p->c;
    ordo_exec *const exec = c->exec;
    size_t const     width = ordo_type_size(index_type);
    string_pieces    s = {0};
    void            *sent = NULL, *received = NULL;
    FAIL_IF(index_type == ORDO_U32 && c->total > (uint64_t)UINT32_MAX + 1, ORDO_E_ARG,
            "index_type is u32 but all ranks have %llu strings; expected ORDO_U64",
            (unsigned long long)c->total);
    TRY(string_pieces_move(p, c->counts, true, &s));
    TRY(dist_agree(c, take_indices(p, width, &sent, &received)));
    TRY(pieces_exchange(&s.p, sent, width, received));
    return dist_agree(c, write_indices(p, &s, received, width, index));
}

static ordo_status argsort_check(string_part *p, const ordo_strings *strings, ordo_type index_type,
                                 const void *index, const ordo_dist_opts *opts)
{
    ordo_exec *const exec = p->c.exec;
    FAIL_IF(index_type != ORDO_U32 && index_type != ORDO_U64, ORDO_E_ARG,
            "index_type is %d; expected ORDO_U32 or ORDO_U64", (int)index_type);
    TRY(api_check_aligned(exec, index, p->c.n, ordo_type_size(index_type), "index"));
    TRY(string_part_check(p, strings, opts));
    return api_check_strings_apart(exec, &p->strings, p->c.n, index,
                                   p->c.n * ordo_type_size(index_type), "index");
}

ordo_status ordo_dist_argsort_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                      const ordo_strings *strings, size_t n, ordo_type index_type,
                                      void *index, const ordo_dist_opts *opts)
{
    string_part p = {.c = {.n = n}};
    DIST_CALL("dist_argsort_strings", &p.c, argsort_check(&p, strings, index_type, index, opts),
              argsort_run(&p, index_type, index == NULL ? &no_index : index),
              "ordo_dist_argsort_strings", {(uint64_t)index_type});
}
