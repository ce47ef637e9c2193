/* sort_sample.c - comparison sample sort of records in four phases (splitters and labels,
 * histograms, scatter, recursion): the CPU's part of the hybrid sample sort for CPU and GPU,
 * with the splitter tree of Sanders and Winkel's super scalar sample sort (2004).
 *
 * A sorted sample of sqrt(n) records, or more, gives the splitters. They form an implicit search
 * tree that records walk without a branch, several at a time; the leaf is the label, one byte a
 * record. Each piece counts its labels, prefix sums over the pieces give the place of each
 * bucket's records, and all pieces scatter at once. Records equal to a splitter have their own
 * buckets, which are done. One thread sorts each other bucket the same way, until merge sort in
 * the cache is faster.
 *
 * n lg n comparisons: a bucket that stays large for DEPTH levels is merge sorted. Scratch: n
 * records, n labels, and counts for each piece. */
#include "core/random.h"
#include "cpu/papers/paper_sorts.h"

#include <math.h>
#include <string.h>

enum {
    LG_LEAVES = ORDO_TUNE_SAMPLE_LG,
    LEAVES = 1 << LG_LEAVES,
    BUCKETS = 2 * LEAVES, /* odd ones hold the records equal to a splitter */
    OVERSAMPLE = 8,       /* the fewest sampled records for each leaf */
    BASE = ORDO_TUNE_SAMPLE_BASE,
    PIECE = ORDO_TUNE_SAMPLE_PIECE,
    DEPTH = 8, /* levels before merge sort */
    BATCH = 8  /* records that walk the tree together */
};
_Static_assert(BUCKETS <= 256, "a label is a byte");
_Static_assert(2 * OVERSAMPLE * LEAVES <= BASE, "sample and its scratch fit the bucket");

static size_t sample_size(size_t n)
{
    return ordo_max((size_t)sqrt((double)n), OVERSAMPLE * LEAVES);
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
