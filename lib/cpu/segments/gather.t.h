/* gather.t.h - gathers or scatters elements of one type; see gather.c. */

static void FN(copy)(void *base, const ordo_segment_view *view, size_t count, void *room, bool back)
{
    size_t const   length = view->length, step = view->step, stride = view->stride;
    ELEMENT *const elements = base, *const copies = room;
    for (size_t j = 0; j < length; j++)
        for (size_t c = 0; c < count; c++)
            if (back)
                elements[j * step + c * stride] = copies[c * length + j];
            else
                copies[c * length + j] = elements[j * step + c * stride];
}
