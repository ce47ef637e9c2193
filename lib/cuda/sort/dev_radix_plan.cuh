/* dev_radix_plan.cuh - the plan of a radix sort, which the device makes.
 *
 * The sort is a list of steps, each a stable scatter by one digit of eight bits, least significant
 * first. The keys decide which digits; the host does not wait: the last block of the histogram
 * writes the list (dev_radix_plan.cu), and the pass kernel (dev_radix_pass.cuh) executes it. Digits
 * in which all keys agree are skipped, and digits whose bits are all equal to the bit below them,
 * as in small numbers with a missing value of all ones. Leading digits are enough if they leave few
 * ties: with independent digits a key shares its prefix with n * product of sum (count / n)^2 keys;
 * a sample checks that. Then the finish (dev_radix_finish.cuh) orders the keys of each prefix, or
 * blocks sort them (dev_radix_leaf.cuh); if that fails, a second list sorts by all digits. Steps
 * alternate between two arrays; if the last one ends in the wrong array, the result is copied. The
 * histogram copies the keys instead if it expects an odd number of steps. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_PLAN_H
#define ORDO_CUDA_SORT_DEV_RADIX_PLAN_H

#include "cuda/block/block_radix.cuh"
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_tuning.cuh"

static constexpr int RADIX_DIGITS = 8; /* at most */

/* Keys of one width during the sort: one-to-one key bits in memory, so that the original bytes can
 * be restored, and, if TIES, folded key bits where digits are taken and keys compared. Keys of one
 * and two bytes are zero-extended to four. */
template <typename BITS_, bool FLOAT, bool TIES> struct radix_code {
    typedef BITS_         BITS;
    static constexpr bool is_float = FLOAT, folds = FLOAT && TIES;

    key_code<BITS, FLOAT> total;
    BITS lesser_zero, zero, inf; /* key bits; lesser_zero is the first of the two zeros */

    void unfold(void) /* makes fold change nothing */
    {
        lesser_zero = zero;
        inf = (BITS) ~(BITS)0;
    }
    DEVICE BITS encode(BITS raw) const { return total.encode(raw); }
    DEVICE BITS decode(BITS bits) const { return total.decode(bits); }
    DEVICE BITS fold(BITS bits) const
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
    uint32_t    shift;                /* lowest bit of the digit */
    uint32_t    digit;                /* index of the digit: the row of starts */
    uint32_t    number;               /* number of the step, counted through both lists */
    uint16_t    key_in, key_out;      /* bytes of a key; key_out 0: keys are not written */
    uint16_t    value_in, value_out;  /* bytes of a value; value_in 0: the key's index */
    bool        encode, fold, decode; /* keys are read raw; ties are folded for good; keys are
                                       * written raw */
    bool        loose;                /* equal digits may be in any order */
};

struct radix_job { /* the facts that the host knows */
    size_t      n;
    void       *keys[2], *values[2]; /* result and scratch; values may be NULL */
    const void *source;              /* argsort: the keys; else NULL */
    uint16_t    key_size;            /* bytes in source or keys */
    uint16_t    value_size;          /* bytes that move with a key; 0: keys alone */
    uint16_t    value_out;           /* bytes of a value in the result */
    bool        keep_keys;           /* argsort: leave the sorted key bits in keys[0] */
    bool        finish;              /* whether leading digits may be enough */
    bool        leaf;                /* whether blocks may then sort the keys of each prefix */
    bool        large;               /* whether leaves may be large */
    bool        even;                /* whether evenly spread keys are partitioned */
    bool        grid;                /* whether one launch may sort them (dev_radix_grid.cu) */
    uint16_t    even_to;             /* arrays that the first partition writes: they have
                                      * even_places(n) places */
    uint32_t   *index;               /* pairs: an array for dev_radix_grid.cu; else NULL */
};

static constexpr int EVEN_MOST = 512;  /* most buckets of a partition of dev_radix_even.cu */
static constexpr int EVEN_PARTS = 256; /* parts of its maps */

