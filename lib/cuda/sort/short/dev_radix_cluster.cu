/* dev_radix_cluster.cu - a sort in one launch, for arrays that fit in the shared memory of a
 * cluster of blocks (compute capability 9.0 and above).
 *
 * Keys alone are divided into parts (dev_radix_parts.cuh). Pairs, indices, many keys of four bytes
 * and uneven parts are sorted by digits. Block b holds places [b * tile, (b + 1) * tile) as key
 * bits and, if needed, source indices. A step sorts stably by one digit: blocks order their tile
 * (block_radix.cuh), read each other's counts and write keys to the shared memory of the right
 * block. Only bits that differ count, and at first only the leading CLUSTER_PREFIX; each key then
 * finds its place among keys with the same prefix, or, if these are too many, the sort repeats with
 * all bits. Cost: one read, one write. Shared memory per block: up to 199 KB. */
#include "cuda/sort/short/dev_radix_parts.cuh"

enum {
    CLUSTER_PREFIX = 24, /* number of leading bits that are sorted first */
    CLUSTER_THREADS = 512,
    CLUSTER_ITEMS = 8, /* most keys per thread */
    CLUSTER_PLACES = CLUSTER_THREADS * CLUSTER_ITEMS
};

/* ---- shared memory -------------------------------------------------------------------------- */

/* What moves: a key, a key above its index, or a key with its index in another array (beside). */
template <typename CODE, bool INDEXED> struct cluster_item {
    typedef typename CODE::BITS BITS;
    static constexpr bool       packed = INDEXED && sizeof(BITS) == 4, beside = INDEXED && !packed;
    typedef typename word_of<packed ? 8 : sizeof(BITS)>::type WORD;

    static DEVICE WORD make(BITS bits, uint32_t index)
    {
        return packed ? (WORD)((uint64_t)bits << 32 | index) : (WORD)bits;
    }
    static DEVICE BITS bits(WORD word)
    {
        return packed ? (BITS)((uint64_t)word >> 32) : (BITS)word;
    }
};

template <typename BITS> struct alignas(16) cluster_shared { /* the tables; the tiles follow */
    BITS     ones, zeros;       /* bits set in some key of the block; bits not set in all */
    uint32_t too_long;          /* some block has a group that is too large */
    uint32_t alike;             /* many keys of the block share their leading bits */
    uint32_t total[RADIX_BINS]; /* keys of the block with each digit */
    uint32_t base[RADIX_BINS];  /* their place in the array minus their place in the tile */
    radix_counters<CLUSTER_THREADS / 32> counters;
};

template <typename ITEM> struct cluster_tile { /* the part of the array of one block */
    typedef typename ITEM::BITS BITS;
    typedef typename ITEM::WORD WORD;

    cluster_shared<BITS> *shared;
    WORD                 *words, *sorted;       /* sorted: ordered by the digit of the step */
    uint32_t             *index, *sorted_index; /* source indices, if beside */
    uint32_t              places;               /* places of a tile */
    uint32_t              reciprocal;           /* 2^32 / places, rounded up */
    uint32_t              first;                /* first place in the array */
    unsigned              items;                /* keys per thread */
};

template <typename ITEM, bool INDEXED> static size_t cluster_bytes(size_t places)
{
    typedef typename ITEM::BITS BITS;
    size_t const                bytes =
        sizeof(cluster_shared<BITS>) +
        2 * places * (sizeof(typename ITEM::WORD) + (ITEM::beside ? sizeof(uint32_t) : 0));
    return INDEXED ? bytes : ordo_max(bytes, sizeof(parts_shared<BITS>));
}

#ifdef HAVE_CLUSTERS
/* Sets `base` from the totals of all blocks. `start`: the first place in the tile of the digit of
 * this thread. Called by all threads. Begins with a wait for the other blocks and ends with a
 * barrier. */
