/* dev_select_sample.cu - brackets for wanted positions, from a random sample on the device.
 *
 * The first kernel draws 2048 keys, sorts them and stores them as splitters. The second draws 2^18
 * or more keys and counts them at and between splitters; its last block adds the counts. Of m drawn
 * keys about x = m k/n are smaller than the k-th key, plus or minus a few times sqrt(x (1 - x/m));
 * the splitters at that distance on either side are the bracket. Draw i is one key of the i-th of m
 * equal parts, at a place given by a hash of i. Overlapping brackets are merged; a word that many
 * draws hit gets its own interval; several brackets may be widened to buckets of a map
 * (block_select_read.cuh). The plan is void if the sweep would keep more keys than there is room
 * for. Reads 32 bytes per draw. Scratch: 33 KB. */
#include "cuda/select/dev_select.cuh"
#include "cuda/warp/first_where.cuh"

enum {
    LG_SPLITTERS = 11,
    SPLITTERS = 1 << LG_SPLITTERS,
    CELLS = 2 * SPLITTERS + 1, /* even cells: before, between and after splitters; odd cells: at a
                                * splitter */
    THREADS = 1024,
    CELL_SHARE = CELLS / THREADS, /* one cell is left over */
    AT_ONCE = 2,                  /* draws of a thread that are read at the same time */
    SLACK = 2,                    /* draws added to each side of a bracket */
    LEAST_HEAVY = 16              /* fewest draws that make a word heavy */
};

static_assert(CELL_SHARE * THREADS + 1 == CELLS, "the last cell is behind all threads' shares");

struct sample_scratch {
    uint64_t splitters[SPLITTERS]; /* words of 4 or 8 bytes */
    uint32_t cells[CELLS];
};

size_t select_sample_bytes(void) { return sizeof(sample_scratch); }

static DEVICE uint32_t hash_of(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x7feb352d);
    x ^= x >> 15;
    x *= UINT32_C(0x846ca68b);
    return x ^ x >> 16;
}

/* The place of draw i of 2^lg in an array of n < 2^43 keys. */
static DEVICE size_t place_of_draw(size_t n, size_t i, unsigned lg)
{
    size_t const start = i * n >> lg, end = (i + 1) * n >> lg;
    return start + (size_t)((uint64_t)hash_of((uint32_t)i ^ lg << 24) * (end - start) >> 32);
}

/* Draws and sorts the splitters. Also zeroes the counters of later kernels. */
template <typename CODE>
static __global__ void __launch_bounds__(THREADS)
    splitters_kernel(CODE code, const typename CODE::BITS *keys, size_t n, sample_scratch *out,
                     select_plan *plan, uint64_t *bins, unsigned bins_count)
{
    typedef typename select_word<typename CODE::BITS>::type WORD;
    __shared__ WORD                                         drawn[bitonic_room<WORD>(SPLITTERS)];
    for (unsigned i = threadIdx.x; i < SPLITTERS; i += THREADS)
        drawn[bitonic_at<WORD>(i)] = (WORD)code.encode(keys[place_of_draw(n, i, LG_SPLITTERS)]);
    for (unsigned i = threadIdx.x; i < CELLS; i += THREADS)
        out->cells[i] = 0;
    for (unsigned i = threadIdx.x; i < sizeof *plan / sizeof(uint32_t); i += THREADS)
        ((uint32_t *)plan)[i] = 0;
    for (unsigned i = threadIdx.x; i < bins_count; i += THREADS)
        bins[i] = 0;
    block_bitonic_sort(drawn, SPLITTERS);
    for (unsigned i = threadIdx.x; i < SPLITTERS; i += THREADS)
        ((WORD *)out->splitters)[i] = drawn[bitonic_at<WORD>(i)];
}

struct sample_options { /* the positions, and the limits of the brackets */
    select_positions positions;
    double           n, draws;
    size_t           room; /* keys that the sweep may keep */
    bool             from_first;
};

template <typename WORD> struct sample_shared {
    WORD     splitters[SPLITTERS];
    uint32_t cells[CELLS + 1]; /* counts; later the number of draws before each cell */
    uint32_t totals[THREADS / 32];
    bool     is_last;
};

