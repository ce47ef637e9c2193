/* adaptive.t.h - the look at windows of an array, as key bits of one width (RECORD). */

/* Compares neighbours in windows all over the array; no branch on keys. */
static adaptive_view FN(look)(const radix_io *io, uint64_t seed)
{
    adaptive_view view = {0};
    size_t const  windows = ordo_min(ORDO_TUNE_LOOKS, io->n / ORDO_TUNE_LOOK_KEYS);
    size_t const  aside = look_aside(io->n, windows, seed);
    RECORD        last = 0, room[ORDO_TUNE_LOOK_KEYS];
    for (size_t w = 0; w < windows; w++) {
        const RECORD *const seen =
            records_tile(io, w * (io->n / windows) + aside, ORDO_TUNE_LOOK_KEYS, room);
        RECORD falls = 0, flats = 0;
        for (size_t i = 1; i < ORDO_TUNE_LOOK_KEYS; i++) {
            falls += seen[i] < seen[i - 1];
            flats += seen[i] == seen[i - 1];
        }
        view.falls += falls;
        view.flats += flats;
        view.far_falls += w > 0 && seen[0] < last;
        view.far_rises += w > 0 && seen[0] > last;
        last = seen[0];
        view.looked += ORDO_TUNE_LOOK_KEYS - 1;
    }
    return view;
}

/* The largest radius of the same windows, each on its own. */
static size_t FN(look_radius)(const radix_io *io, uint64_t seed)
{
    size_t const windows = ordo_min(ORDO_TUNE_LOOKS, io->n / ORDO_TUNE_LOOK_KEYS);
    size_t const aside = look_aside(io->n, windows, seed);
    size_t       radius = 0;
    RECORD       room[ORDO_TUNE_LOOK_KEYS], highest[ORDO_TUNE_LOOK_KEYS]; /* so far in the window */
    for (size_t w = 0; w < windows; w++) {
        const RECORD *const seen =
            records_tile(io, w * (io->n / windows) + aside, ORDO_TUNE_LOOK_KEYS, room);
        highest[0] = seen[0];
        for (size_t i = 1; i < ORDO_TUNE_LOOK_KEYS; i++) {
            highest[i] = highest[i - 1] > seen[i] ? highest[i - 1] : seen[i];
            while (radius < i && highest[i - radius - 1] > seen[i])
                radius++;
        }
    }
    return radius;
}
