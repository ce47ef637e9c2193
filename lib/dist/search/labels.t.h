/* labels.t.h - the loop of labels.c over keys of one type. */

/* Writes the key bits of the keys whose cell is kept; returns their number. */
static size_t FN(pick)(const picking *p, const KEY *keys, const uint16_t *labels, size_t n,
                       BITS *out)
{
    bool const descending = p->s->part.order.descending;
    size_t     count = 0;
    for (size_t i = 0; i < n; i++)
        if (p->keep[labels[i]])
            out[count++] = FN(key_sort_bits)(keys[i], descending);
    return count;
}
