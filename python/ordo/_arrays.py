"""Input arrays: their place, their element type, and their rows along an axis.

A *place* is an array library and a device. It creates result arrays, moves axes, returns addresses,
and has the context, flags and stream for calls. ``HOST`` is the place of NumPy arrays; ``_device``
has those of PyTorch and CuPy. The functions of the package work on rows of any place.

``Rows`` converts every input to one form: rows of an element type of the library, contiguous and
with the chosen axis last, or columns of a contiguous array. The rows of a host array are segments
of one call of the library.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Callable

import numpy as np

from . import _lib
from ._check import integer
from ._context import host_context, host_uses_cpu

ndarray = np.ndarray
AxisError = getattr(np, "exceptions", np).AxisError

TYPES: dict[Any, int] = {
    np.dtype(name): number
    for number, name in enumerate("i1 u1 i2 u2 i4 u4 i8 u8 f4 f8".split(), start=1)
}
PLAIN = {dtype: ctypes.c_int(number) for dtype, number in TYPES.items()}
FLOATS = frozenset((_lib.F32, _lib.F64))
USABLE = 0x0101  # in array.flags.num: C-contiguous and aligned
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


def plain_has_nan(a: Any, code: Any) -> bool:
    """Returns whether a plain array of floats, not empty, holds a NaN.

    NaNs are the last in order, so the largest key is a NaN if there is one.
    """
    n = a.size
    if n <= _FEW_TO_SEARCH:
        largest = a.item(a.argmax())
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

    @property
    def context(self) -> Any:
        return host_context()

    def empty(self, shape: tuple, dtype: Any) -> Any:
        return np.empty(shape, dtype)

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
        result = np.empty(array.shape, array.dtype)
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

    def key_dtype(self, rows: Rows) -> Any:
        return rows.keys.dtype

    def float_name(self, dtype: Any) -> str | None:
        """Returns NumPy's name of a float dtype (float32 for bfloat16); None for others."""
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
        if dtype.kind == "f" and dtype.itemsize == 2:
            with np.errstate(invalid="ignore"):  # a signalling NaN would warn
                return array.astype(np.float32), _lib.F32, np.dtype(np.float16)
        if dtype.kind in "iuf" and not dtype.isnative:
            native = dtype.newbyteorder("=")
            return self.typed(array.astype(native))
        raise TypeError(
            f"the elements have dtype {dtype}; expected integers of 8 to 64 bits, bool, float16, "
            f"float32, float64 or strings{_alternative(dtype)}"
        )


def _alternative(dtype: Any) -> str:
    """Returns the end of the message for an unsupported dtype: what to pass instead."""
    if dtype.kind in "Mm":
        return "; pass np.asarray(a).view('i8'), where NaT is the smallest number"
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


def place_of(a: Any, compare: bool = True) -> tuple[Any, Any]:
    """Returns the place of `a`, and `a` as an array of that place.

    With `compare`, ordered categories raise a TypeError unless their order is that of the values.
    """
    if type(a) is ndarray:
        return HOST, a
    if type(a) is list or type(a) is tuple:
        array = np.asarray(a)
        if array.ndim > 1 and any(isinstance(row, np.ma.MaskedArray) for row in a):
            raise TypeError("a row of the sequence is masked; expected rows without a mask")
        return HOST, array
    from . import _arrow, _device, _pandas, _strings

    if type(a) is _strings.Text:
        return HOST, a
    foreign = _device.place_of(a)
    if foreign is not None:
        return foreign, a
    if _pandas.is_extension(a):
        return HOST, _pandas.to_numpy(a, compare)
    if _arrow.is_arrow(a):
        return HOST, _arrow.to_numpy(a, None, compare)
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError("the array is masked; expected a.compressed() or a.filled(value)")
    return HOST, np.asarray(a)


def numbers_of(a: Any) -> tuple[Any, Any]:
    """Like `place_of`, but strings and objects raise a TypeError."""
    place, array = place_of(a)
    if place is HOST and is_text(array):
        if array.dtype.kind == "O":
            raise TypeError(
                f"the elements have dtype object; expected numbers{_alternative(array.dtype)}"
            )
        raise TypeError("the elements are strings; expected numbers")
    return place, array


# ---- Rows --------------------------------------------------------------------------------------


def normal_axis(axis: int, ndim: int) -> int:
    """Returns `axis` counted from the front. Out of range, it raises an AxisError."""
    index = integer(axis, "axis")
    if not -ndim <= index < ndim:
        raise AxisError(index, ndim)
    return index % ndim


def normal_axes(axis: Any, ndim: int, several: bool) -> tuple[int, ...]:
    """Returns the axes counted from the front; `axis` may be a tuple if `several` is set."""
    axes = axis if isinstance(axis, tuple) and several else (axis,)
    normal = tuple(normal_axis(one, ndim) for one in axes)
    if len(set(normal)) != len(normal):
        raise ValueError(f"axis is {axis}, which names a dimension twice; expected distinct axes")
    return normal


