/* dev_radix_plan.cuh - what a radix sort on the device is going to do, decided there.
 *
 * The sort is a list of steps, each a stable scatter by one digit of eight bits, least significant
 * digit first. Which digits those are depends on the keys, and the host does not wait to learn it:
 * the kernel of the passes (dev_radix_pass.cuh) works through the list, which the last block of the
 * histogram has written (dev_radix_plan.cu):
 * - Digits in which all keys agree are left out.
 * - Of the others only the leading ones are sorted by, if those leave few keys tied: with digits
 *   that are independent, a key has n * product of sum (count / n)^2 keys with the same prefix.
 *   Whether they are independent a sample tells: it has no two keys that differ and yet share
 *   their prefix. The finish (dev_radix_finish.cuh) then puts the keys of each prefix in order, in
 *   place. Where that turns out to be too much, a second list holds steps for all digits.
 * The arrays of the steps alternate, so an odd number of them may end in the wrong one; then the
 * result is copied. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_PLAN_H
#define ORDO_CUDA_SORT_DEV_RADIX_PLAN_H

#include "cuda/block/block_radix.cuh"
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_tuning.cuh"

enum {
    RADIX_DIGITS = 8 /* at most */
};

/* Keys of one width as the passes see them: encoded one-to-one in memory, so that raw bytes come
 * back unchanged, and folded (-0 and +0 alike, all NaNs alike) where digits are taken and keys
 * compared, if ties matter. Keys of one and two bytes are zero-extended to four. */
template <typename BITS_, bool FLOAT, bool TIES> struct radix_code {
    typedef BITS_         BITS;
    static constexpr bool is_float = FLOAT, folds = FLOAT && TIES;

    key_code<BITS, FLOAT> total;
    BITS                  lesser_zero, zero, inf; /* encoded; the first of the two zeros */

    __device__ __forceinline__ BITS encode(BITS raw) const { return total.encode(raw); }
    __device__ __forceinline__ BITS decode(BITS bits) const { return total.decode(bits); }
    __device__ __forceinline__ BITS fold(BITS bits) const
    {
        if (!folds)
            return bits;
        bits = bits == lesser_zero ? zero : bits;
        return bits > inf ? (BITS) ~(BITS)0 : bits;
    }
};

struct radix_step {
    const void *keys_in, *values_in;
    void       *keys_out, *values_out;
    uint32_t    shift;                /* of the digit */
    uint32_t    digit;                /* its number: the row of starts */
    uint32_t    number;               /* of the step, counted through both lists */
    uint16_t    key_in, key_out;      /* bytes of a key; key_out 0: keys are not written */
    uint16_t    value_in, value_out;  /* bytes of a value; value_in 0: the key's index */
    bool        encode, fold, decode; /* keys read raw; folded for good; written raw */
    bool        loose;                /* equal digits in any order */
};

struct radix_job { /* what the host knows */
    size_t      n;
    void       *keys[2], *values[2]; /* result and scratch; values may be NULL */
    const void *source;              /* argsort: its keys, else NULL */
    uint16_t    key_size;            /* bytes in source or keys */
    uint16_t    value_size;          /* bytes carried; 0: keys alone */
    uint16_t    value_out;           /* bytes of a value of the result */
    bool        keep_keys;           /* argsort: leave the sorted bits in keys[0] */
    bool        finish;              /* whether leading digits may do */
};

struct radix_plan {
    uint32_t   steps, again_steps;
    uint32_t   prefix_shift; /* finish: keys are sorted by the bits from here on; 0: by all */
    uint32_t   settle, again_settle; /* the result lies in arrays 1 and must be copied */
    uint32_t   again;                /* set by the finish: the second list is needed */
    uint32_t   barriers[3]; /* blocks that came to one, of the passes, again, of the finish */
    uint32_t   blocks_done; /* of the histogram */
    uint32_t   active[RADIX_DIGITS];
    radix_step step[RADIX_DIGITS], again_step[RADIX_DIGITS];
};

struct radix_tables { /* in device scratch, zeroed before use */
    radix_plan         *plan;
    unsigned long long *bins;    /* [digits][256] how many keys have that digit */
    uint64_t           *starts;  /* [digits][portions + 1][256] where they go */
    uint32_t           *tickets; /* [2 * RADIX_DIGITS][portions] tiles taken */
    uint64_t           *runs;    /* finish: [CUDA_TUNE_RADIX_RUNS] long runs, after their number */
    uint64_t           *claims;  /* [2 * CUDA_TUNE_RADIX_RUNS] */
    uint64_t           *sample;  /* [2 * sampled] a hash table of keys */
    uint32_t           *status;  /* [tiles][256] look-back */
    size_t              portions;
    uint32_t            sampled;    /* keys of the sample, a power of 2; 0: none */
    size_t              zero_bytes; /* from plan on */
};

/* dev_radix_plan.cu: fills tables->bins and the plan. */
template <typename CODE>
ordo_status radix_make_plan(cuda_call *call, const radix_job *job, CODE code, radix_tables tables);

#endif
