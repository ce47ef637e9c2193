"""Statistics of one row and of two rows that were timed in the same rounds.

A row has one time for each round. The median and the quartiles describe it, never the mean: times
are skewed to the right. Two rows of one run are compared round by round, so that slow phases of the
machine cancel out.
"""

import math
from dataclasses import dataclass

TIMES = "\N{MULTIPLICATION SIGN}"
NOISY = 0.10  # a row whose quartiles are further apart than this share of its median is noisy


@dataclass(frozen=True)
class Spread:
    median: float
    low: float  # first quartile
    high: float  # third quartile
    least: float
    count: int

    @property
    def noisy(self):
        return self.count > 1 and self.high - self.low > NOISY * self.median

    def scaled(self, factor):
        return Spread(
            self.median * factor,
            self.low * factor,
            self.high * factor,
            self.least * factor,
            self.count,
        )


def quantile(ordered, share):
    """Linear between the two nearest of the sorted values."""
    place = share * (len(ordered) - 1)
    before = math.floor(place)
    after = min(before + 1, len(ordered) - 1)
    return ordered[before] + (ordered[after] - ordered[before]) * (place - before)


def spread(values):
    """The Spread of at least one positive, finite value."""
    if not values or not all(math.isfinite(v) and v > 0 for v in values):
        raise ValueError("a spread needs positive, finite values")
    ordered = sorted(values)
    return Spread(
        quantile(ordered, 0.5),
        quantile(ordered, 0.25),
        quantile(ordered, 0.75),
        ordered[0],
        len(ordered),
    )


def ratio(slow, fast):
    """How many times as fast as `slow` the row `fast` is: the Spread of the ratios of all rounds.
    None if the rows do not have the same number of rounds."""
    if len(slow) != len(fast) or not slow:
        return None
    return spread([s / f for s, f in zip(slow, fast)])


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def times(value):
    """A ratio in words."""
    return f"{value:,.0f} {TIMES}" if value >= 100 else f"{value:.3g} {TIMES}"
