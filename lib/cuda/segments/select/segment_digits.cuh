/* segment_digits.cuh - selection from long segments, 8 bits of the key bits at a time.
 *
 * Only for targets that segment_bracket.cuh did not find; it fills the same table.
 * For each long segment a table holds the digits found so far of two keys, the key of a target and
 * the next one. A pass reads all tiles of all segments, counts the next digit of the keys that have
 * these digits in shared memory and adds the counts to the segment's histogram. Then one warp per
 * key searches the histogram for the digit of its rank. Targets are done one after the other.
 * Memory moved: the keys once for each digit and target, once more if NaNs are counted. Scratch: 4
 * KB per long segment. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_DIGITS_H
#define ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_DIGITS_H

#include "cuda/segments/select/segment_targets.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    DIGITS_BITS = 8,
    DIGITS_BINS = 1 << DIGITS_BITS,
    DIGITS_THREADS = 256,
    DIGITS_ITEMS = 32,
    DIGITS_TILE = DIGITS_THREADS * DIGITS_ITEMS,
    DIGITS_KEYS = 2 /* the key at a rank, and the one at the next rank */
};

/* segment_bracket.cuh: candidates that a further bracket divides. */
struct bracket_state {
    uint64_t below; /* keys below the candidates */
    uint32_t first; /* their first place among the candidates of the segment */
    uint32_t count;
    uint32_t kept; /* the place of those inside the new bracket */
};

struct digits_entry { /* the state of a long segment */
    unsigned long long nans;
    uint64_t           found[DIGITS_KEYS]; /* key bits found so far */
    uint64_t           rank[DIGITS_KEYS];  /* rank among the keys that have these bits */
    unsigned           keys;               /* number of wanted keys: 0 to 2 */
    unsigned           is_settled;         /* the current target is written */
    unsigned long long counts;             /* segment_bracket.cuh: keys below the bracket in the
                                            * high 32 bits, keys inside in the low 32 bits */
    bracket_state      bracket;
    unsigned long long bins[DIGITS_KEYS][DIGITS_BINS];
};

struct digits_table {
    digits_entry *entries; /* one for each long segment */
    size_t        bytes;   /* of all entries */
    bool          has_brackets;
    void         *candidates; /* keys inside the brackets */
    uint32_t     *unsettled;  /* segments left by the brackets, for each target */
    unsigned      rounds;     /* most further brackets */
    uint32_t     *wide_count; /* segments that get one, for each target and round */
    uint32_t     *wide;       /* their slots */
    uint32_t      wide_room;
};

/* Whether no segment is left for target j; the same in all threads. */
static DEVICE bool digits_are_idle(const digits_table &table, uint64_t j)
{
    return table.has_brackets && table.unsettled[j] == 0;
}

static inline digits_table digits_layout(cuda_scratch *scratch, const segment_classes &classes)
{
    digits_table table = {};
    size_t const slots = segment_slots_most(classes);
    table.bytes = slots * sizeof(digits_entry);
    table.entries = scratch_take<digits_entry>(scratch, slots);
    return table;
}

/* Loads a tile; returns how many keys it has. */
template <typename WORD>
static DEVICE unsigned digits_load(const segment_codes<WORD> &codes, const void *keys,
                                   const segment_part &here, WORD (&x)[DIGITS_ITEMS])
{
    uint64_t const from = here.tile * DIGITS_TILE;
    uint64_t const left = here.where.length > from ? here.where.length - from : 0;
    unsigned const count = left < DIGITS_TILE ? (unsigned)left : DIGITS_TILE;
    auto const     place = [](int e) { return (unsigned)e * DIGITS_THREADS + threadIdx.x; };
    segment_read_items(
        codes, keys, [&](int e) { return here.where.start + from + place(e); },
        [&](int e) { return place(e) < count; }, (WORD)0, x);
    return count;
}

