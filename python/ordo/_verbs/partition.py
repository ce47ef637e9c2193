"""partition and argpartition; scan_bits and split_by_flags.

``ordo_nth`` splits rows around their k-th elements, in any order on each side. Short rows, several
positions and GPU arrays are sorted instead: a sorted array is partitioned.
"""

from __future__ import annotations

import ctypes
import platform
from typing import Any

import numpy as np

from .. import _lib
from .._arrays import (
    HOST,
    Rows,
    is_text,
    normal_axis,
    place_of,
    plain_code,
    pointer,
    product,
    takes_result,
)
from .._check import (
    SELECT_KINDS,
    check_kind,
    check_positions,
    flag,
    integer,
    into,
    same_place,
    unmasked,
)
from .._context import cpu_context, host_uses_cpu
from .._inputs.device import with_guests
from .._inputs.series import column_of
from .._rooms import empty
from .._short import FEW_TO_SPLIT, by_library
from .order import argsort, check_index_dtype, sort

_IS_X86 = platform.machine() in ("x86_64", "AMD64")
_INTP = np.dtype(np.intp)
# The same for each of several rows. Milliseconds (sorted : split), keys and indices. Neoverse V1,
# 500,000 f64, CPU time: rows of 64 2.2 : 3.4 and 4.9 : 4.2, of 100 4.4 : 3.0 and 4.9 : 3.7. Emerald
# Rapids, 3 * 10^6 f64: rows of 100 8.0 : 9.8 and 9.7 : 12.6, of 256 18.5 : 10.7 and 19.4 : 13.0.
_SHORT_ROW = 128 if _IS_X86 else 64
_UP = _lib.options(_lib.SelectOptions, flags=_lib.ANY_ORDER)
_DOWN = _lib.options(_lib.SelectOptions, flags=_lib.ANY_ORDER | _lib.DESCENDING)


def _split_plain(a: Any, kth: Any, axis: Any, indices: bool, descending: bool, out: Any) -> Any:
    """Returns the result for a plain array and one position, which needs no conversion, or None.
    The result is `out` if the library can write there."""
    code = plain_code(a, axis)
    if code is None or type(kth) is not int:
        return None
    n = a.size
    if n <= FEW_TO_SPLIT and -n <= kth < n:
        verb = argsort if indices else sort
        return verb(a, axis, descending=descending)
    handle = cpu_context()
    if handle is None or not -n <= kth < n:
        return None
    opts = _DOWN if descending else _UP
    kth = kth if kth >= 0 else kth + n
    dtype = _INTP if indices else a.dtype
    result = out if takes_result(out, a, dtype) else empty(n, dtype)
    keys, index = (None, pointer(result)) if indices else (pointer(result), None)
    _lib.nth(handle, code, pointer(a), n, kth, keys, _lib.U64, index, opts)
    return result


def _split_each(rows: Rows, k: int, indices: bool, descending: bool) -> Any:
    """Returns the keys of each row, or their indices in the row, split around the k-th key."""
    result = empty(rows.keys.shape, np.intp if indices else rows.keys.dtype)

    def call(context: Any, n: int, opts: Any, keys: int, out: int) -> None:
        places = (None, _lib.U64, out) if indices else (out, _lib.U64, None)
        _lib.nth(context, rows.code, keys, n, k, *places, opts)

    flags = _lib.ANY_ORDER | (_lib.DESCENDING if descending else 0)
    rows.run(call, _lib.SelectOptions, _lib.options(_lib.SelectOptions, flags=flags), result)
    return result


@by_library
def partition(
    a: Any,
    kth: Any,
    axis: int | None = -1,
    kind: _lib.SelectKind = "introselect",
    order: None = None,
    *,
    descending: bool = False,
    out: Any = None,
) -> Any:
    """Returns a partitioned copy of an array, as `numpy.partition` does.

    Parameters
    ----------
    a : array-like of numbers or strings; also GPU arrays and Arrow arrays.
    kth : a position or several positions. Negative positions count from the end.
    axis : axis to work along. None: all elements as one row.
    kind : accepted for NumPy: 'introselect'.
    order : must be None.
    descending : position 0 is the largest element.
    out : array for the result, of the same shape.

    Returns
    -------
    Array with the element at `kth` as in the sorted array. No element before it is larger, no
    element after it is smaller; the reverse if `descending`. NaNs are last. The order on each side
    is not specified: it depends on the instruction set, the number of threads, the device and the
    memory limit.

    Raises
    ------
    TypeError : the elements or `kth` have the wrong type.
    ValueError : `kth` or `axis` is out of range, or `kind` is unknown.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.partition(np.array([7, 1, 9, 3, 5]), 2)
    array([1, 3, 5, 7, 9])
    """
    if kind != "introselect" or order is not None:
        check_kind(kind, order, SELECT_KINDS)
    if descending is not False:
        descending = flag(descending, "descending")
    result = _split_plain(a, kth, axis, False, descending, out)
    if result is None:
        result = _split_rows(a, kth, axis, False, descending)
    return result if out is None or result is out else into(out, result)


