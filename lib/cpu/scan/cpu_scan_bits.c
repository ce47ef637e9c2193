/* cpu_scan_bits.c - the binary prefix sum: counts of set flags. After D. Whittaker, A. Skjellum and
 * P. Bangalore, "Ballot Counting for Optimal Binary Prefix Sum", where a warp votes 32 flags into a
 * word; here a vector comparison makes a word of 64.
 *
 * A thread turns a piece of the flags into words, counts the set bits, waits for the count of the
 * pieces before, passes its own sum on, and writes the counts from the words. Each flag is read
 * once, each count is written once. An exclusive count is the inclusive count of the previous
 * flag, so its words are shifted by one. */
#define _POSIX_C_SOURCE 200809L
#include "core/sequencer.h"
#include "cpu/base/cpu.h"

#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "packed flags are read as little-endian words"
#endif

typedef struct bits_work {
    const ordo_bits_job *job;
    const cpu_kernels   *kernels;
    size_t               grain;
    bool                 bypass;
    ordo_sequencer       turn;
    uint64_t             count; /* set flags before the piece that has the turn */
} bits_work;

size_t cpu_bits_read(const cpu_kernels *kernels, ordo_flags_kind kind, const void *flags, size_t lo,
                     size_t hi, uint64_t *words)
{
    size_t const n = hi - lo;
    if (kind == ORDO_FLAG_BYTES)
        return kernels->pack((const uint8_t *)flags + lo, n, words);

    size_t const count = ordo_div_up(n, 64);
    size_t       total = 0;
    if (count > 0)
        words[count - 1] = 0;
    memcpy(words, (const uint8_t *)flags + lo / 8, ordo_div_up(n, 8));
    if (n % 64 != 0)
        words[count - 1] &= (UINT64_C(1) << n % 64) - 1;
    for (size_t w = 0; w < count; w++)
        total += (size_t)__builtin_popcountll(words[w]);
    return total;
}

static void shift_by_one(uint64_t *words, size_t count)
{
    uint64_t carry = 0;
    for (size_t w = 0; w < count; w++) {
        uint64_t const word = words[w];
        words[w] = word << 1 | carry;
        carry = word >> 63;
    }
}

static void bits_piece(void *arg, size_t lo, size_t hi)
{
    bits_work *const           work = arg;
    const ordo_bits_job *const job = work->job;
    size_t const               piece = lo / work->grain;
    uint64_t                   words[CPU_PIECE_WORDS];
    size_t const here = cpu_bits_read(work->kernels, job->kind, job->flags, lo, hi, words);

    ordo_sequencer_wait(&work->turn, piece);
    uint64_t const before = work->count;
    work->count = before + here;
    ordo_sequencer_pass(&work->turn, piece);
    if (job->counts == NULL)
        return;
    if (job->exclusive)
        shift_by_one(words, ordo_div_up(hi - lo, 64));
    if (job->count_type == ORDO_U32)
        work->kernels->count[CPU_OUT_u32](words, hi - lo, before, (uint32_t *)job->counts + lo,
                                          work->bypass);
    else
        work->kernels->count[CPU_OUT_u64](words, hi - lo, before, (uint64_t *)job->counts + lo,
                                          work->bypass);
}

ordo_status cpu_scan_bits(void *state, const ordo_bits_job *job, ordo_exec *exec)
{
    const cpu_kernels *const kernels = state;
    bits_work                work = {.job = job, .kernels = kernels, .grain = cpu_grain(job->n)};
    work.bypass = (uintptr_t)job->counts % ORDO_CACHE_LINE == 0 &&
                  cpu_bypasses_cache(job->n * ordo_type_size(job->count_type));
    exec->algorithm = "chained";
    exec->isa = kernels->isa;
    if (!ordo_loop(exec, job->n, work.grain, bits_piece, &work))
        return ORDO_E_CANCELLED;
    *job->total = work.count;
    return ORDO_OK;
}
