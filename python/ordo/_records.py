"""sort_records: sorts a structured array by one of its fields."""

from __future__ import annotations

from ctypes import c_int, c_void_p
from typing import Any

import numpy as np

from . import _lib
from ._arrays import TYPES, pointer
from ._check import flag
from ._context import host_context

_sort_records = _lib._call(
    "ordo_sort_records", c_void_p, c_void_p, c_void_p, c_void_p, c_int, c_void_p
)


def sort_records(a: Any, field: str, *, descending: bool = False, inplace: bool = False) -> Any:
    """Returns the records of a structured array, sorted by a field; ties keep their order.

    Parameters
    ----------
    a : NumPy array of one dimension with a structured dtype of any size.
    field : name of a field that holds one number: an integer or a float of 32 or 64 bits. The field
        may be unaligned.
    descending : the largest number first. NaNs are last in both directions.
    inplace : sort `a` itself, which must be contiguous, and return it.

    Returns
    -------
    The sorted array: a copy, or `a` if `inplace` is set.

    Raises
    ------
    TypeError : `a` has no fields, or the field is not a number that the library knows.
    ValueError : `a` has another shape, no such field, or cannot be sorted in place.

    Examples
    --------
    >>> import numpy, ordo
    >>> a = numpy.array([(2, 0.5), (1, 0.25)], [("id", "i4"), ("x", "f8")])
    >>> ordo.sort_records(a, "id")["x"]
    array([0.25, 0.5 ])
    """
    if not isinstance(a, np.ndarray) or a.dtype.names is None:
        raise TypeError("a is not a structured array; expected a NumPy array with fields")
    if a.ndim != 1:
        raise ValueError(f"a has {a.ndim} dimensions; expected 1")
    if field not in a.dtype.names:
        raise ValueError(f"field is {field!r}; expected one of {', '.join(a.dtype.names)}")
    kind, offset = a.dtype.fields[field][:2]  # type: ignore[index] # names is not None
    if kind not in TYPES:
        raise TypeError(f"field {field!r} has dtype {kind}; expected an integer or a float")
    if a.dtype.hasobject:
        raise TypeError("a has fields of Python objects; expected plain data")
    if flag(inplace, "inplace"):
        if not a.flags.c_contiguous or not a.flags.writeable:
            raise ValueError("inplace needs a contiguous, writable array")
        result = a
    else:
        result = np.array(a, order="C", copy=True)
    opts = _lib.options(
        _lib.SortOptions, flags=_lib.DESCENDING if flag(descending, "descending") else 0
    )
    _sort_records(
        host_context(), pointer(result), result.size, result.dtype.itemsize, offset, TYPES[kind],
        opts,
    )  # fmt: skip
    return result
