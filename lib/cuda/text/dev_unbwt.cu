/* dev_unbwt.cu - the inverse Burrows-Wheeler transform by segments and list ranking.
 *
 * A stable sort of the bytes gives next[row], the row of the suffix one byte later. Each stretch of
 * rows has one random row where a chain starts, and so has the primary row. A thread walks a chain
 * until it meets the start of another one; a chain that fills its buffer goes on as a new chain in
 * the next launch. Pointer jumping gives the bytes from each chain to the end of the text. The rows
 * are random, so no text makes one chain long. Scratch: 17 bytes per byte. */
#include "cuda/block/block_before.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/text/text.cuh"
#include "cuda/warp/first_where.cuh"
#include "ordo.h"

enum {
    CHAIN_LG = 9, /* lg of the rows of a stretch; an estimate */
    CHAIN_ROWS = 1 << CHAIN_LG,
    CHAIN_BYTES = 2 * CHAIN_ROWS, /* of a buffer: most chains fit */
    CHAIN_WORD = 16,              /* bytes of a store */
    FIRST_BYTES = 256
};

#define NO_CHAIN 0xffffffffu

struct chain_link { /* what follows a chain, and the bytes from its start to the end of that */
    uint32_t next, bytes;
};

struct unbwt_room {
    uint32_t   *next;   /* rows 1 to n at 0 to n - 1; row 0 is the end of the text */
    uint32_t   *counts; /* how often each byte occurs */
    size_t      most;   /* chains */
    uint32_t   *rows;   /* where the chains start */
    chain_link *links[2];
    uint32_t   *lengths;
    uint8_t    *bytes; /* CHAIN_BYTES for each chain */
    uint32_t   *made;  /* number of chains */
};

static size_t stretches(size_t n) { return ordo_div_up(n + 1, CHAIN_ROWS); }

/* Chains that go on fill a buffer each, so there are at most n / CHAIN_BYTES of them. */
static size_t most_chains(size_t n) { return 1 + stretches(n) + n / CHAIN_BYTES + 1; }

static ordo_argsort_job byte_job(const uint8_t *bwt, size_t n, uint32_t *next)
{
    ordo_argsort_job job = {};
    job.type = ORDO_U8;
    job.keys = bwt;
    job.n = n;
    job.index_type = ORDO_U32;
    job.index = next;
    return job;
}

static unbwt_room layout(cuda_scratch *scratch, size_t n)
{
    unbwt_room room = {};
    room.most = most_chains(n);
    room.next = scratch_take<uint32_t>(scratch, n);
    room.counts = scratch_take<uint32_t>(scratch, FIRST_BYTES);
    room.rows = scratch_take<uint32_t>(scratch, room.most);
    room.links[0] = scratch_take<chain_link>(scratch, room.most);
    room.links[1] = scratch_take<chain_link>(scratch, room.most);
    room.lengths = scratch_take<uint32_t>(scratch, room.most);
    room.made = scratch_take<uint32_t>(scratch, 1);
    size_t const     mark = scratch->used;
    ordo_argsort_job sort = byte_job(NULL, n, NULL);
    room.bytes = scratch_take<uint8_t>(scratch, room.most * CHAIN_BYTES);
    /* The sort uses the same memory before. */
    scratch->used = ordo_max(scratch->used, mark + dev_argsort_scratch(&sort));
    return room;
}

size_t dev_unbwt_scratch(const ordo_text_job *job) { return scratch_of(layout, job->n); }

static __global__ void __launch_bounds__(TEXT_THREADS)
    count_bytes(const uint8_t *bwt, size_t n, uint32_t *counts)
{
    __shared__ uint32_t here[FIRST_BYTES];
    here[threadIdx.x] = 0;
    __syncthreads();
    grid_each(n, [&](size_t i) { atomicAdd(&here[bwt[i]], 1u); });
    __syncthreads();
    if (here[threadIdx.x] != 0)
        atomicAdd(&counts[threadIdx.x], here[threadIdx.x]);
}

