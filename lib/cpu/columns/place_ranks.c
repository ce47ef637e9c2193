/* place_ranks.c - ranks of rows whose order is known (lexsort.c), written to the rows' places.
 *
 * A first pass finds for each piece of the order how many ties begin there, and where the first and
 * the last of them begin. So each piece knows the borders of the ties that it shares with its
 * neighbours, and the second pass ranks all pieces at once. With groups, ranks count from the start
 * of a group: the rows of one key of the first column. Scratch: 6 words per piece. */
#include "core/indices.h"
#include "core/ties.h"
#include "cpu/base/cpu.h"

typedef struct rank_piece_facts {
    size_t heads;       /* ties that begin in pieces before this one */
    size_t first, last; /* starts of ties: the first in this piece or later, the last before this
                         * piece */
    size_t group;       /* where the group of the row before this piece begins */
    size_t group_heads; /* ties that begin before that group */
    size_t groups_last_heads; /* ties of this piece before its last group; used by the first pass
                               * only */
} rank_piece_facts;

typedef struct place_work {
    const ordo_place_job *job;
    rank_piece_facts     *pieces;
    size_t                grain;
} place_work;

static inline bool is_head(const place_work *work, size_t i)
{
    return (work->job->heads[i] & ORDO_ROW_HEAD) != 0;
}

static inline bool begins_group(const place_work *work, size_t i)
{
    return i == 0 || (work->job->grouped && (work->job->heads[i] & ORDO_ROW_FIRST) != 0);
}

static void note_piece(void *arg, size_t lo, size_t hi)
{
    const place_work *const work = arg;
    size_t const            n = work->job->n;
    rank_piece_facts        facts = {.first = n, .last = n, .group = n};
    for (size_t i = lo; i < hi; i++) {
        if (begins_group(work, i)) {
            facts.group = i;
            facts.groups_last_heads = facts.heads;
        }
        if (is_head(work, i)) {
            facts.first = facts.first == n ? i : facts.first;
            facts.last = i;
            facts.heads++;
        }
    }
    work->pieces[lo / work->grain] = facts;
}

/* Turns the facts of each piece into the facts that the second pass needs from its neighbours. */
static void join_pieces(const place_work *work, size_t count)
{
    size_t const n = work->job->n;
    size_t       heads = 0, last = 0, group = 0, group_heads = 0, first = n;
    for (size_t p = 0; p < count; p++) {
        rank_piece_facts *const facts = &work->pieces[p];
        rank_piece_facts const  here = *facts;
        *facts = (rank_piece_facts){heads, here.first, last, group, group_heads, 0};
        if (here.group != n) {
            group = here.group;
            group_heads = heads + here.groups_last_heads;
        }
        last = here.last != n ? here.last : last;
        heads += here.heads;
    }
    for (size_t p = count; p-- > 0;) {
        size_t const here = work->pieces[p].first;
        first = here != n ? here : first;
        work->pieces[p].first = first;
    }
}

/* Ranks rows [lo, hi) of the order. A tie [begin, end) may extend beyond both ends of the piece. */
static void rank_piece(void *arg, size_t lo, size_t hi)
{
    const place_work *const     work = arg;
    const ordo_place_job *const job = work->job;
    size_t const                piece = lo / work->grain, next = piece + 1;
    rank_piece_facts const      facts = work->pieces[piece];
    size_t const after = hi < job->n ? work->pieces[next].first : job->n; /* the next tie */
    size_t       group = facts.group, group_heads = facts.group_heads, heads = facts.heads;
    size_t       begin = facts.last;
    for (size_t i = lo, end; i < hi; i = end) {
        if (begins_group(work, i)) {
            group = i;
            group_heads = heads;
        }
        if (is_head(work, i)) {
            begin = i;
            heads++;
        }
        for (end = i + 1; end < hi && !is_head(work, end);)
            end++;
        size_t const tie_end = end < hi ? end : hi < job->n && !is_head(work, hi) ? after : hi;
        for (size_t j = i; j < end; j++)
            ordo_put_rank(job->rank_type, job->ties, job->ranks,
                          ordo_index_at(job->index_type, job->index, j),
                          ordo_tie_rank(job->ties, begin - group, tie_end - group,
                                        heads - group_heads, j - group));
    }
}

ordo_status cpu_place_ranks(void *state, const ordo_place_job *job, ordo_exec *exec)
{
    size_t const grain = cpu_grain(job->n), pieces = ordo_div_up(job->n, grain);
    place_work   work = {.job = job, .grain = grain};
    (void)state;
    if (job->n == 0)
        return ORDO_OK;
    TRY_SCRATCH(exec, pieces * sizeof *work.pieces, work.pieces);
    if (!ordo_loop(exec, job->n, grain, note_piece, &work))
        return ORDO_E_CANCELLED;
    join_pieces(&work, pieces);
    return cpu_done(ordo_loop(exec, job->n, grain, rank_piece, &work));
}

size_t cpu_place_ranks_scratch(const ordo_place_job *job, const ordo_exec *exec)
{
    (void)exec;
    return ordo_div_up(job->n, cpu_grain(job->n)) * sizeof(rank_piece_facts);
}
