/* dev_radix_even_divide.cuh - one partition of evenly spread keys, by a part of their codes.
 *
 * Equal codes may change their order, so a block ranks the keys of a tile by atomics. It writes
 * whole chunks of 32 bytes at multiples of 32 bytes; the other keys of a bucket wait in shared
 * memory for the next tile. One atomic per tile and bucket reserves the chunks, without look-back.
 * Traffic per key: one read and one write. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_EVEN_DIVIDE_H
#define ORDO_CUDA_SORT_DEV_RADIX_EVEN_DIVIDE_H

#include "cuda/block/block_before.cuh"
#include "cuda/block/block_tile.cuh"
#include "cuda/sort/dev_radix_even_map.cuh"
#include "cuda/sort/dev_radix_memory.cuh"

/* A tile of the second partition: a part of one bucket of the first. */
struct even_tile {
    unsigned bucket;
    uint32_t first, valid;
};

/* The tile with this number; `bucket` is the bucket of an earlier tile. `tiles`, `starts` and
 * `regions` have EVEN_MOST + 1 entries. */
template <int TILE>
static DEVICE even_tile even_find(const uint32_t *tiles, const uint32_t *starts,
                                  const uint32_t *regions, unsigned bucket, uint32_t tile)
{
    while (tiles[bucket + 1] <= tile)
        bucket++;
    uint32_t const before = (tile - tiles[bucket]) * TILE;
    uint32_t const keys = starts[bucket + 1] - starts[bucket];
    return {bucket, regions[bucket] + before, min((uint32_t)TILE, keys - before)};
}

/* The places of a bucket. Blocks take whole chunks of 32 bytes of keys from `first` on, and single
 * places before `first` and, backwards, from the end. Almost all stores then fill whole sectors of
 * 32 bytes; stores to parts of sectors take longer (cuda_tuning.cuh). The first partition has
 * regions with more places than keys; even_close joins the chunks and the single places. */
struct even_room {
    uint32_t start, first, end;

    /* Single place number i. All chunks and single places that are taken fill the bucket. */
    DEVICE uint32_t single(uint32_t i) const
    {
        return i < first - start ? start + i : end - 1 - (i - (first - start));
    }
};

template <int CHUNK> static DEVICE even_room even_room_of(uint32_t start, uint32_t end)
{
    return {start, min((start + CHUNK - 1) / CHUNK * CHUNK, end), end};
}

/* The shared memory of a partition: tables; then, of a size that depends on the number of buckets,
 * the keys and values of a tile in the order of the buckets, and the keys and values that wait for
 * the next tile because they do not fill a chunk. */
template <typename CODE, typename VALUE> struct alignas(16) even_shared {
    typedef typename CODE::BITS BITS;
    static constexpr unsigned   CHUNK = 32 / sizeof(BITS);
    static constexpr unsigned   WAIT = CHUNK - 1; /* most keys of a bucket that wait */

    uint32_t count[EVEN_MOST]; /* keys of each bucket; then their first place above their number */
    uint32_t to[EVEN_MOST];    /* where the keys of a bucket go, minus their place in the tile */
    uint32_t end[EVEN_MOST];   /* the end of the bucket */
    uint32_t sums[EVEN_WARPS], total; /* total: keys that are written */
    uint32_t tiles[EVEN_MOST + 1], starts[EVEN_MOST + 1], regions[EVEN_MOST + 1];
    uint32_t bend[EVEN_PARTS];

    static __host__ __device__ constexpr size_t bytes(unsigned tile, unsigned most)
    {
        return sizeof(even_shared) +
               (tile + 2 * WAIT * most) * (sizeof(BITS) + value_traits<VALUE>::size);
    }
};

enum even_level { /* the partitions */
    EVEN_FIRST,
    EVEN_SECOND
};

/* A partition by one part of the codes. The first partition makes the indices. Every block takes
 * consecutive tiles. Thread b also does the work of bucket b. */
template <even_level LEVEL, int ITEMS, typename MAP, typename CODE, typename VALUE>
struct even_divider {
    typedef typename CODE::BITS      BITS;
    typedef even_shared<CODE, VALUE> SHARED;
    static constexpr bool            SECOND = LEVEL == EVEN_SECOND;
    static constexpr bool            INDEX = value_traits<VALUE>::exists;
    static constexpr bool            CARRIED = INDEX && SECOND;
    static constexpr unsigned        TILE = EVEN_THREADS * ITEMS, CHUNK = SHARED::CHUNK;
    static constexpr unsigned        WAIT = SHARED::WAIT;
    static constexpr unsigned EACH = CHUNK / 2; /* keys that a thread writes at once */
    static constexpr unsigned TO = !SECOND;     /* the arrays that are written */
    struct alignas(EACH * sizeof(BITS)) key_vector {
        BITS key[EACH];
    };
    struct alignas(EACH * sizeof(uint32_t)) value_vector {
        VALUE value[EACH];
    };

