/* warp_heads.cuh - one warp turns a chunk of 1024 keys into 1024 flags, and flags into ranks.
 *
 * A flag is the result of a test of two neighbouring keys. Ranks test for heads: a head is the
 * first key of a group of tied keys. A lane reads 16 bytes, V keys, at a time and gets the key to
 * their left from the lane before. The flags are in lane order: bit r V + j of lane l is key 32 V r
 * + V l + j. lg(32 / V) exchanges turn them into array order: bit b of word w is key 32 w + b.
 * Liang, Bisnett, Hylton, Sang and Yu, "Parallel Computation of Standard Competition Rankings over
 * a Sorted Array", get 32 flags from one ballot and find a head by brev and ffs; here clz and ffs
 * read a word of flags, and heads outside the word are found once per chunk. All 32 lanes call
 * together; results are valid in every lane unless noted. No shared memory. */
#ifndef ORDO_CUDA_WARP_WARP_HEADS_H
#define ORDO_CUDA_WARP_WARP_HEADS_H

#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/warp/warp_scan.cuh"

static constexpr int HEADS_CHUNK = 1024; /* keys of a chunk: one word of flags per lane */

template <typename CODE> static DEVICE bool key_is_nan(typename CODE::BITS key)
{
    if constexpr (CODE::is_float)
        return key_float<typename CODE::BITS>::is_nan(key);
    else
        return false;
}

template <typename CODE> static DEVICE bool keys_tie(typename CODE::BITS a, typename CODE::BITS b)
{
    if constexpr (CODE::is_float) /* without branches */
        return key_float<typename CODE::BITS>::same(a, b) |
               (key_is_nan<CODE>(a) & key_is_nan<CODE>(b));
    else
        return a == b;
}

/* The type by which V elements are read and written: 16 bytes, or one element. */
template <typename T, int V> struct vector_type {
    typedef uint4 type;
};
template <typename T> struct vector_type<T, 1> {
    typedef T type;
};

/* Whether the data is accessed once, or again soon and should stay in the cache. */
enum cache_access {
    ACCESS_ONCE,
    ACCESS_AGAIN
};

template <typename T, int V, cache_access ACCESS>
static DEVICE vector_of<T, V> load_vector(const T *from)
{
    typedef typename vector_type<T, V>::type RAW;
    const RAW *const                         at = (const RAW *)from;
    RAW const                                raw = ACCESS == ACCESS_ONCE ? __ldcs(at) : __ldg(at);
    vector_of<T, V>                          vector;
    memcpy(&vector, &raw, sizeof vector);
    return vector;
}

template <typename T, int V, cache_access ACCESS>
static DEVICE void store_vector(T *to, vector_of<T, V> vector)
{
    typedef typename vector_type<T, V>::type RAW;
    RAW                                      raw;
    memcpy(&raw, &vector, sizeof raw);
    if constexpr (ACCESS == ACCESS_ONCE)
        __stcs((RAW *)to, raw);
    else
        *(RAW *)to = raw;
}

/* All ones in lane 0 and 0 elsewhere. Uses arithmetic, because the compiler turns a comparison into
 * a branch and duplicates the code after it. */
static DEVICE uint32_t lane_0_mask(void)
{
    uint32_t mask;
    asm("shr.s32 %0, %1, 31;" : "=r"(mask) : "r"((int)lane_id() - 1));
    return mask;
}

template <typename BITS>
static DEVICE BITS from_lane_before(BITS key, BITS *wrapped, uint32_t in_lane_0)
{
    BITS const turned = (BITS)__shfl_sync(WARP_ALL, key, (lane_id() + 31) % 32);
    BITS const mask = (BITS)((uint64_t)in_lane_0 << 32 | in_lane_0);
    BITS const left = (BITS)((*wrapped & mask) | (turned & ~mask));
    *wrapped = turned;
    return left;
}

/* Tests a whole chunk and returns the lane's flags in lane order. `keys` is aligned to V keys;
 * `before` is the key to the left of the chunk; test(left, key) returns a bool. */
template <int V, cache_access ACCESS, typename BITS, typename TEST>
static DEVICE uint32_t warp_flags(const BITS *keys, BITS before, TEST &&test)
{
    constexpr int  ROWS = 32 / V, BATCH = ROWS < 8 ? ROWS : sizeof(BITS) == 8 ? 4 : 8;
    uint32_t const in_lane_0 = lane_0_mask();
    const BITS    *from = keys + lane_id() * V;
    uint32_t       flags = 0;
    BITS           wrapped = before; /* in lane 0: the last key of the previous row */
#pragma unroll
    for (int first = 0; first < ROWS; first += BATCH) {
        vector_of<BITS, V> rows[BATCH];
#pragma unroll
        for (int r = 0; r < BATCH; r++)
            rows[r] = load_vector<BITS, V, ACCESS>(from + (first + r) * 32 * V);
#pragma unroll
        for (int r = 0; r < BATCH; r++) {
            BITS left = from_lane_before(rows[r].at[V - 1], &wrapped, in_lane_0);
#pragma unroll
            for (int j = 0; j < V; j++) {
                BITS const key = rows[r].at[j];
                if (test(left, key))
                    flags |= 1u << ((first + r) * V + j);
                left = key;
            }
        }
    }
    return flags;
}

