/* cells.t.h - the loops of cells.c over keys of one type. */

static uint64_t FN(order_at)(const cells_order *order, const KEY *keys, size_t i)
{
    return order->folded ? (uint64_t)FN(key_tie_bits)(keys[i], order->descending)
                         : (uint64_t)FN(key_sort_bits)(keys[i], order->descending);
}

static size_t FN(place)(const cells_order *order, const KEY *sorted, size_t from, size_t to,
                        uint64_t wanted, bool above)
{
    while (from < to) {
        size_t const   middle = from + (to - from) / 2;
        uint64_t const here = FN(order_at)(order, sorted, middle);
        if (here < wanted || (above && here == wanted))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void FN(put_order)(const cells_order *order, uint64_t key, KEY *out)
{
    KEY const x = FN(key_of_sort_bits)((BITS)key, order->descending);
    memcpy(out, &x, sizeof x);
}

/* The orders of n keys. */
static void FN(orders)(const cells_order *order, const KEY *keys, size_t n, uint64_t *out)
{
    if (order->folded)
        for (size_t i = 0; i < n; i++)
            out[i] = (uint64_t)FN(key_tie_bits)(keys[i], order->descending);
    else
        for (size_t i = 0; i < n; i++)
            out[i] = (uint64_t)FN(key_sort_bits)(keys[i], order->descending);
}

static BITS FN(folded)(const cells_order *order, BITS bits)
{
    return FN(key_tie_bits)(FN(key_of_sort_bits)(bits, order->descending), order->descending);
}

static void FN(fold)(const cells_order *order, BITS *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        words[i] = FN(folded)(order, words[i]);
}

/* The number of key bits whose order is less than `wanted`. Folding keeps the order of key bits. */
static uint64_t FN(bits_below)(const cells_order *order, uint64_t wanted)
{
    uint64_t low = 0, high = (BITS)-1;
    while (low < high) {
        uint64_t const middle = low + (high - low) / 2;
        if ((uint64_t)FN(folded)(order, (BITS)middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