    const radix_job   &job;
    CODE const        &code;
    const even_tables &tables;
    MAP const         &map;
    SHARED            *shared;
    BITS              *keys; /* in shared memory */
    VALUE             *values;
    uint32_t           last; /* end of the tiles of this block */
    even_tile          tile;
    uint32_t           first, waits; /* of bucket b: place of the first chunk; keys that wait */
    BITS               key[ITEMS];
    VALUE              value[CARRIED ? ITEMS : 1];
    uint32_t           ranked[ITEMS]; /* rank above bucket */

    DEVICE unsigned most(void) const { return tables.shape.most; }
    /* Keys that wait are after the keys of the tile, by bucket and number. */
    DEVICE unsigned waiting(unsigned bucket, unsigned number) const
    {
        return TILE + WAIT * most() + number * most() + bucket;
    }
    DEVICE unsigned bucket_of(BITS raw) const
    {
        uint32_t const of = map.of(code, raw);
        return SECOND ? of - tile.bucket * tables.shape.below : tables.shape.part(of);
    }
    DEVICE even_tile find(uint32_t number, unsigned bucket) const
    {
        if (number >= last)
            return {EVEN_MOST, 0, 0};
        if (SECOND)
            return even_find<TILE>(shared->tiles, shared->starts, shared->regions, bucket, number);
        return {0, number * TILE, min(TILE, (uint32_t)job.n - number * TILE)};
    }
    template <typename F> static DEVICE void each(uint32_t valid, F &&f)
    {
        tile_each<EVEN_THREADS, ITEMS>(valid, f);
    }
    DEVICE void load(even_tile const &from)
    {
        const BITS *const at = (const BITS *)(SECOND  ? job.keys[1 - TO]
                                              : INDEX ? job.source
                                                      : job.keys[0]) +
                               from.first;
        each(from.valid, [&](int i, unsigned p) { load_global(key[i], at + p); });
        if constexpr (CARRIED) {
            const VALUE *const values_at = (const VALUE *)job.values[1 - TO] + from.first;
            each(from.valid, [&](int i, unsigned p) { load_global(value[i], values_at + p); });
        }
    }

    DEVICE even_room room_of(unsigned bucket) const
    {
        if (SECOND) {
            const uint64_t *const at =
                tables.bounds + (size_t)tile.bucket * tables.shape.below + bucket;
            return even_room_of<CHUNK>((uint32_t)at[0], (uint32_t)at[1]);
        }
        return {tables.regions[bucket], tables.regions[bucket], tables.regions[bucket + 1]};
    }
    DEVICE uint32_t *group(unsigned bucket) const
    {
        return tables.groups + tile.bucket * tables.shape.below + bucket;
    }
    /* Take chunks or single places of a bucket, and return the number of the first. */
    DEVICE uint32_t take(unsigned bucket, uint32_t chunks) const
    {
        return SECOND ? atomicAdd(group(bucket), chunks) & 0xffff
                      : atomicAdd(tables.counts + bucket, chunks);
    }
    DEVICE uint32_t take_singles(unsigned bucket, uint32_t count) const
    {
        return SECOND ? atomicAdd(group(bucket), count << 16) >> 16
                      : atomicAdd(tables.state->singles + bucket, count);
    }
    /* Writes the key at `from` to single place `number` of a bucket. A region may be too small;
     * even_close finds that. */
    DEVICE void write_single(even_room const &room, uint32_t number, unsigned from) const
    {
        if (!SECOND && number >= room.end - room.start)
            return;
        uint32_t const to = room.single(number);
        ((BITS *)job.keys[TO])[to] = keys[from];
        if constexpr (INDEX)
            ((VALUE *)job.values[TO])[to] = values[from];
    }

    DEVICE void begin_bucket(void)
    {
        bool const      mine = threadIdx.x < (SECOND ? tables.shape.below : tables.shape.parts);
        even_room const room = mine ? room_of(threadIdx.x) : even_room{0, 0, 0};
        first = room.first;
        shared->end[threadIdx.x] = room.end;
    }

    /* Ranks the keys of the tile after the keys that wait. */
    DEVICE void rank(void)
    {
        tile_count<EVEN_THREADS, ITEMS>(
            tile.valid, shared->count, [&](int i) { return bucket_of(key[i]); },
            [&](int i, unsigned bucket, uint32_t rank) { ranked[i] = rank << 16 | bucket; });
        __syncthreads();
    }

