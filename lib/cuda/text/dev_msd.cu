/* dev_msd.cu - the suffix array by one bit at a time, from the most significant bit on, as the
 * poster "Ballot Counting for Optimal Binary Prefix Sum" suggests, for comparison.
 *
 * Suffixes that agree so far form a range. A round moves the suffixes of each range whose next bit
 * is 0 before those whose next bit is 1; the ballot scan counts the zeros before each suffix. A
 * suffix that is alone in its range has its place, and a second scan closes the gap that it leaves
 * among the active suffixes. The end of a text is a bit before each byte: 0 if the text has ended.
 * Scratch: 37 bytes per byte of text. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/text/text.cuh"
#include "ordo.h"

enum {
    MSD_BITS = 9 /* of a byte, with the bit of the end */
};

struct msd_item {
    uint32_t at;            /* the suffix */
    uint32_t begin, length; /* its range of the active suffixes */
    uint32_t place;         /* of the first of the range in the suffix array */
};

struct msd_room {
    msd_item *active, *moved;
    uint8_t  *flags;
    uint32_t *counts;
};

static msd_room layout(cuda_scratch *scratch, size_t n)
{
    msd_room room = {};
    room.active = scratch_take<msd_item>(scratch, n);
    room.moved = scratch_take<msd_item>(scratch, n);
    room.flags = scratch_take<uint8_t>(scratch, n + 1);
    room.counts = scratch_take<uint32_t>(scratch, n + 1);
    return room;
}

/* Counts the flags before each of n elements by ballots. */
static ordo_bits_job count_job(const msd_room &room, size_t n, uint64_t *total)
{
    ordo_bits_job job = {};
    job.kind = ORDO_FLAG_BYTES;
    job.flags = room.flags;
    job.n = n;
    job.count_type = ORDO_U32;
    job.counts = room.counts;
    job.total = total;
    job.exclusive = true;
    job.algorithm = ORDO_ALGORITHM_BALLOT;
    return job;
}

size_t dev_msd_scratch(const ordo_text_job *job)
{
    msd_room const      none = {};
    ordo_bits_job const count = count_job(none, job->n + 1, NULL);
    return scratch_of(layout, job->n) + dev_scan_bits_scratch(&count);
}

static __global__ void __launch_bounds__(TEXT_THREADS) all_active(msd_item *active, size_t n)
{
    grid_each(n, [&](size_t i) { active[i] = {(uint32_t)i, 0, (uint32_t)n, 0}; });
}

/* flags[i] = the next bit of active suffix i is 0; flags[n] = 0. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    mark_zeros(text_view view, const msd_item *active, size_t n, size_t depth, unsigned bit,
               uint8_t *flags)
{
    grid_each(n + 1, [&](size_t i) {
        bool zero = false;
        if (i < n) {
            size_t const at = active[i].at;
            zero = bit == 0 ? at + depth >= text_end_at(view, at)
                            : (view.text[at + depth] >> (8 - bit) & 1) == 0;
        }
        flags[i] = zero;
    });
}

/* Splits the ranges; flags[i] of a moved suffix says whether it stays active. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    split_ranges(const msd_item *active, size_t n, const uint32_t *zeros, bool ends,
                 msd_item *moved, uint32_t *sa, uint8_t *stays)
{
    grid_each(n, [&](size_t i) {
        msd_item       item = active[i];
        uint32_t const first = zeros[item.begin], all = zeros[item.begin + item.length] - first;
        uint32_t const before = zeros[i] - first, rest = (uint32_t)i - item.begin - before;
        bool const     zero = zeros[i + 1] != zeros[i];
        uint32_t       to = item.begin + before;
        if (zero) {
            item.length = all;
        } else {
            to = item.begin + all + rest;
            item.begin += all;
            item.place += all;
            item.length -= all;
        }
        /* Texts that have ended are equal and in the order of the texts. */
        bool const done = item.length == 1 || (zero && ends);
        if (done)
            sa[item.place + (to - item.begin)] = item.at;
        moved[to] = item;
        stays[to] = !done;
    });
}

static __global__ void __launch_bounds__(TEXT_THREADS)
    close_gaps(const msd_item *moved, size_t n, const uint8_t *stays, const uint32_t *before,
               msd_item *active)
{
    grid_each(n, [&](size_t i) {
        if (stays[i] == 0)
            return;
        msd_item item = moved[i];
        item.begin = before[i] - ((uint32_t)i - item.begin);
        active[before[i]] = item;
    });
}

ordo_status dev_msd(cuda_call *call, const text_view &view, uint32_t *sa)
{
    msd_room const room = layout(&call->scratch, view.n);
    size_t const   mark = call->scratch.used;
    uint64_t       active = view.n;
    unsigned       bit = 0;
    size_t         depth = 0;
    TRY(CUDA_LAUNCH(call, all_active, text_grid(call, view.n), TEXT_THREADS, 0, room.active,
                    view.n));
    while (active > 0) {
        size_t const  n = (size_t)active, grid = text_grid(call, n + 1);
        ordo_bits_job zeros = count_job(room, n + 1, NULL), stays = count_job(room, n, &active);
        TRY(CUDA_LAUNCH(call, mark_zeros, grid, TEXT_THREADS, 0, view, room.active, n, depth, bit,
                        room.flags));
        TRY(dev_scan_bits(call, &zeros));
        call->scratch.used = mark;
        TRY(CUDA_LAUNCH(call, split_ranges, grid, TEXT_THREADS, 0, room.active, n, room.counts,
                        bit == 0, room.moved, sa, room.flags));
        TRY(dev_scan_bits(call, &stays));
        call->scratch.used = mark;
        TRY(CUDA_LAUNCH(call, close_gaps, grid, TEXT_THREADS, 0, room.moved, n, room.flags,
                        room.counts, room.active));
        bit = (bit + 1) % MSD_BITS;
        depth += bit == 0;
        if (ordo_poll(call->exec, 1 - (double)active / (double)view.n))
            return ORDO_E_CANCELLED;
    }
    call->exec->algorithm = "msd";
    return ORDO_OK;
}
