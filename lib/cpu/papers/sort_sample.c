/* sort_sample.c - comparison sample sort of records in four phases (splitters and labels, histograms,
 * scatter, recursion), which is the CPU's part of the hybrid sample sort for CPU and GPU, with the
 * splitter tree of Sanders and Winkel's super scalar sample sort, 2004.
 *
 * A sample of sqrt(n) records (more where that is too few) is sorted and gives the splitters. They
 * are laid out as an implicit search tree that every record walks without a branch, several records at
 * once; where it arrives is its label, one byte an record. Each piece of the array counts its
 * labels; the counts summed up over pieces tell each piece where its records of each bucket go; then
 * all pieces scatter at once. Items equal to a splitter have buckets of their own, which are done
 * as they are. The other buckets are sorted the same way, each by one thread, down to a size where
 * merging in the cache is faster.
 *
 * Time n lg n comparisons: a bucket that is still large after a few levels, by bad
 * luck alone, is merge sorted. Scratch: n records, n labels, and counts for
 * each piece. */
#include "cpu/papers/paper_sorts.h"

#include <math.h>
#include <string.h>

enum {
    LG_LEAVES = ORDO_TUNE_SAMPLE_LG,
    LEAVES = 1 << LG_LEAVES,
    BUCKETS = 2 * LEAVES, /* odd ones hold the records equal to a splitter */
    OVERSAMPLE = 8,       /* records of the sample for each leaf at least */
    BASE = ORDO_TUNE_SAMPLE_BASE,
    PIECE = ORDO_TUNE_SAMPLE_PIECE,
    DEPTH = 8, /* levels before merge sort takes over; four are common for 10^9 records */
    BATCH = 8  /* records that walk the tree together */
};
_Static_assert(BUCKETS <= 256, "a label is a byte");
_Static_assert(2 * OVERSAMPLE * LEAVES <= BASE, "sample and its scratch fit the bucket");

static size_t sample_size(size_t n)
{
    return ordo_max((size_t)sqrt((double)n), OVERSAMPLE * LEAVES);
}

/* A number below n that has nothing to do with the order of the input: nobody knows the seed. */
static size_t sample_at(uint64_t seed, size_t i, size_t n)
{
    uint64_t x = seed + (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 29;
    return (size_t)(x % n);
}

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/small_sort.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "core/merge.t.h"
#include "cpu/radix/for_each_record.h"
#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "cpu/papers/sample.t.h"
#include "cpu/radix/for_each_record.h"

size_t cpu_records_sample_scratch(enum record_kind kind, size_t n, unsigned threads)
{
    size_t const pieces = ordo_div_up(n, PIECE);
    (void)threads;
    return ordo_round_up(n * record_size(kind), ORDO_CACHE_LINE) +
           ordo_round_up(n, ORDO_CACHE_LINE) + pieces * BUCKETS * sizeof(size_t);
}

ordo_status cpu_records_sample(const cpu_records *records, ordo_exec *exec)
{
    static ordo_status (*const sort[RECORD_KINDS])(const cpu_records *records, void *block,
                                                   ordo_exec *exec) =
        RECORD_FUNCTIONS(sample_records);
    void *block = NULL;
    exec->algorithm = "sample";
    exec->isa = "generic";
    if (records->n < 2)
        return ORDO_OK;
    TRY(ordo_scratch(exec, cpu_records_sample_scratch(records->kind, records->n, exec->threads),
                     &block));
    return sort[records->kind](records, block, exec);
}
