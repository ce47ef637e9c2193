"""spearmanr, mannwhitneyu: two tests that rest on ranks, with SciPy's definitions.

The ranks are the costly part and are computed by the library; p-values need no SciPy: Student's t
by the continued fraction of the incomplete beta function (NIST Digital Library of Mathematical
Functions, 8.17.22, evaluated by Lentz's method), the normal distribution by ``math.erfc``, and the
exact distribution of U by counting (H. B. Mann and D. R. Whitney, "On a test of whether one of two
random variables is stochastically larger than the other", Annals of Mathematical Statistics 18,
1947).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ._arrays import FLOATS, HOST, Rows, normal_axis, numbers_of, place_of
from ._check import same_place
from ._device import with_guests
from ._rank import check_nan_policy, rankdata

_ALTERNATIVES = ("two-sided", "less", "greater")


class TestResult(NamedTuple):
    """Result of `spearmanr` and `mannwhitneyu`."""

    statistic: float
    pvalue: float

    @property
    def correlation(self) -> float:
        """The statistic, by the name that SciPy's result of `spearmanr` has for it, too."""
        return self.statistic


TestResult.__test__ = False  # type: ignore[attr-defined] # its name is no invitation to pytest


def _check_alternative(alternative: str) -> None:
    if alternative not in _ALTERNATIVES:
        raise ValueError(
            f"alternative is {alternative!r}; expected one of {', '.join(_ALTERNATIVES)}"
        )


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly, use the symmetry
        return 1 - _incomplete_beta(b, a, 1 - x)
    tiny = 1e-300
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        + a * math.log(x) + b * math.log1p(-x)
    )  # fmt: skip
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    fraction = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            step = c * d
            fraction *= step
        if abs(step - 1) < 1e-15:
            break
    return front * fraction / a


def _student_tails(t: float, freedom: float) -> tuple[float, float]:
    """P(T > t) and P(T < t) of Student's distribution."""
    far = _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2
    return (far, 1 - far) if t >= 0 else (1 - far, far)


def _normal_tail(z: float) -> float:
    return math.erfc(z / math.sqrt(2)) / 2


def _p_value(upper: float, lower: float, alternative: str) -> float:
    if alternative == "greater":
        return upper
    if alternative == "less":
        return lower
    return min(1.0, 2 * min(upper, lower))


def _numbers(a: Any, name: str, axis: int | None) -> Any:
    """A sample as contiguous keys, and whether it holds a NaN."""
    place, array = numbers_of(a)
    if axis is None or array.ndim == 0:
        array = place.reshape(array, (-1,))
    else:
        normal_axis(axis, array.ndim)
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected 1")
    rows = Rows(place, array, None)
    return rows.keys, rows.code in FLOATS and bool(place.isnan(rows.keys).any())


def _check_places(x: Any, y: Any, names: str) -> None:
    if not same_place(place_of(x)[0], place_of(y)[0]):
        raise TypeError(f"{names} are arrays of two libraries or devices; expected the same one")


@with_guests
def spearmanr(
    a: Any,
    b: Any,
    axis: int | None = 0,
    nan_policy: str = "propagate",
    alternative: str = "two-sided",
) -> TestResult:
    """Spearman's rank correlation of two samples, as `scipy.stats.spearmanr` of two of them.

    Parameters
    ----------
    a, b : one dimension each, equally long.
    axis : None takes arrays of any shape as one dimension.
    nan_policy : 'propagate': NaNs give NaN; 'omit': pairs with a NaN are left out; 'raise'.
    alternative : 'two-sided', 'less' (negative correlation) or 'greater'.

    Examples
    --------
    >>> import ordo
    >>> result = ordo.spearmanr([1, 2, 3, 4, 5], [5, 6, 7, 8, 7])
    >>> round(result.statistic, 6), round(result.pvalue, 6)
    (0.820783, 0.088587)
    """
    check_nan_policy(nan_policy)
    _check_alternative(alternative)
    x, x_nan = _numbers(a, "a", axis)
    y, y_nan = _numbers(b, "b", axis)
    _check_places(x, y, "a and b")
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"a has {x.shape[0]} elements and b {y.shape[0]}; expected as many")
    if x_nan or y_nan:
        if nan_policy == "raise":
            raise ValueError("The input contains nan values")
        if nan_policy == "propagate":
            return TestResult(math.nan, math.nan)
        both = (x == x) & (y == y)
        x, y = x[both], y[both]
    n = x.shape[0]
    if n < 2:
        return TestResult(math.nan, math.nan)
    u, v = rankdata(x), rankdata(y)
    u -= (n + 1) / 2
    v -= (n + 1) / 2
    spread = math.sqrt(float((u * u).sum()) * float((v * v).sum()))
    if spread == 0:
        return TestResult(math.nan, math.nan)
    r = min(1.0, max(-1.0, float((u * v).sum()) / spread))
    freedom = n - 2
    if freedom == 0:
        t = math.copysign(math.inf, r) if abs(r) == 1 else 0.0
        return TestResult(r, math.nan if abs(r) == 1 else 1.0 if t else math.nan)
    t = math.copysign(math.inf, r) if abs(r) == 1 else r * math.sqrt(freedom / ((1 + r) * (1 - r)))
    if math.isinf(t):
        upper = 0.0 if t > 0 else 1.0
        return TestResult(r, _p_value(upper, 1 - upper, alternative))
    upper, lower = _student_tails(t, freedom)
    return TestResult(r, _p_value(upper, lower, alternative))


