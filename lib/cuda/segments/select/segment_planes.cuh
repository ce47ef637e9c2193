/* segment_planes.cuh - the keys of a segment as bit planes in the registers of 2^M threads, and the
 * search for the key of any rank among them, one bit of the key at a time.
 *
 * For M <= 5 the threads are lanes of a warp, which has 32 >> M groups; for larger M a block. Each
 * holds 32 keys. A byte of their words is transposed at a time: bit i of plane p is bit p of key i.
 * Each round counts the candidates whose bit is 0 and keeps these or the others. A search ends
 * after a byte if no group needs more bits. Of 8-byte keys the lower words are read if needed.
 * Found keys are read again by their place. Cost: one read and up to 8 rounds for each byte. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_PLANES_H
#define ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_PLANES_H

#include "cuda/segments/segment_codes.cuh"
#include "cuda/segments/segment_slots.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    PLANES_ITEMS = 32,     /* keys of a thread */
    PLANES_UNLISTED = 256, /* keys of a segment with offsets that has no list */
    PLANES_OF_WARP = 1024  /* keys of a segment that a warp holds */
};

/* Threads of a block, and blocks of a multiprocessor, which the registers allow. */
static __host__ DEVICE constexpr int planes_threads(int m)
{
    return m <= 5 ? SLOTS_THREADS : 1 << m;
}
static __host__ DEVICE constexpr int planes_resident(int m)
{
    return m == 8 ? 3 : 640 / planes_threads(m);
}

/* The state of a search, the same in all lanes of a group except for the masks. */
struct planes_search {
    uint32_t alive;  /* candidates for the wanted key */
    uint32_t below;  /* keys before the candidates */
    uint32_t after;  /* if the wanted key is the last candidate: a set with the next key */
    unsigned inside; /* candidates of the group */
    unsigned wanted; /* the wanted key is the wanted-th of them, from 1 on */
};

