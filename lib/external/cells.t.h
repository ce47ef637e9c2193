/* cells.t.h - the loops of cells.c over keys of one type. */

static uint64_t FN(order_at)(const ordo_order_of *order, const KEY *keys, size_t i)
{
    return order->folded ? (uint64_t)FN(key_tie_bits)(keys[i], order->descending)
                         : (uint64_t)FN(key_sort_bits)(keys[i], order->descending);
}

static size_t FN(place)(const ordo_order_of *order, const KEY *sorted, size_t from, size_t to,
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

static void FN(put_order)(const ordo_order_of *order, uint64_t key, KEY *out)
{
    KEY const x = FN(key_of_sort_bits)((BITS)key, order->descending);
    memcpy(out, &x, sizeof x);
}

/* The orders of n keys. */
static void FN(orders)(const ordo_order_of *order, const KEY *keys, size_t n, uint64_t *out)
{
    if (order->folded)
        for (size_t i = 0; i < n; i++)
            out[i] = (uint64_t)FN(key_tie_bits)(keys[i], order->descending);
    else
        for (size_t i = 0; i < n; i++)
            out[i] = (uint64_t)FN(key_sort_bits)(keys[i], order->descending);
}

/* The same for keys that are `stride` bytes apart. */
static void FN(orders_apart)(const ordo_order_of *order, const char *keys, size_t stride, size_t n,
                             uint64_t *out)
{
    for (size_t i = 0; i < n; i++) {
        KEY key;
        memcpy(&key, keys + i * stride, sizeof key);
        out[i] = FN(order_at)(order, &key, 0);
    }
}
