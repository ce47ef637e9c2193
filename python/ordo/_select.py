"""median, quantile, select, topk: what stands at a place in the order, without sorting."""

from __future__ import annotations

from ctypes import addressof, c_double, c_size_t
from typing import Any, NamedTuple

import numpy as np

from . import _lib, _short
from ._arrays import (
    AXIS_TYPES,
    FLOATS,
    HOST,
    PLAIN,
    Rows,
    address,
    is_text,
    ndarray,
    numbers_of,
    place_of,
    plain_code,
    pointer,
    rows_have_nan,
)
from ._check import flag, integer, unmasked
from ._context import host_context
from ._device import with_guests
from ._numpy import into, warn_of_no_elements
from ._rank import check_nan_policy

_DOUBLE = np.dtype(np.float64)
_SINGLE, _WIDE = PLAIN[np.dtype(np.float32)], PLAIN[np.dtype(np.uint64)]
# Elements from which on it costs more to count NaNs than to ask for one more element. Nine
# quantiles of 10^7 f64 on one Neoverse V1: 26 ms, with a pass that counts 34; on an H200 that pass
# takes as long as finding a median.
_MANY = 4096
_ALL = (None, 0, -1)  # axes of one row
_FEW = 64  # elements whose sort costs less than what a call of ordo_select takes
_DISCRETE = frozenset(("inverted_cdf", "closest_observation", "lower", "higher", "nearest"))


def _quantile_options(place: Any, nan_policy: str, method: str = "linear") -> Any:
    nans = nan_policy
    if nan_policy != "last":
        check_nan_policy(nan_policy)
        nans = "omit" if nan_policy == "omit" else "propagate"
    return _lib.options(
        _lib.QuantileOptions,
        flags=place.flags,
        nans=_lib.NANS[nans],
        method=_lib.number_of(_lib.METHODS, method, "method"),
        stream=place.stream or None,
    )


def _front(place: Any, results: Any) -> Any:
    """Results along the last axis brought to the first."""
    return place.moveaxis(results, -1, 0) if results.ndim > 1 else results


def _select_options(place: Any, descending: bool) -> Any:
    flags = place.flags | (_lib.DESCENDING if descending else 0)
    return _lib.options(_lib.SelectOptions, flags=flags, stream=place.stream or None)


_PROPAGATE = _quantile_options(HOST, "propagate")


def _rows(a: Any, axis: Any, nan_policy: str) -> Rows:
    rows = Rows(*numbers_of(a), axis, several=True)
    check_nan_policy(nan_policy)
    if nan_policy == "raise" and rows_have_nan(rows) is not None:
        raise ValueError("The input contains nan values")
    return rows


# ---- median ------------------------------------------------------------------------------------


