/* gather.t.h - gathers and scatters elements of one type; see gather.c. */

static void FN(gather)(const char *base, size_t length, size_t step, size_t stride, size_t count,
                       char *room)
{
    const ELEMENT *const from = (const void *)base;
    ELEMENT *const       to = (void *)room;
    for (size_t j = 0; j < length; j++)
        for (size_t c = 0; c < count; c++)
            to[c * length + j] = from[j * step + c * stride];
}

static void FN(scatter)(char *base, size_t length, size_t step, size_t stride, size_t count,
                        const char *room)
{
    ELEMENT *const       to = (void *)base;
    const ELEMENT *const from = (const void *)room;
    for (size_t j = 0; j < length; j++)
        for (size_t c = 0; c < count; c++)
            to[j * step + c * stride] = from[c * length + j];
}
