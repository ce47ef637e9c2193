"""is_sorted and radius: how sorted an array is."""

from __future__ import annotations

from ctypes import addressof, c_int, c_size_t
from typing import Any, Callable, Literal, overload

import numpy as np

from .. import _lib
from .._arrays import HOST, Rows, is_text, numbers_of, place_of, plain_code, pointer
from .._check import flag
from .._context import host_context
from .._inputs.device import with_guests
from .._short import by_library


def _measure(
    a: Any,
    axis: int | None,
    descending: bool,
    ask: Callable[..., None],
    answer: Any,
    algorithm: int = 0,
) -> Any:
    """Returns the answers of `ask` for every row in a NumPy array; a number for one row."""
    rows = Rows(*numbers_of(a), axis, strided=True, descending=descending, order="ties")
    place, code = rows.place, rows.code
    opts = _lib.options(
        _lib.OrderOptions,
        flags=place.flags | (_lib.DESCENDING if descending else 0),
        algorithm=algorithm,
        stream=place.stream or None,
    )
    answers = rows.numbers(1, answer, algorithm == 0)
    rows.run(
        lambda context, n, opts, keys, out: ask(context, code, keys, n, out, opts),
        _lib.OrderOptions,
        opts,
        answers,
    )
    answers = rows.to_host(answers)
    return answers.reshape(rows.lead) if rows.lead else answers.item()


def _with_axis(answers: Any, a: Any, axis: int | None) -> Any:
    """Returns the answers with the axis of the rows kept as length 1, for `keepdims`."""
    if axis is None:
        ndim = a.ndim if hasattr(a, "ndim") else np.ndim(a)
        return np.reshape(answers, (1,) * ndim)
    return np.expand_dims(answers, axis)


def _ask_sorted(context: Any, code: int, keys: int, n: int, out: int, opts: Any) -> None:
    _lib.is_sorted(context, code, keys, n, out, None, opts)


@overload
def is_sorted(
    a: Any, axis: None, *, descending: bool = ..., keepdims: Literal[False] = ...
) -> bool: ...
@overload
def is_sorted(
    a: Any, axis: int | None = ..., *, descending: bool = ..., keepdims: bool = ...
) -> Any: ...
@by_library
def is_sorted(
    a: Any, axis: int | None = -1, *, descending: bool = False, keepdims: bool = False
) -> Any:
    """Returns whether an array is sorted, with NaNs last.

    Parameters
    ----------
    a : array-like of numbers or strings; also GPU arrays and Arrow arrays.
    axis : axis to check along. None: all elements as one row.
    descending : whether the order is from the largest to the smallest.
    keepdims : keep the axis with length 1; the result is a NumPy array then.

    Returns
    -------
    True or False; a NumPy array of them if there are several rows.

    Raises
    ------
    TypeError : the elements or `descending` have the wrong type.
    ValueError : `axis` is out of range.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.is_sorted([1, 2, 2, 5])
    True
    >>> ordo.is_sorted(np.array([[1, 2], [2, 1]]))
    array([ True, False])
    """
    if descending is not False:
        descending = flag(descending, "descending")
    if keepdims is not False and flag(keepdims, "keepdims"):
        return _with_axis(_is_sorted(a, axis, descending), a, axis)
    code = plain_code(a, axis)
    if code is not None and not descending:
        answer = c_int()
        _lib.is_sorted(host_context(), code, pointer(a), a.size, addressof(answer), None, None)
        return answer.value != 0
    return _is_sorted(a, axis, descending)


@with_guests
def _is_sorted(a: Any, axis: int | None, descending: bool) -> Any:
    place, array = place_of(a)
    if place is HOST and is_text(array):
        from .. import _strings

        return _strings.is_sorted(array, axis, descending)
    answers = _measure(array, axis, descending, _ask_sorted, np.intc)
    return answers != 0


