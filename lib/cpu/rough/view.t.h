/* view.t.h - items of keys of one type, in the four orders. */
static void FN(view_fold)(const void *keys, size_t count, void *items)
{
    const KEY *const     a = keys;
    FN(view_item) *const out = items;
    for (size_t i = 0; i < count; i++)
        out[i] = FN(key_fold)(a[i]);
}

static void FN(view_desc)(const void *keys, size_t count, void *items)
{
    const KEY *const     a = keys;
    FN(view_item) *const out = items;
    for (size_t i = 0; i < count; i++)
        out[i] = FN(key_desc)(a[i]);
}

static void FN(view_bits)(const void *keys, size_t count, void *items)
{
    const KEY *const     a = keys;
    FN(view_item) *const out = items;
    for (size_t i = 0; i < count; i++)
        out[i] = FN(key_bits)(a[i]);
}

static void FN(view_turned)(const void *keys, size_t count, void *items)
{
    const KEY *const     a = keys;
    FN(view_item) *const out = items;
    for (size_t i = 0; i < count; i++)
        out[i] = FN(key_turn)(FN(key_bits)(a[i]));
}
