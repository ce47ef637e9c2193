/* rough_borders.t.h - all of an array through the networks of one width (W); see
 * rough_networks.c. */

/* Insertion sort of a[from .. count), a[0 .. from) being in order already and every item at most
 * `reach` places from its own. Stops at an item that is further away: false. */
static bool WIDTH(insert)(RECORD *a, size_t from, size_t count, size_t reach)
{
    for (size_t i = from; i < count; i++) {
        RECORD const x = a[i];
        size_t const last = i > reach ? i - reach : 0;
        size_t       j = i;
        for (; j > last && x < a[j - 1]; j--)
            a[j] = a[j - 1];
        a[j] = x;
        if (j == last && j > 0 && x < a[j - 1])
            return false;
    }
    return true;
}

/* The same where what follows the border at `from` is in order too: the first item that is not
 * moved is the last that needs to be looked at. */
static bool WIDTH(mend)(RECORD *a, size_t from, size_t count, size_t reach)
{
    size_t i = from;
    while (i < count && a[i] < a[i - 1] && i - from < reach) {
        if (!WIDTH(insert)(a, i, i + 1, reach))
            return false;
        i++;
    }
    return i == count || !(a[i] < a[i - 1]);
}

static bool WIDTH(networks)(RECORD *a, size_t count, size_t radius)
{
    enum {
        LANES = 16 / sizeof(RECORD),
        SHORTEST = 3 * ROUGH_NETWORK_REACH /* two borders and something between them */
    };
    size_t const all = count / LANES / ROUGH_NETWORK_REACH * ROUGH_NETWORK_REACH;
    size_t const length = all < SHORTEST ? 0 : all;
    bool         sorted = true;
    if (length > 0)
        sorted = radius <= 8    ? ROUGH_PASTE(WIDTH(stream), _8)(a, length)
                 : radius <= 16 ? ROUGH_PASTE(WIDTH(stream), _16)(a, length)
                                : ROUGH_PASTE(WIDTH(stream), _32)(a, length);
    for (size_t lane = 1; lane < LANES && length > 0 && sorted; lane++)
        sorted = WIDTH(mend)(a, lane * length, (lane + 1) * length, radius);
    return sorted && WIDTH(insert)(a, LANES * length, count, radius);
}