@by_library
def argpartition(
    a: Any,
    kth: Any,
    axis: int | None = -1,
    kind: _lib.SelectKind = "introselect",
    order: None = None,
    *,
    descending: bool = False,
    out: Any = None,
) -> Any:
    """Returns the indices that partition an array, as `numpy.argpartition` does.

    Parameters
    ----------
    a, kth, axis, kind, order, descending, out : as for `partition`.

    Returns
    -------
    Array of int64 indices: `a` in their order is partitioned as by `partition`. The order on each
    side is not specified.

    Raises
    ------
    TypeError, ValueError : as for `partition`.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> x = np.array([7, 1, 9, 3, 5])
    >>> x[ordo.argpartition(x, 2)][2]
    np.int64(5)
    """
    if kind != "introselect" or order is not None:
        check_kind(kind, order, SELECT_KINDS)
    if descending is not False:
        descending = flag(descending, "descending")
    result = _split_plain(a, kth, axis, True, descending, out)
    if result is None:
        result = _split_rows(a, kth, axis, True, descending)
    return result if out is None or result is out else into(out, result)


def _check_kth(kth: Any, shape: Any, axis: int | None) -> Any:
    """Returns the positions `kth`, counted from 0. An empty array accepts all, as in NumPy."""
    sizes = tuple(shape)
    n = product(sizes) if axis is None else sizes[normal_axis(axis, len(sizes))]
    wanted = unmasked(kth, "kth")
    if wanted.dtype.kind == "b":
        raise ValueError(f"kth is {kth!r}; expected integers, not bools")
    if wanted.ndim > 1:
        raise ValueError(f"kth has {wanted.ndim} dimensions; expected at most 1")
    if product(sizes) == 0 and wanted.dtype.kind in "iu":
        return np.zeros(wanted.shape, np.uintp)
    return check_positions(kth, n, "kth")


def _rows_are_short(array: Any, axis: int) -> bool:
    """Returns whether there are several rows, and one call sorts all of them faster."""
    return array.ndim > 1 and array.shape[normal_axis(axis, array.ndim)] <= _SHORT_ROW


@with_guests
def _split_rows(a: Any, kth: Any, axis: int | None, indices: bool, descending: bool) -> Any:
    """Returns the elements of every row, or their indices, split around the k-th element."""
    column = None if indices else column_of(a)
    if column is not None:
        return column.take(_split_rows(a, kth, axis, True, descending))
    place, array = place_of(a)
    positions = np.unique(_check_kth(kth, array.shape, axis))
    text = place is HOST and is_text(array)
    by_sort = text or place is not HOST or positions.size != 1 or not host_uses_cpu()
    if by_sort or product(array.shape) == 0 or (axis is not None and _rows_are_short(array, axis)):
        verb = argsort if indices else sort
        return verb(array, axis, descending=descending)
    order = "ties" if indices else "bits"
    rows = Rows(place, array, axis, descending=descending, order=order)
    result = _split_each(rows, int(positions[0]), indices, descending)
    return rows.back(result) if indices else rows.restored(rows.back(result))


# ---- Flags -------------------------------------------------------------------------------------

# Flags are an array of bools, or bits packed in bytes as by numpy.packbits(bitorder="little").
_COUNTS = {4: _lib.U32, 8: _lib.U64}


def _flags_of(flags: Any, n: int | None, name: str) -> tuple[Any, Any, int, int]:
    """Returns the place, the array, its ordo_flags_kind and the number of flags."""
    place, array = place_of(flags)
    if n is None:
        if not place.is_bool(array.dtype):
            raise TypeError(
                f"{name} has dtype {array.dtype}; expected bool, or bytes of packed bits and n"
            )
        rows = Rows(place, array, None)
        return place, rows.keys, _lib.FLAG_BYTES, rows.n
    rows = Rows(place, array, None)
    if rows.code != _lib.U8 or place.is_bool(rows.dtype):
        raise TypeError(f"{name} has dtype {array.dtype}; expected uint8 for {n} packed bits")
    n = integer(n, "n")
    if not 0 <= n <= 8 * rows.n:
        raise ValueError(f"n is {n}; expected at most {8 * rows.n}, the bits of {name}")
    return place, rows.keys, _lib.FLAG_BITS, n