struct even_state {  /* state of dev_radix_even.cu */
    uint32_t go;     /* the keys are even enough to be partitioned */
    uint32_t failed; /* a later step failed, so the keys are not sorted */
    uint32_t blocks_done, blocks_refined, blocks_closed;
    uint32_t bent; /* the map has a table */
    alignas(8) uint32_t map[8];
    uint32_t bend[EVEN_PARTS];
    uint32_t singles[EVEN_MOST]; /* single places taken by the first partition */
};

struct radix_plan {
    uint32_t   steps, again_steps;
    uint32_t   prefix_shift;         /* first sorted by the bits from here on, then finished; 0:
                                      * sorted by all bits */
    uint32_t   settle, again_settle; /* the result is in arrays 1 and must be copied */
    uint32_t   leaf, leaf_from;      /* whether leaves follow the steps (2: large ones), and in
                                      * which arrays */
    uint32_t   again;                /* set by the finish: the second list is needed */
    uint32_t   barriers[3];          /* arrivals: first list, second list, finish */
    uint32_t   blocks_done;          /* finished blocks of the histogram */
    uint32_t   unlike[2];            /* bits that differ from the next higher bit in some key */
    uint32_t   active[RADIX_DIGITS];
    radix_step step[RADIX_DIGITS], again_step[RADIX_DIGITS];
};

struct radix_tables { /* in device scratch, zeroed before use */
    radix_plan         *plan;
    unsigned long long *bins;    /* [digits][256] keys with each digit */
    uint64_t           *starts;  /* [digits][portions + 1][256] their first places */
    uint32_t           *tickets; /* [2 * RADIX_DIGITS][portions] tiles taken */
    uint64_t   *groups; /* finish: [CUDA_TUNE_RADIX_GROUPS] large groups, after their number */
    uint64_t   *claims; /* [2 * CUDA_TUNE_RADIX_GROUPS] */
    uint64_t   *sample; /* [2 * sampled] hash table of keys */
    uint64_t   *bounds; /* bounds of the leaves */
    uint32_t   *status; /* [tiles][256] words of the look-back */
    even_state *even;   /* of dev_radix_even.cu, and its tables */
    uint32_t   *even_counts, *even_starts, *even_regions, *even_tiles, *even_groups;
    size_t      portions;
    uint32_t    sampled;    /* keys of the sample, a power of 2; 0: no sample */
    size_t      zero_bytes; /* bytes to zero, starting at `plan` */
};

/* dev_radix_even.cu: the number of codes for n keys; 0: the keys are not partitioned. */
size_t even_codes(size_t n, size_t key_size);

/* The number of places of the arrays that the first partition writes: more than n, for regions that
 * are larger than their buckets (six standard deviations of a sample: up to 11.4 %). It does not
 * decrease with n, because scratch for n keys must be enough for fewer. */
static __host__ __device__ inline size_t even_places(size_t n)
{
    size_t const most = n < CUDA_TUNE_EVEN_TO ? n : CUDA_TUNE_EVEN_TO;
    size_t const places = most + most / 8 + 8 * EVEN_MOST;
    return n < CUDA_TUNE_EVEN_FROM || n > places ? n : places;
}

/* Whether evenly spread keys of this kind are partitioned: alone, all but integers of eight bytes;
 * with indices of four bytes, all. */
static constexpr bool even_serves(size_t key_size, bool is_float, size_t value_size)
{
    return value_size == 0 ? key_size == 4 || is_float : value_size == 4 && key_size >= 4;
}

/* Enqueues the sort of evenly spread keys, alone or with indices; tables.even tells later kernels
 * whether it was done. If it was not, keys without indices may be in another order. */
template <typename VALUE, typename CODE>
ordo_status even_run(cuda_call *call, const radix_job *job, CODE code, radix_tables tables);

/* dev_radix_grid.cu: enqueues the sort of a middle number of four-byte keys; tables.even tells
 * later kernels whether it was done. If it was not, keys with values or indices are unchanged, and
 * keys alone may be in another order. INDEXED: pairs or indices. *enqueued is set if the device can
 * do that. */
template <bool INDEXED, typename CODE>
ordo_status grid_run(cuda_call *call, const radix_job *job, CODE code, radix_tables tables,
                     bool *enqueued);

/* dev_radix_plan.cu: fills tables->bins and the plan. */
template <typename CODE>
ordo_status radix_make_plan(cuda_call *call, const radix_job *job, CODE code, radix_tables tables);

#endif