template <typename WORD>
static __global__ void __launch_bounds__(DIGITS_THREADS)
    digits_count_nans(const __grid_constant__ segment_codes<WORD> codes, const void *keys,
                      const __grid_constant__ segment_classes classes, digits_table table)
{
    uint64_t const tiles = segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        segment_part const here = segment_tile_at(classes, t);
        WORD               x[DIGITS_ITEMS];
        (void)digits_load(codes, keys, here, x);
        unsigned nans = 0;
#pragma unroll
        for (int e = 0; e < DIGITS_ITEMS; e++)
            nans += x[e] > codes.last_number();
        nans = __reduce_add_sync(WARP_ALL, nans);
        if (lane_id() == 0 && nans != 0)
            atomicAdd(&table.entries[here.slot].nans, (unsigned long long)nans);
    }
}

/* Begins target j: computes its ranks. One thread per segment; NaNs are already counted. */
template <typename WORD>
static __global__ void __launch_bounds__(DIGITS_THREADS)
    digits_begin(const __grid_constant__ segment_classes classes,
                 const __grid_constant__ segment_targets targets, uint64_t j, digits_table table)
{
    if (digits_are_idle(table, j))
        return;
    grid_each(segment_slots_count(classes), [&](uint64_t slot) {
        digits_entry        &entry = table.entries[slot];
        uint64_t const       n = segment_slot_at(classes, slot).where.length;
        segment_target const target = segment_target_of(targets, j, n, entry.nans);
        bool const           two = target.place.above != target.place.below;
        bool const           over = target.is_nan || target.is_absent || entry.is_settled != 0;
        entry.keys = over ? 0 : two ? 2 : 1;
        entry.rank[0] = target.place.below;
        entry.rank[1] = target.place.above;
        entry.found[0] = entry.found[1] = 0;
    });
}

/* Counts the digit at `shift` of the keys whose higher bits were found. */
template <typename WORD>
static __global__ void __launch_bounds__(DIGITS_THREADS)
    digits_count(const __grid_constant__ segment_codes<WORD> codes, const void *keys,
                 const __grid_constant__ segment_classes classes, uint64_t j, digits_table table,
                 unsigned shift)
{
    __shared__ unsigned bins[DIGITS_BINS];
    uint64_t const      tiles = digits_are_idle(table, j) ? 0 : segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        segment_part const here = segment_tile_at(classes, t);
        digits_entry      &entry = table.entries[here.slot];
        if (entry.keys == 0)
            continue;
        WORD           x[DIGITS_ITEMS];
        unsigned const count = digits_load(codes, keys, here, x);
        if (count == 0) /* the lists do not contain the segment */
            continue;
        for (unsigned k = 0; k < entry.keys; k++) {
            WORD const found = (WORD)entry.found[k];
            __syncthreads();
            bins[threadIdx.x] = 0;
            __syncthreads();
#pragma unroll
            for (int e = 0; e < DIGITS_ITEMS; e++) {
                bool const inside = (unsigned)e * DIGITS_THREADS + threadIdx.x < count &&
                                    (x[e] ^ found) >> (shift + DIGITS_BITS - 1) >> 1 == 0;
                if (!__any_sync(WARP_ALL, inside))
                    continue;
                unsigned const digit = (unsigned)(x[e] >> shift) % DIGITS_BINS;
                unsigned const peers =
                    warp_match<DIGITS_BITS + 1>(inside ? digit : (unsigned)DIGITS_BINS);
                if (inside && (peers & lanes_before()) == 0)
                    atomicAdd(&bins[digit], (unsigned)__popc(peers));
            }
            __syncthreads();
            if (bins[threadIdx.x] != 0)
                atomicAdd(&entry.bins[k][threadIdx.x], (unsigned long long)bins[threadIdx.x]);
        }
    }
}