/* The cell of the draw with this rank: the last cell that begins at or before it. */
static DEVICE unsigned cell_of_rank(const uint32_t *before, double rank)
{
    uint32_t const r = (uint32_t)rank;
    return first_where(1u, (unsigned)CELLS, [&](unsigned cell) { return before[cell] > r; }) - 1;
}

/* The range of words of cells [from, to]; false if it is empty. */
template <typename WORD>
static DEVICE bool words_of_cells(const WORD *splitters, WORD last_word, unsigned from, unsigned to,
                                  WORD *lo, WORD *hi)
{
    unsigned const i = from / 2, j = to / 2;
    bool const     has_lo = from % 2 == 1 || i == 0 || splitters[i - 1] != last_word;
    bool const     has_hi = to % 2 == 1 || j == SPLITTERS || splitters[j] != 0;
    *lo = from % 2 == 1 ? splitters[i] : i == 0 ? 0 : (WORD)(splitters[i - 1] + 1);
    *hi = to % 2 == 1 ? splitters[j] : j == SPLITTERS ? last_word : (WORD)(splitters[j] - 1);
    return has_lo && has_hi && *lo <= *hi;
}

/* Finds the first cells at a splitter in [from, to] with at least `least` draws; returns their
 * number. A bracket of one position rarely has more than two. */
static DEVICE unsigned heavy_cells(const uint32_t *before, unsigned from, unsigned to,
                                   uint32_t least, unsigned (&heavy)[SELECT_HEAVY])
{
    unsigned found = 0;
    for (unsigned cell = from | 1; cell <= to && found < SELECT_HEAVY; cell += 2)
        if (before[cell + 1] - before[cell] >= least)
            heavy[found++] = cell;
    return found;
}

/* The cell of a word: at or between splitters. */
template <typename WORD> static DEVICE unsigned cell_of_word(const WORD *splitters, WORD word)
{
    unsigned at = 0;
    for (unsigned half = SPLITTERS / 2; half > 0; half /= 2)
        at += splitters[at + half - 1] < word ? half : 0;
    at += splitters[at] < word ? 1 : 0;
    return 2 * at + (at < SPLITTERS && splitters[at] == word ? 1 : 0);
}

/* Widens several intervals, one in each lane with has_one, to whole buckets of a map, unless the
 * sweep would then keep more than twice as many keys. */
template <typename CODE, typename WORD>
static DEVICE void make_map(const CODE &code, const sample_shared<WORD> &s, bool has_one,
                            WORD last_word, WORD *lo, WORD *hi, double *kept, select_map *out)
{
    uint32_t const having = __ballot_sync(WARP_ALL, has_one), earlier = having & lanes_before();
    if (__popc(having) < 2)
        return;
    int const                 first = __ffs((int)having) - 1, last = 31 - __clz((int)having);
    int const                 left = earlier == 0 ? first : 31 - __clz((int)earlier);
    WORD const                start = __shfl_sync(WARP_ALL, *lo, first);
    WORD const                end = __shfl_sync(WARP_ALL, *hi, last);
    select_map const          map = map_over(code, start, end);
    select_mapper<CODE> const mapper = mapper_of(map, code);
    unsigned const            from = has_one ? bucket_rank(code, mapper, *lo) : 0;
    unsigned const            to = has_one ? bucket_rank(code, mapper, *hi) : 0;
    unsigned const            to_left = __shfl_sync(WARP_ALL, to, left);
    bool const is_apart = from >= 1 && to <= SELECT_BUCKETS && (earlier == 0 || to_left < from);
    if (__any_sync(WARP_ALL, has_one && !is_apart))
        return;
    WORD   wide_lo = *lo, wide_hi = *hi;
    double now = 0;
    if (has_one) {
        words_of_ranks(code, mapper, from, to, (WORD)0, *lo, *hi, last_word, &wide_lo, &wide_hi);
        now = s.cells[cell_of_word(s.splitters, wide_hi) + 1] -
              s.cells[cell_of_word(s.splitters, wide_lo)];
    }
    __syncwarp();
    if (warp_reduce<scan_add<double>>(now) > 2 * warp_reduce<scan_add<double>>(has_one ? *kept : 0))
        return;
    if (has_one) {
        *lo = wide_lo;
        *hi = wide_hi;
        *kept = now;
    }
    if (lane_id() == 0)
        *out = map;
}

/* Divides cells [from, to] at the words that many draws hit, into ascending intervals of words.
 * Returns their number; *kept becomes the number of draws in intervals of more than one word.
 * Called by one thread. */