def median(
    a: Any,
    axis: int | tuple | None = None,
    out: Any = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
    *,
    nan_policy: str = "propagate",
) -> Any:
    """The middle element, or the mean of the two middle ones, as `numpy.median`.

    Parameters
    ----------
    a : array-like of numbers; also arrays on a GPU, and Arrow arrays.
    axis : one, several or (None) all of them.
    out : an array of the result's shape that gets it.
    overwrite_input : accepted as NumPy's; the input is never overwritten.
    keepdims : the axes that go stay with length 1.
    nan_policy : 'propagate' (the default): a NaN makes the median NaN, as in `numpy.median`;
        'omit': NaNs are left out, as in `numpy.nanmedian`; 'raise': a NaN is a ValueError.

    The median of no elements is NaN, with NumPy's RuntimeWarning. float32 stays float32, computed
    in float64 and rounded once; integers give float64.

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
    code = plain_code(a)
    usual = nan_policy == "propagate" and not keepdims and type(axis) in AXIS_TYPES
    if usual and code is not None and out is None and axis in (None, 0, -1) and a.size:
        middle = c_double()
        context = host_context()
        where = addressof(middle)
        status = _lib.median(context, code, pointer(a), a.size, where, _PROPAGATE)
        if status:
            _lib.fail(status, context)
        return np.float32(middle.value) if code is _SINGLE else np.float64(middle.value)
    return into(out, _median(a, axis, keepdims, nan_policy))


@with_guests
def _median(a: Any, axis: Any, keepdims: bool, nan_policy: str) -> Any:
    rows = _rows(a, axis, nan_policy)
    code, n, wish = rows.code, rows.n, _quantile_options(rows.place, nan_policy)
    last_tells = rows.place.on_device and _last_tells(rows, nan_policy)  # CPUs count NaNs faster
    if last_tells and _short.mode_is_default():
        span = n - 1
        places = np.array([span // 2 / span, n // 2 / span, 1.0])
        triples = _quantile_rows(rows, places, "last", "nearest")
        result = _short.middle_of_one(triples) if rows.count == 1 else _short.middle(triples)
    elif _short.are_short(rows, "median") and nan_policy != "omit":
        result = _short.median(rows)
    else:
        result = np.empty((*rows.lead, 1), _DOUBLE)
        rows.run(lambda context, keys, out: _lib.median(context, code, keys, n, out, wish), result)
    warn_of_no_elements(rows, result, nan_policy)
    result = _as_float_of(rows, result)
    return rows.place.from_host(result.reshape(rows.shape_after((), keepdims)))


def _last_tells(rows: Rows, nan_policy: str) -> bool:
    """Whether to look for NaNs by asking for the last element too, instead of counting them."""
    return rows.code in FLOATS and rows.n >= _MANY and nan_policy == "propagate"


def _quantile_rows(rows: Rows, q: Any, nan_policy: str, method: str) -> Any:
    """ordo_quantiles of every row, as host float64 along the last axis."""
    code, n, count, where = rows.code, rows.n, q.size, address(q)
    wish = _quantile_options(rows.place, nan_policy, method)
    result = np.empty((*rows.lead, count), _DOUBLE)
    rows.run(
        lambda context, keys, out: _lib.quantiles(context, code, keys, n, where, count, out, wish),
        result,
    )
    return result


def _as_float_of(rows: Rows, result: Any) -> Any:
    name = rows.place.float_name(rows.dtype)
    return result.astype(name, copy=False) if name else result


# ---- quantile ----------------------------------------------------------------------------------


def _positions(n: int, q: Any, method: str) -> Any:
    """Where the discrete methods look, 0 being the least of n elements."""
    if method in ("inverted_cdf", "closest_observation"):
        where = n * q - 1 - (0.5 if method == "closest_observation" else 0)
        below = np.floor(where)
        stays = where == below
        if method == "closest_observation":  # halfway: the odd position
            stays &= below % 2 == 1
        place = np.where(stays, below, below + 1)
    else:
        rounding: Any = {"lower": np.floor, "higher": np.ceil, "nearest": np.around}[method]
        place = rounding((n - 1) * q)
    return np.clip(place, 0, n - 1).astype(np.uintp)


def quantile(
    a: Any,
    q: Any,
    axis: int | tuple | None = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: None = None,
    nan_policy: str = "propagate",
) -> Any:
    """Sample quantiles, as `numpy.quantile`; all `q` of a row share one pass over it.

    Parameters
    ----------
    a : array-like of numbers; also arrays on a GPU, and Arrow arrays.
    q : one or several numbers from 0 to 1; their shape comes first in the result's.
    axis, out, overwrite_input, keepdims : as for `median`.
    weights : None; others are not supported.
    nan_policy : 'propagate' (the default): a NaN makes every quantile of its row NaN, as in
        `numpy.quantile`; 'omit': NaNs are left out, as in `numpy.nanquantile`; 'raise': a NaN is a
        ValueError.
    method : any of NumPy's thirteen; 'inverted_cdf', 'closest_observation', 'lower', 'higher' and
        'nearest' give an element itself, in the dtype of `a`.

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
    code = plain_code(a)
    usual = method == "linear" and nan_policy == "propagate" and not keepdims
    usual = usual and out is None and weights is None and type(axis) in AXIS_TYPES
    if usual and code is not None and axis in (None, 0, -1) and 0 < a.size < _MANY:
        context = host_context()
        if type(q) is float:
            wanted, result = c_double(q), c_double()
            status = _lib.quantiles(
                context, code, pointer(a), a.size, addressof(wanted), 1, addressof(result),
                _PROPAGATE,
            )  # fmt: skip
            if status:
                _lib.fail(status, context)
            return np.float32(result.value) if code is _SINGLE else np.float64(result.value)
        if type(q) is list or type(q) is ndarray:
            several = np.array(q)
            if several.ndim == 1 and several.dtype is _DOUBLE:
                results = np.empty(several.size)
                status = _lib.quantiles(
                    context, code, pointer(a), a.size, pointer(several), several.size,
                    pointer(results), _PROPAGATE,
                )  # fmt: skip
                if status:
                    _lib.fail(status, context)
                return results
    _refuse_weights(weights)
    return into(out, _quantile(a, q, axis, method, keepdims, nan_policy))