template <typename WORD_, int M> struct planes {
    typedef WORD_ WORD;

    static constexpr unsigned LANES = 1u << M, MOST = PLANES_ITEMS * LANES; /* keys */
    static constexpr unsigned WARPS = LANES / WARP_LANES;                   /* of a block */

    uint32_t    x[PLANES_ITEMS]; /* 8 b + j: byte b of items j, j + 8, j + 16 and j + 24 */
    uint32_t    there;           /* bit i: item i is in the segment */
    unsigned    n, lane, lg_vector;
    unsigned    words;  /* which words of 8-byte keys x has: 0 none, 1 the upper, 2 the lower */
    uint32_t   *totals; /* shared memory of a block: two for each warp */
    unsigned    parity; /* which totals are next */
    const void *keys;
    uint64_t    start;

    /* The place of item i in the segment. */
    DEVICE unsigned place(unsigned i) const
    {
        unsigned const in_vector = i & ((1u << lg_vector) - 1);
        return ((i >> lg_vector << M) + lane) << lg_vector | in_vector;
    }

    /* Takes a segment. With `vectors` its start and length are multiples of 16 bytes. */
    DEVICE void load(const segment_codes<WORD> &codes, const void *from, segment where,
                     bool vectors, uint32_t *shared)
    {
        constexpr unsigned LG = sizeof(WORD) == 8 ? 1 : 2;
        lane = threadIdx.x % LANES;
        keys = from;
        start = where.start;
        n = (unsigned)where.length;
        lg_vector = vectors ? LG : 0;
        unsigned const units = n >> lg_vector;
        unsigned const mine = lane < units ? ((units - lane + LANES - 1) >> M) << lg_vector : 0;
        there = mine >= PLANES_ITEMS ? ~0u : (1u << mine) - 1;
        totals = shared;
        parity = 0;
        words = 0;
        if constexpr (WARPS > 1)
            __syncthreads(); /* the threads are done with the totals of the last segment */
        if constexpr (sizeof(WORD) == 4)
            read(codes, 0);
    }

    /* Reads the items of this thread: the words that `wanted` names. */
    DEVICE void read(const segment_codes<WORD> &codes, unsigned wanted)
    {
        constexpr int  V = 16 / sizeof(WORD), BATCH = sizeof(WORD) == 8 ? 16 : PLANES_ITEMS;
        unsigned const mine = (unsigned)__popc(there);
        words = wanted;
#pragma unroll
        for (int first = 0; first < PLANES_ITEMS; first += BATCH) {
            WORD raw[BATCH], code[BATCH];
            if (lg_vector != 0) {
                const uint4 *const vectors =
                    (const uint4 *)((const WORD *)keys + start) + lane + first / V * LANES;
#pragma unroll
                for (int e = 0; e < BATCH / V; e++) {
                    vector_16<WORD> vector = {};
                    if ((unsigned)(first + e * V) < mine)
                        vector.all = vectors[e * LANES];
#pragma unroll
                    for (int j = 0; j < V; j++)
                        raw[e * V + j] = vector.key[j];
                }
            } else {
                read_items(
                    keys, codes.bytes,
                    [&](int e) { return start + lane + (unsigned)(first + e) * LANES; },
                    [&](int e) { return (unsigned)(first + e) < mine; }, raw);
            }
            codes.order_each(raw, code);
#pragma unroll
            for (int e = 0; e < BATCH; e++)
                x[first + e] = (uint32_t)(code[e] >> (wanted == 1 ? 32 : 0) % (8 * sizeof(WORD)));
        }
        deal_bytes();
    }

    /* Moves byte b of items j, j + 8, j + 16 and j + 24 to x[8 b + j]. */
    DEVICE void deal_bytes(void)
    {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            uint32_t const ab = __byte_perm(x[j], x[j + 8], 0x5140);
            uint32_t const AB = __byte_perm(x[j], x[j + 8], 0x7362);
            uint32_t const cd = __byte_perm(x[j + 16], x[j + 24], 0x5140);
            uint32_t const CD = __byte_perm(x[j + 16], x[j + 24], 0x7362);
            x[j] = __byte_perm(ab, cd, 0x5410);
            x[j + 8] = __byte_perm(ab, cd, 0x7632);
            x[j + 16] = __byte_perm(AB, CD, 0x5410);
            x[j + 24] = __byte_perm(AB, CD, 0x7632);
        }
    }

    /* One step of the transposition of four 8 x 8 matrices of bits. */
    template <int STEP> static DEVICE void transpose_step(uint32_t (&y)[8], uint32_t mask)
    {
#pragma unroll
        for (int j = 0; j < 8; j++)
            if ((j & STEP) == 0) {
                uint32_t const a = y[j], b = y[j + STEP];
                y[j] = (a & mask) | (b << STEP & ~mask);
                y[j + STEP] = (a >> STEP & mask) | (b & ~mask);
            }
    }

    /* The planes of byte b of the words: bit i of y[t] is bit 8 b + t of item i. */
    DEVICE void planes_of_byte(unsigned b, uint32_t (&y)[8]) const
    {
#pragma unroll
        for (int j = 0; j < 8; j++)
            y[j] = b == 3 ? x[24 + j] : b == 2 ? x[16 + j] : b == 1 ? x[8 + j] : x[j];
        transpose_step<4>(y, 0x0f0f0f0fu);
        transpose_step<2>(y, 0x33333333u);
        transpose_step<1>(y, 0x55555555u);
    }

    /* Combines one number of each thread of the group: the sum, or the largest. */
    template <typename OP> DEVICE unsigned reduce(unsigned mine)
    {
        constexpr bool SUM = OP::is_sum;
        if constexpr (M >= 5) {
            mine = SUM ? __reduce_add_sync(WARP_ALL, mine) : __reduce_max_sync(WARP_ALL, mine);
        } else {
#pragma unroll
            for (unsigned step = LANES / 2; step > 0; step /= 2) {
                unsigned const other = __shfl_xor_sync(WARP_ALL, mine, step);
                mine = SUM ? mine + other : max(mine, other);
            }
        }
        if constexpr (WARPS > 1) {
            uint32_t *const here = totals + parity * WARPS;
            if (lane_id() == 0)
                here[threadIdx.x / WARP_LANES] = mine;
            __syncthreads();
            mine = lane_id() < WARPS ? here[lane_id()] : 0;
            mine = SUM ? __reduce_add_sync(WARP_ALL, mine) : __reduce_max_sync(WARP_ALL, mine);
            parity ^= 1; /* slow threads may still read the totals of this call */
        }
        return mine;
    }
    struct adding {
        static constexpr bool is_sum = true;
    };
    struct comparing {
        static constexpr bool is_sum = false;
    };

    /* The number of keys up to a word. */
    DEVICE unsigned count_to(const segment_codes<WORD> &codes, WORD word)
    {
        unsigned mine = 0;
#pragma unroll 4
        for (unsigned i = 0; i < PLANES_ITEMS; i++)
            if ((there >> i & 1) != 0)
                mine += codes.read(keys, start + place(i)) <= word;
        __syncwarp();
        return reduce<adding>(mine);
    }

    /* One round: the candidates are divided by a plane. */
    DEVICE void halve(planes_search &s, uint32_t plane)
    {
        uint32_t const zeros = s.alive & ~plane, ones = s.alive & plane;
        unsigned const count = reduce<adding>((unsigned)__popc(zeros));
        bool const     low = s.wanted <= count;
        if (s.wanted == count && count < s.inside)
            s.after = ones;
        s.below |= low ? 0 : zeros;
        s.alive = low ? zeros : ones;
        s.inside = low ? count : s.inside - count;
        s.wanted -= low ? 0 : count;
    }

    /* Searches a rank below n until is_done(search) in all lanes, or to the last bit. */
    template <typename IS_DONE>
    DEVICE planes_search search(const segment_codes<WORD> &codes, unsigned rank, IS_DONE &&is_done)
    {
        planes_search s = {there, 0, 0, n, rank + 1};
#pragma unroll 1
        for (unsigned b = codes.bytes; b > 0 && !__all_sync(WARP_ALL, is_done(s)); b--) {
            uint32_t y[8];
            if constexpr (sizeof(WORD) == 8)
                if (words != (b > 4 ? 1 : 2))
                    read(codes, b > 4 ? 1 : 2);
            planes_of_byte((b - 1) % 4, y);
#pragma unroll
            for (int t = 7; t >= 0; t--)
                halve(s, y[t]);
        }
        return s;
    }

    /* The key of an item of a mask, or 0 if the mask is empty in the whole group. */
    DEVICE WORD key_of(const segment_codes<WORD> &codes, uint32_t mask)
    {
        unsigned const mine = mask != 0 ? place((unsigned)__ffs((int)mask) - 1) + 1 : 0;
        unsigned const at = reduce<comparing>(mine);
        return at != 0 ? codes.read(keys, start + at - 1) : (WORD)0;
    }

    /* The smallest key of a mask; the largest word if the mask is empty in the whole group. */
    DEVICE WORD smallest(const segment_codes<WORD> &codes, uint32_t mask)
    {
        WORD mine = (WORD) ~(WORD)0;
        for (; mask != 0; mask &= mask - 1) {
            WORD const key = codes.read(keys, start + place((unsigned)__ffs((int)mask) - 1));
            mine = key < mine ? key : mine;
        }
        __syncwarp();
        if constexpr (sizeof(WORD) == 4) {
            return ~reduce<comparing>(~mine);
        } else {
            unsigned const upper = ~reduce<comparing>(~(unsigned)(mine >> 32));
            unsigned const lower = mine >> 32 == upper ? (unsigned)mine : ~0u;
            return (WORD)upper << 32 | (unsigned)~reduce<comparing>(~lower);
        }
    }

    /* The key of a rank below n, and of the next rank if that is wanted and below n. Called by all
     * threads; every group may have another rank. */
    DEVICE WORD pick(const segment_codes<WORD> &codes, unsigned rank, bool wants_next, WORD *next)
    {
        planes_search const s =
            search(codes, rank, [](const planes_search &now) { return now.inside <= 1; });
        WORD const key = key_of(codes, s.alive);
        *next = key;
        if (__any_sync(WARP_ALL, wants_next)) {
            WORD const above = smallest(codes, s.after);
            *next = s.wanted < s.inside ? key : above;
        }
        return key;
    }

    /* A mask of the first k keys, k at most n, by code and then by place. */
    DEVICE uint32_t first_keys(const segment_codes<WORD> &codes, unsigned k)
    {
        auto const is_done = [&](const planes_search &now) {
            return k == 0 || now.wanted == now.inside;
        };
        planes_search s = search(codes, k - 1, is_done);
        if (!__all_sync(WARP_ALL, is_done(s)))
            halve_by_place(s);
        return k == 0 ? 0 : s.below | s.alive;
    }

    /* The sum of one number of each lane before this one in the group. */
    static DEVICE unsigned sum_before(unsigned mine)
    {
        unsigned const lane = lane_id() % LANES;
        unsigned       scanned = mine;
#pragma unroll
        for (unsigned step = 1; step < LANES; step *= 2) {
            unsigned const left = __shfl_up_sync(WARP_ALL, scanned, step, LANES);
            scanned += lane >= step ? left : 0;
        }
        return scanned - mine;
    }

    /* Divides tied candidates by the bits of their places, the highest bit first. */
    DEVICE void halve_by_place(planes_search &s)
    {
#pragma unroll 1
        for (int bit = 4 + M; bit >= 0; bit--) {
            int const      in_lane = bit - (int)lg_vector;
            bool const     is_lane = in_lane >= 0 && in_lane < M;
            int const      of_item = is_lane ? 0 : in_lane < 0 ? bit : bit - M;
            uint32_t const zeros = 0xffffffffu / ((1u << (1u << of_item)) + 1);
            uint32_t const ones = is_lane && (lane >> in_lane & 1) != 0 ? ~0u : 0u;
            halve(s, is_lane ? ones : ~zeros);
        }
    }
};

