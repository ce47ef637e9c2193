/* counts.h - how many collective operations (allgather, sum, prefix) calls of ordo_dist.h make, and
 * how many bytes a search for cuts takes. For the model of model.h and its test; needs no MPI.
 *
 * A round of a search makes 4 operations, of strings 5. The rest of a call has a fixed number: the
 * greeting, an agreement after each step, and the sizes of what is exchanged. Random offers leave
 * an interval a part with the distribution Beta(2, 31) in a round: the mean of its logarithm is
 * -3.06 and the standard deviation 0.78. The slowest of many cuts decides. */
#ifndef ORDO_MPI_COUNTS_H
#define ORDO_MPI_COUNTS_H

#include <math.h>
#include <stdbool.h>

typedef enum counts_call {
    COUNTS_SORT,
    COUNTS_RANK,
    COUNTS_MEDIAN, /* with ORDO_NANS_PROPAGATE */
    COUNTS_SORT_LINES
} counts_call;

/* Whether the counts of pieces are narrow, which takes one more operation (lib/dist/pieces.c). */
static inline bool counts_small_pieces(double ranks, double keys)
{
    return floor(floor(keys / ranks) / ranks) < 4096;
}

/* Collective operations of a call that searched in `rounds` rounds. */
static inline double counts_collectives(counts_call call, double ranks, double keys, double rounds)
{
    double const small = counts_small_pieces(ranks, keys);
    if (call == COUNTS_MEDIAN)
        return rounds > 0 ? 18 + 4 * rounds : 16;
    if (ranks < 2)
        return 10;
    switch (call) {
    case COUNTS_RANK: /* without a round no cell is searched */
        return (rounds > 0 ? 23 + 4 * rounds : 20) + small;
    case COUNTS_SORT_LINES:
        return 11 + 5 * rounds + small;
    default:
        return 12 + 4 * rounds + small;
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

/* The expected rounds of a call on distinct keys. Ranks and medians search in cells. */
static inline double counts_rounds(counts_call call, double ranks, double keys)
{
    double const cuts = ranks - 1, cells = fmin(32 * cuts, 32000);
    if (call == COUNTS_MEDIAN)
        return counts_search(1, keys / 64);
    if (ranks < 2)
        return 0;
    return counts_search(cuts, call == COUNTS_RANK ? keys / cells : keys);
}

/* Bytes that a rank gets in a round for a cut: offers with a number from each rank, two sums. */
static inline double counts_round_bytes(double ranks) { return 8 * (ranks + 32) + 512; }

#endif