/* The same for a chunk of `count` keys: one key per lane and row. Flags past the end are 0. */
template <typename BITS, typename TEST>
static DEVICE uint32_t warp_flags_tail(const BITS *keys, unsigned count, BITS before, TEST &&test)
{
    unsigned const lane = lane_id();
    uint32_t       flags = 0;
    for (unsigned row = 0; row * 32 < count; row++) {
        unsigned const i = row * 32 + lane;
        if (i < count && test(i > 0 ? keys[i - 1] : before, keys[i]))
            flags |= 1u << row;
    }
    return flags;
}

/* heads_in_order turns flags in lane order into one word per lane in array order; a lane then holds
 * word heads_word<V>(). It transposes (32 / V) x (32 / V) fields of V bits in each group of 32 / V
 * lanes. */
template <int V> static DEVICE unsigned heads_word(void)
{
    return lane_id() % (32 / V) * V + lane_id() / (32 / V);
}

/* The lane that holds word number lane_id(). */
template <int V> static DEVICE unsigned heads_lane(void)
{
    return lane_id() % V * (32 / V) + lane_id() / V;
}

template <int V> static DEVICE uint32_t heads_in_order(uint32_t flags)
{
#pragma unroll
    for (int distance = 16 / V; distance >= 1; distance /= 2) {
        int const      shift = distance * V;
        uint32_t const low = 0xffffffffu / ((1u << shift) + 1); /* every other field of `shift`
                                                                 * bits */
        bool const     upper = (lane_id() & distance) != 0;
        uint32_t const send = upper ? flags & low : flags >> shift & low;
        uint32_t const got = __shfl_xor_sync(WARP_ALL, send, distance);
        flags = upper ? (flags & ~low) | got : (flags & low) | got << shift;
    }
    return flags;
}

enum rank_kind {
    RANK_LAST,  /* the rank of the group's head: the minimum rank of its keys */
    RANK_NEXT,  /* one less than the rank of the next head: the maximum rank */
    RANK_BOTH,  /* the mean of the two */
    RANK_COUNT, /* the number of heads up to and including this key */
    RANK_INDEX  /* the index plus 1, for ordinal ranks */
};

/* The heads around a warp's next chunk. Ranks start at 1. */
template <typename NUM> struct heads_carry {
    NUM last;  /* rank of the last head before the chunk */
    NUM next;  /* rank - 1 of the first head after the chunk, or n */
    NUM count; /* number of heads before the chunk */
};

/* The same values for the word of one lane. */
template <typename NUM> struct heads_edges {
    NUM last, next, count;
};

static DEVICE unsigned lowest_bit(uint32_t bits) { return __ffs(bits) - 1; }
static DEVICE unsigned highest_bit(uint32_t bits) { return 31 - __clz(bits); }

/* Lane w holds word w of a chunk whose first key is key `base`. Updates the carry for the next
 * chunk: `last` and `count` for the chunk to the right, `next` for the chunk to the left. */
template <rank_kind KIND, typename NUM>
static DEVICE heads_edges<NUM> warp_edges(uint32_t word, NUM base, heads_carry<NUM> *carry)
{
    unsigned const   lane = lane_id();
    uint32_t const   some = __ballot_sync(WARP_ALL, word != 0);
    heads_edges<NUM> edges = {};
    if constexpr (KIND == RANK_LAST || KIND == RANK_BOTH) {
        uint32_t const left = some & ((1u << lane) - 1);
        unsigned const mine = lane * 32 + highest_bit(word) + 1;
        unsigned const found = __shfl_sync(WARP_ALL, mine, left != 0 ? highest_bit(left) : 0);
        unsigned const final = __shfl_sync(WARP_ALL, mine, some != 0 ? highest_bit(some) : 0);
        edges.last = left != 0 ? base + found : carry->last;
        carry->last = some != 0 ? base + final : carry->last;
    }
    if constexpr (KIND == RANK_NEXT || KIND == RANK_BOTH) {
        uint32_t const right = some & (0xfffffffeu << lane);
        unsigned const mine = lane * 32 + lowest_bit(word);
        unsigned const found = __shfl_sync(WARP_ALL, mine, right != 0 ? lowest_bit(right) : 0);
        unsigned const first = __shfl_sync(WARP_ALL, mine, some != 0 ? lowest_bit(some) : 0);
        edges.next = right != 0 ? base + found : carry->next;
        carry->next = some != 0 ? base + first : carry->next;
    }
    if constexpr (KIND == RANK_COUNT) {
        unsigned const mine = __popc(word), sum = warp_scan<scan_add<unsigned>>(mine);
        edges.count = carry->count + sum - mine;
        carry->count += __shfl_sync(WARP_ALL, sum, 31);
    }
    return edges;
}

