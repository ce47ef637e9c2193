/* cut.c - chooses the buckets of uneven keys from a sorted sample (cut.h). Reads the sample a few
 * times. */
#include "cpu/radix/cut.h"

enum {
    UNEVEN = 4,       /* a bucket with more than this many times its share of the sample is too
                       * large */
    LARGE_PART = 32,  /* narrower buckets and logarithms are tried if more than one sampled key in
                       * this many is in such a bucket */
    NARROWER = 4,     /* factor by which the buckets of a cell may become narrower */
    DENSE_PART = 64,  /* one part in this many of the sample shows where keys are densest */
    CELLS_BESIDE = 4, /* cells that are not used for the range of the sample */
};

typedef struct cut_sample {
    const uint64_t *keys;   /* key bits in order */
    uint64_t       *places; /* the numbers that the cells cover (radix_place), in order */
    size_t          count;
    unsigned        width;
    size_t          share; /* sampled keys of a bucket */
    size_t          large; /* sampled keys in buckets that are too large and have several values */
} cut_sample;

/* ---- Cells ---- */

/* The value that occurs most often among places [lo, hi), and how often. */
static uint64_t most_frequent(const cut_sample *sample, size_t lo, size_t hi, size_t *count)
{
    uint64_t most = 0;
    *count = 0;
    for (size_t i = lo, end; i < hi; i = end) {
        for (end = i + 1; end < hi && sample->places[end] == sample->places[i]; end++) {
        }
        if (end - i > *count) {
            *count = end - i;
            most = sample->places[i];
        }
    }
    return most;
}

/* Whether a bucket of sampled keys [lo, hi) is too large and has several values. */
static bool is_large(const cut_sample *sample, size_t lo, size_t hi)
{
    return hi - lo > UNEVEN * sample->share && sample->places[lo] != sample->places[hi - 1];
}

/* Adds the sampled keys [lo, hi) of a bucket to sample->large if the bucket is too large. */
static void note_bucket(cut_sample *sample, size_t lo, size_t hi)
{
    if (is_large(sample, lo, hi))
        sample->large += hi - lo;
}

/* Stores a cell whose buckets are numbered from `first` on: bucket i of the cell begins at base +
 * (i << shift), and there are last + 1 buckets. */
static void put_cell(radix_cells *cells, size_t cell, size_t first, uint64_t base, unsigned shift,
                     size_t last)
{
    cells->bases[cell] = base;
    cells->words[cell] =
        (uint32_t)first | (uint32_t)last << CELL_LAST | (uint32_t)shift << CELL_SHIFT;
}

/* For sampled keys [lo, hi) of a cell whose buckets are 2^shift wide, from `low` on: returns the
 * number of keys in buckets that are too large and have several values. */
static size_t large_at(const cut_sample *sample, size_t lo, size_t hi, uint64_t low, unsigned shift)
{
    const uint64_t *const places = sample->places;
    size_t                large = 0;
    for (size_t i = lo, end; i < hi; i = end) {
        uint64_t const bucket = (places[i] - low) >> shift;
        for (end = i + 1; end < hi && (places[end] - low) >> shift == bucket; end++) {
        }
        large += is_large(sample, i, end) ? end - i : 0;
    }
    return large;
}

/* Gives a value that is most of a cell its own bucket, between a bucket below and one above it.
 * Returns the number of buckets. */
static size_t cut_around(cut_sample *sample, radix_cells *cells, size_t cell, size_t lo, size_t hi,
                         size_t first, uint64_t value)
{
    size_t below = lo, above;
    while (sample->places[below] < value)
        below++;
    for (above = below; above < hi && sample->places[above] == value; above++) {
    }
    note_bucket(sample, lo, below);
    note_bucket(sample, above, hi);
    put_cell(cells, cell, first, value - (value > 0), 0, 1 + (value > 0));
    return 2 + (value > 0);
}

/* Cuts a cell that holds sampled keys [lo, hi) into at most `most` buckets. Returns their number.
 * The width follows from the number of sampled keys; buckets become narrower while some are too
 * large, so that frequent values get their own buckets. */
