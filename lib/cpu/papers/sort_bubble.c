/* sort_bubble.c - bubble sort of records. Pfaff and Treadwell compare their sorts of roughly sorted
 * sequences with it ("Parallel Sorting of Roughly-Sorted Sequences", 2016).
 *
 * A pass carries the largest record so far along. The next pass ends where the last exchange
 * happened, because all records behind it are in their places; the sort ends with a pass that
 * exchanges nothing. A record moves one place towards the front in a pass, so an array of radius k
 * takes at most k + 1 passes. One thread, no scratch, time n (k + 1), n^2 / 2 at worst. */
#include "cpu/papers/paper_sorts.h"

enum {
    STRETCH = ORDO_TUNE_PIECE /* records between two polls */
};

#define ORDO_WHOLE_RECORDS
#define ORDO_TEMPLATE "cpu/papers/bubble.t.h"
#include "cpu/radix/for_each_record.h"

ordo_status cpu_records_bubble(const cpu_records *records, ordo_exec *exec)
{
    static bool (*const sort[RECORD_KINDS])(void *records, size_t n, ordo_exec *exec) =
        RECORD_FUNCTIONS(bubble_sort);
    exec->algorithm = "bubble";
    exec->isa = "generic";
    return cpu_done(sort[records->kind](records->array, records->n, exec));
}
