"""median, quantile, percentile, and the same without NaNs."""

from __future__ import annotations

from ctypes import addressof, c_double
from typing import Any, NamedTuple

import numpy as np

from .. import _lib
from .._arrays import (
    FLOATS,
    HOST,
    PLAIN,
    Rows,
    address,
    ndarray,
    numbers_of,
    plain_code,
    pointer,
    rows_have_nan,
)
from .._check import (
    check_nan_policy,
    flag,
    found_nan,
    integer,
    into,
    quantile_parts,
    warn_of_no_elements,
)
from .._context import host_context
from .._inputs import tensors
from .._inputs.device import with_guests
from .._inputs.series import nan_policy_of
from .._short import by_library
from . import times

_DOUBLE = np.dtype(np.float64)
_SINGLE = PLAIN[np.dtype(np.float32)]
# Elements of a row from which selecting one more element (the last) finds a NaN faster than a pass
# that counts NaNs. Nine quantiles of 10^7 f64 on one Neoverse V1: 26 ms, with the counting pass 34
# ms. On an H200 the counting pass takes as long as the selection of a median.
_MANY = 4096
_POSITIONS = 512  # positions that a call copies before it returns, if a GPU works on several rows


class _Way(NamedTuple):
    """An algorithm by name and the length of its sub-arrays."""

    algorithm: str
    sub_array: int

    def fields(self) -> dict[str, int]:
        """Returns the fields of the options. ValueError if the algorithm is unknown."""
        names = "auto, radix, merge, bitonic"
        number = _lib.number_of(_lib.ALGORITHMS, self.algorithm, "algorithm", names)
        return {"algorithm": number, "sub_array": self.sub_array}


_AUTO = _Way("auto", 0)


def _way(algorithm: str, sub_array: Any) -> _Way:
    if algorithm == "auto" and type(sub_array) is int and sub_array == 0:
        return _AUTO
    length = integer(sub_array, "sub_array")
    if not 0 <= length < 1 << 64:
        raise ValueError(f"sub_array is {length}; expected a power of 2, at least 2")
    way = _Way(algorithm, length)
    way.fields()  # raises an error for an unknown algorithm
    return way


def _quantile_options(place: Any, nans: str, method: str | None, way: _Way = _AUTO) -> Any:
    # `method` None: a median. `nans` is 'last' or a NaN policy; the caller has checked 'raise'.
    number = _lib.HALF_SUM if method is None else _lib.number_of(_lib.METHODS, method, "method")
    return _lib.options(
        _lib.QuantileOptions,
        flags=place.flags,
        nans=_lib.NANS["propagate" if nans == "raise" else nans],
        method=number,
        stream=place.stream or None,
        **way.fields(),
    )


def _select_options(place: Any, descending: bool, way: _Way = _AUTO) -> Any:
    flags = place.flags | (_lib.DESCENDING if descending else 0)
    stream = place.stream or None
    return _lib.options(_lib.SelectOptions, flags=flags, stream=stream, **way.fields())


# The options of plain calls, by method and NaN policy. Under 'raise' the NaNs are counted first.
_PLAIN_OPTIONS = {
    (method, nans): _quantile_options(HOST, nans, method)
    for method in ("linear", None)
    for nans in ("propagate", "omit")
}


def _plain_options(a: Any, nans: Any, out: Any, keepdims: bool, way: _Way, method: Any) -> Any:
    """Returns the options of a plain call on an array with elements; None for other calls."""
    if keepdims or out is not None or way is not _AUTO or type(nans) is not str:
        return None
    return _PLAIN_OPTIONS.get((method, nans)) if a.size else None


def _number(value: float, code: Any) -> Any:
    return np.float32(value) if code is _SINGLE else np.float64(value)


def _rows(place: Any, array: Any, axis: Any, nan_policy: str) -> Rows:
    rows = Rows(place, array, axis, several=True, strided=True)
    if nan_policy == "raise" and rows_have_nan(rows) is not None:
        raise found_nan()
    return rows


# ---- median ------------------------------------------------------------------------------------


