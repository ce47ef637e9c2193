/* group_keys.t.h - the keys of groups from their codes, for one key type. */

/* keys[g] = the key whose key bits are least + codes[g]. */
static void FN(put_keys)(uint64_t least, const uint32_t *codes, size_t count, void *keys)
{
    for (size_t g = 0; g < count; g++)
        ((KEY *)keys)[g] = FN(key_of)((BITS)(least + codes[g]));
}
