/* counts.h - how many collective operations (allgather, sum, prefix) calls of ordo_dist.h make, and
 * how many bytes a search for cuts takes. For the model of model.h and its test; needs no MPI.
 *
 * A round of a search for cuts makes 3 operations, of strings 4, a read of a median 5. The rest of
 * a call has a fixed number: the greeting, an agreement after each step, and the sizes of what is
 * exchanged. Random offers leave an interval a part with the distribution Beta(2, 31) in a round:
 * the mean of its logarithm is -3.06 and the standard deviation 0.78. The slowest of many cuts
 * decides. */
#ifndef ORDO_MPI_COUNTS_H
#define ORDO_MPI_COUNTS_H

#include <math.h>
#include <stdbool.h>

typedef enum counts_call {
    COUNTS_SORT,
    COUNTS_RANK,
    COUNTS_MEDIAN, /* with ORDO_NANS_PROPAGATE; a round is a read of the keys that are left */
    COUNTS_SORT_LINES
} counts_call;

/* Whether the counts of pieces are narrow, which takes one more operation
 * (lib/dist/exchange/pieces.c). */
static inline bool counts_small_pieces(double ranks, double keys)
{
    return floor(floor(keys / ranks) / ranks) < 4096;
}

/* Collective operations of a call that searched in `rounds` rounds. */
static inline double counts_collectives(counts_call call, double ranks, double keys, double rounds)
{
    double const small = counts_small_pieces(ranks, keys);
    if (call == COUNTS_MEDIAN)
        return 12 + 5 * rounds;
    if (ranks < 2)
        return call == COUNTS_RANK ? 13 : call == COUNTS_SORT ? 9 : 10;
    switch (call) {
    case COUNTS_RANK:
        return 14 + small;
    case COUNTS_SORT_LINES:
        return 12 + 4 * rounds + small;
    default:
        return 11 + 3 * rounds + small;
    }
}

/* Rounds that `cuts` intervals of `keys` distinct keys are expected to take: the last round offers
 * up to 32 keys as a whole. The factor of the largest of several deviations is fitted to counts. */
static inline double counts_search(double cuts, double keys)
{
    double const slowest = cuts > 1 ? 0.55 * sqrt(2 * log(cuts)) : 0;
    double       rounds = 0;
    while (log(keys / 32) > 3.06 * rounds - 0.78 * slowest * sqrt(rounds))
        rounds++;
    return 1 + rounds;
}

/* Reads until at most 65536 of the keys are left: each keeps those of a bracket that has four
 * standard deviations of a sample's median on both sides (lib/dist/search/brackets.c). */
static inline double counts_reads(double keys)
{
    double reads = 0;
    for (; keys > 65536; reads++) {
        double const sample = fmin(pow(keys, 2.0 / 3), 65536);
        keys *= (4 * sqrt(sample) + 4) / sample;
    }
    return reads;
}

/* The expected rounds of a call on distinct keys. Ranks are divided between cells, without one. */
static inline double counts_rounds(counts_call call, double ranks, double keys)
{
    if (call == COUNTS_MEDIAN)
        return counts_reads(keys);
    return ranks < 2 || call == COUNTS_RANK ? 0 : counts_search(ranks - 1, keys);
}

/* Bytes that a rank gets in a round for a cut: offers with a number from each rank, two sums. */
static inline double counts_round_bytes(double ranks) { return 4 * ranks + 8 * 32 + 512; }

#endif