/* Places of bytes become rows: the primary row has no byte. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    places_to_rows(uint32_t *next, size_t n, size_t primary)
{
    grid_each(n, [&](size_t i) { next[i] += next[i] >= primary; });
}

struct chain_starts {
    uint64_t seed;
    uint32_t primary;
};

/* The row of a stretch where a chain starts. */
static DEVICE uint32_t start_of(const chain_starts &starts, uint32_t stretch)
{
    uint64_t bits = (stretch + starts.seed) * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ bits >> 32) * 0xd6e8feb86659fd93ull;
    return stretch << CHAIN_LG | (uint32_t)(bits >> (64 - CHAIN_LG));
}

/* The chain that starts at a row; NO_CHAIN: none. Chain 0 is that of the primary row. */
static DEVICE uint32_t chain_at(const chain_starts &starts, uint32_t row)
{
    if (row == starts.primary)
        return 0;
    uint32_t const stretch = row >> CHAIN_LG;
    return start_of(starts, stretch) == row ? 1 + stretch : NO_CHAIN;
}

static __global__ void __launch_bounds__(TEXT_THREADS)
    start_chains(chain_starts starts, size_t count, unbwt_room room)
{
    grid_each(count, [&](size_t chain) {
        uint32_t const row = chain == 0 ? starts.primary : start_of(starts, (uint32_t)chain - 1);
        /* Only chain 0 walks from the primary row. The walk from row 0 is empty. */
        room.rows[chain] = chain > 0 && row == starts.primary ? 0 : row;
        if (chain == 0)
            *room.made = (uint32_t)count;
    });
}

static __global__ void __launch_bounds__(TEXT_THREADS)
    walk_chains(chain_starts starts, size_t n, unbwt_room room, uint32_t from, uint32_t to)
{
    /* The row after the last one whose suffix begins with each byte. */
    __shared__ uint32_t ends[FIRST_BYTES], sums[TEXT_THREADS / 32];
    static_assert(FIRST_BYTES == TEXT_THREADS, "a thread for each byte");
    uint32_t const count = room.counts[threadIdx.x];
    ends[threadIdx.x] = 1 + block_sum_before<TEXT_THREADS / 32>(count, sums) + count;
    __syncthreads();
    grid_each(to - from, [&](size_t i) {
        uint32_t const chain = from + (uint32_t)i;
        uint32_t       row = room.rows[chain], length = 0, other = NO_CHAIN;
        uint4 *const   out = (uint4 *)(room.bytes + (size_t)chain * CHAIN_BYTES);
        uint64_t       words[2] = {0, 0};
        while (row != 0 && row <= n) {
            uint32_t const after = __ldg(room.next + row - 1);
            uint32_t const byte = first_where(0u, (uint32_t)FIRST_BYTES - 1,
                                              [&](uint32_t b) { return ends[b] > row; });
            words[length / 8 % 2] |= (uint64_t)byte << length % 8 * 8;
            length++;
            if (length % CHAIN_WORD == 0) {
                out[length / CHAIN_WORD - 1] =
                    make_uint4((uint32_t)words[0], (uint32_t)(words[0] >> 32), (uint32_t)words[1],
                               (uint32_t)(words[1] >> 32));
                words[0] = words[1] = 0;
            }
            row = after;
            other = chain_at(starts, row);
            if (other != NO_CHAIN)
                break;
            if (length == CHAIN_BYTES && row != 0) {
                other = atomicAdd(room.made, 1u);
                if (other < room.most) /* always, for the transform of a text */
                    room.rows[other] = row;
                break;
            }
        }
        if (length % CHAIN_WORD != 0)
            out[length / CHAIN_WORD] = make_uint4((uint32_t)words[0], (uint32_t)(words[0] >> 32),
                                                  (uint32_t)words[1], (uint32_t)(words[1] >> 32));
        room.lengths[chain] = length;
        room.links[0][chain] = {row == 0 ? NO_CHAIN : other, length};
    });
}

static __global__ void __launch_bounds__(TEXT_THREADS)
    jump(const chain_link *from, chain_link *to, size_t chains)
{
    grid_each(chains, [&](size_t i) {
        chain_link link = from[i];
        if (link.next != NO_CHAIN) {
            chain_link const behind = from[link.next];
            link.bytes += behind.bytes;
            link.next = behind.next;
        }
        to[i] = link;
    });
}