def _refuse_weights(weights: Any) -> None:
    if weights is not None:
        raise TypeError("weights are not supported; expected None")


def percentile(
    a: Any,
    q: Any,
    axis: int | tuple | None = None,
    out: Any = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: None = None,
    nan_policy: str = "propagate",
) -> Any:
    """Sample quantiles by numbers from 0 to 100, as `numpy.percentile`; see `quantile`.

    Examples
    --------
    >>> import ordo
    >>> ordo.percentile([1.0, 2.0, 3.0, 4.0], 25)
    np.float64(1.75)
    """
    _refuse_weights(weights)
    if type(q) in (int, float):
        parts = q / 100
        valid = 0 <= parts <= 1
    else:
        parts = np.true_divide(np.asarray(q), 100)
        valid = bool(np.all((parts >= 0) & (parts <= 1)))
    if not valid:
        raise ValueError("Percentiles must be in the range [0, 100]")
    return into(out, quantile(a, parts, axis, None, False, method, keepdims, nan_policy=nan_policy))


@with_guests
def _quantile(
    a: Any, q: Any, axis: int | tuple | None, method: str, keepdims: bool, nan_policy: str
) -> Any:
    number_is_plain = isinstance(q, (int, float)) and not isinstance(q, np.generic)
    wanted = unmasked(q, "q")
    if wanted.dtype.kind not in "iufb":
        raise TypeError(f"q is of dtype {wanted.dtype}; expected numbers from 0 to 1")
    outside = ~((wanted >= 0) & (wanted <= 1))
    if outside.any():
        raise ValueError(f"q is {wanted[outside].flat[0]}; expected 0 to 1")
    if wanted.dtype.kind in "iub" and method == "linear":
        method = "lower"  # 0 and 1 fall on an element: no arithmetic
        number_is_plain = True
    probabilities = np.ascontiguousarray(wanted.reshape(-1), _DOUBLE)
    rows = _rows(a, axis, nan_policy)
    place, code, n = rows.place, rows.code, rows.n
    _quantile_options(place, nan_policy, method)  # says what is wrong with them
    discrete = method in _DISCRETE
    if discrete and code not in FLOATS and n > 0:
        result = _selected(rows, _positions(n, probabilities, method), False)
        shaped = place.reshape(_front(place, result), rows.shape_after(wanted.shape, keepdims))
        return place.scalar(place.astype_back(shaped, rows.dtype))

    if _last_tells(rows, nan_policy):
        result = _quantile_rows(rows, np.append(probabilities, 1.0), "last", method)
        unsure = np.isnan(result[..., -1]).any()  # a NaN among the keys
        result = result[..., :-1]
    else:
        unsure = True
    if unsure:
        result = _quantile_rows(rows, probabilities, nan_policy, method)
        warn_of_no_elements(rows, result, nan_policy)
    name = place.float_name(rows.dtype)
    if name and (discrete or number_is_plain):
        result = result.astype(name, copy=False)
    elif name:
        result = result.astype(np.result_type(np.dtype(name), wanted.dtype), copy=False)
    return place.from_host(_front(HOST, result).reshape(rows.shape_after(wanted.shape, keepdims)))


# ---- select ------------------------------------------------------------------------------------


def _selected(rows: Rows, k: Any, descending: bool) -> Any:
    """The k-th elements of every row, along a new last axis."""
    code, n, count, where = rows.code, rows.n, k.size, address(k)
    wish = _select_options(rows.place, descending)
    result = rows.place.empty((*rows.lead, count), rows.place.key_dtype(rows))
    rows.run(
        lambda context, keys, out: _lib.select(context, code, keys, n, where, count, out, wish),
        result,
    )
    return result


def check_positions(k: Any, n: int, what: str = "k") -> Any:
    """Positions as an array from 0 to n - 1; negative ones count from the end."""
    if type(k) is int and -n <= k < n:
        return np.array(k % n, np.uintp)
    wanted = unmasked(k, what)
    if wanted.size == 0:
        return np.zeros(wanted.shape, np.uintp)
    if wanted.dtype.kind not in "iu":
        raise TypeError(f"{what} is of dtype {wanted.dtype}; expected integers")
    low, high = int(wanted.min()), int(wanted.max())
    if low < -n or high >= n:
        limits = f"expected {-n} to {n - 1}" if n else "there are no elements"
        raise ValueError(f"{what} is {low if low < -n else high}; {limits}")
    wide = wanted.astype(np.int64)  # int8 could not hold a sum with n
    return np.where(wide < 0, wide + n, wide).astype(np.uintp)


