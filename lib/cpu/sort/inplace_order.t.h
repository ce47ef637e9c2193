/* inplace_order.t.h - the number that a key of one type is compared by, as 64 bits. */
static uint64_t FN(rising)(const void *keys, size_t i)
{
    return FN(key_fold)(((const KEY *)keys)[i]);
}

static uint64_t FN(falling)(const void *keys, size_t i)
{
    return FN(key_desc)(((const KEY *)keys)[i]);
}
