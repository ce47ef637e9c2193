/* dev_suffix.cu - the suffix array by prefix doubling with discarding, after V. Osipov, "Parallel
 * Suffix Array Construction for Shared Memory Architectures" (2012).
 *
 * The first sort is by as many symbols as fit in 64 bits (suffix_keys.cuh). Each round doubles the
 * number of symbols for the suffixes that still tie (suffix_groups.cuh); a suffix whose place is
 * known leaves the lists. All keys of a round are read before the first rank changes. Rotations of
 * circles are sorted the same way. Scratch: 36 bytes per byte of text. The host waits once in each
 * round for the lengths of the lists. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/sort/dev_radix.cuh"
#include "cuda/text/suffix_groups.cuh"
#include "cuda/text/suffix_keys.cuh"
#include "cuda/text/suffix_runs.cuh"
#include "cuda/text/text_tuning.cuh"

struct suffix_room {
    suffix_order       order;
    uint32_t          *seen;  /* bytes that occur */
    uint64_t          *total; /* list_counts of the next lists, and what the first kernel added */
    lookback<uint64_t> look;
    size_t             look_bytes;
    group_lists        lists; /* in the memory of the first keys */
    uint64_t          *keys;  /* the first keys */
    /* From here on, the first sort and the rounds use the same memory. */
    size_t    mark;
    uint64_t *round_keys; /* keys of large groups from the back on, updates from the front on */
    size_t    sort_mark;  /* scratch of the sort, then the next lists */
};

static ordo_argsort_job first_job(const uint64_t *keys, size_t n, uint32_t *sa)
{
    ordo_argsort_job job = {};
    job.type = ORDO_U64;
    job.keys = keys;
    job.n = n;
    job.index_type = ORDO_U32;
    job.index = sa;
    return job;
}

static ordo_pairs_job pairs_job(ordo_type type, void *keys, void *values, size_t value_size,
                                size_t n)
{
    ordo_pairs_job job = {};
    job.keys.type = type;
    job.keys.keys = keys;
    job.keys.n = n;
    job.values = values;
    job.value_size = value_size;
    return job;
}

static group_lists next_lists(cuda_scratch *scratch, size_t n)
{
    group_lists lists = {};
    lists.index = scratch_take<uint32_t>(scratch, n);
    lists.rank = scratch_take<uint32_t>(scratch, n);
    lists.room = n;
    return lists;
}

/* A job that writes all ranks from the heads. */
static ordo_put_job put_job(const suffix_order &order, size_t n, void *work)
{
    ordo_put_job job = {};
    job.type = ORDO_U32;
    job.sorted = order.heads;
    job.n = job.split = job.total = n;
    job.ties = ORDO_TIES_MIN;
    job.index_type = ORDO_U32;
    job.index = order.sa;
    job.ranks = order.rank;
    job.work = work;
    job.parts = 1;
    return job;
}

static suffix_room layout(cuda_scratch *scratch, size_t n)
{
    suffix_room room = {};
    room.order.rank = scratch_take<uint32_t>(scratch, n);
    room.order.heads = scratch_take<uint32_t>(scratch, n);
    room.seen = scratch_take<uint32_t>(scratch, BYTE_VALUES);
    room.total = scratch_take<uint64_t>(scratch, 2);
    room.look_bytes =
        lookback_layout(scratch, ordo_div_up(n, GROUP_TILE), TEXT_THREADS, &room.look);
    room.keys = scratch_take<uint64_t>(scratch, n);
    room.lists = {(uint32_t *)room.keys, (uint32_t *)room.keys + n, n};
    room.mark = scratch->used;
    room.round_keys = scratch_take<uint64_t>(scratch, n);
    room.sort_mark = scratch->used;
    ordo_argsort_job const first = first_job(NULL, n, NULL);
    ordo_pairs_job const   round = pairs_job(ORDO_U64, NULL, NULL, sizeof(uint32_t), n);
    ordo_put_job const     put = put_job(room.order, n, NULL);
    size_t const           lists = scratch_of(next_lists, n), runs = scratch_of(runs_layout, n, 1);
    size_t const           round_end =
        room.sort_mark + ordo_max(ordo_max(lists, runs), dev_radix_pairs_scratch(&round));
    scratch->used = ordo_max(round_end, room.mark + ordo_max(dev_radix_argsort_scratch(&first),
                                                             dev_put_ranks_work(&put)));
    return room;
}

size_t dev_suffix_scratch(const ordo_text_job *job) { return scratch_of(layout, job->n); }

struct suffix_work {
    cuda_call  *call;
    text_view   view;
    suffix_room room;
    size_t      small, large; /* suffixes in the lists */
    unsigned    rank_bits;
    size_t      before;   /* suffixes in the lists before the last round */
    bool        had_runs; /* the last round split runs */
    bool        no_runs;  /* a round that should split runs made little progress */
};

static ordo_status read_totals(suffix_work *work)
{
    uint64_t total;
    TRY(call_fetch(work->call, &total, work->room.total, sizeof total));
    work->small = (uint32_t)total;
    work->large = (size_t)(total >> 32);
    return ORDO_OK;
}

