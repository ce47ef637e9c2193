/* cpu_strings.c - argsort, rank, select and sort of strings. All call string_sort, which takes 32 n
 * bytes of scratch and a little more.
 *   argsort    writes the order to the caller's array
 *   rank       ranks the order by order.starts (columns/place_ranks.c). 5 n or 9 n bytes more
 *   select     sorts only groups that hold a wanted place: about the cost of one pass.
 *              4 n or 8 n bytes more for the order, n / 8 for the wanted places
 *   sort       writes the lengths in order, their sums, then the bytes. 8 n bytes more
 *   pointers   moves the pointers through scratch, so that an error leaves them unchanged.
 *              12 n or 16 n bytes more */
#define _POSIX_C_SOURCE 200809L
#include "cpu/elements/elements.h"
#include "cpu/strings/string_sort.h"

#include <string.h>

enum {
    AHEAD = 16,          /* strings to prefetch ahead */
    COPY_PART = 1 << 21, /* bytes copied between two checks for cancel */
    COPY_PIECE = 1 << 12 /* strings copied by one piece of a loop */
};

static ordo_type narrow_index(size_t n)
{
    return (uint64_t)n <= UINT64_C(1) << 32 ? ORDO_U32 : ORDO_U64;
}

/* Takes scratch for n elements of `size` bytes. */
static ordo_status take(ordo_exec *exec, size_t n, size_t size, void **out)
{
    size_t bytes;
    if (!ordo_size_mul(n, size, &bytes)) {
        ordo_fail(exec, ORDO_E_NOMEM, "%zu strings need more scratch than can be counted", n);
        return ORDO_E_NOMEM;
    }
    return ordo_scratch(exec, bytes, out);
}

/* ---- Argsort ---- */

ordo_status cpu_argsort_strings(void *state, const ordo_strings_job *job, ordo_exec *exec)
{
    (void)state;
    string_order const order = {.view = string_view_of(&job->strings, job->n, job->descending),
                                .n = job->n,
                                .index_type = job->index_type,
                                .index = job->index,
                                .known = job->known,
                                .algorithm = job->algorithm};
    exec->phases = STRING_SORT_PHASES;
    return string_sort(&order, exec);
}

/* ---- Rank ---- */

ordo_status cpu_rank_strings(void *state, const ordo_string_rank_job *job, ordo_exec *exec)
{
    size_t const n = job->n;
    string_order order = {.view = string_view_of(&job->strings, n, job->descending),
                          .n = n,
                          .index_type = narrow_index(n),
                          .known = job->known,
                          .algorithm = job->algorithm};
    void        *starts;
    TRY(take(exec, n, ordo_type_size(order.index_type), &order.index));
    TRY(take(exec, n, 1, &starts));
    order.starts = starts;
    exec->phases = STRING_SORT_PHASES + 1;
    TRY(string_sort(&order, exec));
    _Static_assert(ORDO_ROW_HEAD == 1, "starts are heads of rows");
    ordo_place_job const ranks = {.n = n,
                                  .index_type = order.index_type,
                                  .index = order.index,
                                  .heads = starts,
                                  .ties = job->ties,
                                  .rank_type = job->rank_type,
                                  .ranks = job->ranks};
    return cpu_place_ranks(state, &ranks, exec);
}

/* ---- Select ---- */

ordo_status cpu_select_strings(void *state, const ordo_string_select_job *job, ordo_exec *exec)
{
    (void)state;
    size_t const n = job->n, words = ordo_div_up(n, 64);
    string_order order = {.view = string_view_of(&job->strings, n, job->descending),
                          .n = job->count == 0 ? 0 : n,
                          .index_type = narrow_index(n)};
    void        *wanted;
    TRY(take(exec, n, ordo_type_size(order.index_type), &order.index));
    TRY(take(exec, words, sizeof(uint64_t), &wanted));
    memset(wanted, 0, words * sizeof(uint64_t));
    for (size_t j = 0; j < job->count; j++)
        ((uint64_t *)wanted)[job->k[j] / 64] |= UINT64_C(1) << job->k[j] % 64;
    order.wanted = wanted;
    exec->phases = STRING_SORT_PHASES;
    TRY(string_sort(&order, exec));
    for (size_t j = 0; j < job->count; j++)
        job->index[j] = string_index_at(&order, job->k[j]);
    return ORDO_OK;
}

/* ---- Sort ---- */

typedef struct copy_work {
    const ordo_string_copy_job *job;
    uint64_t                   *from; /* the index of the i-th string in order; after length_piece
                                       * the offset of its bytes */
    ordo_exec                  *exec;
    atomic_bool                 stopped;
} copy_work;