template <typename BITS>
static DEVICE void cluster_bases(cluster_shared<BITS> *shared, uint32_t start)
{
    unsigned const  digit = threadIdx.x;
    uint32_t *const sums = shared->counters.sums;
    cluster_wait();
    uint32_t all = 0, lower = 0, scan_all = 0;
    if (digit < RADIX_BINS) {
        unsigned const me = cluster_rank(), blocks = cluster_size();
#pragma unroll
        for (unsigned b = 0; b < CLUSTER_BLOCKS; b++)
            if (b < blocks) {
                uint32_t there;
                cluster_load(there, cluster_address(&shared->total[digit], b));
                lower += b < me ? there : 0;
                all += there;
            }
        scan_all = warp_scan<scan_add<uint32_t>>(all);
        if (digit % 32 == 31)
            sums[digit / 32] = scan_all;
    }
    __syncthreads();
    if (digit < RADIX_BINS) {
        uint32_t to = scan_all - all + lower;
#pragma unroll
        for (unsigned w = 0; w < RADIX_BINS / 32; w++)
            to += w < digit / 32 ? sums[w] : 0;
        shared->base[digit] = to - start;
    }
    __syncthreads();
}

/* Sorts all keys of the cluster, stably, by the bits [shift, shift + 8) & mask. */
template <typename ITEM, typename CODE>
static __device__ void cluster_step(const cluster_tile<ITEM> &tile, CODE const &code,
                                    unsigned shift, unsigned mask)
{
    typedef typename ITEM::WORD WORD;
    auto *const                 shared = tile.shared;
    unsigned const              thread = threadIdx.x, warp = thread / 32;
    unsigned const              mine = warp * 32 * tile.items + thread % 32;
    uint32_t *const             row = shared->counters.count[warp];
    uint32_t const              before = lanes_before();
    auto const                  digit_of = [&](WORD word) {
        return (unsigned)(code.fold(ITEM::bits(word)) >> shift) & mask;
    };

    block_radix_clear(&shared->counters);
    WORD     word[CLUSTER_ITEMS];
    uint32_t index[CLUSTER_ITEMS], ranked[CLUSTER_ITEMS], start; /* ranked: rank above digit */
#pragma unroll
    for (int i = 0; i < CLUSTER_ITEMS; i++)
        if (i < tile.items) {
            word[i] = tile.words[mine + i * 32];
            if (ITEM::beside)
                index[i] = tile.index[mine + i * 32];
            unsigned const value = digit_of(word[i]);
            ranked[i] = block_radix_rank_one(row, before, value) << RADIX_BITS | value;
        }
    __syncthreads();
    /* All keys are in registers; other blocks may read the totals. */
    if (thread >= RADIX_BINS)
        cluster_arrive();
    block_radix_columns(&shared->counters, &start, [&](uint32_t total) {
        shared->total[thread] = total;
        cluster_arrive();
    });
    __syncthreads();
#pragma unroll
    for (int i = 0; i < CLUSTER_ITEMS; i++)
        if (i < tile.items) {
            uint32_t const place = (ranked[i] >> RADIX_BITS) + row[ranked[i] % RADIX_BINS];
            tile.sorted[place] = word[i];
            if (ITEM::beside)
                tile.sorted_index[place] = index[i];
        }
    cluster_bases(shared, start);
#pragma unroll
    for (int i = 0; i < CLUSTER_ITEMS; i++)
        if (i < tile.items) {
            unsigned const from = thread + i * blockDim.x;
            WORD const     moved = tile.sorted[from];
            uint32_t const place = shared->base[digit_of(moved)] + from;
            uint32_t const block = __umulhi(place, tile.reciprocal);
            uint32_t const to = place - block * tile.places;
            cluster_store(cluster_address(tile.words + to, block), moved);
            if (ITEM::beside)
                cluster_store(cluster_address(tile.index + to, block), tile.sorted_index[from]);
        }
    cluster_arrive();
    cluster_wait();
}

/* The final place of the key at `place`: its place among the keys with the same prefix, when the
 * cluster is sorted by the bits from `shift` on. Sets *too_long if these keys are too many. */