template <bool FIRST>
static ordo_status launch_groups(suffix_work *work, const sorted_suffixes &from,
                                 const group_target &to)
{
    cuda_call *const         call = work->call;
    const suffix_room *const room = &work->room;
    CUDA_TRY(call->exec, cudaMemsetAsync(room->look.ticket, 0, room->look_bytes, call->stream));
    return CUDA_LAUNCH(call, find_groups<FIRST>, ordo_div_up(from.n, GROUP_TILE), TEXT_THREADS, 0,
                       room->look, from, to);
}

/* Writes all ranks. The partitions take 32-bit indices of up to 31 bits. */
static ordo_status put_ranks(suffix_work *work)
{
    cuda_call *const   call = work->call;
    size_t const       n = work->view.n;
    ordo_put_job const job = put_job(work->room.order, n, call->scratch.base + work->room.mark);
    if (n >> 31 == 0)
        return dev_put_ranks(call, &job);
    return CUDA_LAUNCH(call, scatter_ranks, text_grid(call, n), TEXT_THREADS, 0, work->room.order,
                       n);
}

/* Sorts by the first symbols; *depth becomes their number. */
static ordo_status first_round(suffix_work *work, size_t *depth)
{
    cuda_call *const   call = work->call;
    suffix_room *const room = &work->room;
    size_t const       n = work->view.n;
    uint32_t           seen[BYTE_VALUES];
    void              *sorted;
    CUDA_TRY(call->exec, cudaMemsetAsync(room->seen, 0, sizeof seen, call->stream));
    TRY(CUDA_LAUNCH(call, mark_bytes, text_grid(call, n / 16), TEXT_THREADS, 0, work->view.text, n,
                    room->seen));
    TRY(call_fetch(call, seen, room->seen, sizeof seen));
    bool const          circles = work->view.circle != 0;
    text_alphabet const alphabet = alphabet_of(seen, circles ? work->view.count : 1);
    TRY(CUDA_LAUNCH(call, (circles ? circle_keys : first_keys), text_grid(call, n / 4),
                    TEXT_THREADS, 0, work->view, alphabet, room->keys));
    ordo_argsort_job const job = first_job(room->keys, n, room->order.sa);
    call->scratch.used = room->mark;
    TRY(dev_argsort_keys(call, &job, &sorted));
    sorted_suffixes const from = {
        (const uint64_t *)sorted, room->order.sa, NULL, n, circles ? 0 : alphabet.base, 0};
    group_target const to = {room->order, false, room->lists, NULL, room->total};
    TRY(launch_groups<true>(work, from, to));
    *depth = alphabet.symbols;
    TRY(read_totals(work));
    return work->small + work->large > 0 ? put_ranks(work) : ORDO_OK;
}

/* ---- Runs ---- */

/* Looks for a period of the groups after a round with little progress: the distance from a suffix
 * of a large group to the next one of the same group. 0: there is none up to `depth`. */
static ordo_status find_runs(suffix_work *work, size_t depth, size_t *period)
{
    cuda_call *const         call = work->call;
    const suffix_room *const room = &work->room;
    const text_view *const   view = &work->view;
    size_t const             active = work->small + work->large;
    unsigned long long       found = 0;
    *period = 0;
    bool const single = view->ends == NULL && view->circle == 0;
    bool const stuck = (double)active >= CUDA_TUNE_TEXT_STUCK * (double)work->before;
    work->no_runs |= work->had_runs && stuck;
    if (!single || work->had_runs || work->no_runs || !stuck || 2 * work->rank_bits + 1 > 64 ||
        (double)work->large < CUDA_TUNE_TEXT_RUNS * (double)view->n)
        return ORDO_OK;
    /* Not at a simple fraction of the list, where groups of equal sizes end. */
    const uint32_t *const at =
        room->lists.index + (view->n - 1 - (size_t)(0.618 * (double)work->large));
    CUDA_TRY(call->exec, cudaMemsetAsync(room->total + 1, 0xff, sizeof *room->total, call->stream));
    TRY(CUDA_LAUNCH(call, find_period, text_grid(call, depth), TEXT_THREADS, 0, room->order.rank,
                    view->n, at, depth, (unsigned long long *)(room->total + 1)));
    TRY(call_fetch(call, &found, room->total + 1, sizeof found));
    *period = found <= depth ? (size_t)found : 0;
    return ORDO_OK;
}

/* Writes the keys of the large groups. With a period, these say where the runs end. */
static ordo_status large_round_keys(suffix_work *work, size_t depth, size_t period)
{
    cuda_call *const         call = work->call;
    const suffix_room *const room = &work->room;
    const text_view *const   view = &work->view;
    size_t const             at = view->n - work->large, n = work->large;
    size_t const             grid = ordo_div_up(n, GROUP_TILE);
    const uint32_t *const index = room->lists.index + at, *const group = room->lists.rank + at;
    if (period == 0)
        return CUDA_LAUNCH(call, large_keys, grid, TEXT_THREADS, 0, *view, room->order.rank, depth,
                           index, group, n, work->rank_bits, room->round_keys + at);
    call->scratch.used = room->sort_mark;
    text_runs const runs = runs_layout(&call->scratch, view->n, period);
    TRY(CUDA_LAUNCH(call, mark_breaks, text_grid(call, runs.tiles * 32), TEXT_THREADS, 0,
                    view->text, view->n, runs));
    TRY(CUDA_LAUNCH(call, link_tiles, 1, RUN_THREADS, 0, runs));
    return CUDA_LAUNCH(call, run_keys, grid, TEXT_THREADS, 0, *view, runs, depth, index, group, n,
                       work->rank_bits + 1, room->round_keys + at);
}