@by_library
def scan_bits(
    flags: Any,
    n: int | None = None,
    *,
    exclusive: bool = False,
    dtype: Any = np.int64,
    algorithm: _lib.Algorithm = "auto",
    out: Any = None,
) -> Any:
    """Counts the flags that are set, up to each flag: a binary prefix sum.

    Parameters
    ----------
    flags : array of bools; also GPU arrays. With `n`, bytes that hold 8 flags each, the first one
        in the lowest bit.
    n : number of packed flags.
    exclusive : count i does not include flag i, so the first count is 0.
    dtype : dtype of the counts: int64, uint64, int32 or uint32.
    algorithm : 'auto'; on a GPU also 'ballot' (the ballot counting poster) or 'shared' (the scan in
        shared memory that the poster compares with).
    out : array for the counts, of n elements.

    Returns
    -------
    Array of n counts, of one dimension.

    Raises
    ------
    TypeError : `flags` or `dtype` have the wrong type.
    ValueError : `n` is larger than the number of bits, `dtype` is too narrow, or `algorithm` is
        wrong.
    DeviceError : the algorithm needs a GPU, and the arrays are not there.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.scan_bits(np.array([True, False, True, True]))
    array([1, 1, 2, 3])
    >>> ordo.scan_bits(np.array([0b1101], np.uint8), 4, exclusive=True)
    array([0, 1, 1, 2])
    """
    return into(out, _scan_bits(flags, n, flag(exclusive, "exclusive"), dtype, algorithm))


@with_guests
def _scan_bits(flags: Any, n: int | None, exclusive: bool, dtype: Any, algorithm: str) -> Any:
    place, array, kind, n = _flags_of(flags, n, "flags")
    wanted = check_index_dtype(dtype, n)
    opts = _lib.options(
        _lib.ScanOptions,
        flags=place.flags | (_lib.EXCLUSIVE if exclusive else 0),
        stream=place.stream or None,
        algorithm=_lib.number_of(_lib.ALGORITHMS, algorithm, "algorithm", "auto, ballot, shared"),
    )
    result = place.empty((n,), wanted)
    _lib.scan_bits(
        place.context, kind, place.address(array), n, _COUNTS[wanted.itemsize],
        place.address(result), None, opts,
    )  # fmt: skip
    return result


@by_library
def split_by_flags(a: Any, flags: Any, n: int | None = None) -> tuple[Any, Any]:
    """Splits an array by flags: the elements whose flag is set, and the others, both in order.

    Parameters
    ----------
    a : array of one dimension with elements of at most 16 bytes; also GPU arrays.
    flags : one flag for each element, as for `scan_bits`.
    n : number of packed flags; equal to the number of elements.

    Returns
    -------
    ``a[flags]`` and ``a[~flags]``, as two views of one new array.

    Raises
    ------
    TypeError : `flags` has the wrong type, or `a` and `flags` are in different places.
    ValueError : the numbers of elements and flags differ.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> a = np.array([5, 8, 1, 4])
    >>> ordo.split_by_flags(a, a % 2 == 0)
    (array([8, 4]), array([5, 1]))
    """
    return _split_array(a, flags, n)


@with_guests
def _split_array(a: Any, flags: Any, n: int | None) -> tuple[Any, Any]:
    place, array = place_of(a, compare=False)
    flag_place, bits, kind, n = _flags_of(flags, n, "flags")
    same_place(place, "a", flag_place, "flags")
    count = product(array.shape)
    if array.ndim != 1 or count != n:
        raise ValueError(
            f"a has shape {tuple(array.shape)} and there are {n} flags; expected one dimension and "
            "one flag for each element"
        )
    size = place.itemsize(array)
    if size > 16 or size == 0 or place.opaque(array):
        raise TypeError(f"a has dtype {array.dtype}; expected elements of 1 to 16 bytes")
    elements = place.contiguous(array)
    result = place.empty((n * size,), np.dtype(np.uint8)).view(elements.dtype)
    first = ctypes.c_size_t()
    opts = _lib.options(_lib.PartitionOptions, flags=place.flags, stream=place.stream or None)
    _lib.partition(
        place.context, kind, place.address(bits), place.address(elements), n, size,
        place.address(result), ctypes.addressof(first), opts,
    )  # fmt: skip
    return result[: first.value], result[first.value :]