@by_library
def median(
    a: Any,
    axis: int | tuple | None = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
    *,
    weights: Any = None,
    nan_policy: _lib.NanPolicy | None = None,
    algorithm: _lib.Algorithm = "auto",
    sub_array: int = 0,
) -> Any:
    """Returns the median, as `numpy.median` does.

    Parameters
    ----------
    a : array-like of numbers; also GPU arrays and Arrow arrays.
    axis : an axis, a tuple of axes, or None for all axes.
    out : array for the result, of the same shape.
    overwrite_input : accepted for NumPy; the input is never overwritten.
    keepdims : keep the reduced axes with length 1.
    weights : a number of at least 0 for each element, or for each element along the axis. The
        weights are then added in the order of the elements: the median is the element where the
        sum exceeds half of all weights, or, if the sum is exactly half at an element, the mean of
        that element and the next. An integer weight counts an element that many times. On a GPU a
        row with a weight that is negative, infinite or NaN has the result NaN.
    nan_policy : 'propagate': the median of a row with a NaN is NaN, as in `numpy.median`. 'omit':
        NaNs are ignored, as in `numpy.nanmedian`. 'raise': a NaN raises a ValueError. None: 'omit'
        for objects of pandas and polars, as their medians do, else 'propagate'.
    algorithm : 'auto'; 'radix': digit by digit; 'bitonic': the median paper, which sorts sub-arrays
        and merges them with one thread in quadratic time; 'merge': the same with parallel merges.
    sub_array : elements of a sub-array for 'bitonic' and 'merge': a power of 2, on a GPU at most
        2048. 0: 1024.

    Returns
    -------
    The middle element, or the mean of the two middle elements: float64 for integers, else the dtype
    of `a` (computed in float64 and rounded once). The median of no elements is NaN and issues
    NumPy's RuntimeWarning.

    Raises
    ------
    TypeError : the elements are not numbers.
    ValueError : `axis`, `out`, `nan_policy`, `algorithm` or `sub_array` is wrong, or there is a NaN
        under 'raise'.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.median(np.array([3, 1, 4, 2]))
    np.float64(2.5)
    >>> ordo.median(np.array([3, np.nan, 4]), nan_policy="omit")
    np.float64(3.5)
    """
    if keepdims is not False:
        keepdims = flag(keepdims, "keepdims")
    way = _way(algorithm, sub_array)
    nan_policy = nan_policy_of(a, nan_policy)
    if weights is not None:
        return into(out, _weighted(a, 0.5, weights, axis, None, keepdims, nan_policy, way))
    code = plain_code(a, axis)
    opts = code and _plain_options(a, nan_policy, out, keepdims, way, None)
    if opts is not None:
        middle = c_double()
        _lib.median(host_context(), code, pointer(a), a.size, addressof(middle), opts)
        if nan_policy == "propagate" or middle.value == middle.value:  # else it needs a warning
            return _number(middle.value, code)
    usual = out is None and nan_policy == "propagate" and way is _AUTO and not keepdims
    if usual and (result := tensors.median(a, axis)) is not None:
        return result
    return into(out, _median(a, axis, keepdims, nan_policy, way))


@with_guests
def _median(a: Any, axis: Any, keepdims: bool, nan_policy: str, way: _Way) -> Any:
    place, array = numbers_of(a)
    check_nan_policy(nan_policy)
    if place is HOST and array.dtype.kind in "Mm":
        return times.median(array, axis, keepdims, nan_policy)
    rows = _rows(place, array, axis, nan_policy)
    tells = place.on_device and _last_tells(rows, nan_policy, way)  # on CPUs counting is faster
    result = _quantile_rows(rows, np.array([0.5]), nan_policy, None, way, tells)
    warn_of_no_elements(rows, result, nan_policy)
    name = place.float_name(rows.dtype)
    if name:
        result = _home_of(rows, result).astype(result, np.dtype(name))
    return _at_home(rows, result, rows.shape_after((), keepdims))