    /* Orders the keys of the tile by buckets, in shared memory: whole chunks, and keys that wait.
     * The next tile is loaded meanwhile. */
    DEVICE void place(even_tile const &next)
    {
        unsigned const me = threadIdx.x;
        uint32_t const count = shared->count[me], full = count / CHUNK * CHUNK;
        uint32_t const taken = full != 0 ? take(me, full / CHUNK) : 0;
        uint32_t const start = block_sum_before<EVEN_WARPS>(full, shared->sums);
        shared->count[me] = start << 16 | full;
        if (me == EVEN_THREADS - 1)
            shared->total = start + full;
        if (full != 0) /* the keys that waited come first */
#pragma unroll 1
            for (unsigned j = 0; j < waits; j++) {
                keys[start + j] = keys[waiting(me, j)];
                if constexpr (INDEX)
                    values[start + j] = values[waiting(me, j)];
            }
        waits = count % CHUNK;
        __syncthreads();
        each(tile.valid, [&](int i, unsigned p) {
            unsigned const bucket = ranked[i] & 0xffff, rank = ranked[i] >> 16;
            uint32_t const here = shared->count[bucket], filled = here & 0xffff;
            unsigned const to =
                rank < filled ? (here >> 16) + rank : waiting(bucket, rank - filled);
            keys[to] = key[i];
            if constexpr (CARRIED)
                values[to] = value[i];
            else if constexpr (INDEX)
                values[to] = (VALUE)(tile.first + p);
        });
        shared->to[me] = first + taken * CHUNK - start;
        load(next);
        __syncthreads();
    }

    /* Writes the chunks. The last chunk of a bucket may have no room as a whole. */
    DEVICE void write(void) const
    {
        uint32_t const total = shared->total;
#pragma unroll 1
        for (unsigned at = threadIdx.x * EACH; at < total; at += EVEN_THREADS * EACH) {
            key_vector const moved = *(const key_vector *)(keys + at);
            unsigned const   bucket = bucket_of(moved.key[0]);
            uint32_t const   to = shared->to[bucket] + at;
            if ((to | WAIT) < shared->end[bucket]) {
                *(key_vector *)((BITS *)job.keys[TO] + to) = moved;
                if constexpr (INDEX)
                    *(value_vector *)((VALUE *)job.values[TO] + to) =
                        *(const value_vector *)(values + at);
            } else if (SECOND)
#pragma unroll 1
                for (unsigned k = 0; k < EACH; k++)
                    write_single(room_of(bucket), take_singles(bucket, 1), at + k);
        }
    }

    /* Writes the keys of bucket b that wait. */
    DEVICE void end_bucket(void)
    {
        if (waits == 0)
            return;
        even_room const room = room_of(threadIdx.x);
        uint32_t const  number = take_singles(threadIdx.x, waits);
#pragma unroll 1
        for (unsigned j = 0; j < waits; j++)
            write_single(room, number + j, waiting(threadIdx.x, j));
        waits = 0;
    }

    DEVICE void run(void)
    {
        unsigned const me = threadIdx.x;
        if (SECOND)
            for (unsigned i = me; i <= EVEN_MOST; i += EVEN_THREADS) {
                shared->tiles[i] = tables.tiles[i];
                shared->starts[i] = tables.starts[i];
                shared->regions[i] = tables.regions[i];
            }
        shared->count[me] = 0;
        __syncthreads();
        uint64_t const tiles = SECOND ? shared->tiles[EVEN_MOST] : (job.n - 1) / TILE + 1;
        uint32_t       number = (uint32_t)(tiles * blockIdx.x / gridDim.x);
        keys = (BITS *)(shared + 1);
        values = (VALUE *)(keys + TILE + 2 * WAIT * most());
        last = (uint32_t)(tiles * (blockIdx.x + 1) / gridDim.x);
        waits = 0;
        tile = find(number, 0);
        if (number >= last)
            return;
        load(tile);
        begin_bucket();
        for (; number < last; number++) {
            rank();
            even_tile const next = find(number + 1, tile.bucket);
            place(next);
            write();
            bool const ends = next.bucket != tile.bucket;
            if (ends)
                end_bucket();
            shared->count[me] = waits;
            tile = next;
            __syncthreads();
            if (SECOND && ends && tile.valid != 0)
                begin_bucket();
        }
    }
};

template <even_level LEVEL, int ITEMS, typename CODE, typename VALUE, typename MAP>
static DEVICE void even_divide(const radix_job &job, CODE const &code, const even_tables &tables,
                               MAP const &map, even_shared<CODE, VALUE> *shared)
{
    even_divider<LEVEL, ITEMS, MAP, CODE, VALUE> divider = {job, code, tables, map, shared};
    divider.run();
}

template <even_level LEVEL, int ITEMS, typename CODE, typename VALUE>
static __global__ void __launch_bounds__(EVEN_THREADS, 2)
    even_partition(__grid_constant__ radix_job const job, __grid_constant__ CODE const code,
                   __grid_constant__ even_tables const tables)
{
    extern __shared__ uint4 even_memory[];
    auto *const             shared = (even_shared<CODE, VALUE> *)even_memory;
    if (tables.state->go != 0 && tables.state->failed == 0)
        with_even_map<CODE>(tables.state, shared->bend, [&](auto const &map) {
            even_divide<LEVEL, ITEMS, CODE, VALUE>(job, code, tables, map, shared);
        });
}

#endif
