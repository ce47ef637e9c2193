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
from itertools import accumulate
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import _lib
from .._arrays import FLOATS, HOST, Rows, normal_axes, normal_axis, numbers_of
from .._check import check_nan_policy, flag, found_nan, one_of, same_place
from .._inputs.device import with_guests
from .rank import rankdata

_NAN = np.float64(math.nan)


class TestResult(NamedTuple):
    """The result of `spearmanr` and `mannwhitneyu`: numbers, or NumPy arrays of them."""

    statistic: Any
    pvalue: Any

    @property
    def correlation(self) -> Any:
        """The statistic; SciPy's result of `spearmanr` also has this name."""
        return self.statistic


TestResult.__test__ = False  # type: ignore[attr-defined] # not a test class for pytest


def _beta_fraction(a: float, b: float, x: Any) -> Any:
    """Returns I_x(a, b), the regularised incomplete beta function, for x up to (a + 1)/(a + b + 2).

    `x` is a float or an array of at least one element, without NaN.
    """
    functions: Any = math if type(x) is float else np
    front = functions.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        + a * functions.log(x) + b * functions.log1p(-x)
    )  # fmt: skip
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            step = c * d
            fraction = fraction * step
        far = abs(step - 1)
        if (far if type(x) is float else far.max()) < 1e-15:
            break
    return front * fraction / a


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Returns the regularised incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction converges slowly here; use the symmetry
        return 1 - _beta_fraction(b, a, 1 - x)
    return _beta_fraction(a, b, x)


def _incomplete_betas(a: float, b: float, x: Any) -> Any:
    """Returns I_x(a, b) for every element of `x`; NaN for a NaN."""
    result = np.where(x <= 0, 0.0, np.where(x >= 1, 1.0, np.nan))
    inside = (x > 0) & (x < 1)
    swapped = inside & (x > (a + 1) / (a + b + 2))
    direct = inside & ~swapped
    if direct.any():
        result[direct] = _beta_fraction(a, b, x[direct])
    if swapped.any():
        result[swapped] = 1 - _beta_fraction(b, a, 1 - x[swapped])
    return result


def _normal_tail(z: Any) -> Any:
    """Returns P(Z > z) of the normal distribution, for a number or an array."""
    if z.ndim == 0:
        return math.erfc(z / math.sqrt(2)) / 2
    return np.float64(np.frompyfunc(math.erfc, 1, 1)(z / math.sqrt(2))) / 2


def _p_value(upper: Any, lower: Any, alternative: str) -> Any:
    if alternative == "greater":
        return upper
    if alternative == "less":
        return lower
    smaller = np.minimum(upper, lower)
    return np.minimum(1.0, smaller + smaller)


def _check_options(nan_policy: str, alternative: str) -> None:
    check_nan_policy(nan_policy)
    one_of(("two-sided", "less", "greater"), alternative, "alternative")


def _numbers(a: Any, name: str) -> tuple[Any, Any]:
    """Returns the place of a sample and the sample as an array of at least one dimension."""
    place, array = numbers_of(a)
    if place is HOST and array.dtype.kind in "Mm":
        raise TypeError(f"{name} has dtype {array.dtype}; expected numbers")
    return place, place.reshape(array, (1,)) if array.ndim == 0 else array


def _has_nan(rows: Rows) -> bool:
    return rows.code in FLOATS and bool(rows.place.isnan(rows.keys).any())


def _host(place: Any, array: Any) -> Any:
    return array if place is HOST else place.to_host(array)


# ---- spearmanr ---------------------------------------------------------------------------------


def _variables(a: Any, name: str, axis: int | None) -> Rows:
    """Returns the variables of a sample as rows; a sample that is one variable as one row."""
    place, array = _numbers(a, name)
    if axis is not None and array.ndim > 2:
        raise ValueError(f"{name} has {array.ndim} dimensions; expected 1 or 2")
    along = None if axis is None else normal_axis(axis, 2)
    return Rows(place, array, None if array.ndim == 1 else along)


def _each(rows: Rows) -> list:
    """Returns the variables of a sample."""
    return [rows.keys] if rows.keys.ndim == 1 else list(rows.keys)


