/* dev_partition.cu - stable split of an array by flags.
 *
 * dev_flags.cu counts the set flags of each span and packs byte flags. A block then goes through
 * its span in tiles. The place of an element in its group is a binary prefix sum: a population
 * count of the flags before it in its word plus the counts of the words before. Elements go to
 * shared memory in their new order, and from there to the two ranges of the output, 16 bytes at a
 * time. For few elements one cluster counts and exchanges totals in one launch. Elements of 1, 2,
 * 4, 8 and 16 bytes with that alignment pass through registers; others move as several units. Reads
 * n elements, the flags and n/8 bytes of packed flags; writes n elements. Scratch: dev_flags.cuh,
 * and 8 bytes. The call waits for the size of the first group if wanted. */
#include "cuda/block/block_cluster.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/scan/dev_flags.cuh"

static constexpr int RANGE_ALIGN = 16;

/* The first offset from `from` on, rounded up, that is congruent to `out` modulo 16, so that
 * vectors of 16 bytes match. */
static DEVICE unsigned range_offset(unsigned from, const void *out)
{
    return (from + RANGE_ALIGN - 1) / RANGE_ALIGN * RANGE_ALIGN +
           (unsigned)((uintptr_t)out % RANGE_ALIGN);
}

/* Writes `bytes` from shared memory at `offset` to `out`, in vectors of 16 bytes and single units
 * at the ends. All arguments are multiples of sizeof(UNIT). Called by all threads of a block after
 * a barrier. */
template <typename UNIT>
static DEVICE void range_write(char *out, const char *shared, unsigned offset, unsigned bytes)
{
    unsigned const gap = (unsigned)(-(uintptr_t)out % RANGE_ALIGN);
    unsigned const head = gap < bytes ? gap : bytes;
    unsigned const body = (bytes - head) / RANGE_ALIGN * RANGE_ALIGN;
    const char    *from = shared + offset;

    if (threadIdx.x < head / sizeof(UNIT))
        ((UNIT *)out)[threadIdx.x] = ((const UNIT *)from)[threadIdx.x];
    for (unsigned at = threadIdx.x * RANGE_ALIGN; at < body; at += blockDim.x * RANGE_ALIGN)
        __stcs((uint4 *)(out + head + at), *(const uint4 *)(from + head + at));
    if (threadIdx.x < (bytes - head - body) / sizeof(UNIT))
        ((UNIT *)(out + head + body))[threadIdx.x] =
            ((const UNIT *)(from + head + body))[threadIdx.x];
}

struct split_work {
    flag_spans      spans;
    ordo_flags_kind kind; /* kind of `flags`, which are the caller's flags or packed from them */
    const uint8_t  *flags;
    bool            aligned; /* flags may be read 16 bytes at a time */
    const char     *in;
    char           *out;
    unsigned        units;       /* units of an element */
    bool            wide;        /* `in` can be read by vectors */
    bool            unset_first; /* the first group consists of the elements whose flags are not
                                  * set */
    uint64_t       *n_first;
};

/* A warp handles WORDS words of flags and their elements; a lane reads PACK consecutive elements at
 * a time. ONE: an element is one unit. H200, 2^28 elements of 4 bytes, us for 16 and 32 words: 712,
 * 638. */
template <typename UNIT, bool ONE> struct split_shape {
    enum {
        WORDS = !ONE ? 8 : sizeof(UNIT) <= 4 ? 32 : 128 / sizeof(UNIT),
        PACK = ONE && sizeof(UNIT) <= 2 ? 4 : 1,
        ROW = 32 * PACK, /* elements that a warp reads at a time */
        ROWS = WORDS * 32 / ROW,
        TILE = FLAGS_WARPS * WORDS * 32,
        ELEMENT_BYTES = ONE ? sizeof(UNIT) : 16,
        SHARED_BYTES = TILE * ELEMENT_BYTES + 3 * RANGE_ALIGN
    };
    static_assert(FLAGS_TILE % TILE == 0, "a span is whole tiles");
    static_assert(WORDS % PACK == 0, "rows are whole words");
};

/* Where the elements of a warp go in shared memory. Lane i holds word i. */
struct split_places {
    unsigned first, second; /* offset in bytes of each group */
    unsigned before;        /* first-group elements in the tile before this lane's word */
    uint32_t word;          /* which of its elements belong to the first group */
};

/* A mask of the first-group elements among the OF_WARP elements from `at` on, 32 per lane. */
template <unsigned OF_WARP, bool SMALL>
static DEVICE uint32_t split_word(const split_work &work, size_t at, size_t end)
{
    size_t const   limit = at + OF_WARP < end ? at + OF_WARP : end;
    size_t const   mine = at + lane_id() * FLAGS_OF_WORD;
    uint32_t const word =
        !SMALL || work.kind == ORDO_FLAG_BITS
            ? warp_read_flags<ORDO_FLAG_BITS>(work.flags, at, limit, work.aligned)
            : warp_read_flags<ORDO_FLAG_BYTES>(work.flags, at, limit, work.aligned);
    if (!work.unset_first || mine >= limit)
        return word;
    return ~word & (limit - mine < FLAGS_OF_WORD ? (1u << (limit - mine)) - 1 : WARP_ALL);
}