static size_t cut_cell(cut_sample *sample, const radix_cut *cut, radix_cells *cells, size_t cell,
                       size_t lo, size_t hi, size_t first, size_t most)
{
    size_t         equal;
    uint64_t const value = most_frequent(sample, lo, hi, &equal);
    if (equal > (hi - lo) / 2 && cut->shift > 0 && most >= 3)
        return cut_around(sample, cells, cell, lo, hi, first, value);
    uint64_t const low = sample->places[lo], range = sample->places[hi - 1] - low;
    size_t const   wanted = ordo_max((hi - lo) * 3 / (2 * sample->share), 1);
    size_t const   limit = ordo_min(wanted * NARROWER, most);
    unsigned       shift = 0;
    while (range >> shift >= ordo_min(wanted, most))
        shift++;
    size_t large = large_at(sample, lo, hi, low, shift);
    while (large > (hi - lo) / LARGE_PART && shift > 0 && range >> (shift - 1) < limit)
        large = large_at(sample, lo, hi, low, --shift);
    sample->large += large;
    put_cell(cells, cell, first, low, shift, (size_t)(range >> shift));
    return (size_t)(range >> shift) + 1;
}

/* Gives the cells their buckets. Neighbouring cells with few sampled keys share a bucket. Returns
 * the number of buckets. */
static size_t fill_cells(cut_sample *sample, const radix_cut *cut, radix_cells *cells)
{
    size_t bucket = 0, begin = 0, cell = 0; /* `begin` is the first sampled key of the bucket */
    for (size_t i = 0, end; i < sample->count; i = end) {
        size_t const here = radix_cell_of(cut, sample->places[i]);
        for (end = i + 1; end < sample->count; end++)
            if (radix_cell_of(cut, sample->places[end]) != here)
                break;
        for (; cell < here; cell++)
            put_cell(cells, cell, bucket, 0, 0, 0);
        bool const many = end - i > sample->share;
        bool const full = end - begin > sample->share + sample->share / 4;
        if (begin < i && (many || full) && bucket < BUCKETS - 1) {
            bucket++;
            begin = i;
        }
        if (many && bucket < BUCKETS - 1) { /* the last bucket is for the keys after these */
            bucket += cut_cell(sample, cut, cells, cell, i, end, bucket, BUCKETS - 1 - bucket);
            begin = end;
        } else {
            put_cell(cells, cell, bucket, 0, 0, 0);
        }
        cell++;
    }
    if (begin < sample->count)
        note_bucket(sample, begin, sample->count);
    for (; cell <= cut->last; cell++)
        put_cell(cells, cell, bucket, 0, 0, 0);
    return bucket + 1;
}

/* Chooses cells over the range of the sample. */
static void cut_by_cells(cut_sample *sample, radix_cut *cut, radix_cells *cells)
{
    for (size_t i = 0; i < sample->count; i++)
        sample->places[i] = radix_place(cut, sample->keys[i], sample->width, cut->logs);
    uint64_t const low = sample->places[0], high = sample->places[sample->count - 1];
    cut->single = low == high;
    cut->shift = 0;
    while ((high - low) >> cut->shift > ((uint64_t)1 << CELL_BITS) - CELLS_BESIDE)
        cut->shift++;
    cut->base = low - ordo_min(low, (uint64_t)1 << cut->shift); /* cell 0 is below the sample */
    cut->last = ((high - cut->base) >> cut->shift) + 1;         /* and the last cell above */
    cut->cells = cells;
    sample->large = 0;
    cut->buckets = fill_cells(sample, cut, cells);
}

/* The key around which the sample is densest. */
static uint64_t densest(const cut_sample *sample)
{
    size_t const part = ordo_max(sample->count / DENSE_PART, 1);
    size_t       best = 0;
    uint64_t     least = UINT64_MAX;
    for (size_t i = 0; i + part < sample->count; i++)
        if (sample->keys[i + part] - sample->keys[i] < least) {
            least = sample->keys[i + part] - sample->keys[i];
            best = i;
        }
    return sample->keys[best + part / 2];
}

void radix_cut_uneven(const uint64_t *sample, uint64_t *scratch, size_t count, unsigned width,
                      size_t buckets, radix_cut *cut, radix_cells *cells)
{
    /* A cell may give half as many buckets again as its share: `buckets` in all. */
    size_t const most = buckets * 2 / 3;
    cut_sample   all = {sample, scratch, count, width, ordo_max(count / most, 1), 0};
    cut->even = false;
    cut_by_cells(&all, cut, cells);
    size_t const large = all.large;
    if (large <= count / LARGE_PART)
        return;
    cut->logs = true;
    cut->anchor = densest(&all);
    cut_by_cells(&all, cut, cells);
    if (all.large < large)
        return;
    cut->logs = false;
    cut_by_cells(&all, cut, cells);
}