def _home_of(rows: Rows, result: Any) -> Any:
    """Returns the place of an array that `rows.numbers` returned."""
    return HOST if type(result) is ndarray else rows.place


def _at_home(rows: Rows, result: Any, shape: tuple) -> Any:
    """Returns numbers of the rows as an array of the caller's library."""
    if type(result) is ndarray:
        return rows.place.from_host(result.reshape(shape))
    return rows.place.reshape(result, shape)


def _last_tells(rows: Rows, nan_policy: str, way: _Way) -> bool:
    """Returns whether to select the last element to find NaNs, instead of counting NaNs.

    The call that does several rows on a GPU counts NaNs at no cost.
    """
    if rows.place.on_device and rows.count > 1 and way.algorithm == "auto":
        return False
    return rows.code in FLOATS and rows.n >= _MANY and nan_policy == "propagate"


def _wait_for(rows: Rows, positions: Any) -> None:
    """Waits for a GPU that may still read many positions, so that the array may be freed."""
    if rows.place.on_device and positions.size > _POSITIONS:
        rows.place.wait()


def _quantile_rows(
    rows: Rows, q: Any, nan_policy: str, method: str | None, way: _Way, last_tells: bool
) -> Any:
    """Returns the quantiles of every row, as float64 along the last axis; see `Rows.numbers`.

    `method` None: the rounding of medians.
    """
    if last_tells:
        q = np.append(q, 1.0)
    code, count, q_address = rows.code, q.size, address(q)
    opts = _quantile_options(rows.place, "last" if last_tells else nan_policy, method, way)
    result = rows.numbers(count, _DOUBLE, way.algorithm == "auto")
    rows.run(
        lambda context, n, opts, keys, out: _lib.quantiles(
            context, code, keys, n, q_address, count, out, opts
        ),
        _lib.QuantileOptions,
        opts,
        result,
    )
    _wait_for(rows, q)
    if last_tells:
        nan = np.isnan(result[..., -1])
        result = result[..., :-1]
        result[nan] = np.nan
    return result


# ---- quantile ----------------------------------------------------------------------------------


@by_library
def quantile(
    a: Any,
    q: Any,
    axis: int | tuple | None = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: _lib.Method = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
    nan_policy: _lib.NanPolicy | None = None,
    algorithm: _lib.Algorithm = "auto",
    sub_array: int = 0,
) -> Any:
    """Returns sample quantiles, as `numpy.quantile` does.

    Parameters
    ----------
    a : array-like of numbers; also GPU arrays and Arrow arrays.
    q : a number from 0 to 1, or an array of them. All quantiles of a row share one pass.
    axis, out, overwrite_input, keepdims, nan_policy, algorithm, sub_array : as for `median`.
    method : one of NumPy's methods. 'inverted_cdf', 'closest_observation', 'lower',
        'higher' and 'nearest' return an element, in the dtype of `a`.
    weights : a number of at least 0 for each element, or for each element along the axis. An
        integer weight counts an element that many times, by every method. Float weights follow
        `numpy.quantile` for 'inverted_cdf' and `scipy.stats.quantile` for its other methods. Where
        no weight is above 0 the result is NaN; a method that returns integers raises a ValueError
        instead. On a GPU a weight that is negative, infinite or NaN has the same effect.

    Returns
    -------
    Array whose first dimensions are those of `q`; a number for one row and one `q`.

    Raises
    ------
    TypeError : the elements, `q` or `weights` are not numbers.
    ValueError : `q`, `weights`, `axis`, `method`, `nan_policy`, `algorithm` or `sub_array` is
        wrong, or there is a NaN under 'raise'.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.quantile(np.arange(11), [0.05, 0.5, 0.95])
    array([0.5, 5. , 9.5])
    >>> ordo.quantile(np.array([[1, 2], [3, 5]]), 0.5, axis=1, method="lower")
    array([1, 3])
    """
    if keepdims is not False:
        keepdims = flag(keepdims, "keepdims")
    way = _way(algorithm, sub_array)
    nan_policy = nan_policy_of(a, nan_policy)
    code = plain_code(a, axis)
    opts = code and _plain_options(a, nan_policy, out, keepdims, way, "linear")
    if opts is not None and method == "linear" and weights is None and a.size < _MANY:
        n, handle = a.size, host_context()
        if type(q) is float:
            one, answer = c_double(q), c_double()
            _lib.quantiles(handle, code, pointer(a), n, addressof(one), 1, addressof(answer), opts)
            if nan_policy == "propagate" or answer.value == answer.value:
                return _number(answer.value, code)
        if nan_policy == "propagate" and (type(q) is list or type(q) is ndarray):
            several = np.array(q)
            if several.ndim == 1 and several.dtype is _DOUBLE:
                count = several.size
                results = np.empty(count)
                _lib.quantiles(
                    handle, code, pointer(a), n, pointer(several), count, pointer(results), opts
                )  # fmt: skip
                return results
    _lib.number_of(_lib.METHODS, method, "method")  # raises an error for an unknown method
    if weights is not None:
        return into(out, _weighted(a, q, weights, axis, method, keepdims, nan_policy, way))
    return into(out, _quantile(a, q, axis, method, keepdims, nan_policy, way))