@with_guests
def spearmanr(
    a: Any,
    b: Any = None,
    axis: int | None = 0,
    nan_policy: _lib.NanPolicy = "propagate",
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
) -> TestResult:
    """Returns Spearman's rank correlation, as `scipy.stats.spearmanr` does.

    Parameters
    ----------
    a, b : array-likes of one or two dimensions. An array of one dimension is a variable. An array
        of two dimensions has several variables, and `b` may be None then.
    axis : the axis of the observations: 0 if each column is a variable, 1 if each row is. None:
        each array is one variable.
    nan_policy : 'propagate': the result of a variable with a NaN is NaN. 'omit': for each two
        variables, observations with a NaN are ignored. 'raise': a NaN raises a ValueError.
    alternative : 'two-sided', 'less' (negative correlation) or 'greater'.

    Returns
    -------
    TestResult : `statistic` (the correlation) and `pvalue`: numbers for two variables, else
        matrices with a row and a column for each variable. As in SciPy, both are one NaN if the
        first or second variable is constant.

    Raises
    ------
    TypeError : the elements are not numbers, or `a` and `b` are not in the same place.
    ValueError : the shapes or an option are wrong, or there is a NaN under 'raise'.

    Examples
    --------
    >>> import ordo
    >>> result = ordo.spearmanr([1, 2, 3, 4, 5], [5, 6, 7, 8, 7])
    >>> round(float(result.statistic), 6), round(float(result.pvalue), 6)
    (0.820783, 0.088587)
    >>> ordo.spearmanr([[1, 5, 9], [2, 4, 7], [3, 6, 8]]).statistic
    array([[ 1. ,  0.5, -0.5],
           [ 0.5,  1. ,  0.5],
           [-0.5,  0.5,  1. ]])
    """
    _check_options(nan_policy, alternative)
    samples = [_variables(a, "a", axis)]
    if b is not None:
        samples.append(_variables(b, "b", axis))
        same_place(samples[0].place, "a", samples[1].place, "b")
        if samples[0].n != samples[1].n:
            raise ValueError(
                f"a has {samples[0].n} elements and b {samples[1].n}; expected equal lengths"
            )
    variables = [variable for rows in samples for variable in _each(rows)]
    if len(variables) < 2:
        raise ValueError(f"variables: {len(variables)}; expected b, or at least 2 in a")
    with_nan = any(_has_nan(rows) for rows in samples)
    if with_nan and nan_policy == "raise":
        raise found_nan()
    if len(variables) > 2:
        if not with_nan or nan_policy == "propagate":
            return _matrix(samples, alternative)
        if any(bool((x == x[:1]).all()) for x in variables[:2]):
            return TestResult(_NAN, _NAN)
    return _pairs(variables, with_nan, nan_policy, alternative)


def _pairs(variables: list, with_nan: bool, nan_policy: str, alternative: str) -> TestResult:
    """Returns the correlations of variables, each two of them without the NaNs of both."""
    if len(variables) == 2:
        x, y = variables
        if with_nan:
            if nan_policy == "propagate":
                return TestResult(_NAN, _NAN)
            both = (x == x) & (y == y)
            x, y = x[both], y[both]
        return TestResult(*map(np.float64, _pair(x, y, alternative)))
    count = len(variables)
    statistics, values = np.ones((count, count)), np.zeros((count, count))
    for i in range(count):
        for j in range(i):
            found = _pairs([variables[i], variables[j]], with_nan, nan_policy, alternative)
            statistics[i, j], values[i, j] = statistics[j, i], values[j, i] = found
    return TestResult(statistics, values)


def _pair(x: Any, y: Any, alternative: str) -> tuple[Any, Any]:
    """Returns the correlation of two variables without NaNs, and its p-value."""
    n = x.shape[0]
    if n < 2:
        return math.nan, math.nan
    u, v = rankdata(x), rankdata(y)
    u -= (n + 1) / 2
    v -= (n + 1) / 2
    spread = math.sqrt(float((u * u).sum()) * float((v * v).sum()))
    if spread == 0:
        return math.nan, math.nan
    r = min(1.0, max(-1.0, float((u * v).sum()) / spread))
    freedom = n - 2
    if freedom == 0:
        return r, math.nan
    far = _incomplete_beta(freedom / 2, 0.5, (1 + r) * (1 - r)) / 2  # of Student's t of r
    upper, lower = (far, 1 - far) if r >= 0 else (1 - far, far)
    return r, _p_value(upper, lower, alternative)