/* Finds the digit at `shift` of every key, and zeroes the histograms. One warp per key. */
template <typename WORD>
static __global__ void __launch_bounds__(DIGITS_THREADS)
    digits_walk(const __grid_constant__ segment_classes classes, uint64_t j, digits_table table,
                unsigned shift)
{
    typedef scan_add<unsigned long long> ADD;
    constexpr unsigned EACH = DIGITS_BINS / WARP_LANES;
    uint64_t const warps = (uint64_t)gridDim.x * (DIGITS_THREADS / WARP_LANES);
    uint64_t const all = digits_are_idle(table, j) ? 0 : segment_slots_count(classes) * DIGITS_KEYS;
    uint64_t       w = ((uint64_t)blockIdx.x * DIGITS_THREADS + threadIdx.x) / WARP_LANES;
    for (; w < all; w += warps) {
        digits_entry  &entry = table.entries[w / DIGITS_KEYS];
        unsigned const k = (unsigned)(w % DIGITS_KEYS);
        if (k >= entry.keys)
            continue;
        unsigned long long own[EACH], sum = 0;
#pragma unroll
        for (unsigned b = 0; b < EACH; b++) {
            own[b] = entry.bins[k][lane_id() * EACH + b];
            entry.bins[k][lane_id() * EACH + b] = 0;
            sum += own[b];
        }
        uint64_t const rank = entry.rank[k];
        uint64_t       before = warp_scan<ADD>(sum) - sum;
        __syncwarp(); /* every lane has the rank before one lane changes it */
        if (rank >= before && rank < before + sum) {
            unsigned digit = lane_id() * EACH;
#pragma unroll
            for (unsigned b = 0; b + 1 < EACH; b++)
                if (rank >= before + own[b]) {
                    before += own[b];
                    digit++;
                } else {
                    break;
                }
            entry.found[k] |= (uint64_t)digit << shift;
            entry.rank[k] = rank - before;
        }
    }
}

template <typename WORD>
static __global__ void __launch_bounds__(DIGITS_THREADS)
    digits_write(const __grid_constant__ segment_codes<WORD> codes,
                 const __grid_constant__ segment_classes     classes,
                 const __grid_constant__ segment_targets targets, uint64_t j, digits_table table)
{
    if (digits_are_idle(table, j))
        return;
    grid_each(segment_slots_count(classes), [&](uint64_t slot) {
        const digits_entry &entry = table.entries[slot];
        if (entry.is_settled != 0)
            return;
        segment_large const  where = segment_slot_at(classes, slot);
        segment_target const target = segment_target_of(targets, j, where.where.length, entry.nans);
        segment_target_write(targets, codes, where.number, j, target, (WORD)entry.found[0],
                             (WORD)entry.found[entry.keys == 2]);
    });
}

/* Selects target j from the long segments that have no result yet. The table is zero before the
 * first target. */
template <typename WORD>
static ordo_status digits_select(cuda_call *call, const segment_codes<WORD> &codes,
                                 const void *keys, const segment_classes &classes,
                                 const digits_table &table, const segment_targets &targets,
                                 uint64_t j)
{
    size_t const slots = table.bytes / sizeof(digits_entry);
    size_t const tiles = segment_grid(call, classes.most_tiles, 1, 4);
    size_t const few = segment_grid(call, slots, DIGITS_THREADS, 8);
    size_t const walks = segment_grid(call, slots * DIGITS_KEYS * WARP_LANES, DIGITS_THREADS, 8);
    TRY(CUDA_LAUNCH(call, digits_begin<WORD>, few, DIGITS_THREADS, 0, classes, targets, j, table));
    for (unsigned shift = 8 * codes.bytes; shift > 0;) {
        shift -= DIGITS_BITS;
        TRY(CUDA_LAUNCH(call, digits_count<WORD>, tiles, DIGITS_THREADS, 0, codes, keys, classes, j,
                        table, shift));
        TRY(CUDA_LAUNCH(call, digits_walk<WORD>, walks, DIGITS_THREADS, 0, classes, j, table,
                        shift));
    }
    return CUDA_LAUNCH(call, digits_write<WORD>, few, DIGITS_THREADS, 0, codes, classes, targets, j,
                       table);
}

#endif