@with_guests
def _weighted(
    a: Any, q: Any, weights: Any, axis: Any, method: Any, keepdims: bool, nan_policy: str, way: _Way
) -> Any:
    if way is not _AUTO:
        raise ValueError("weights accept only algorithm='auto'")
    from .weights import weighted_quantile

    return weighted_quantile(a, q, weights, axis, method, keepdims, nan_policy)


@by_library
def percentile(
    a: Any,
    q: Any,
    axis: int | tuple | None = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: _lib.Method = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
    nan_policy: _lib.NanPolicy | None = None,
    algorithm: _lib.Algorithm = "auto",
    sub_array: int = 0,
) -> Any:
    """Returns sample quantiles for numbers from 0 to 100, as `numpy.percentile` does.

    Parameters
    ----------
    q : a number from 0 to 100, or an array of them.
    a, axis, out, overwrite_input, method, keepdims, weights, nan_policy, algorithm, sub_array : as
        for `quantile`.

    Returns
    -------
    As for `quantile`.

    Raises
    ------
    TypeError, ValueError : as for `quantile`.

    Examples
    --------
    >>> import ordo
    >>> ordo.percentile([1.0, 2.0, 3.0, 4.0], 25)
    np.float64(1.75)
    """
    if type(q) in (int, float):
        parts = q / 100
        valid = 0 <= parts <= 1
    else:
        parts = np.true_divide(quantile_parts(q, 100), 100)
        valid = bool(np.all((parts >= 0) & (parts <= 1)))
    if not valid:
        raise ValueError(f"Percentiles must be in the range [0, 100]; q is {q!r}")
    found = quantile(
        a, parts, axis, None, False, method, keepdims,
        weights=weights, nan_policy=nan_policy, algorithm=algorithm, sub_array=sub_array,
    )  # fmt: skip
    return into(out, found)


def quantile_type(name: str, q: Any, wanted: Any, method: str) -> Any:
    """Returns the dtype of quantiles of floats of the dtype `name`; `wanted` is q as an array."""
    exact = type(q) in (int, float) or method in times.DISCRETE
    return np.dtype(name) if exact else np.result_type(np.dtype(name), wanted.dtype)