/* A warp copies a chain to its place in the text. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    copy_chains(unbwt_room room, const chain_link *links, size_t chains, size_t n, uint8_t *text)
{
    size_t const warps = (size_t)gridDim.x * TEXT_THREADS / 32;
    for (size_t i = ((size_t)blockIdx.x * TEXT_THREADS + threadIdx.x) / 32; i < chains;
         i += warps) {
        uint32_t const       length = room.lengths[i];
        const uint8_t *const from = room.bytes + i * CHAIN_BYTES;
        uint8_t *const       to = text + (n - links[i].bytes);
        for (uint32_t k = threadIdx.x % 32; k < length; k += 32)
            to[k] = from[k];
    }
}

static ordo_status walk(cuda_call *call, const unbwt_room &room, const chain_starts &starts,
                        size_t n, size_t *chains)
{
    uint32_t made = (uint32_t)(1 + stretches(n)), done = 0;
    TRY(CUDA_LAUNCH(call, start_chains, text_grid(call, made), TEXT_THREADS, 0, starts,
                    (size_t)made, room));
    while (done < made) {
        TRY(CUDA_LAUNCH(call, walk_chains, ordo_div_up(made - done, TEXT_THREADS), TEXT_THREADS, 0,
                        starts, n, room, done, made));
        done = made;
        TRY(call_fetch(call, &made, room.made, sizeof made));
        made = (uint32_t)ordo_min(made, room.most);
        if (ordo_poll(call->exec, 0.5))
            return ORDO_E_CANCELLED;
    }
    *chains = made;
    return ORDO_OK;
}

static ordo_status rank_chains(cuda_call *call, const unbwt_room &room, size_t chains,
                               const chain_link **ranked)
{
    int at = 0;
    for (size_t reach = 1; reach < chains; reach *= 2, at = 1 - at)
        TRY(CUDA_LAUNCH(call, jump, text_grid(call, chains), TEXT_THREADS, 0, room.links[at],
                        room.links[1 - at], chains));
    *ranked = room.links[at];
    return ORDO_OK;
}

static ordo_status sort_bytes(cuda_call *call, const ordo_text_job *job, const unbwt_room &room)
{
    size_t const           n = job->n, mark = call->scratch.used;
    ordo_argsort_job const sort = byte_job(job->text, n, room.next);
    CUDA_TRY(call->exec,
             cudaMemsetAsync(room.counts, 0, FIRST_BYTES * sizeof *room.counts, call->stream));
    TRY(CUDA_LAUNCH(call, count_bytes, text_grid(call, n / 16), TEXT_THREADS, 0, job->text, n,
                    room.counts));
    call->scratch.used = (size_t)((char *)room.bytes - call->scratch.base);
    TRY(dev_argsort(call, &sort));
    call->scratch.used = mark;
    return CUDA_LAUNCH(call, places_to_rows, text_grid(call, n), TEXT_THREADS, 0, room.next, n,
                       (size_t)*job->primary);
}

ordo_status dev_unbwt(cuda_call *call, const ordo_text_job *job)
{
    size_t const       n = job->n;
    unbwt_room const   room = layout(&call->scratch, n);
    chain_starts const starts = {call->exec->seed, (uint32_t)*job->primary};
    const chain_link  *ranked;
    chain_link         whole;
    size_t             chains;
    TRY(sort_bytes(call, job, room));
    TRY(walk(call, room, starts, n, &chains));
    TRY(rank_chains(call, room, chains, &ranked));
    TRY(call_fetch(call, &whole, ranked, sizeof whole));
    call->exec->algorithm = "segments";
    call->exec->facts.strategy = 0;
    if (whole.next != NO_CHAIN || whole.bytes != n)
        return ordo_fail(call->exec, ORDO_E_ARG,
                         "bwt is not the transform of a text with primary index %llu: its walk "
                         "does not have %zu bytes",
                         (unsigned long long)*job->primary, n);
    return CUDA_LAUNCH(call, copy_chains, text_grid(call, chains * 32), TEXT_THREADS, 0, room,
                       ranked, chains, n, job->bwt);
}