def _matrix(samples: list[Rows], alternative: str) -> TestResult:
    """Returns the correlations of all variables; those of a variable with a NaN are NaN."""
    place, n = samples[0].place, samples[0].n
    if n < 2:
        return TestResult(_NAN, _NAN)
    parts = [place.reshape(rankdata(rows.keys, axis=-1), (-1, n)) for rows in samples]
    ranks = parts[0] if len(parts) == 1 else place.concatenate(parts)
    ranks -= (n + 1) / 2
    products = _host(place, ranks @ ranks.T)
    squares = products.diagonal()
    if squares[0] == 0 or squares[1] == 0:
        return TestResult(_NAN, _NAN)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.clip(products / np.sqrt(np.outer(squares, squares)), -1.0, 1.0)
    freedom = n - 2
    if freedom == 0:
        return TestResult(r, np.full(r.shape, np.nan))
    far = np.zeros(r.shape)
    i, j = np.tril_indices(len(r))
    far[i, j] = far[j, i] = _incomplete_betas(freedom / 2, 0.5, ((1 + r) * (1 - r))[i, j]) / 2
    upper, lower = np.where(r >= 0, far, 1 - far), np.where(r >= 0, 1 - far, far)
    return TestResult(r, _p_value(upper, lower, alternative))


# ---- mannwhitneyu ------------------------------------------------------------------------------


def _exact_tails(m: int, n: int) -> Any:
    """Returns P(U >= u) for u = 0 to mn if all orders of m and n elements are equally likely."""
    counts = [1] + [0] * (m * n)  # coefficients of the Gaussian binomial, one factor at a time
    for i in range(1, m + 1):
        for k in range(len(counts) - 1, n + i - 1, -1):
            counts[k] -= counts[k - n - i]
        for k in range(i, len(counts)):
            counts[k] += counts[k - i]
    orders = math.comb(m + n, m)
    return np.array([tail / orders for tail in accumulate(reversed(counts))])[::-1]


def _samples(x: Any, y: Any, axis: Any) -> tuple[Any, Any, Any, tuple]:
    """Returns both samples as rows, the dtype of the results, and their shape with `keepdims`."""
    place, first = _numbers(x, "x")
    other, second = _numbers(y, "y")
    same_place(place, "x", other, "y")
    ndim = max(first.ndim, second.ndim)
    axes = () if axis is None else normal_axes(axis, ndim, True)
    if axis is None or ndim == 1:
        u, v = (Rows(place, array, None) for array in (first, second))
        return u, v, _result_type(place, u, v), (1,) * ndim
    wide = (place.reshape(a, (1,) * (ndim - a.ndim) + tuple(a.shape)) for a in (first, second))
    u, v = (Rows(place, array, axes, several=True) for array in wide)
    try:
        lead = np.broadcast_shapes(u.lead, v.lead)
    except ValueError:
        raise ValueError(
            f"x has shape {tuple(first.shape)} and y {tuple(second.shape)}; expected shapes that "
            "broadcast, except along the axis"
        ) from None
    for rows in (u, v):
        rows.keys = place.broadcast_to(rows.keys, (*lead, rows.n))
        rows.lead = lead
    return u, v, _result_type(place, u, v), u.shape_after((), True)


def _result_type(place: Any, u: Rows, v: Rows) -> Any:
    """Returns the dtype of results: float32 if both samples are, as in SciPy, else float64."""
    if place is HOST:
        single = np.result_type(u.dtype, v.dtype) == np.float32
    else:
        single = all(place.float_name(rows.dtype) == "float32" for rows in (u, v))
    return np.dtype(np.float32 if single else np.float64)


