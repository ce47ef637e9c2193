/* measure_check.t.h - left items against right ones, for items that fit into lanes (W is 32 or 64);
 * see measure_radius.c. */
static bool FN(any_before)(const ITEM *left, const ITEM *right, size_t count)
{
    ITEM before = 0;
    for (size_t i = 0; i < count; i++)
        before |= (ITEM)(right[i] < left[i]);
    return before != 0;
}

/* Four vectors a step: the maxima within each are independent of the others, so the only chain from
 * step to step is one maximum long. */
static bool FN(any_before_all)(const ITEM *left, const ITEM *right, size_t count, ITEM *largest)
{
    enum {
        LANES = 16 / sizeof(ITEM)
    };
    FN(lanes) before = {0}, carry = before + *largest;
    size_t i = 0;
    for (; count - i >= 4 * LANES; i += 4 * LANES) {
        for (size_t part = 0; part < 4; part++) {
            size_t const at = i + part * LANES;
            FN(lanes) const rising = FN(lanes_rising)(FN(lanes_load)(left + at));
            FN(lanes) const upto = FN(lanes_max)(rising, carry);
            before |= (FN(lanes))(upto > FN(lanes_load)(right + at));
            carry = FN(lanes_max)(carry, FN(lanes_last)(rising));
        }
    }
    ITEM most = carry[0], rest = 0;
    for (; i < count; i++) {
        most = left[i] > most ? left[i] : most;
        rest |= (ITEM)(right[i] < most);
    }
    *largest = most;
    return FN(lanes_any)(before) || rest != 0;
}