struct split_sums {
    uint64_t before;  /* first-group elements before those of this block */
    uint64_t n_first; /* first-group elements in all */
};

/* Called by all threads; the block handles elements [start, end). SMALL: the blocks are one
 * cluster, and each counts the flags of its single tile. */
template <unsigned OF_WARP, bool SMALL>
static DEVICE split_sums split_sum(const split_work &work, size_t start, size_t end)
{
    if constexpr (SMALL) {
        __shared__ uint64_t totals[FLAGS_WARPS], place;
        size_t const        at = start + threadIdx.x / WARP_LANES * OF_WARP;
        uint64_t const      here = (uint64_t)__popc(split_word<OF_WARP, SMALL>(work, at, end));
        uint64_t const      total = block_reduce<scan_add<uint64_t>, FLAGS_WARPS>(here, totals);
        cluster_sums<uint64_t> const sums = cluster_scan<scan_add<uint64_t>>(total, &place);
        return {sums.before, sums.total};
    }
    flag_sums const sums = flags_sum(work.spans);
    if (work.unset_first)
        return {start - sums.before, work.spans.n - sums.total};
    return {sums.before, sums.total};
}

/* What a warp holds of a tile: elements of one unit; larger ones are read when they are moved. */
template <typename UNIT, bool ONE> struct split_elements {
    typedef split_shape<UNIT, ONE> SHAPE;
    static constexpr unsigned      ROWS = SHAPE::ROWS, ROW = SHAPE::ROW;
    static constexpr unsigned      WORDS = SHAPE::WORDS, PACK = SHAPE::PACK;
    typedef vector_of<UNIT, PACK>  VECTOR;

    VECTOR of[ONE ? ROWS : 1];

    /* Reads the elements of the warp from `position` on, of `count` in the tile. */
    DEVICE void read(const UNIT *in, unsigned position, unsigned count, bool wide)
    {
        unsigned const first = position + lane_id() * PACK;
        if (wide && position + WORDS * 32 <= count) {
#pragma unroll
            for (unsigned row = 0; row < ROWS; row++)
                of[row] = *(const VECTOR *)(in + first + row * ROW);
        } else {
#pragma unroll
            for (unsigned row = 0; row < ROWS; row++)
#pragma unroll
                for (unsigned i = 0; i < PACK; i++) {
                    unsigned const here = first + row * ROW + i;
                    if (here < count)
                        of[row].at[i] = in[here];
                }
        }
    }

    /* Moves the elements of the warp to shared memory. `units`: of an element. */
    DEVICE void move(const UNIT *in, unsigned position, unsigned count, unsigned units,
                     const split_places &places, char *shared) const
    {
        unsigned const lane = lane_id();
        unsigned const bytes = ONE ? sizeof(UNIT) : units * sizeof(UNIT);
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++) {
            unsigned const from = row * PACK + lane * PACK / WARP_LANES;
            unsigned const bit = lane * PACK % WARP_LANES;
            unsigned const at = position + from * WARP_LANES + bit;
            uint32_t const word = __shfl_sync(WARP_ALL, places.word, from);
            unsigned       firsts = __shfl_sync(WARP_ALL, places.before, from) +
                              (unsigned)__popc(word & ((1u << bit) - 1));
#pragma unroll
            for (unsigned i = 0; i < PACK; i++) {
                bool const     is_first = (word >> (bit + i) & 1) != 0;
                unsigned const place = is_first ? places.first + firsts * bytes
                                                : places.second + (at + i - firsts) * bytes;
                UNIT *const    to = (UNIT *)(shared + place);
                firsts += is_first;
                if (at + i >= count)
                    continue;
                if constexpr (ONE) {
                    *to = of[row].at[i];
                } else {
                    for (unsigned u = 0; u < units; u++)
                        to[u] = in[(at + i) * units + u];
                }
            }
        }
    }
};