@with_guests
def mannwhitneyu(
    x: Any,
    y: Any,
    use_continuity: bool = True,
    alternative: Literal["two-sided", "less", "greater"] = "two-sided",
    axis: int | tuple | None = 0,
    method: Literal["auto", "exact", "asymptotic"] = "auto",
    *,
    nan_policy: _lib.NanPolicy = "propagate",
    keepdims: bool = False,
) -> TestResult:
    """Returns the Mann-Whitney U test of two samples, as `scipy.stats.mannwhitneyu` does.

    Parameters
    ----------
    x, y : array-likes. Their shapes broadcast, except along the axis.
    use_continuity : correct the normal approximation by 1/2.
    alternative : 'two-sided', 'less' (x tends to be smaller) or 'greater'.
    axis : the axis of a sample, a tuple of axes, or None to read arrays of any shape as one sample.
    method : 'exact', 'asymptotic' or 'auto'. 'auto' is exact if a sample has at most 8 elements
        and there are no ties. The exact method rounds U down if ties make it a fraction.
    nan_policy : 'propagate': the result of a sample with a NaN is NaN. 'omit': the NaNs of each
        sample are ignored. 'raise': a NaN raises a ValueError.
    keepdims : keep the axes of the samples with length 1.

    Returns
    -------
    TestResult : `statistic` (U of `x`) and `pvalue`: numbers, or NumPy arrays if there are several
        samples. They are float32 if `x` and `y` are, else float64.

    Raises
    ------
    TypeError : the elements are not numbers, or `x` and `y` are not in the same place.
    ValueError : the shapes or an option are wrong, or there is a NaN under 'raise'.

    Examples
    --------
    >>> import ordo
    >>> males, females = [19, 22, 16, 29, 24], [20, 11, 17, 12]
    >>> result = ordo.mannwhitneyu(males, females)
    >>> result.statistic, round(float(result.pvalue), 6)
    (np.float64(17.0), 0.111111)
    """
    one_of(("auto", "exact", "asymptotic"), method, "method")
    if not isinstance(use_continuity, (bool, np.bool_)) and use_continuity not in (0, 1):
        raise ValueError(f"use_continuity is {use_continuity!r}; expected True or False")
    _check_options(nan_policy, alternative)
    keep = flag(keepdims, "keepdims")
    u, v, dtype, kept = _samples(x, y, axis)
    wish = (bool(use_continuity), alternative, method)
    if not _has_nan(u) and not _has_nan(v):
        found = _u_test(u.place, u.keys, v.keys, *wish)
    elif nan_policy == "raise":
        raise found_nan()
    else:
        found = _u_tests_of_rows(u, v, nan_policy, wish)
    results = (np.asarray(part).astype(dtype) for part in found)
    return TestResult(*(part.reshape(kept) if keep else part[()] for part in results))


def _u_tests_of_rows(u: Rows, v: Rows, nan_policy: str, wish: tuple) -> tuple[Any, Any]:
    """Returns the results of rows of which some have NaNs. Each row chooses its own method."""
    place, lead = u.place, u.lead
    statistics, values = np.empty(lead), np.empty(lead)
    for i in np.ndindex(lead):
        x, y = u.keys[i], v.keys[i]
        x_kept, y_kept = x[x == x], y[y == y]
        complete = x_kept.shape[0] == x.shape[0] and y_kept.shape[0] == y.shape[0]
        statistics[i] = values[i] = np.nan
        if complete or nan_policy == "omit":
            statistics[i], values[i] = _u_test(place, x_kept, y_kept, *wish)
    return statistics, values


def _u_test(
    place: Any, x: Any, y: Any, use_continuity: bool, alternative: str, method: str
) -> tuple[Any, Any]:
    """Returns U and the p-value of each row. The samples have no NaNs."""
    m, n, lead = x.shape[-1], y.shape[-1], tuple(x.shape)[:-1]
    if m == 0 or n == 0 or 0 in lead:
        return np.full(lead, np.nan), np.full(lead, np.nan)
    both = place.concatenate((x, y), -1)
    first = _host(place, rankdata(both, axis=-1)[..., :m].sum(-1)) - m * (m + 1) / 2
    second = m * n - first
    # The size of each element's group of ties.
    size = rankdata(both, "max", axis=-1) - rankdata(both, "min", axis=-1) + 1
    total = m + n
    ties = _host(place, (size * size).sum(-1)) - float(total)  # sums of t^3 - t over groups of t
    if method == "auto":
        method = "exact" if min(m, n) <= 8 and not ties.any() else "asymptotic"
    if method == "exact":
        tails = _exact_tails(m, n)
        upper, lower = (tails[np.floor(u).astype(np.intp)] for u in (first, second))
        return first, _p_value(upper, lower, alternative)
    spread = np.sqrt(m * n / 12 * ((total + 1) - ties / (total * (total - 1))))
    half = 0.5 if use_continuity else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = _normal_tail((first - m * n / 2 - half) / spread)
        lower = _normal_tail((second - m * n / 2 - half) / spread)
    return first, _p_value(upper, lower, alternative)