@with_guests
def _quantile(
    a: Any,
    q: Any,
    axis: int | tuple | None,
    method: str,
    keepdims: bool,
    nan_policy: str,
    way: _Way,
) -> Any:
    wanted = quantile_parts(q)
    outside = ~((wanted >= 0) & (wanted <= 1))
    if outside.any():
        raise ValueError(f"q is {wanted[outside].flat[0]}; expected 0 to 1")
    if wanted.dtype.kind in "iub" and method == "linear":
        method = "lower"  # the quantiles 0 and 1 are elements
    place, array = numbers_of(a)
    check_nan_policy(nan_policy)
    if place is HOST and array.dtype.kind in "Mm":
        return times.quantile(array, wanted, axis, method, keepdims, nan_policy)
    probabilities = np.ascontiguousarray(wanted.reshape(-1), _DOUBLE)
    rows = _rows(place, array, axis, nan_policy)
    if method in times.DISCRETE and rows.code not in FLOATS and rows.n > 0:
        result = _selected(rows, times.neighbours(rows.n, probabilities, method)[0], False, way)
        shape = rows.shape_after(wanted.shape, keepdims)
        return place.scalar(rows.restored(place.reshape(place.moveaxis(result, -1, 0), shape)))

    tells = _last_tells(rows, nan_policy, way)
    result = _quantile_rows(rows, probabilities, nan_policy, method, way, tells)
    warn_of_no_elements(rows, result, nan_policy)
    name, home = place.float_name(rows.dtype), _home_of(rows, result)
    if name:
        result = home.astype(result, quantile_type(name, q, wanted, method))
    return _at_home(rows, home.moveaxis(result, -1, 0), rows.shape_after(wanted.shape, keepdims))


# ---- elements ----------------------------------------------------------------------------------


def _selected(rows: Rows, k: Any, descending: bool, way: _Way) -> Any:
    """Returns the k-th elements of every row, along a new last axis."""
    code, count, k_address = rows.code, k.size, address(k)
    opts = _select_options(rows.place, descending, way)
    result = rows.place.empty((*rows.lead, count), rows.place.key_dtype(rows))
    rows.run(
        lambda context, n, opts, keys, out: _lib.select(
            context, code, keys, n, k_address, count, out, opts
        ),
        _lib.SelectOptions,
        opts,
        result,
    )
    _wait_for(rows, k)
    return result


# ---- Without NaNs ------------------------------------------------------------------------------


@by_library
def nanmedian(
    a: Any,
    axis: int | tuple | None = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Returns the median of the elements that are not NaN, as `numpy.nanmedian` does.

    Parameters
    ----------
    a, axis, out, overwrite_input, keepdims, weights : as for `median`.

    Returns
    -------
    As for `median` with ``nan_policy="omit"``.

    Raises
    ------
    TypeError, ValueError : as for `median`.

    Examples
    --------
    >>> import ordo
    >>> ordo.nanmedian([3.0, float("nan"), 4.0])
    np.float64(3.5)
    """
    return median(a, axis, out, overwrite_input, keepdims, weights=weights, nan_policy="omit")


@by_library
def nanquantile(
    a: Any,
    q: Any,
    axis: int | tuple | None = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: _lib.Method = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Returns quantiles of the elements that are not NaN, as `numpy.nanquantile` does.

    Parameters
    ----------
    a, q, axis, out, overwrite_input, method, keepdims, weights : as for `quantile`.

    Returns
    -------
    As for `quantile` with ``nan_policy="omit"``.

    Raises
    ------
    TypeError, ValueError : as for `quantile`.

    Examples
    --------
    >>> import ordo
    >>> ordo.nanquantile([3.0, float("nan"), 4.0], [0.0, 1.0])
    array([3., 4.])
    """
    return quantile(
        a, q, axis, out, overwrite_input, method, keepdims, weights=weights, nan_policy="omit"
    )


@by_library
def nanpercentile(
    a: Any,
    q: Any,
    axis: int | tuple | None = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: _lib.Method = "linear",
    keepdims: bool = False,
    *,
    weights: Any = None,
) -> Any:
    """Returns percentiles of the elements that are not NaN, as `numpy.nanpercentile` does.

    Parameters
    ----------
    a, q, axis, out, overwrite_input, method, keepdims, weights : as for `percentile`.

    Returns
    -------
    As for `percentile` with ``nan_policy="omit"``.

    Raises
    ------
    TypeError, ValueError : as for `percentile`.

    Examples
    --------
    >>> import ordo
    >>> ordo.nanpercentile([3.0, float("nan"), 4.0], 50)
    np.float64(3.5)
    """
    return percentile(
        a, q, axis, out, overwrite_input, method, keepdims, weights=weights, nan_policy="omit"
    )
