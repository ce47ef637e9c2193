/* labels.t.h - the loop of labels.c over keys of one type. */

/* Writes the key bits of the keys at `count` places. */
static void FN(pick)(const picking *p, const KEY *keys, const uint16_t *places, size_t count,
                     BITS *out)
{
    bool const descending = p->s->part.order.descending;
    for (size_t i = 0; i < count; i++)
        out[i] = FN(key_sort_bits)(keys[places[i]], descending);
}
