/* inplace_index.t.h - argsort in place for one type of index; see inplace_stable.c. */

static record_p64 FN(index_record)(const index_work *work, INDEX i)
{
    return (record_p64){work->key_at(work->keys, (size_t)i), i};
}

static record_p64 FN(record_at)(const index_work *work, size_t at)
{
    return FN(index_record)(work, ((const INDEX *)work->index)[at]);
}

#define RECORD record_p64
#define LESS(a, b) record_less_p64(a, b)
#define ELEMENT INDEX
#define CONTEXT const index_work *work,
#define PASS work,
#define LOAD(element) FN(index_record)(work, element)
#define STORE(record) ((INDEX)(record).index)
#include "core/small_sort.t.h"
#undef STORE
#undef LOAD
#undef PASS
#undef CONTEXT
#undef ELEMENT
#undef LESS
#undef RECORD

/* Heap sort that can be cancelled. */
static void FN(index_heap)(const index_work *work, size_t lo, size_t hi)
{
    INDEX *const heap = (INDEX *)work->index + lo;
    size_t const n = hi - lo;
    for (size_t i = n / 2; i-- > 0;) {
        FN(sift)(work, heap, i, n, FN(index_record)(work, heap[i]));
        if (i % STRETCH == 0 && ordo_poll(work->exec, 0))
            return;
    }
    for (size_t i = n; i-- > 1;) {
        INDEX const last = heap[i];
        heap[i] = heap[0];
        FN(sift)(work, heap, 0, i, FN(index_record)(work, last));
        if (i % STRETCH == 0 && ordo_poll(work->exec, 0))
            return;
    }
}

/* ---- Quick sort ---- */

static record_p64 FN(median)(record_p64 a, record_p64 b, record_p64 c)
{
    if (record_less_p64(b, a)) {
        record_p64 const was = a;
        a = b;
        b = was;
    }
    return record_less_p64(c, b) ? (record_less_p64(c, a) ? a : c) : b;
}

static record_p64 FN(pivot)(const index_work *work, size_t lo, size_t hi)
{
    size_t const step = (hi - lo) / 9, middle = lo + (hi - lo) / 2;
    record_p64   of[3];
    if (hi - lo < MANY)
        return FN(median)(FN(record_at)(work, lo), FN(record_at)(work, middle),
                                                      FN(record_at)(work, hi - 1));
    for (size_t i = 0; i < 3; i++)
        of[i] = FN(median)(FN(record_at)(work, lo + (3 * i + 1) * step),
                              FN(record_at)(work, lo + (3 * i + 2) * step),
                                 FN(record_at)(work, lo + (3 * i + 3) * step - 1));
    return FN(median)(of[0], of[1], of[2]);
}

/* Partitions [lo, hi), three or more records, into two parts that are not empty: the pivot is one
 * of the records, and neither the least nor the largest. Returns the border, or lo if the call was
 * cancelled. */
static size_t FN(partition)(const index_work *work, size_t lo, size_t hi)
{
    INDEX *const     index = work->index;
    record_p64 const pivot = FN(pivot)(work, lo, hi);
    size_t           steps = 0;
    for (size_t i = lo, j = hi - 1;; i++, j--) {
        for (; record_less_p64(FN(record_at)(work, i), pivot); i++)
            if (++steps % STRETCH == 0 && ordo_poll(work->exec, 0))
                return lo;
        for (; record_less_p64(pivot, FN(record_at)(work, j)); j--)
            if (++steps % STRETCH == 0 && ordo_poll(work->exec, 0))
                return lo;
        if (i >= j)
            return j + 1;
        if (++steps % STRETCH == 0 && ordo_poll(work->exec, 0))
            return lo;
        INDEX const was = index[i];
        index[i] = index[j];
        index[j] = was;
    }
}

/* Calls itself only for the smaller part, so at most lg n deep. */
static void FN(index_quick)(const index_work *work, size_t lo, size_t hi, unsigned depth)
{
    for (; hi - lo > FEW; depth--) {
        if (depth == 0) {
            FN(index_heap)(work, lo, hi);
            return;
        }
        size_t const cut = FN(partition)(work, lo, hi);
        if (cut == lo)
            return;
        if (cut - lo < hi - cut) {
            FN(index_quick)(work, lo, cut, depth - 1);
            lo = cut;
        } else {
            FN(index_quick)(work, cut, hi, depth - 1);
            hi = cut;
        }
    }
    FN(insertion_sort)(work, (INDEX *)work->index + lo, hi - lo);
}

/* ---- All threads ---- */

static void FN(fill_piece)(void *arg, size_t lo, size_t hi)
{
    INDEX *const index = ((index_work *)arg)->index;
    for (size_t i = lo; i < hi; i++)
        index[i] = (INDEX)i;
}

static void FN(sort_part)(void *arg, size_t lo, size_t hi)
{
    const index_work *const work = arg;
    for (size_t part = lo; part < hi; part++) {
        size_t const n = work->bounds[part + 1] - work->bounds[part];
        FN(index_quick)(work, work->bounds[part], work->bounds[part + 1], 2 * ordo_bit_length(n));
    }
}

/* Partitions the largest part until there are enough parts. Returns their number, or 0 if the call
 * was cancelled. */
static size_t FN(make_parts)(index_work *work, size_t n, size_t wanted)
{
    size_t parts = 1;
    work->bounds[0] = 0;
    work->bounds[1] = n;
    for (; parts < wanted; parts++) {
        size_t *const bounds = work->bounds;
        size_t        at = 0;
        for (size_t p = 1; p < parts; p++)
            if (bounds[p + 1] - bounds[p] > bounds[at + 1] - bounds[at])
                at = p;
        if (bounds[at + 1] - bounds[at] <= ENOUGH)
            break;
        size_t const cut = FN(partition)(work, bounds[at], bounds[at + 1]);
        if (cut == bounds[at])
            return 0;
        memmove(bounds + at + 2, bounds + at + 1, (parts - at) * sizeof *bounds);
        bounds[at + 1] = cut;
    }
    return parts;
}

static bool FN(sort_index)(index_work *work, size_t n)
{
    ordo_exec *const exec = work->exec;
    exec->phase = 0;
    exec->phases = 3;
    if (!ordo_loop(exec, n, cpu_grain(n), FN(fill_piece), work))
        return false;
    exec->phase = 1;
    size_t const parts = FN(make_parts)(work, n, tasks_for(exec));
    exec->phase = 2;
    return parts != 0 && ordo_loop(exec, parts, 1, FN(sort_part), work) && !ordo_poll(exec, 1);
}