def _exact_tails(u: int, v: int, m: int, n: int) -> tuple[float, float]:
    """P(U >= u), P(U >= v) if all orders of m and n elements without ties are equally likely."""
    counts = [1] + [0] * (m * n)  # the coefficients of the Gaussian binomial, factor by factor
    for i in range(1, m + 1):
        for k in range(len(counts) - 1, n + i - 1, -1):
            counts[k] -= counts[k - n - i]
        for k in range(i, len(counts)):
            counts[k] += counts[k - i]
    orders = math.comb(m + n, m)
    return sum(counts[max(u, 0) :]) / orders, sum(counts[max(v, 0) :]) / orders


@with_guests
def mannwhitneyu(
    x: Any,
    y: Any,
    use_continuity: bool = True,
    alternative: str = "two-sided",
    axis: int | None = 0,
    method: str = "auto",
    *,
    nan_policy: str = "propagate",
) -> TestResult:
    """The Mann-Whitney U test of two samples, as `scipy.stats.mannwhitneyu`.

    Parameters
    ----------
    x, y : one dimension each.
    axis : None takes arrays of any shape as one dimension.
    use_continuity : correct the normal approximation by 1/2.
    alternative : 'two-sided', 'less' (x tends to be smaller) or 'greater'.
    method : 'exact', 'asymptotic', or 'auto': exact if a sample has at most 8 elements and
        there are no ties.
    nan_policy : as for `spearmanr`; 'omit' leaves NaNs of either sample out.

    Examples
    --------
    >>> import ordo
    >>> males, females = [19, 22, 16, 29, 24], [20, 11, 17, 12]
    >>> result = ordo.mannwhitneyu(males, females)
    >>> result.statistic, round(result.pvalue, 6)
    (17.0, 0.111111)
    """
    check_nan_policy(nan_policy)
    _check_alternative(alternative)
    if method not in ("auto", "exact", "asymptotic"):
        raise ValueError(f"method is {method!r}; expected auto, exact or asymptotic")
    if not isinstance(use_continuity, (bool, np.bool_)) and use_continuity not in (0, 1):
        raise ValueError(f"use_continuity is {use_continuity!r}; expected True or False")
    u, u_nan = _numbers(x, "x", axis)
    v, v_nan = _numbers(y, "y", axis)
    _check_places(u, v, "x and y")
    if u_nan or v_nan:
        if nan_policy == "raise":
            raise ValueError("The input contains nan values")
        if nan_policy == "propagate":
            return TestResult(math.nan, math.nan)
        u, v = u[u == u], v[v == v]
    m, n = u.shape[0], v.shape[0]
    if m == 0 or n == 0:
        return TestResult(math.nan, math.nan)
    place, _ = place_of(u)
    both = (np.concatenate if place is HOST else place.concatenate)((u, v))
    ranks = rankdata(both)
    first = float(ranks[:m].sum()) - m * (m + 1) / 2
    second = m * n - first
    # A tie shows as a rank whose group is larger than 1: that of max ranks minus min ranks.
    size = rankdata(both, "max") - rankdata(both, "min") + 1
    ties = float((size * size).sum()) - (m + n)  # sum of t^3 - t over groups of t
    if method == "auto":
        method = "exact" if min(m, n) <= 8 and ties == 0 else "asymptotic"
    if method == "exact":
        upper, lower = _exact_tails(math.ceil(first), math.ceil(second), m, n)
        return TestResult(first, _p_value(upper, lower, alternative))
    total = m + n
    spread = math.sqrt(m * n / 12 * ((total + 1) - ties / (total * (total - 1))))
    if spread == 0:
        return TestResult(first, math.nan if not use_continuity else 1.0)
    half = 0.5 if use_continuity else 0.0
    upper = _normal_tail((first - m * n / 2 - half) / spread)
    lower = _normal_tail((second - m * n / 2 - half) / spread)
    return TestResult(first, _p_value(upper, lower, alternative))
