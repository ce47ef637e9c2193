/* split.t.h - the pieces of sort_split.c for one kind of item. */

/* Which bits differ, and whether the low halves ever fall. */
static void FN(survey_piece)(void *arg, size_t lo, size_t hi)
{
    split_work *const work = arg;
    const ITEM *const in = work->in;
    cpu_item_128      any = {0, 0}, all = {UINT64_MAX, UINT64_MAX};
    uint64_t          before = FN(halves)(in[lo > 0 ? lo - 1 : 0]).index;
    unsigned          falls = 0;
    for (size_t i = lo; i < hi; i++) {
        cpu_item_128 const item = FN(halves)(in[i]);
        any.key |= item.key, any.index |= item.index;
        all.key &= item.key, all.index &= item.index;
        falls |= item.index < before;
        before = item.index;
    }
    atomic_fetch_or_explicit(&work->any_key, any.key, memory_order_relaxed);
    atomic_fetch_or_explicit(&work->any_index, any.index, memory_order_relaxed);
    atomic_fetch_and_explicit(&work->all_key, all.key, memory_order_relaxed);
    atomic_fetch_and_explicit(&work->all_index, all.index, memory_order_relaxed);
    if (falls != 0)
        atomic_store_explicit(&work->index_falls, true, memory_order_relaxed);
}

INLINE size_t FN(bit_of)(ITEM item, bool high, unsigned shift)
{
    cpu_item_128 const halves = FN(halves)(item);
    return (size_t)((high ? halves.key : halves.index) >> shift & 1);
}

static void FN(count_piece)(void *arg, size_t lo, size_t hi)
{
    split_work *const work = arg;
    const ITEM *const in = work->in;
    split_bit const   bit = work->bit;
    size_t            ones = 0;
    for (size_t i = lo; i < hi; i++)
        ones += FN(bit_of)(in[i], bit.high, bit.shift);
    work->ones[lo / cpu_grain(work->n)] = ones;
}

static void FN(move_piece)(void *arg, size_t lo, size_t hi)
{
    split_work *const work = arg;
    const ITEM *const in = work->in;
    split_bit const   bit = work->bit;
    size_t            ones = work->ones[lo / cpu_grain(work->n)];
    size_t const      zeros = work->zeros;
    ITEM *const       out = work->out;
    for (size_t i = lo; i < hi; i++) {
        ITEM const   item = in[i];
        size_t const one = FN(bit_of)(item, bit.high, bit.shift);
        /* Behind the unset bits before it, or behind all of those and the set bits before it:
         * chosen by a mask, for a choice by ?: becomes a branch. */
        out[(i - ones) + (-one & (zeros + 2 * ones - i))] = item;
        ones += one;
    }
}
