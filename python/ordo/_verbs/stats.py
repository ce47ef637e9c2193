"""spearmanr and mannwhitneyu: two tests that use ranks, with SciPy's definitions.

The library computes the ranks, which take most of the time. The p-values do not need SciPy:
Student's t uses the continued fraction of the incomplete beta function (NIST Digital Library of
Mathematical Functions, 8.17.22, with Lentz's method), the normal distribution ``math.erfc``, and
the exact distribution of U counts orders (H. B. Mann and D. R. Whitney, "On a test of whether one
of two random variables is stochastically larger than the other", Annals of Mathematical Statistics
18, 1947).
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import _lib
from .._arrays import FLOATS, HOST, Rows, normal_axis, numbers_of, place_of
from .._check import check_nan_policy, found_nan, one_of, same_place
from .._inputs.device import with_guests
from .rank import rankdata


class TestResult(NamedTuple):
    """The result of `spearmanr` and `mannwhitneyu`."""

    statistic: float
    pvalue: float

    @property
    def correlation(self) -> float:
        """The statistic; SciPy's result of `spearmanr` also has this name."""
        return self.statistic


TestResult.__test__ = False  # type: ignore[attr-defined] # not a test class for pytest


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Returns the regularised incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction converges slowly here; use the symmetry
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
    """Returns P(T > t) and P(T < t) of Student's distribution."""
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


def _sample(a: Any, name: str, axis: int | None) -> Any:
    """Returns a sample as contiguous keys, and whether it holds a NaN."""
    place, array = numbers_of(a)
    if place is HOST and array.dtype.kind in "Mm":
        raise TypeError(f"{name} has dtype {array.dtype}; expected numbers")
    if axis is None or array.ndim == 0:
        array = place.reshape(array, (-1,))
    else:
        normal_axis(axis, array.ndim)
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected 1")
    rows = Rows(place, array, None)
    return rows.keys, rows.code in FLOATS and bool(place.isnan(rows.keys).any())


def _samples(
    x: Any, y: Any, names: str, axis: int | None, nan_policy: str, alternative: str
) -> tuple[Any, Any, bool]:
    """Returns both samples, and whether one of them holds a NaN; checks the arguments."""
    check_nan_policy(nan_policy)
    one_of(("two-sided", "less", "greater"), alternative, "alternative")
    u, u_nan = _sample(x, names[0], axis)
    v, v_nan = _sample(y, names[1], axis)
    same_place(place_of(u)[0], names[0], place_of(v)[0], names[1])
    if nan_policy == "raise" and (u_nan or v_nan):
        raise found_nan()
    return u, v, u_nan or v_nan


@with_guests
def spearmanr(
    a: Any,
    b: Any,
    axis: int | None = 0,
    nan_policy: _lib.NanPolicy = "propagate",
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
) -> TestResult:
    """Returns Spearman's rank correlation of two samples, as `scipy.stats.spearmanr` does.

    Parameters
    ----------
    a, b : array-likes of one dimension and of the same length.
    axis : 0, or None to read arrays of any shape as one row.
    nan_policy : 'propagate': a NaN makes the result NaN. 'omit': pairs with a NaN are ignored.
        'raise': a NaN raises a ValueError.
    alternative : 'two-sided', 'less' (negative correlation) or 'greater'.

    Returns
    -------
    TestResult : `statistic` (the correlation) and `pvalue`.

    Raises
    ------
    TypeError : the elements are not numbers, or `a` and `b` are not in the same place.
    ValueError : the shapes or an option are wrong, or there is a NaN under 'raise'.

    Examples
    --------
    >>> import ordo
    >>> result = ordo.spearmanr([1, 2, 3, 4, 5], [5, 6, 7, 8, 7])
    >>> round(result.statistic, 6), round(result.pvalue, 6)
    (0.820783, 0.088587)
    """
    x, y, has_nan = _samples(a, b, "ab", axis, nan_policy, alternative)
    if x.shape[0] != y.shape[0]:
        raise ValueError(f"a has {x.shape[0]} elements and b {y.shape[0]}; expected equal lengths")
    if has_nan:
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
    """Returns P(U >= u) and P(U >= v) if all orders of m and n elements are equally likely."""
    counts = [1] + [0] * (m * n)  # coefficients of the Gaussian binomial, one factor at a time
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
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    axis: int | None = 0,
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    *,
    nan_policy: _lib.NanPolicy = "propagate",
) -> TestResult:
    """Returns the Mann-Whitney U test of two samples, as `scipy.stats.mannwhitneyu` does.

    Parameters
    ----------
    x, y : array-likes of one dimension.
    use_continuity : correct the normal approximation by 1/2.
    alternative : 'two-sided', 'less' (x tends to be smaller) or 'greater'.
    axis : 0, or None to read arrays of any shape as one row.
    method : 'exact', 'asymptotic' or 'auto'. 'auto' is exact if a sample has at most 8 elements
        and there are no ties.
    nan_policy : as for `spearmanr`; 'omit' ignores the NaNs of each sample.

    Returns
    -------
    TestResult : `statistic` (U of `x`) and `pvalue`.

    Raises
    ------
    TypeError : the elements are not numbers, or `x` and `y` are not in the same place.
    ValueError : the shapes or an option are wrong, or there is a NaN under 'raise'.

    Examples
    --------
    >>> import ordo
    >>> males, females = [19, 22, 16, 29, 24], [20, 11, 17, 12]
    >>> result = ordo.mannwhitneyu(males, females)
    >>> result.statistic, round(result.pvalue, 6)
    (17.0, 0.111111)
    """
    one_of(("auto", "exact", "asymptotic"), method, "method")
    if not isinstance(use_continuity, (bool, np.bool_)) and use_continuity not in (0, 1):
        raise ValueError(f"use_continuity is {use_continuity!r}; expected True or False")
    u, v, has_nan = _samples(x, y, "xy", axis, nan_policy, alternative)
    if has_nan:
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
    # The size of each element's group of ties.
    size = rankdata(both, "max") - rankdata(both, "min") + 1
    ties = float((size * size).sum()) - (m + n)  # the sum of t^3 - t over groups of size t
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