template <typename WORD>
static DEVICE unsigned divide_bracket(const sample_shared<WORD> &s, double draws, WORD last_word,
                                      unsigned from, unsigned to, WORD (&lo)[SELECT_PIECES],
                                      WORD (&hi)[SELECT_PIECES], double *kept)
{
    unsigned       heavy[SELECT_HEAVY];
    uint32_t const least = (uint32_t)fmax(draws / CUDA_TUNE_SELECT_HEAVY, (double)LEAST_HEAVY);
    unsigned const heavies = heavy_cells(s.cells, from, to, least, heavy);
    unsigned       at = from, pieces = 0;
    *kept = s.cells[to + 1] - s.cells[from];
    for (unsigned i = 0; i <= heavies; i++) {
        bool const     is_heavy = i < heavies;
        unsigned const until = is_heavy ? heavy[i] : to + 1;
        if (at < until &&
            words_of_cells(s.splitters, last_word, at, until - 1, &lo[pieces], &hi[pieces]))
            pieces++;
        if (is_heavy) {
            lo[pieces] = hi[pieces] = s.splitters[until / 2];
            *kept -= s.cells[until + 1] - s.cells[until];
            pieces++;
        }
        at = until + 1;
    }
    return pieces;
}

/* Makes the plan. Called by one warp; lane t handles position t. s.cells holds the number of draws
 * before each cell. */
template <typename CODE, typename WORD>
static DEVICE void make_plan(const CODE &code, const sample_shared<WORD> &s,
                             const sample_options &options, WORD last_word, select_plan *plan)
{
    unsigned const lane = lane_id(), count = options.positions.count;
    unsigned const mine = lane < count ? lane : 0;
    double const   x = ((double)options.positions.k[mine] + 0.5) / options.n * options.draws;
    double const   reach = CUDA_TUNE_SELECT_SIGMAS * sqrt(x * (1 - x / options.draws)) + SLACK;
    unsigned const from =
        options.from_first || x - reach < 0 ? 0 : cell_of_rank(s.cells, x - reach);
    unsigned const own_to =
        x + reach >= options.draws ? CELLS - 1 : cell_of_rank(s.cells, x + reach);

    /* Positions ascend, and so do both ends of the brackets, so a bracket can overlap only the
     * bracket of the lane before. */
    unsigned const to_left = __shfl_up_sync(WARP_ALL, own_to, 1);
    bool const     is_first = lane < count && (lane == 0 || from > to_left);
    uint32_t const later = __ballot_sync(WARP_ALL, is_first) & ~lanes_to_here();
    unsigned const last = later != 0 ? (unsigned)__ffs((int)later) - 2 : count - 1;
    unsigned const to = __shfl_sync(WARP_ALL, own_to, (int)last);

    WORD     lo[SELECT_PIECES], hi[SELECT_PIECES];
    unsigned pieces = 0;
    double   kept = 0;
    if (is_first)
        pieces = divide_bracket(s, options.draws, last_word, from, to, lo, hi, &kept);
    if (count >= SELECT_MAPPED && !options.from_first && !__any_sync(WARP_ALL, pieces > 1))
        make_map(code, s, pieces == 1, last_word, &lo[0], &hi[0], &kept, &plan->map);
    unsigned const scanned = warp_scan<scan_add<uint32_t>>(pieces);
    for (unsigned i = 0; i < pieces; i++) {
        plan->lo[scanned - pieces + i] = lo[i];
        plan->hi[scanned - pieces + i] = hi[i];
    }
    kept = warp_reduce<scan_add<double>>(kept);
    if (lane == WARP_LANES - 1) {
        plan->intervals = scanned;
        plan->is_void = scanned == 0 ||
                        (kept + 4 * sqrt(kept)) * options.n / options.draws > (double)options.room;
    }
}

/* Turns the draws in each cell, which all blocks have counted, into the draws before each cell.
 * Called by a block. */