class Rows:
    """Keys as `count` rows of `n` elements, and the way back to the caller's axes.

    `axis` is an integer or None, or a tuple of integers if `several` is set. The rows are
    contiguous along the last axis of `keys`. With `strided` they may also be along axis `at` of
    contiguous `keys`, where they were, if the library can do them there.
    """

    __slots__ = ("at", "axes", "code", "count", "dtype", "keys", "lead", "n", "ndim", "place")

    def __init__(
        self,
        place: Any,
        array: Any,
        axis: int | tuple | None,
        several: bool = False,
        strided: bool = False,
    ) -> None:
        keys, self.code, self.dtype = place.typed(array)
        self.place = place
        self.ndim = keys.ndim
        self.at = -1
        if self.ndim == 1 and (axis is None or (type(axis) is int and -1 <= axis <= 0)):
            self.axes: tuple[int, ...] = (0,)
            self.keys = place.contiguous(keys)
            self.lead: tuple[int, ...] = ()
            self.n, self.count = keys.shape[0], 1
            return
        if axis is None:
            self.axes = tuple(range(self.ndim))
            keys = place.reshape(keys, (-1,))
        else:
            self.axes = normal_axes(axis, self.ndim, several)
            if strided and self._stays(keys):
                return
            ends = tuple(range(self.ndim - len(self.axes), self.ndim))
            if self.axes != ends:
                keys = place.moveaxis(keys, self.axes, ends)
            if len(ends) != 1:
                lead = tuple(keys.shape)[: self.ndim - len(ends)]
                keys = place.reshape(keys, (*lead, product(keys.shape[len(lead) :])))
        self.keys = place.contiguous(keys)
        self.lead = tuple(self.keys.shape)[:-1]
        self.n = self.keys.shape[-1]
        self.count = product(self.lead)

    def _stays(self, keys: Any) -> bool:
        """Uses keys with their axes in place, as strided segments, if the library can do that."""
        at = self.axes[0]
        shape = tuple(keys.shape)
        if len(self.axes) != 1 or product(shape[at + 1 :]) < 2 or product(shape) == 0:
            return False
        if not self._has_segments() or keys.flags.num & USABLE != USABLE:
            return False
        self.at, self.keys, self.n = at, keys, shape[at]
        self.lead = shape[:at] + shape[at + 1 :]
        self.count = product(self.lead)
        return True

    def _has_segments(self) -> bool:
        return self.place is HOST and host_uses_cpu()

    def _segments(self) -> Any:
        if self.at < 0:
            return _lib.Segments(
                struct_size=ctypes.sizeof(_lib.Segments), count=self.count, length=self.n
            )
        step = product(self.keys.shape[self.at + 1 :])
        return _lib.Segments(
            struct_size=ctypes.sizeof(_lib.Segments),
            count=self.count,
            length=self.n,
            stride=1,
            step=step,
            group=step,
            group_stride=self.n * step,
        )

    def own(self, array: Any) -> Any:
        """Returns the keys as an array that may be written: a copy, unless they are one."""
        if self.keys is array or self.place.address(self.keys) == self.place.address(array):
            self.keys = self.place.copy(self.keys)
        return self.keys

    def run(
        self, call: Callable[..., None], struct: Any, opts: ctypes.c_void_p | None, *results: Any
    ) -> None:
        """Calls call(context, n, options, address of the keys, addresses of the results...).

        One call does all rows of a host array: n counts all elements, and the options, a `struct`
        like the one at the address `opts`, have segments. On a GPU each row is a call. `results`
        are arrays with one row for each row of keys. They may be NumPy arrays even if the keys are
        on a GPU.
        """
        context, count = self.place.context, self.count
        arrays = (self.keys, *results)
        firsts = [self._place(array).address(array) for array in arrays]
        if count == 1 and self.at < 0:
            call(context, self.n, opts, *firsts)
            return
        if count == 0:
            return
        if self._has_segments():
            segments = self._segments()
            many = _lib.copy_options(struct, opts)
            many.segments = ctypes.addressof(segments)
            call(context, count * self.n, ctypes.c_void_p(ctypes.addressof(many)), *firsts)
            return
        sizes = [array.shape[-1] * self._place(array).itemsize(array) for array in arrays]
        rows = zip(*(_steps(first, size, count) for first, size in zip(firsts, sizes)))
        for addresses in rows:
            call(context, self.n, opts, *addresses)

    def _place(self, array: Any) -> Any:
        return HOST if type(array) is ndarray else self.place

    def axis_last(self, array: Any) -> Any:
        """Returns an array of the shape of the keys with the axis of the rows last."""
        return array if self.at < 0 else self.place.moveaxis(array, self.at, -1)

    def back(self, array: Any) -> Any:
        """Returns results, one for each key, with the caller's axes."""
        return array if self.at >= 0 else self.back_results(array)

    def back_results(self, array: Any) -> Any:
        """Returns results that are along the last axis for each row, with the caller's axes."""
        if self.ndim <= 1 or len(self.axes) != 1 or self.axes[0] == self.ndim - 1:
            return array
        return self.place.moveaxis(array, -1, self.axes[0])

    def shape_after(self, front: tuple, keepdims: bool) -> tuple:
        """Returns the shape of results for each row, after the dimensions `front`."""
        if not keepdims:
            return (*front, *self.lead)
        lead = iter(self.lead)
        kept = (1 if dim in self.axes else next(lead) for dim in range(self.ndim))
        return (*front, *kept)


def _steps(first: int, size: int, count: int) -> Any:
    return range(first, first + count * size, size) if size else [first] * count


def product(sizes: Any) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


def is_text(array: Any) -> bool:
    """Returns whether a host array holds strings or objects (which may be strings)."""
    return array.dtype.kind in "SUOT"


def is_arrow_text(array: Any) -> bool:
    """Returns whether an array is a Text: strings that are not in a NumPy array."""
    from ._strings import Text

    return type(array) is Text


def rows_have_nan(rows: Rows) -> Any:
    """Returns for each row whether it holds a NaN; None if no row does."""
    if rows.code not in FLOATS or rows.n == 0 or rows.count == 0:
        return None
    nan = rows.place.isnan(rows.keys)
    return nan.any(rows.at) if bool(nan.any()) else None