def select(a: Any, k: Any, axis: int | tuple | None = None, *, descending: bool = False) -> Any:
    """The element that sorting would put at place `k`, 0 being the first.

    Parameters
    ----------
    a : array-like of numbers or strings; also arrays on a GPU, and Arrow arrays. NaNs are last.
    k : one place or several, whose shape comes first in the result's; negative: from the end.
    axis : one, several or (None) all of them.
    descending : counts from the largest.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.select(np.array([40, 10, 30, 20]), 1)
    np.int64(20)
    >>> ordo.select(np.array([40, 10, 30, 20]), [0, -1])
    array([10, 40])
    """
    if descending is not False:
        descending = flag(descending, "descending")
    code = plain_code(a)
    if code is not None and type(k) is int and not descending and axis in (None, 0, -1):
        n = a.size
        if -n <= k < n and type(axis) in AXIS_TYPES:
            context = host_context()
            if n <= _FEW:
                result = a.copy()
                status = _lib.sort(context, code, pointer(result), n, None)
            else:
                result, where, k = np.empty(1, a.dtype), c_size_t(k % n), 0
                status = _lib.select(
                    context, code, pointer(a), n, addressof(where), 1, pointer(result), None
                )
            if status:
                _lib.fail(status, context)
            return result[k]
    return _select(a, k, axis, descending)


@with_guests
def _select(a: Any, k: Any, axis: int | tuple | None, descending: bool) -> Any:
    place, array = place_of(a)
    if place is HOST and is_text(array):
        from . import _strings

        return _strings.select(array, k, axis, descending)
    rows = Rows(place, array, axis, several=True)
    where = check_positions(k, rows.n)
    result = _selected(rows, np.ascontiguousarray(where.reshape(-1)), descending)
    shaped = place.reshape(_front(place, result), (*where.shape, *rows.lead))
    return place.scalar(place.astype_back(shaped, rows.dtype))


# ---- topk --------------------------------------------------------------------------------------


class TopK(NamedTuple):
    """Result of `topk`."""

    values: Any
    indices: Any


_LARGEST, _SMALLEST = _select_options(HOST, True), _select_options(HOST, False)
_INDEX = np.dtype(np.int64)


def topk(a: Any, k: int, axis: int | None = -1, *, largest: bool = True) -> TopK:
    """The `k` largest (or smallest) elements in order, and where they are; as `torch.topk`.

    `axis` is one axis, or None for all elements as one row.

    Equal elements come by index, and NaNs after all others, so they are among the first `k` only
    if nothing else is left.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.topk(np.array([3.0, 9.0, 1.0, 9.0]), 3)
    TopK(values=array([9., 9., 3.]), indices=array([1, 3, 0]))
    """
    if largest is not True:
        largest = flag(largest, "largest")
    code = plain_code(a)
    usual = type(k) is int and type(axis) is int and axis in (-1, 0)
    if usual and code is not None and 0 <= k <= a.size:
        if a.size <= _short.TOPK and (a.dtype.kind != "f" or _short.mode_is_default()):
            return TopK(*_short.topk(a, k, largest))
        values, index = np.empty(k, a.dtype), np.empty(k, _INDEX)
        context = host_context()
        status = _lib.topk(
            context, code, pointer(a), a.size, k, pointer(values), _WIDE, pointer(index), None,
            _LARGEST if largest else _SMALLEST,
        )  # fmt: skip
        if status:
            _lib.fail(status, context)
        return TopK(values, index)
    return _topk(a, k, axis, largest)


@with_guests
def _topk(a: Any, k: int, axis: int | None, largest: bool) -> TopK:
    k = integer(k, "k")
    place, array = place_of(a)
    if place is HOST and is_text(array):
        from . import _strings

        return TopK(*_strings.topk(array, k, axis, largest))
    rows = Rows(place, array, axis)
    code, n = rows.code, rows.n
    if not 0 <= k <= n:
        raise ValueError(f"k is {k}; expected 0 to {n}")
    values = place.empty((*rows.lead, k), place.key_dtype(rows))
    index = place.empty((*rows.lead, k), np.dtype(np.int64))
    wish = _select_options(place, largest)
    rows.run(
        lambda context, keys, out, out_index: _lib.topk(
            context, code, keys, n, k, out, _lib.U64, out_index, None, wish
        ),
        values,
        index,
    )
    values = place.astype_back(values, rows.dtype)
    return TopK(rows.back(values), rows.back(index))
