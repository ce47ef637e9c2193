/* rank_key.t.h - the searches and loops of the competition ranking paper for one key type. */

/* Index of the first key equal to a[i]: the paper's modified binary search, which continues after a
 * hit until its range is empty. */
static size_t FN(paper_first)(const KEY *a, size_t i)
{
    size_t low = 0, high = i, first = i;
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (FN(key_same)(a[middle], a[i])) {
            high = middle;
            first = middle;
        } else {
            low = middle + 1;
        }
    }
    return first;
}

/* Index of the last key equal to a[i], by the same search. */
static size_t FN(paper_last)(const KEY *a, size_t n, size_t i)
{
    size_t low = i + 1, high = n, last = i;
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (FN(key_same)(a[middle], a[i])) {
            low = middle + 1;
            last = middle;
        } else {
            high = middle;
        }
    }
    return last;
}

static uint64_t FN(paper_groups)(const KEY *a, size_t lo, size_t hi)
{
    uint64_t groups = 0;
    for (size_t i = lo; i < hi; i++)
        groups += i == 0 || !FN(key_same)(a[i], a[i - 1]);
    return groups;
}

#define ORDO_OUT_TEMPLATE "papers/ranking/rank_pair.t.h"
#include "cpu/kernel/for_each_out.h"
#undef ORDO_OUT_TEMPLATE

static void FN(paper_rank)(const rank_segments *work, size_t lo, size_t hi, uint64_t groups)
{
    switch (work->job->rank_type) {
    case ORDO_U32:
        CPU_JOIN(FN(paper_segment), u32)(work, lo, hi, groups);
        break;
    case ORDO_U64:
        CPU_JOIN(FN(paper_segment), u64)(work, lo, hi, groups);
        break;
    default:
        CPU_JOIN(FN(paper_segment), f64)(work, lo, hi, groups);
        break;
    }
}