template <typename UNIT, bool ONE, bool SMALL>
static __global__ void __launch_bounds__(FLAGS_THREADS, CUDA_TUNE_SPLIT_RESIDENT)
    split_tiles(split_work work)
{
    typedef split_shape<UNIT, ONE> SHAPE;
    constexpr unsigned             TILE = SHAPE::TILE, OF_WARP = SHAPE::WORDS * 32;

    __shared__ __align__(16) char shared[SHAPE::SHARED_BYTES];
    __shared__ uint32_t           totals[FLAGS_WARPS];
    flag_spans const             &spans = work.spans;
    size_t const     start = blockIdx.x * spans.span < spans.n ? blockIdx.x * spans.span : spans.n;
    size_t const     end = spans.n - start < spans.span ? spans.n : start + spans.span;
    unsigned const   bytes = ONE ? sizeof(UNIT) : work.units * sizeof(UNIT);
    split_sums const sums = split_sum<OF_WARP, SMALL>(work, start, end);
    char            *first_out = work.out + sums.before * bytes;
    char            *second_out = work.out + (sums.n_first + start - sums.before) * bytes;

    if (blockIdx.x == 0 && threadIdx.x == 0)
        *work.n_first = sums.n_first;
    for (size_t tile = start; tile < end; tile += TILE) {
        unsigned const            count = (unsigned)(end - tile < TILE ? end - tile : TILE);
        unsigned const            position = threadIdx.x / WARP_LANES * OF_WARP; /* of the warp */
        const UNIT *const         in = (const UNIT *)(work.in + tile * bytes);
        split_elements<UNIT, ONE> elements;
        split_places              places;

        if constexpr (ONE)
            elements.read(in, position, count, work.wide);
        places.word = split_word<OF_WARP, SMALL>(work, tile + position, end);
        uint32_t const             here = (uint32_t)__popc(places.word);
        uint32_t const             to_here = warp_scan<scan_add<uint32_t>>(here);
        block_sums<uint32_t> const block = block_scan_warps<scan_add<uint32_t>, FLAGS_WARPS>(
            __shfl_sync(WARP_ALL, to_here, WARP_LANES - 1), totals);
        places.before = block.before + to_here - here;
        places.first = range_offset(0, first_out);
        places.second = range_offset(places.first + block.total * bytes, second_out);
        elements.move(in, position, count, work.units, places, shared);
        __syncthreads();
        range_write<UNIT>(first_out, shared, places.first, block.total * bytes);
        range_write<UNIT>(second_out, shared, places.second, (count - block.total) * bytes);
        first_out += (size_t)block.total * bytes;
        second_out += (size_t)(count - block.total) * bytes;
        __syncthreads();
    }
    if constexpr (SMALL)
        cluster_leave();
}

static void layout(cuda_scratch *scratch, const ordo_partition_job *job, split_work *work)
{
    work->n_first = scratch_take<uint64_t>(scratch, 1);
    flags_layout(scratch, job->kind, job->flags, job->n, true, &work->spans);
}

size_t dev_partition_scratch(const ordo_partition_job *job)
{
    split_work work;
    return scratch_of(layout, job, &work);
}

/* Tries one launch of one cluster, for few elements. */
template <typename UNIT, bool ONE>
static bool split_small(cuda_call *call, const ordo_partition_job *job, split_work work)
{
    constexpr size_t TILE = split_shape<UNIT, ONE>::TILE;
    size_t const     tiles = ordo_div_up(job->n, TILE);
    work.spans.span = TILE;
    work.kind = job->kind;
    work.flags = (const uint8_t *)job->flags;
    work.aligned = flags_aligned(job->flags);
    return cluster_fits(call, tiles) && cluster_try(call, split_tiles<UNIT, ONE, true>,
                                                    cluster_grid(tiles), FLAGS_THREADS, work);
}

template <typename UNIT, bool ONE>
static ordo_status split_as(cuda_call *call, const ordo_partition_job *job, const split_work *work)
{
    if (split_small<UNIT, ONE>(call, job, *work))
        return ORDO_OK;
    TRY(flags_count(call, job->kind, job->flags, &work->spans));
    return CUDA_LAUNCH(call, (split_tiles<UNIT, ONE, false>), work->spans.spans, FLAGS_THREADS, 0,
                       *work);
}

template <typename UNIT>
static ordo_status split(cuda_call *call, const ordo_partition_job *job, split_work *work)
{
    work->units = (unsigned)(job->elem_size / sizeof(UNIT));
    work->wide = (uintptr_t)work->in % sizeof(vector_of<UNIT, split_shape<UNIT, true>::PACK>) == 0;
    if (work->units == 1)
        return split_as<UNIT, true>(call, job, work);
    if constexpr (sizeof(UNIT) < 16)
        return split_as<UNIT, false>(call, job, work);
    return ORDO_E_ARG;
}

/* The largest power of two up to 16 that divides the element size and both addresses. */
static size_t unit_of(const ordo_partition_job *job)
{
    uintptr_t const all = (uintptr_t)job->in | (uintptr_t)job->out | job->elem_size | 16;
    return (size_t)(all & -all);
}

ordo_status dev_partition(cuda_call *call, const ordo_partition_job *job)
{
    split_work work;
    call->exec->algorithm = "split";
    if (job->n == 0) {
        if (job->n_first != NULL)
            *job->n_first = 0;
        return ORDO_OK;
    }
    layout(&call->scratch, job, &work);
    work.in = (const char *)job->in;
    work.out = (char *)job->out;
    work.unset_first = job->unset_first;
    work.kind = ORDO_FLAG_BITS;
    work.flags = work.spans.bits;
    work.aligned = work.spans.aligned;
    size_t const unit = unit_of(job);
    TRY((unit == 1   ? split<uint8_t>
         : unit == 2 ? split<uint16_t>
         : unit == 4 ? split<uint32_t>
         : unit == 8 ? split<uint2>
                     : split<uint4>)(call, job, &work));
    uint64_t n_first = 0;
    if (job->n_first != NULL) {
        TRY(call_fetch(call, &n_first, work.n_first, sizeof n_first));
        *job->n_first = (size_t)n_first;
    }
    return ORDO_OK;
}