/* ---- Rounds ---- */

static ordo_status sort_large(suffix_work *work, size_t depth, size_t period)
{
    cuda_call *const         call = work->call;
    const suffix_room *const room = &work->room;
    size_t const             at = work->view.n - work->large;
    TRY(large_round_keys(work, depth, period));
    ordo_pairs_job const job = pairs_job(ORDO_U64, room->round_keys + at, room->lists.index + at,
                                         sizeof *room->lists.index, work->large);
    call->scratch.used = room->sort_mark;
    return dev_radix_pairs(call, &job);
}

/* Copies the next lists to the place of the current ones. */
static ordo_status move_lists(suffix_work *work, const group_lists &next)
{
    cuda_call *const  call = work->call;
    const group_lists lists = work->room.lists;
    size_t const      n = work->view.n, back = n - work->large;
    uint32_t *const   to[] = {lists.index, lists.rank, lists.index + back, lists.rank + back};
    uint32_t *const   from[] = {next.index, next.rank, next.index + back, next.rank + back};
    for (int i = 0; i < 4; i++) {
        size_t const count = i < 2 ? work->small : work->large;
        if (count > 0)
            CUDA_TRY(call->exec, cudaMemcpyAsync(to[i], from[i], count * sizeof *to[i],
                                                 cudaMemcpyDeviceToDevice, call->stream));
    }
    return ORDO_OK;
}

/* Makes the groups right for 2 * depth symbols. With a period, the large groups stay right for
 * `depth` symbols, and those that have the period are split where their runs end. */
static ordo_status next_round(suffix_work *work, size_t depth, size_t period)
{
    cuda_call *const         call = work->call;
    const suffix_room *const room = &work->room;
    const group_lists        lists = room->lists;
    size_t const             at = work->view.n - work->large, small = work->small;
    /* Many new ranks are written with the old ones, few are scattered. */
    bool const puts = (double)(small + work->large) >= CUDA_TUNE_TEXT_PUT * (double)work->view.n;
    if (work->large > 0)
        TRY(sort_large(work, depth, period));
    call->scratch.used = room->sort_mark;
    group_lists const next = next_lists(&call->scratch, work->view.n);
    CUDA_TRY(call->exec, cudaMemsetAsync(room->total, 0, 2 * sizeof *room->total, call->stream));
    if (small > 0)
        TRY(CUDA_LAUNCH(call, sort_small, ordo_div_up(small, SMALL_TILE), TEXT_THREADS, 0,
                        work->view, room->order, depth, lists, small,
                        puts ? NULL : room->round_keys, next, room->total));
    if (work->large > 0) {
        sorted_suffixes const from = {
            room->round_keys + at,          lists.index + at, lists.rank + at, work->large, 0,
            work->rank_bits + (period != 0)};
        CUDA_TRY(call->exec, cudaMemcpyAsync(room->total + 1, room->total, sizeof *room->total,
                                             cudaMemcpyDeviceToDevice, call->stream));
        group_target const to = {room->order, !puts, next, room->total + 1, room->total};
        TRY(launch_groups<false>(work, from, to));
    }
    if (small > 0 && !puts)
        TRY(CUDA_LAUNCH(call, write_updates, text_grid(call, small), TEXT_THREADS, 0,
                        room->round_keys, small, room->order.rank));
    TRY(read_totals(work));
    TRY(move_lists(work, next));
    return puts && work->small + work->large > 0 ? put_ranks(work) : ORDO_OK;
}

ordo_status dev_suffix(cuda_call *call, const text_view &view, uint32_t *sa)
{
    suffix_work work = {call,  view, layout(&call->scratch, view.n), 0, 0, 1, SIZE_MAX,
                        false, false};
    size_t      depth, period;
    work.room.order.sa = sa;
    while ((view.n + view.count) >> work.rank_bits != 0)
        work.rank_bits++;
    TRY(first_round(&work, &depth));
    /* Rotations that agree all around are equal. */
    while (work.small + work.large > 0 && (view.circle == 0 || depth < view.circle)) {
        if (ordo_poll(call->exec, 1 - (double)(work.small + work.large) / (double)view.n))
            return ORDO_E_CANCELLED;
        TRY(find_runs(&work, depth, &period));
        work.before = work.small + work.large;
        work.had_runs = period != 0;
        TRY(next_round(&work, depth, period));
        depth *= period != 0 ? 1 : 2;
    }
    call->scratch.used = work.room.mark;
    call->exec->facts.strategy = 0;
    call->exec->algorithm = "doubling";
    return ORDO_OK;
}