/* ---- Segments ---- */

/* The slots of a warp: which segments its groups of lanes hold. */
struct planes_memory {
    slot_entry slots[WARP_LANES];
};

/* The segments that a kernel handles: a list, or all segments. */
struct planes_source {
    const uint64_t           *list;   /* NULL: all segments */
    const unsigned long long *listed; /* its entries */
    uint64_t                  room;   /* most entries of the list, or all segments */
};

/* List `list`; all segments if the layout is fixed or list < 0. */
static inline planes_source planes_source_of(const segment_classes &classes, int list)
{
    if (list < 0 || classes.map.offsets == NULL)
        return {NULL, NULL, classes.map.count};
    return {classes.lists.list[list], classes.lists.counts + list, classes.lists.room[list]};
}

static DEVICE uint64_t planes_source_count(const planes_source &source)
{
    return source.list == NULL ? source.room : min((uint64_t)*source.listed, source.room);
}
static DEVICE uint64_t planes_source_at(const planes_source &source, uint64_t at)
{
    return source.list == NULL ? at : source.list[at];
}

/* The segments that 2^M threads handle; a kernel argument. */
struct planes_class {
    uint64_t         least, most; /* more than `least` and at most `most` keys */
    planes_source    source; /* all segments, or a list; lists for M <= 5 have only such segments */
    segment_presence presence; /* of such segments among all segments */
    bool             is_used;  /* whether there may be such segments */
};

