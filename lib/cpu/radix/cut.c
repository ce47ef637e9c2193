/* cut.c - chooses the buckets of the radix sort from a sorted sample (cut.h). Reads the sample a
 * few times; no other cost. */
#include "cpu/radix/cut.h"

enum {
    UNEVEN = 4,       /* a bucket with this many times its share of the sample is too large */
    LARGE_PART = 32,  /* logarithms are tried if one sampled key in so many is in such a bucket */
    DENSE_PART = 64,  /* the part of the sample that shows where keys are densest */
    CELLS_BESIDE = 4, /* cells that are not used for the range of the sample */
};

typedef struct cut_sample {
    const uint64_t *keys; /* in order */
    size_t          count;
    unsigned        width;
    size_t          share; /* sampled keys of a bucket */
} cut_sample;

/* Whether buckets by the top bits hold about the same number of sampled keys. */
static bool is_even(const cut_sample *sample, unsigned shift, size_t buckets)
{
    size_t const most = 6 * (sample->count / buckets) + 8;
    for (size_t i = most; i < sample->count; i++)
        if (sample->keys[i] >> shift == sample->keys[i - most] >> shift)
            return false;
    return true;
}

/* ---- Cells ---- */

static uint64_t place_at(const cut_sample *sample, const radix_cut *cut, size_t i)
{
    return radix_place(cut, sample->keys[i], sample->width);
}

/* The value that occurs most often among sampled keys [lo, hi), and how often. */
static uint64_t most_frequent(const cut_sample *sample, const radix_cut *cut, size_t lo, size_t hi,
                              size_t *count)
{
    uint64_t most = 0;
    *count = 0;
    for (size_t i = lo, end; i < hi; i = end) {
        uint64_t const place = place_at(sample, cut, i);
        for (end = i + 1; end < hi && place_at(sample, cut, end) == place; end++) {
        }
        if (end - i > *count) {
            *count = end - i;
            most = place;
        }
    }
    return most;
}

/* A cell whose buckets number from `first` on: bucket i of the cell begins at base + (i << shift),
 * and there are last + 1. */
static void put_cell(radix_cells *cells, size_t cell, size_t first, uint64_t base, unsigned shift,
                     size_t last)
{
    cells->bases[cell] = base;
    cells->words[cell] =
        (uint32_t)first | (uint32_t)last << CELL_LAST | (uint32_t)shift << CELL_SHIFT;
}

/* Cuts a cell that holds sampled keys [lo, hi) into at most `most` buckets. Returns how many. */
static size_t cut_cell(const cut_sample *sample, const radix_cut *cut, radix_cells *cells,
                       size_t cell, size_t lo, size_t hi, size_t first, size_t most)
{
    size_t         equal;
    uint64_t const value = most_frequent(sample, cut, lo, hi, &equal);
    if (equal > (hi - lo) / 2 && cut->shift > 0 && most >= 3) { /* below the value, it, above it */
        put_cell(cells, cell, first, value - (value > 0), 0, 1 + (value > 0));
        return 2 + (value > 0);
    }
    uint64_t const low = place_at(sample, cut, lo), high = place_at(sample, cut, hi - 1);
    size_t const   wanted = ordo_max((hi - lo) * 3 / (2 * sample->share), 1);
    unsigned       shift = 0;
    while ((high - low) >> shift >= ordo_min(wanted, most))
        shift++;
    put_cell(cells, cell, first, low, shift, (size_t)((high - low) >> shift));
    return (size_t)((high - low) >> shift) + 1;
}

/* The end of the sampled keys of the cell that holds key i. */
static size_t cell_end(const cut_sample *sample, const radix_cut *cut, size_t i)
{
    size_t const cell = radix_cell_of(cut, place_at(sample, cut, i));
    while (i < sample->count && radix_cell_of(cut, place_at(sample, cut, i)) == cell)
        i++;
    return i;
}

/* Gives the cells their buckets. Neighbouring cells with few sampled keys share a bucket. */
static size_t fill_cells(const cut_sample *sample, const radix_cut *cut, radix_cells *cells)
{
    size_t bucket = 0, held = 0, cell = 0;
    for (size_t i = 0, end; i < sample->count; i = end) {
        size_t const here = radix_cell_of(cut, place_at(sample, cut, i));
        end = cell_end(sample, cut, i);
        for (; cell < here; cell++)
            put_cell(cells, cell, bucket, 0, 0, 0);
        bool const many = end - i >= 2 * sample->share;
        if (held > 0 && (many || held >= sample->share) && bucket < BUCKETS - 1) {
            bucket++;
            held = 0;
        }
        if (many && bucket < BUCKETS - 1) { /* the last bucket is left for the keys after these */
            bucket += cut_cell(sample, cut, cells, cell, i, end, bucket, BUCKETS - 1 - bucket);
        } else {
            put_cell(cells, cell, bucket, 0, 0, 0);
            held += end - i;
        }
        cell++;
    }
    for (; cell <= cut->last; cell++)
        put_cell(cells, cell, bucket, 0, 0, 0);
    return bucket + 1;
}

/* How many sampled keys are in buckets that are too large and have different keys. */
static size_t in_large(const cut_sample *sample, const radix_cut *cut)
{
    size_t large = 0;
    for (size_t i = 0, end; i < sample->count; i = end) {
        size_t const bucket = radix_bucket(cut, sample->keys[i], sample->width);
        for (end = i + 1; end < sample->count; end++)
            if (radix_bucket(cut, sample->keys[end], sample->width) != bucket)
                break;
        if (end - i > UNEVEN * sample->share && sample->keys[i] != sample->keys[end - 1])
            large += end - i;
    }
    return large;
}

/* Cells over the range of the sample. Returns in_large. */
static size_t cut_by_cells(const cut_sample *sample, radix_cut *cut, radix_cells *cells)
{
    uint64_t const low = place_at(sample, cut, 0);
    uint64_t const high = place_at(sample, cut, sample->count - 1);
    cut->single = low == high;
    cut->shift = 0;
    while ((high - low) >> cut->shift > ((uint64_t)1 << CELL_BITS) - CELLS_BESIDE)
        cut->shift++;
    cut->base = low - ordo_min(low, (uint64_t)1 << cut->shift); /* cell 0 is below the sample */
    cut->last = ((high - cut->base) >> cut->shift) + 1;         /* and the last cell above */
    cut->cells = cells;
    cut->buckets = fill_cells(sample, cut, cells);
    return in_large(sample, cut);
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

void radix_choose_cut(const uint64_t *sample, size_t count, unsigned width, size_t buckets,
                      unsigned whole_bits, radix_cut *cut, radix_cells *cells)
{
    /* A cell may give half as many buckets again as its share. */
    size_t const     most = ordo_min(buckets, BUCKETS * 2 / 3);
    cut_sample const all = {sample, count, width, ordo_max(count / most, 1)};
    *cut = (radix_cut){.even = true,
                       .shift = width - (unsigned)__builtin_ctzll(buckets),
                       .mask = (unsigned)buckets - 1,
                       .keep = UINT64_MAX << whole_bits,
                       .buckets = buckets};
    if (is_even(&all, cut->shift, buckets))
        return;
    cut->even = false;
    size_t const large = cut_by_cells(&all, cut, cells);
    if (large <= count / LARGE_PART)
        return;
    cut->logs = true;
    cut->anchor = densest(&all);
    if (cut_by_cells(&all, cut, cells) < large)
        return;
    cut->logs = false;
    (void)cut_by_cells(&all, cut, cells);
}
