"""NumPy arrays as arguments of the library: addresses, types, and the place `HOST`.

A *place* is an array library and a device. It creates result arrays, moves axes, returns addresses,
and has the context, flags and stream for calls. ``HOST`` is the place of NumPy arrays;
``_inputs.device`` has those of PyTorch and CuPy.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

from . import _lib
from ._context import host_context, uses_one_thread
from ._rooms import empty

ndarray = np.ndarray

TYPES: dict[Any, int] = {np.dtype(name): code for code, name in enumerate(_lib.DTYPES, start=1)}
PLAIN = {dtype: ctypes.c_int(number) for dtype, number in TYPES.items()}
FLOATS = frozenset((_lib.F32, _lib.F64))
USABLE = 0x0101  # in array.flags.num: C-contiguous and aligned
_WRITABLE = USABLE | 0x0400
COPY_BY_THREADS = 1 << 22  # bytes; smaller copies are faster on one thread
_FEW_TO_SEARCH = 4096  # keys of which NumPy finds the largest faster than a library call

# ---- Addresses ---------------------------------------------------------------------------------

# In NumPy's ABI, the first field of an array object after the Python object header is the data
# pointer. Reading this field takes 0.2 microseconds; array.ctypes.data takes 1.5.
_DATA = object.__basicsize__
_pointer_at = ctypes.c_void_p.from_address


def _pointer_by_layout(array: Any) -> ctypes.c_void_p:
    return _pointer_at(id(array) + _DATA)


def _pointer_by_interface(array: Any) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.__array_interface__["data"][0])


def _layout_is_known() -> bool:
    if sys.implementation.name != "cpython":
        return False
    samples = [np.zeros(3), np.zeros((2, 2), "i2")[1:, ::-1]]
    return all(_pointer_by_layout(a).value == _pointer_by_interface(a).value for a in samples)


# The address of an array's elements, as an argument of a call. The array must stay alive.
pointer = _pointer_by_layout if _layout_is_known() else _pointer_by_interface


def address(array: Any) -> int:
    return pointer(array).value  # type: ignore[return-value] # never None


# ---- Plain arrays ------------------------------------------------------------------------------


def plain_code(a: Any, axis: Any = None, layout: int = USABLE) -> ctypes.c_int | None:
    """Returns the type of a plain array, or None.

    An array is plain if it is a NumPy array of one dimension that the library can read without a
    conversion, and `axis` is its only axis. Functions pass plain arrays directly to the library.
    This saves 4 to 8 of 6 to 10 microseconds of a call on few elements (x86-64, Python 3.11). With
    `layout` 0 the array may have any strides and alignment, for callers that copy it.
    """
    if type(a) is not ndarray or a.ndim != 1 or a.flags.num & layout != layout:
        return None
    if axis is not None and (type(axis) is not int or not -1 <= axis <= 0):
        return None
    return PLAIN.get(a.dtype)


def takes_result(out: Any, a: Any, dtype: Any) -> bool:
    """Returns whether a call that reads the plain array `a` can write its result to `out`."""
    return (
        type(out) is ndarray
        and out.shape == a.shape
        and out.dtype == dtype
        and out.flags.num & _WRITABLE == _WRITABLE
        and not np.may_share_memory(a, out)
    )


def plain_has_nan(a: Any, code: Any) -> bool:
    """Returns whether a plain array of floats, not empty, holds a NaN.

    NaNs are the last in order, so the largest key is a NaN if there is one. With one thread NumPy's
    loop is faster than the library's search: 1.5 and 3.3 ms for 5 * 10^6 float64 (Neoverse V1).
    """
    n = a.size
    if n <= _FEW_TO_SEARCH:
        largest = a.item(a.argmax())
    elif uses_one_thread():
        largest = a.max()
    else:
        found, k = np.empty(1, a.dtype), ctypes.c_size_t(n - 1)
        _lib.select(
            host_context(), code, pointer(a), n, ctypes.addressof(k), 1, pointer(found), None
        )
        largest = found[0]
    return largest != largest


# ---- Places ------------------------------------------------------------------------------------


class HostPlace:
    """The place of NumPy arrays. Other places have the same methods."""

    name = "numpy"
    where = "numpy"
    flags = 0
    stream: int | None = None
    on_device = False
    address = staticmethod(address)
    moveaxis = staticmethod(np.moveaxis)
    isnan = staticmethod(np.isnan)
    concatenate = staticmethod(np.concatenate)
    broadcast_to = staticmethod(np.broadcast_to)

    @property
    def context(self) -> Any:
        return host_context()

    def empty(self, shape: tuple, dtype: Any) -> Any:
        return empty(shape, dtype)

    def count_up(self, n: int) -> Any:
        return np.arange(n, dtype=np.int64)

    def nonzero(self, flags: Any) -> Any:
        return flags.nonzero()[0]

    def count_true(self, flags: Any) -> int:
        return int(np.count_nonzero(flags))

    def not_equal(self, a: Any, b: Any, out: Any) -> None:
        np.not_equal(a, b, out=out)

    def contiguous(self, array: Any) -> Any:
        # np.ascontiguousarray does not copy a contiguous array that is not aligned.
        if array.flags.num & USABLE == USABLE:
            return array
        return np.require(array, requirements=["C", "A"])

    def copy(self, array: Any) -> Any:
        """Returns a contiguous copy. All threads copy a large array."""
        if array.nbytes < COPY_BY_THREADS or not array.flags.c_contiguous:
            return array.copy()
        result = empty(array.shape, array.dtype)
        _lib.copy(host_context(), address(result), address(array), array.nbytes)
        return result

    def astype(self, array: Any, dtype: Any) -> Any:
        return array.astype(dtype, copy=False)

    def astype_back(self, array: Any, dtype: Any) -> Any:
        """Returns keys in the dtype of the input. Bools were read as bytes."""
        return array.view(dtype) if dtype.kind == "b" else array.astype(dtype, copy=False)

    def may_write(self, array: Any) -> bool:
        return array.flags.writeable

    def itemsize(self, array: Any) -> int:
        return array.dtype.itemsize

    def opaque(self, array: Any) -> bool:
        """Returns whether elements are references, which must not be moved as bytes."""
        return array.dtype.hasobject

    def reshape(self, array: Any, shape: tuple) -> Any:
        return array.reshape(shape)

    def set_nan(self, array: Any, mask: Any) -> None:
        """Writes NaN to the elements or rows in `mask`. A mask of 0 dimensions means all."""
        array[mask if mask.ndim else ...] = np.nan

    def scalar(self, array: Any) -> Any:
        """Returns an array of 0 dimensions as a number."""
        return array[()]

    def key_dtype(self, rows: Any) -> Any:
        return rows.keys.dtype

    def float_name(self, dtype: Any) -> str | None:
        """Returns NumPy's name of a float dtype (float32 for bfloat16); None for others."""
        if dtype.name == "bfloat16":
            return "float32"
        return dtype.name if dtype.kind == "f" else None

    def is_bool(self, dtype: Any) -> bool:
        return dtype.kind == "b"

    def wants_cast(self, array: Any, dtype: Any) -> bool:
        return array.dtype != np.dtype(dtype)

    def from_host(self, array: Any) -> Any:
        """Converts a NumPy array to an array of this place, or to a scalar."""
        return array[()] if array.ndim == 0 else array

    def typed(self, array: Any) -> tuple[Any, int, Any]:
        """Returns keys of a library type, the type's number, and the dtype for results."""
        dtype = array.dtype
        number = TYPES.get(dtype)
        if number is not None:
            return array, number, dtype
        if dtype.kind == "b":
            return array.view(np.uint8), _lib.U8, dtype
        if (dtype.kind == "f" and dtype.itemsize == 2) or dtype.name == "bfloat16":
            with np.errstate(invalid="ignore"):  # a signalling NaN would warn
                return array.astype(np.float32), _lib.F32, dtype.newbyteorder("=")
        if dtype.kind in "iuf" and not dtype.isnative:
            native = dtype.newbyteorder("=")
            return self.typed(array.astype(native))
        raise TypeError(
            f"the elements have dtype {dtype}; expected integers of 8 to 64 bits, bool, float16, "
            f"float32, float64 or strings{instead_of(dtype)}"
        )


def instead_of(dtype: Any) -> str:
    """Returns the end of the message for an unsupported dtype: what to pass instead."""
    if dtype.kind in "Mm":
        return "; pass np.asarray(a).view('i8')"
    if dtype.kind == "c":
        return "; pass a.real or abs(a)"
    if dtype.names:
        return f"; pass one field, for example a[{dtype.names[0]!r}]"
    if dtype.kind == "f":
        return "; pass a.astype('f8')" if dtype.itemsize > 8 else "; pass a.astype('f4')"
    if dtype.kind == "O":
        return "; pass a.astype(float) or a.astype(int)"
    return "; convert the elements with a.astype()"


HOST = HostPlace()
