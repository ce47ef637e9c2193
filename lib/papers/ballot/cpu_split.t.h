/* cpu_split.t.h - the pieces of cpu_split.c for one kind of record. */

/* Finds the bits that differ, and whether a low half is less than the low half before it. */
static void FN(survey_piece)(void *arg, size_t lo, size_t hi)
{
    split_work *const   work = arg;
    const RECORD *const in = work->in;
    record_p64          any = {0, 0}, all = {UINT64_MAX, UINT64_MAX};
    uint64_t            before = FN(halves)(in[lo > 0 ? lo - 1 : 0]).index;
    unsigned            falls = 0;
    for (size_t i = lo; i < hi; i++) {
        record_p64 const record = FN(halves)(in[i]);
        any.key |= record.key, any.index |= record.index;
        all.key &= record.key, all.index &= record.index;
        falls |= record.index < before;
        before = record.index;
    }
    atomic_fetch_or_explicit(&work->any_key, any.key, memory_order_relaxed);
    atomic_fetch_or_explicit(&work->any_index, any.index, memory_order_relaxed);
    atomic_fetch_and_explicit(&work->all_key, all.key, memory_order_relaxed);
    atomic_fetch_and_explicit(&work->all_index, all.index, memory_order_relaxed);
    if (falls != 0)
        atomic_store_explicit(&work->index_falls, true, memory_order_relaxed);
}

INLINE size_t FN(bit_of)(RECORD record, bool high, unsigned shift)
{
    record_p64 const halves = FN(halves)(record);
    return (size_t)((high ? halves.key : halves.index) >> shift & 1);
}

static void FN(count_piece)(void *arg, size_t lo, size_t hi)
{
    split_work *const   work = arg;
    const RECORD *const in = work->in;
    split_bit const     bit = work->bit;
    size_t              ones = 0;
    for (size_t i = lo; i < hi; i++)
        ones += FN(bit_of)(in[i], bit.high, bit.shift);
    work->ones[lo / cpu_grain(work->n)] = ones;
}

static void FN(move_piece)(void *arg, size_t lo, size_t hi)
{
    split_work *const   work = arg;
    const RECORD *const in = work->in;
    split_bit const     bit = work->bit;
    size_t              ones = work->ones[lo / cpu_grain(work->n)];
    size_t const        zeros = work->zeros;
    RECORD *const       out = work->out;
    for (size_t i = lo; i < hi; i++) {
        RECORD const record = in[i];
        size_t const one = FN(bit_of)(record, bit.high, bit.shift);
        /* A record with a 0 bit goes after the earlier records with a 0 bit. A record with a 1 bit
         * goes after all records with a 0 bit and the earlier ones with a 1 bit. A mask selects the
         * place, because the compiler turns ?: into a branch. */
        out[(i - ones) + (-one & (zeros + 2 * ones - i))] = record;
        ones += one;
    }
}