@overload
def radius(
    a: Any, axis: None, *, descending: bool = ..., algorithm: _lib.Algorithm = ...,
    sequences: Literal[False] = ..., keepdims: Literal[False] = ...,
) -> int: ...  # fmt: skip
@overload
def radius(
    a: Any, axis: int | None = ..., *, descending: bool = ..., algorithm: _lib.Algorithm = ...,
    sequences: Literal[True], keepdims: bool = ...,
) -> tuple[Any, Any, Any, Any]: ...  # fmt: skip
@overload
def radius(
    a: Any, axis: int | None = ..., *, descending: bool = ..., algorithm: _lib.Algorithm = ...,
    sequences: bool = ..., keepdims: bool = ...,
) -> Any: ...  # fmt: skip
@by_library
def radius(
    a: Any,
    axis: int | None = -1,
    *,
    descending: bool = False,
    algorithm: _lib.Algorithm = "auto",
    sequences: bool = False,
    keepdims: bool = False,
) -> Any:
    """Returns the smallest k such that elements more than k positions apart are in order.

    The radius is 0 if and only if the array is sorted. No element is more than k positions away
    from its position in the sorted array.

    Parameters
    ----------
    a : array-like of numbers; also GPU arrays and Arrow arrays.
    axis, descending, keepdims : as for `is_sorted`.
    algorithm : 'auto', 'sequential' (one CPU thread); on a GPU 'prefix' (rounds of doubling) or
        'scans'.
    sequences : whether to return the sequences of Pfaff and Treadwell as well.

    Returns
    -------
    An int; a NumPy array of int64 if there are several rows. With `sequences` a tuple
    (radius, lr, rl, dm). `lr` has for each position the key that is last in sorted order among the
    keys up to it (ascending: the maximum), `rl` the key that is first among the keys from it on,
    both with the dtype of `a`. `dm` (uint64) has for each position the largest distance to an
    earlier position whose `lr` comes after the `rl` of this position; 0 if there is none. The
    sequences have the shape of `a`; with axis=None they are flat.

    Raises
    ------
    TypeError : the elements are not numbers, or `descending` or `sequences` is not a flag.
    ValueError : `axis` is out of range, or `algorithm` is unknown.
    DeviceError : 'prefix' or 'scans' without a GPU array, or 'sequential' with one.

    Examples
    --------
    >>> import ordo
    >>> ordo.radius([1, 2, 3, 4])
    0
    >>> ordo.radius([2, 3, 1, 4])
    2
    >>> ordo.radius([2, 3, 1, 4], sequences=True)[3]
    array([0, 1, 2, 0], dtype=uint64)
    """
    if descending is not False:
        descending = flag(descending, "descending")
    if sequences is not False:
        sequences = flag(sequences, "sequences")
    if keepdims is not False:
        keepdims = flag(keepdims, "keepdims")
    plain = algorithm == "auto" and not (descending or sequences or keepdims)
    code = plain_code(a, axis) if plain else None
    if code is not None:
        answer = c_size_t()
        _lib.radius(host_context(), code, pointer(a), a.size, addressof(answer), None)
        return answer.value
    number = _lib.number_of(_RADIUS_ALGORITHMS, algorithm, "algorithm")
    if sequences:
        found, *rest = _radius_sequences(a, axis, descending, number)
        return (_with_axis(found, a, axis) if keepdims else found, *rest)
    found = _radius(a, axis, descending, number)
    return _with_axis(found, a, axis) if keepdims else found


_RADIUS_ALGORITHMS = {
    name: _lib.ALGORITHMS[name] for name in ("auto", "sequential", "prefix", "scans")
}


@with_guests
def _radius(a: Any, axis: int | None, descending: bool, algorithm: int) -> Any:
    return _measure(a, axis, descending, _lib.radius, np.int64, algorithm)


@with_guests
def _radius_sequences(a: Any, axis: int | None, descending: bool, algorithm: int) -> Any:
    rows = Rows(*numbers_of(a), axis, strided=True, descending=descending, order="ties")
    place, code = rows.place, rows.code
    flags = place.flags | (_lib.DESCENDING if descending else 0)
    answers = rows.numbers(1, np.int64, algorithm == 0)
    lr = place.empty(rows.keys.shape, place.key_dtype(rows))
    rl = place.empty(rows.keys.shape, place.key_dtype(rows))
    dm = place.empty(rows.keys.shape, np.dtype(np.uint64))

    opts = _lib.options(
        _lib.OrderOptions, flags=flags, algorithm=algorithm, stream=place.stream or None
    )

    def ask(
        context: Any, n: int, opts: Any, keys: int, out: int, lr: int, rl: int, dm: int
    ) -> None:
        own = _lib.copy_options(_lib.OrderOptions, opts)
        own.lr, own.rl, own.dm = lr, rl, dm
        _lib.radius(context, code, keys, n, out, addressof(own))

    rows.run(ask, _lib.OrderOptions, opts, answers, lr, rl, dm)
    answers = rows.to_host(answers)
    found = answers.reshape(rows.lead) if rows.lead else answers.item()
    lr, rl = (rows.restored(rows.back(keys)) for keys in (lr, rl))
    return found, lr, rl, rows.back(dm)
