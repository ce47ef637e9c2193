"""scan_bits and split_by_flags: prefix sums of flags, and the stable split of an array by flags.

Flags are an array of bools, or bits packed in bytes as by `numpy.packbits(bitorder="little")`.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _lib
from ._arrays import Rows, place_of, product
from ._check import flag, integer, same_place
from ._device import with_guests
from ._order import check_index_dtype

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


def scan_bits(
    flags: Any,
    n: int | None = None,
    *,
    exclusive: bool = False,
    dtype: Any = np.int64,
) -> Any:
    """Counts the flags that are set, up to each flag: a binary prefix sum.

    Parameters
    ----------
    flags : array of bools; also GPU arrays. With `n`, bytes that hold 8 flags each, the first one
        in the lowest bit.
    n : number of packed flags.
    exclusive : count i does not include flag i, so the first count is 0.
    dtype : dtype of the counts: int64, uint64, int32 or uint32.

    Returns
    -------
    Array of n counts, of one dimension.

    Raises
    ------
    TypeError : `flags` or `dtype` have the wrong type.
    ValueError : `n` is larger than the number of bits, or `dtype` is too narrow.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.scan_bits(np.array([True, False, True, True]))
    array([1, 1, 2, 3])
    >>> ordo.scan_bits(np.array([0b1101], np.uint8), 4, exclusive=True)
    array([0, 1, 1, 2])
    """
    return _scan_bits(flags, n, flag(exclusive, "exclusive"), dtype)


@with_guests
def _scan_bits(flags: Any, n: int | None, exclusive: bool, dtype: Any) -> Any:
    place, array, kind, n = _flags_of(flags, n, "flags")
    wanted = check_index_dtype(dtype, n)
    opts = _lib.options(
        _lib.ScanOptions,
        flags=place.flags | (_lib.EXCLUSIVE if exclusive else 0),
        stream=place.stream or None,
    )
    result = place.empty((n,), wanted)
    _lib.scan_bits(
        place.context, kind, place.address(array), n, _COUNTS[wanted.itemsize],
        place.address(result), None, opts,
    )  # fmt: skip
    return result


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
    return _split(a, flags, n)


@with_guests
def _split(a: Any, flags: Any, n: int | None) -> tuple[Any, Any]:
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