/* Calls f(segment, number) for every segment of a class. The threads of a group get the same
 * segment; a group without one gets the length 0 and the number UINT64_MAX. By all threads of
 * blocks of planes_threads(M) threads; f is called by whole warps, or by whole blocks if M > 5. */
template <int M, typename F>
static DEVICE void planes_each(const segment_map &map, const planes_class &here, F &&f)
{
    const planes_source &source = here.source;
    uint64_t const       given = planes_source_count(source);
    if constexpr (M > 5) {
        for (uint64_t at = blockIdx.x; at < given; at += gridDim.x) {
            uint64_t const number = planes_source_at(source, at);
            segment const  where = segment_at(map, number);
            if (where.length > here.least && where.length <= here.most)
                f(where, number);
        }
    } else {
        constexpr unsigned       GROUPS = WARP_LANES >> M;
        __shared__ planes_memory memories[SLOTS_WARPS];
        unsigned const           group = lane_id() >> M, warp = threadIdx.x / WARP_LANES;
        if (map.offsets != NULL && source.list == NULL) {
            if (segments_are_absent(here.presence))
                return;
            slots_each<M>(&memories[warp], map, (int64_t)here.least, here.most, WARP_LANES, [&]() {
                slot_entry const slot = memories[warp].slots[group];
                f(slot.where, slot.number);
            });
            return;
        }
        uint64_t const warps = (uint64_t)gridDim.x * SLOTS_WARPS;
        uint64_t       first = (uint64_t)blockIdx.x * SLOTS_WARPS + warp;
        for (first *= GROUPS; first < given; first += warps * GROUPS) {
            uint64_t const at = first + group;
            uint64_t const number = at < given ? planes_source_at(source, at) : UINT64_MAX;
            f(at < given ? segment_at(map, number) : segment{0, 0}, number);
        }
    }
}