/* The ranks of keys 32 V row + V lane + j of the chunk, as integers. RANK_BOTH gives twice the
 * average. */
template <rank_kind KIND, int V, typename NUM>
static DEVICE vector_of<NUM, V> warp_row_numbers(int row, uint32_t word, heads_edges<NUM> edges,
                                                 NUM base)
{
    unsigned const lane = lane_id();
    unsigned const owner = row * V + lane * V / 32; /* lane that holds the word of these keys */
    unsigned const shift = lane * V % 32;           /* bit of the first of these keys in the word */
    unsigned const at = row * V * 32 + lane * V;

    vector_of<NUM, V> ranks = {};
    if constexpr (KIND == RANK_INDEX) {
#pragma unroll
        for (int j = 0; j < V; j++)
            ranks.at[j] = base + (at + j + 1);
        return ranks;
    }
    uint32_t const bits = __shfl_sync(WARP_ALL, word, owner);
    uint32_t const left = bits & ((1u << shift) - 1);
    uint32_t const here = bits >> shift;
    if constexpr (KIND == RANK_LAST || KIND == RANK_BOTH) {
        NUM const outside = __shfl_sync(WARP_ALL, edges.last, owner);
        NUM       last = left != 0 ? base + (owner * 32 + highest_bit(left) + 1) : outside;
#pragma unroll
        for (int j = 0; j < V; j++) {
            last = here >> j & 1 ? base + (at + j + 1) : last;
            ranks.at[j] = last;
        }
    }
    if constexpr (KIND == RANK_NEXT || KIND == RANK_BOTH) {
        uint32_t const right = shift + V < 32 ? bits >> (shift + V) : 0;
        NUM const      outside = __shfl_sync(WARP_ALL, edges.next, owner);
        NUM            next = right != 0 ? base + (at + V + lowest_bit(right)) : outside;
#pragma unroll
        for (int j = V - 1; j >= 0; j--) {
            ranks.at[j] += next;
            next = here >> j & 1 ? base + (at + j) : next;
        }
    }
    if constexpr (KIND == RANK_COUNT) {
        NUM count = __shfl_sync(WARP_ALL, edges.count, owner) + __popc(left);
#pragma unroll
        for (int j = 0; j < V; j++) {
            count += here >> j & 1;
            ranks.at[j] = count;
        }
    }
    return ranks;
}

template <rank_kind KIND, typename RANK, int V, typename NUM>
static DEVICE vector_of<RANK, V> warp_row_ranks(int row, uint32_t word, heads_edges<NUM> edges,
                                                NUM base)
{
    vector_of<NUM, V> const numbers = warp_row_numbers<KIND, V>(row, word, edges, base);
    vector_of<RANK, V>      ranks;
#pragma unroll
    for (int j = 0; j < V; j++)
        if constexpr (KIND == RANK_BOTH && (RANK)0.5 != 0)
            ranks.at[j] = (RANK)numbers.at[j] * (RANK)0.5;
        else
            ranks.at[j] = (RANK)numbers.at[j];
    return ranks;
}

/* Writes the ranks of a chunk whose first key is key `base` of the n keys. */
template <rank_kind KIND, typename RANK, int V, cache_access ACCESS, typename NUM>
static DEVICE void warp_write_ranks(RANK *ranks, size_t n, size_t base, uint32_t word,
                                    heads_edges<NUM> edges)
{
    RANK *const to = ranks + base + lane_id() * V;
    if (n - base >= HEADS_CHUNK) {
#pragma unroll 8
        for (int row = 0; row < 32 / V; row++)
            store_vector<RANK, V, ACCESS>(
                to + row * 32 * V, warp_row_ranks<KIND, RANK, V>(row, word, edges, (NUM)base));
        return;
    }
    unsigned const left = (unsigned)(n - base);
#pragma unroll 1
    for (int row = 0; row < 32 / V; row++) {
        vector_of<RANK, V> const vector =
            warp_row_ranks<KIND, RANK, V>(row, word, edges, (NUM)base);
#pragma unroll
        for (int j = 0; j < V; j++)
            if (row * 32 * V + lane_id() * V + j < left)
                to[row * 32 * V + j] = vector.at[j];
    }
}

#endif