static void length_piece(void *arg, size_t lo, size_t hi)
{
    const copy_work *const work = arg;
    const uint64_t *const  offsets = work->job->strings.offsets;
    for (size_t i = lo; i < hi; i++) {
        if (i + AHEAD < hi)
            __builtin_prefetch(offsets + work->from[i + AHEAD]);
        uint64_t const start = offsets[work->from[i]];
        work->job->out_offsets[i + 1] = offsets[work->from[i] + 1] - start;
        work->from[i] = start;
    }
}

static void copy_piece(void *arg, size_t lo, size_t hi)
{
    copy_work *const                  work = arg;
    const ordo_string_copy_job *const job = work->job;
    size_t                            copied = 0;
    for (size_t i = lo; i < hi; i++) {
        if (i + AHEAD < hi)
            __builtin_prefetch(job->strings.bytes + work->from[i + AHEAD]);
        const char *const from = job->strings.bytes + work->from[i];
        char *const       to = job->out_bytes + job->out_offsets[i];
        uint64_t const    length = job->out_offsets[i + 1] - job->out_offsets[i];
        for (uint64_t done = 0; done < length;) {
            size_t const part = (size_t)(length - done < COPY_PART ? length - done : COPY_PART);
            memcpy(to + done, from + done, part);
            done += part;
            copied += part;
            if (copied >= COPY_PART) {
                copied = 0;
                if (ordo_poll(work->exec, (double)i / (double)job->n)) {
                    atomic_store_explicit(&work->stopped, true, memory_order_relaxed);
                    return;
                }
            }
        }
    }
}

ordo_status cpu_sort_strings(void *state, const ordo_string_copy_job *job, ordo_exec *exec)
{
    size_t const n = job->n;
    string_order order = {.view = string_view_of(&job->strings, n, job->descending),
                          .n = n,
                          .index_type = ORDO_U64,
                          .known = job->known,
                          .algorithm = job->algorithm};
    TRY(take(exec, n, sizeof(uint64_t), &order.index));
    exec->phases = STRING_SORT_PHASES + 3;
    TRY(string_sort(&order, exec));
    if (job->out_offsets != NULL)
        job->out_offsets[0] = 0;
    if (n == 0)
        return ORDO_OK;

    copy_work work = {.job = job, .from = order.index, .exec = exec};
    if (!ordo_loop(exec, n, cpu_grain(n), length_piece, &work))
        return ORDO_E_CANCELLED;
    exec->phase++;
    ordo_scan_job const sums = {ORDO_SUM,
                                ORDO_U64,
                                job->out_offsets + 1,
                                n,
                                ORDO_U64,
                                job->out_offsets + 1,
                                false,
                                ORDO_ALGORITHM_AUTO,
                                NULL};
    ordo_exec           part = *exec;
    TRY(cpu_scan(state, &sums, &part));
    exec->phase++;
    if (job->out_offsets[n] == 0) /* no bytes: the arrays of bytes may be NULL */
        return ORDO_OK;
    return cpu_done(ordo_loop(exec, n, COPY_PIECE, copy_piece, &work) &&
                    !atomic_load_explicit(&work.stopped, memory_order_relaxed));
}

/* ---- Pointers ---- */

ordo_status cpu_sort_pointers(void *state, const ordo_pointers_job *job, ordo_exec *exec)
{
    (void)state;
    size_t const       n = job->n;
    ordo_strings const strings = {sizeof strings, NULL, NULL, (const char *const *)job->pointers};
    string_order       order = {.view = string_view_of(&strings, n, job->descending),
                                .n = n,
                                .index_type = narrow_index(n),
                                .known = job->known,
                                .algorithm = job->algorithm};
    void              *sorted;
    TRY(take(exec, n, ordo_type_size(order.index_type), &order.index));
    TRY(take(exec, n, sizeof *job->pointers, &sorted));
    exec->phases = STRING_SORT_PHASES + 2;
    TRY(string_sort(&order, exec));
    ordo_move_job const move = {.in = job->pointers,
                                .n = n,
                                .size = sizeof *job->pointers,
                                .index_type = order.index_type,
                                .index = order.index,
                                .count = n,
                                .out = sorted};
    TRY(element_gather_all(&move, exec));
    exec->phase++;
    /* Some pointers may already be overwritten, so the copy must finish even if the call is
     * cancelled. */
    ordo_copy_job const copy = {job->pointers, sorted, n * sizeof *job->pointers};
    ordo_exec           part = *exec;
    if (cpu_copy(NULL, &copy, &part) != ORDO_OK)
        memcpy(job->pointers, sorted, copy.bytes);
    return ORDO_OK;
}