/* ---- Classes by length ---- */

/* The values of M: fewer for 8-byte keys, which have twice the time to be read. */
template <typename WORD> static constexpr int planes_first(void) { return sizeof(WORD) == 8; }
template <typename WORD> static constexpr int planes_step(void)
{
    return sizeof(WORD) == 8 ? 2 : 1;
}

/* The largest M of planes, and the keys of such a segment. */
template <typename WORD> static constexpr int planes_last(void)
{
    return sizeof(WORD) == 8 ? 7 : 8;
}
template <typename WORD> static constexpr uint64_t planes_most(void)
{
    return (uint64_t)PLANES_ITEMS << planes_last<WORD>();
}

/* The classes of a verb: longer segments are cut into tiles of `tile` keys, by default as many as a
 * block holds. */
static inline segment_limits planes_limits(ordo_type type, uint64_t tile = 0)
{
    uint64_t const most =
        cuda_type_size(type) == 8 ? planes_most<uint64_t>() : planes_most<uint32_t>();
    return {{PLANES_UNLISTED, PLANES_OF_WARP, most}, tile != 0 ? tile : most};
}

/* Segments of up to `above` keys are left out. With offsets, list 0 is handled with M = 5, and list
 * 1, up to planes_most<WORD>() keys, with the largest M. */
template <typename WORD, int M>
static inline planes_class planes_class_of(const segment_classes &classes, uint64_t above)
{
    const segment_map &map = classes.map;
    bool const         is_fixed = map.offsets == NULL;
    planes_class       here = {};
    here.most = planes<WORD, M>::MOST;
    here.least = here.most >> planes_step<WORD>();
    if (M == planes_first<WORD>())
        here.least = above;
    bool const is_listed = !is_fixed && here.most > PLANES_UNLISTED;
    if (is_listed)
        here.least = M <= 5 ? (uint64_t)PLANES_UNLISTED : (uint64_t)PLANES_OF_WARP;
    else if (segment_classes_listed(classes))
        here.presence = {segment_lengths(classes.lists),
                         segment_length_bits(here.least, here.most)};
    here.source = planes_source_of(classes, !is_listed ? -1 : M <= 5 ? 0 : 1);
    here.is_used =
        (is_fixed ? map.length <= here.most && map.length > here.least : map.n > here.least) &&
        (!is_listed || M == 5 || M == planes_last<WORD>());
    return here;
}

/* Calls f(constant, class) for each M that segments of more than `above` keys need:
 * decltype(constant)::M is M. */
template <typename WORD, int M = planes_first<WORD>(), typename F>
static inline ordo_status planes_classes(const segment_classes &classes, uint64_t above, F &&f)
{
    planes_class const here = planes_class_of<WORD, M>(classes, above);
    if (here.is_used)
        TRY(f(slots_constant<M>(), here));
    if constexpr (M < planes_last<WORD>())
        return planes_classes<WORD, M + planes_step<WORD>()>(classes, above, f);
    return ORDO_OK;
}

/* Whether all segments start and end at multiples of 16 bytes. */
static inline bool planes_are_vectors(const segment_map &map, const void *keys, unsigned bytes)
{
    uint64_t const each = 16 / bytes;
    return map.offsets == NULL && bytes >= 4 && (uintptr_t)keys % 16 == 0 &&
           map.length % each == 0 && map.stride % each == 0 && map.group_stride % each == 0;
}

/* Blocks for all segments of a class. */
static inline size_t planes_grid(const cuda_call *call, const segment_map &map,
                                 const planes_source &source, int m)
{
    bool const   by_slots = map.offsets != NULL && source.list == NULL;
    size_t const each = m > 5 ? 1 : by_slots ? (size_t)WARP_LANES : (size_t)WARP_LANES >> m;
    return segment_grid(call, ordo_div_up(source.room, each), (size_t)(m > 5 ? 1 : SLOTS_WARPS),
                        (size_t)planes_resident(m));
}

#endif