template <typename ITEM, typename CODE>
static DEVICE uint32_t cluster_place(const cluster_tile<ITEM> &tile, CODE const &code,
                                     unsigned shift, uint32_t place, uint32_t n,
                                     typename ITEM::BITS mine, bool *too_long)
{
    typedef typename ITEM::BITS BITS;
    auto const                  bits_at = [&](uint32_t other) {
        typename ITEM::WORD word;
        uint32_t const      at = other - tile.first;
        if (at < tile.places) {
            word = tile.words[at];
        } else {
            uint32_t const block = __umulhi(other, tile.reciprocal);
            cluster_load(word, cluster_address(tile.words + (other - block * tile.places), block));
        }
        return code.fold(ITEM::bits(word));
    };
    return radix_place(place, n, mine, shift, too_long, bits_at);
}

/* The bits in which the keys of the cluster differ. *alike: whether many keys of a block share
 * their leading bits. */
template <typename BITS>
static __device__ BITS cluster_differ(cluster_shared<BITS> *shared, bool *alike)
{
    cluster_arrive();
    cluster_wait();
    unsigned const lane = threadIdx.x % 32;
    BITS           ones = 0, zeros = 0;
    uint32_t       many = 0;
    if (lane < cluster_size()) {
        cluster_load(ones, cluster_address(&shared->ones, lane));
        cluster_load(zeros, cluster_address(&shared->zeros, lane));
        cluster_load(many, cluster_address(&shared->alike, lane));
    }
    *alike = __any_sync(WARP_ALL, many != 0) != 0;
    BITS differ = 0;
#pragma unroll
    for (int half = 0; half < sizeof(BITS) / 4; half++) {
        unsigned const some = __reduce_or_sync(WARP_ALL, (unsigned)(ones >> 32 * half));
        unsigned const lack = __reduce_or_sync(WARP_ALL, (unsigned)(zeros >> 32 * half));
        differ |= (BITS)(some & lack) << 32 * half;
    }
    if (differ == 0) { /* no step follows, and no block may end while others read its shared
                        * memory */
        cluster_arrive();
        cluster_wait();
    }
    return differ;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* Reads the tile into shared memory and sets its `ones` and `zeros`. */
template <typename ITEM, typename CODE>
static DEVICE void cluster_read_tile(const cluster_tile<ITEM> &tile, CODE const &code,
                                     const radix_job &job)
{
    typedef typename ITEM::BITS BITS;
    const void *const           source = job.source != NULL ? job.source : job.keys[0];
    uint32_t const              n = (uint32_t)job.n;
    BITS                        read[CLUSTER_ITEMS], ones = 0, zeros = 0;
#pragma unroll
    for (int i = 0; i < CLUSTER_ITEMS; i++) {
        uint32_t const place = tile.first + threadIdx.x + i * blockDim.x;
        if (i < tile.items && place < n)
            read[i] = load_sized<BITS>(source, place, job.key_size);
    }
#pragma unroll
    for (int i = 0; i < CLUSTER_ITEMS; i++) {
        uint32_t const at = threadIdx.x + i * blockDim.x, place = tile.first + at;
        if (i >= tile.items)
            continue;
        BITS bits = (BITS) ~(BITS)0;
        if (place < n) {
            bits = code.encode(read[i]);
            ones |= code.fold(bits);
            zeros |= ~code.fold(bits);
        }
        tile.words[at] = ITEM::make(bits, place);
        if (ITEM::beside)
            tile.index[at] = place;
    }
    radix_note_bits(ones, zeros, &tile.shared->ones, &tile.shared->zeros);
}

/* Sets `alike` of the block by its own bits, which are about those of the cluster. */
template <typename ITEM, typename CODE>
static DEVICE void cluster_look(const cluster_tile<ITEM> &tile, CODE const &code, uint32_t n)
{
    typedef typename ITEM::BITS BITS;
    __syncthreads();
    BITS const     differ = tile.shared->ones & tile.shared->zeros;
    BITS const     mine = code.fold(ITEM::bits(tile.words[threadIdx.x]));
    unsigned const low = radix_low_bit(differ), high = radix_high_bit(differ);
    unsigned const from =
        radix_prefix<CLUSTER_PREFIX>(mine, tile.first + threadIdx.x < n, low, high);
    if (threadIdx.x == 0)
        tile.shared->alike = high - low > CLUSTER_PREFIX && from == low;
}

/* The keys of a thread when the tile is sorted. */
template <typename ITEM> struct cluster_keys {
    typedef typename ITEM::BITS BITS;

    BITS     bits[CLUSTER_ITEMS];
    uint32_t place[CLUSTER_ITEMS], source[CLUSTER_ITEMS]; /* in the sorted array, before the sort */

    /* Reads the keys of a tile that is sorted by the bits from `shift` on; `whole`: by all bits.
     * Returns whether too many keys share a prefix. */
    template <typename CODE>
    DEVICE bool read(const cluster_tile<ITEM> &tile, CODE const &code, uint32_t n, unsigned shift,
                     bool whole)
    {
        bool too_long = false;
#pragma unroll
        for (int i = 0; i < CLUSTER_ITEMS; i++) {
            uint32_t const at = threadIdx.x + i * blockDim.x;
            place[i] = tile.first + at;
            if (i >= tile.items || place[i] >= n)
                continue;
            typename ITEM::WORD const word = tile.words[at];
            bits[i] = ITEM::bits(word);
            source[i] = ITEM::beside ? tile.index[at] : (uint32_t)word;
            if (!whole)
                place[i] =
                    cluster_place(tile, code, shift, place[i], n, code.fold(bits[i]), &too_long);
        }
        return too_long;
    }
};

/* Sorts the cluster by the bits in which the keys differ. */
template <typename ITEM, typename CODE, typename BITS = typename ITEM::BITS>
static DEVICE void cluster_sort(const cluster_tile<ITEM> &tile, CODE const &code, uint32_t n,
                                cluster_keys<ITEM> &keys)
{
    bool           alike;
    BITS const     differ = cluster_differ(tile.shared, &alike);
    unsigned const low = radix_low_bit(differ), high = radix_high_bit(differ);
    unsigned       from = high - low > CLUSTER_PREFIX && !alike ? high - CLUSTER_PREFIX : low;
    for (;;) {
        for (unsigned shift = from; shift < high; shift += RADIX_BITS)
            cluster_step(tile, code, shift, (1u << min(high - shift, (unsigned)RADIX_BITS)) - 1);
        bool const too_long = keys.read(tile, code, n, from, from == low);
        if (from == low)
            return;
        if (too_long)
            for (unsigned b = 0; b < cluster_size(); b++)
                cluster_store(cluster_address(&tile.shared->too_long, b), 1u);
        cluster_arrive();
        cluster_wait();
        if (tile.shared->too_long == 0)
            return;
        from = low;
    }
}

/* Writes the sorted keys and, if INDEXED, the values or the indices. */
template <bool INDEXED, typename ITEM, typename CODE, typename BITS = typename ITEM::BITS>
static DEVICE void cluster_write(const cluster_tile<ITEM> &tile, CODE const &code,
                                 const radix_job &job, const cluster_keys<ITEM> &keys)
{
    bool const pairs = INDEXED && job.source == NULL;
    uint64_t   value[INDEXED ? CLUSTER_ITEMS : 1];
    auto const is_there = [&](int i) {
        return i < tile.items && tile.first + threadIdx.x + i * blockDim.x < (uint32_t)job.n;
    };
#pragma unroll
    for (int i = 0; i < CLUSTER_ITEMS; i++) {
        if (!is_there(i))
            continue;
        small_put_key(job, code, keys.place[i], keys.bits[i]);
        if (INDEXED)
            value[i] = pairs ? load_sized<uint64_t>(job.values[0], keys.source[i], job.value_size)
                             : keys.source[i];
    }
    if (!INDEXED)
        return;
    if (pairs) { /* wait until all values are in registers */
        cluster_arrive();
        cluster_wait();
    }
#pragma unroll
    for (int i = 0; i < CLUSTER_ITEMS; i++)
        if (is_there(i))
            store_sized<uint64_t>((char *)job.values[0] + (size_t)keys.place[i] * job.value_out,
                                  job.value_out, value[i]);
}
#endif

template <typename CODE, bool INDEXED, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(CLUSTER_THREADS)
    radix_cluster_kernel(radix_job const job, CODE const code, unsigned const items)
{
#ifdef HAVE_CLUSTERS
    typedef cluster_item<CODE, INDEXED> ITEM;
    typedef typename ITEM::WORD         WORD;
    extern __shared__ uint4             cluster_memory[];
    /* Parts of more keys of four bytes take as long as digits, or are too long for a block. */
    if constexpr (!INDEXED)
        if ((sizeof(BITS) == 8 || items <= CLUSTER_ITEMS / 2) &&
            parts_sort((parts_shared<BITS> *)cluster_memory, code, job, blockDim.x * items))
            return;
    auto *const              shared = (cluster_shared<BITS> *)cluster_memory;
    uint32_t const           places = blockDim.x * items, n = (uint32_t)job.n;
    WORD *const              words = (WORD *)(shared + 1);
    uint32_t *const          index = (uint32_t *)(words + 2 * places);
    cluster_tile<ITEM> const tile = {
        shared,         words,  words + places,          index,
        index + places, places, UINT32_MAX / places + 1, cluster_rank() * places,
        items};
    if (threadIdx.x == 0) {
        shared->ones = 0;
        shared->zeros = 0;
        shared->too_long = 0;
    }
    __syncthreads();
    cluster_read_tile(tile, code, job);
    cluster_look(tile, code, n);
    cluster_keys<ITEM> keys;
    cluster_sort(tile, code, n, keys);
    cluster_write<INDEXED>(tile, code, job, keys);
#endif
}

/* ---- the launch ----------------------------------------------------------------------------- */

struct cluster_shape {
    unsigned blocks, items; /* items: keys per thread */
};

/* Clusters of eight blocks are always possible. Sixteen blocks need that many multiprocessors in
 * one graphics processing cluster. There are at most eight of these, each with up to nine pairs of
 * multiprocessors, so one has at least eight pairs if there are more than 8 * 7 * 2. A limited
 * context gets its multiprocessors in groups of eight. */
static cluster_shape shape_of(const cuda_call *call, size_t n)
{
    bool const sixteen =
        call->facts->capability == 90 && call->facts->sms > 112 && !call->facts->limited;
    cluster_shape shape;
    shape.blocks = n > CUDA_TUNE_RADIX_CLUSTER_8 && sixteen ? 16 : 8;
    shape.items = (unsigned)ordo_div_up(n, (size_t)shape.blocks * CLUSTER_THREADS);
    return shape;
}

template <bool INDEXED, typename CODE>
static ordo_status launch(cuda_call *call, const radix_job *job, CODE code,
                          const cluster_shape *shape)
{
    typedef cluster_item<CODE, INDEXED> ITEM;
    auto *const                         kernel = radix_cluster_kernel<CODE, INDEXED>;
    size_t const                        places = (size_t)CLUSTER_THREADS * shape->items;
    /* the largest size, because calls of other threads may be in progress */
    TRY(cuda_allow_shared(call, kernel, cluster_bytes<ITEM, INDEXED>(CLUSTER_PLACES)));
    CUDA_TRY(call->exec,
             cluster_launch(call, kernel, shape->blocks, CLUSTER_THREADS,
                            cluster_bytes<ITEM, INDEXED>(places), *job, code, shape->items));
    return ORDO_OK;
}

bool radix_fits_cluster(const cuda_call *call, const radix_job *job)
{
    typedef cluster_item<radix_code<uint64_t, true, true>, true> widest;
    cluster_shape const                                          shape = shape_of(call, job->n);
    return call->facts->capability >= 90 && shape.items <= CLUSTER_ITEMS &&
           cluster_bytes<widest, false>(CLUSTER_PLACES) <= call->facts->shared_bytes;
}

ordo_status radix_cluster(cuda_call *call, const radix_job *job, ordo_type type, bool descending)
{
    bool const          ties = job->value_size != 0;
    cluster_shape const shape = shape_of(call, job->n);
    if (ties)
        return with_radix_code<true>(type, descending, KEY_TOTAL, [&](auto code) {
            return launch<true>(call, job, code, &shape);
        });
    return with_radix_code<false>(type, descending, KEY_TOTAL, [&](auto code) {
        return launch<false>(call, job, code, &shape);
    });
}