template <typename WORD>
static DEVICE void scan_cells(sample_shared<WORD> &s, const uint32_t *cells, unsigned lg_draws)
{
    typedef scan_add<uint32_t> ADD;
    uint32_t                   count[CELL_SHARE], sum = 0;
#pragma unroll
    for (int i = 0; i < CELL_SHARE; i++) {
        count[i] = __ldcg(&cells[threadIdx.x * CELL_SHARE + i]);
        sum += count[i];
    }
    block_sums<uint32_t> const sums = block_scan_threads<ADD, THREADS / 32>(sum, s.totals);
    uint32_t                   before = sums.before;
#pragma unroll
    for (int i = 0; i < CELL_SHARE; i++) {
        s.cells[threadIdx.x * CELL_SHARE + i] = before;
        before += count[i];
    }
    if (threadIdx.x == 0) {
        s.cells[CELLS - 1] = sums.total;
        s.cells[CELLS] = 1u << lg_draws;
    }
}

template <typename CODE>
static __global__ void __launch_bounds__(THREADS)
    sample_kernel(CODE code, const typename CODE::BITS *keys, size_t n, unsigned lg_draws,
                  sample_scratch *scratch, const __grid_constant__ sample_options options,
                  select_plan *plan)
{
    typedef typename select_word<typename CODE::BITS>::type WORD;
    __shared__ sample_shared<WORD> s;
    for (unsigned i = threadIdx.x; i < SPLITTERS; i += THREADS)
        s.splitters[i] = ((const WORD *)scratch->splitters)[i];
    for (unsigned i = threadIdx.x; i < CELLS; i += THREADS)
        s.cells[i] = 0;
    __syncthreads();

    size_t const threads = (size_t)gridDim.x * THREADS;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < (size_t)1 << lg_draws;
         i += threads * AT_ONCE) {
        WORD word[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) /* 2^lg_draws is a multiple of AT_ONCE * threads */
            word[j] = (WORD)code.encode(
                __ldg(keys + place_of_draw(n, i + (size_t)j * threads, lg_draws)));
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            atomicAdd(&s.cells[cell_of_word(s.splitters, word[j])], 1u);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < CELLS; i += THREADS)
        if (s.cells[i] != 0)
            atomicAdd(&scratch->cells[i], s.cells[i]);

    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        s.is_last = atomicAdd(&plan->sampled, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!s.is_last)
        return;
    __threadfence();
    scan_cells(s, scratch->cells, lg_draws);
    __syncthreads();
    if (threadIdx.x < WARP_LANES)
        make_plan(code, s, options, (WORD)(typename CODE::BITS) ~(typename CODE::BITS)0, plan);
}

/* At most one key in 64 is drawn, because a draw reads a sector of 32 bytes. */
static unsigned lg_draws_of(size_t n, unsigned positions)
{
    unsigned lg = positions <= SELECT_FEW    ? CUDA_TUNE_SELECT_LG_FEW
                  : positions <= SELECT_MANY ? CUDA_TUNE_SELECT_LG_MANY
                                             : CUDA_TUNE_SELECT_LG_MOST;
    while (lg > LG_SPLITTERS && n >> lg < 64)
        lg--;
    return lg;
}

ordo_status select_sample(cuda_call *call, const select_work *work, const select_input *input,
                          const select_positions *positions, bool from_first)
{
    unsigned const lg = lg_draws_of(input->n, positions->count);
    size_t const   draws = (size_t)1 << lg;
    size_t const   room = (size_t)work->kept.chunks -
                        select_sweep_blocks(input) * (SELECT_SWEEP_THREADS / WARP_LANES);
    sample_options const options = {*positions, (double)input->n, (double)draws,
                                    room * (CUDA_TUNE_SELECT_CHUNK - WARP_LANES), from_first};
    unsigned             blocks = 1; /* a power of 2, so that every thread draws the same number of
                                   * keys */
    while (blocks * 2 <= draws / (THREADS * AT_ONCE) && blocks * 2 <= (unsigned)call->facts->sms)
        blocks *= 2;
    return with_key_code(input->type, input->descending, input->ties, [&](auto code) {
        typedef typename decltype(code)::BITS BITS;
        const BITS *const                     keys = (const BITS *)input->keys;
        sample_scratch *const                 scratch = (sample_scratch *)work->sample;
        TRY(CUDA_LAUNCH(call, splitters_kernel<decltype(code)>, 1, THREADS, 0, code, keys, input->n,
                        scratch, work->plan, work->bins, SELECT_BINS * work->grids));
        return CUDA_LAUNCH(call, sample_kernel<decltype(code)>, blocks, THREADS, 0, code, keys,
                           input->n, lg, scratch, options, work->plan);
    });
}
