"""Inputs and outputs: what an array-like is, which ordo type its elements are, and rows of them.

A *place* is the library and the memory an array belongs to. It makes results of the same kind,
moves axes, tells addresses, and knows the context, flags and stream of calls on it. ``HOST`` is
NumPy's; those of PyTorch, CuPy, JAX and Numba are in ``_device``. Code above this file says what
happens to a row and does not ask where it lies.

``Rows`` brings any input into one form: contiguous rows of a type the library knows, the axis
that is worked along last.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, Callable

import numpy as np

from . import _lib
from ._check import integer
from ._context import host_context

ndarray = np.ndarray
AxisError = getattr(np, "exceptions", np).AxisError

TYPES: dict[Any, int] = {
    np.dtype(name): number
    for number, name in enumerate("i1 u1 i2 u2 i4 u4 i8 u8 f4 f8".split(), start=1)
}
PLAIN = {dtype: ctypes.c_int(number) for dtype, number in TYPES.items()}
SIZES = {number: dtype.itemsize for dtype, number in TYPES.items()}
FLOATS = frozenset((_lib.F32, _lib.F64))
USABLE = 0x0101  # array.flags.num of what can be read as it is: C-contiguous, aligned
AXIS_TYPES = (int, type(None))  # of `axis` in the short paths; 0.0 and False equal 0
COPY_BY_THREADS = 1 << 22  # bytes; below, the copy costs less than handing it out

# ---- Addresses ---------------------------------------------------------------------------------

# The first field of an array object behind the object head is its data pointer: that is NumPy's
# binary interface, what every C extension is compiled against. Reading it takes 0.2 microseconds
# where array.ctypes.data takes 1.5.
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


# Where an array that stays alive has its elements, as an argument of a call.
pointer = _pointer_by_layout if _layout_is_known() else _pointer_by_interface


def address(array: Any) -> int:
    return pointer(array).value  # type: ignore[return-value] # never NULL


# ---- Plain arrays ------------------------------------------------------------------------------


def plain_code(a: Any) -> ctypes.c_int | None:
    """The type of one row of host numbers that can be read as they are; None for all else.

    Calls on such arrays go straight to the library: what they cost matters where elements are few.
    """
    if type(a) is ndarray and a.ndim == 1 and a.flags.num & USABLE == USABLE:
        return PLAIN.get(a.dtype)
    return None


# Keys among which `a.item(a.argmax())` is the fastest way to the largest, a NaN if there is one;
# among more it is `last_in_order`.
FEW_TO_SEARCH = 4096


def last_in_order(context: Any, code: Any, a: Any, n: int) -> Any:
    """The largest of a plain row, a NaN if there is one, found by all threads."""
    last, where = np.empty(1, a.dtype), ctypes.c_size_t(n - 1)
    status = _lib.select(
        context, code, pointer(a), n, ctypes.addressof(where), 1, pointer(last), None
    )
    if status:
        _lib.fail(status, context)
    return last[0]


# ---- Places ------------------------------------------------------------------------------------


class HostPlace:
    """NumPy arrays. Other places have the same methods."""

    name = "numpy"
    flags = 0
    stream: int | None = None
    on_device = False
    address = staticmethod(address)
    moveaxis = staticmethod(np.moveaxis)
    isnan = staticmethod(np.isnan)
    concatenate = staticmethod(np.concatenate)
    nonzero = staticmethod(np.flatnonzero)

    @property
    def context(self) -> Any:
        return host_context()

    def empty(self, shape: tuple, dtype: Any) -> Any:
        return np.empty(shape, dtype)

    def count_up(self, n: int) -> Any:
        return np.arange(n, dtype=np.int64)

    def count_true(self, flags: Any) -> int:
        return int(np.count_nonzero(flags))

    def not_equal(self, a: Any, b: Any, out: Any) -> None:
        np.not_equal(a, b, out=out)

    def contiguous(self, array: Any) -> Any:
        # ascontiguousarray would keep what is contiguous but not aligned.
        if array.flags.num & USABLE == USABLE:
            return array
        return np.require(array, requirements=["C", "A"])

    def copy(self, array: Any) -> Any:
        """A contiguous copy, by all threads if it is large."""
        if array.nbytes < COPY_BY_THREADS or not array.flags.c_contiguous:
            return array.copy()
        result = np.empty(array.shape, array.dtype)
        context = host_context()
        status = _lib.copy(context, address(result), address(array), array.nbytes)
        if status:
            _lib.fail(status, context)
        return result

    def astype(self, array: Any, dtype: Any) -> Any:
        return array.astype(dtype, copy=False)

    def astype_back(self, array: Any, dtype: Any) -> Any:
        """Sorted keys in the dtype they came in; bools were looked at as bytes."""
        return array.view(dtype) if dtype.kind == "b" else array.astype(dtype, copy=False)

    def may_write(self, array: Any) -> bool:
        return array.flags.writeable

    def itemsize(self, array: Any) -> int:
        return array.dtype.itemsize

    def opaque(self, array: Any) -> bool:
        """Whether elements may not be moved as bytes: references to objects."""
        return array.dtype.hasobject

    def reshape(self, array: Any, shape: tuple) -> Any:
        return array.reshape(shape)

    def set_nan(self, array: Any, mask: Any) -> None:
        """NaN for the elements, or the rows, that `mask` names; for all if it names the one row."""
        array[mask if mask.ndim else ...] = np.nan

    def scalar(self, array: Any) -> Any:
        """An array without dimensions as the number it is."""
        return array[()]

    def key_dtype(self, rows: Rows) -> Any:
        return rows.keys.dtype

    def float_name(self, dtype: Any) -> str | None:
        """NumPy's name of a float dtype (bfloat16 counts as float32); None for others."""
        return dtype.name if dtype.kind == "f" else None

    def is_bool(self, dtype: Any) -> bool:
        return dtype.kind == "b"

    def wants_cast(self, array: Any, dtype: Any) -> bool:
        return array.dtype != np.dtype(dtype)

    def from_host(self, array: Any) -> Any:
        """A NumPy array as one of this place; a scalar if it has no dimensions."""
        return array[()] if array.ndim == 0 else array

    def typed(self, array: Any) -> tuple[Any, int, Any]:
        """Keys of a type the library knows, its number, and the dtype to give results back in."""
        dtype = array.dtype
        number = TYPES.get(dtype)
        if number is not None:
            return array, number, dtype
        if dtype.kind == "b":
            return array.view(np.uint8), _lib.U8, dtype
        if dtype.kind == "f" and dtype.itemsize == 2:
            with np.errstate(invalid="ignore"):  # which a signalling NaN would set
                return array.astype(np.float32), _lib.F32, np.dtype(np.float16)
        if dtype.kind in "iuf" and not dtype.isnative:
            native = dtype.newbyteorder("=")
            return self.typed(array.astype(native))
        raise TypeError(
            f"elements are of dtype {dtype}; expected integers of 8 to 64 bits, bool, float16, "
            f"float32, float64 or strings{_way_out(dtype)}"
        )


def _way_out(dtype: Any) -> str:
    """What to pass instead of an array of a dtype that is not supported."""
    if dtype.kind in "Mm":
        return "; pass np.asarray(a).view('i8'), in which NaT is the smallest"
    if dtype.kind == "c":
        return "; pass a.real or abs(a)"
    if dtype.names:
        return f"; pass one field, for example a[{dtype.names[0]!r}]"
    if dtype.kind == "f":
        return "; pass a.astype('f8')" if dtype.itemsize > 8 else "; pass a.astype('f4')"
    if dtype.kind == "O":
        return "; pass a.astype(float), or a.astype(int)"
    return "; convert them with a.astype()"


HOST = HostPlace()


def place_of(a: Any, compare: bool = True) -> tuple[Any, Any]:
    """The place of `a`, and `a` as an array of it; `compare`: its elements will be compared."""
    if type(a) is ndarray:
        return HOST, a
    if type(a) is list or type(a) is tuple:
        array = np.asarray(a)
        if array.ndim > 1 and any(isinstance(row, np.ma.MaskedArray) for row in a):
            raise TypeError("an array in the sequence is masked; expected rows without a mask")
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
    """The place of `a`, and `a` as an array of it; TypeError if it holds strings or objects."""
    place, array = place_of(a)
    if place is HOST and is_text(array):
        if array.dtype.kind == "O":
            raise TypeError(
                f"elements are of dtype object; expected numbers{_way_out(array.dtype)}"
            )
        raise TypeError("elements are strings; expected numbers")
    return place, array


# ---- Rows --------------------------------------------------------------------------------------


def normal_axis(axis: int, ndim: int) -> int:
    """`axis` counted from the front; AxisError, a ValueError, if it is out of range."""
    index = integer(axis, "axis")
    if not -ndim <= index < ndim:
        raise AxisError(index, ndim)
    return index % ndim


class Rows:
    """Keys as `count` contiguous rows of `n`, and the way back to the caller's axes.

    `axis` is an integer or None; a tuple of integers only if `several` is set.
    """

    __slots__ = ("axes", "code", "count", "dtype", "keys", "lead", "n", "ndim", "place")

    def __init__(
        self, place: Any, array: Any, axis: int | tuple | None, several: bool = False
    ) -> None:
        keys, self.code, self.dtype = place.typed(array)
        self.place = place
        self.ndim = keys.ndim
        if self.ndim == 1 and type(axis) in AXIS_TYPES and axis in (None, -1, 0):
            self.axes: tuple[int, ...] = (0,)
            self.keys = place.contiguous(keys)
            self.lead: tuple[int, ...] = ()
            self.n, self.count = keys.shape[0], 1
            return
        if axis is None:
            self.axes = tuple(range(self.ndim))
            keys = place.reshape(keys, (-1,))
        else:
            axes = axis if isinstance(axis, tuple) and several else (axis,)
            self.axes = tuple(normal_axis(one, self.ndim) for one in axes)
            if len(set(self.axes)) != len(self.axes):
                raise ValueError(f"axis {axis} names a dimension twice")
            if self.axes != tuple(range(self.ndim - len(axes), self.ndim)):
                ends = tuple(range(self.ndim - len(axes), self.ndim))
                keys = place.moveaxis(keys, self.axes, ends)
            if len(axes) != 1:
                lead = tuple(keys.shape)[: self.ndim - len(axes)]
                keys = place.reshape(keys, (*lead, product(keys.shape[len(lead) :])))
        self.keys = place.contiguous(keys)
        self.lead = tuple(self.keys.shape)[:-1]
        self.n = self.keys.shape[-1]
        self.count = product(self.lead)

    def own(self, array: Any) -> Any:
        """The keys as an array that may be written: a copy unless they are one already."""
        if self.keys is array or self.place.address(self.keys) == self.place.address(array):
            self.keys = self.place.copy(self.keys)
        return self.keys

    def run(self, call: Callable[..., int], *results: Any) -> None:
        """call(context, address of the keys, address of the results, ...) for every row.

        `results` are arrays with one row for each row of keys; those of NumPy are host memory
        wherever the keys are.
        """
        context, count = self.place.context, self.count
        arrays = (self.keys, *results)
        firsts = [self._place(array).address(array) for array in arrays]
        if count == 1:
            rows: Any = (firsts,)
        else:
            sizes = [array.shape[-1] * self._place(array).itemsize(array) for array in arrays]
            rows = zip(*(_steps(first, size, count) for first, size in zip(firsts, sizes)))
        for addresses in rows:
            status = call(context, *addresses)
            if status:
                _lib.fail(status, context)

    def _place(self, array: Any) -> Any:
        return HOST if type(array) is ndarray else self.place

    def back(self, array: Any) -> Any:
        """Results, one for each key, with the caller's axes."""
        if self.ndim <= 1 or len(self.axes) != 1 or self.axes[0] == self.ndim - 1:
            return array
        return self.place.moveaxis(array, -1, self.axes[0])

    def shape_after(self, front: tuple, keepdims: bool) -> tuple:
        """The shape of results, one for each row, behind dimensions of their own."""
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
    """Whether an array of HOST holds strings, or objects, which may be strings."""
    return array.dtype.kind in "SUOT"


def is_arrow_text(array: Any) -> bool:
    """Whether an array is Text: strings that are not in a NumPy array."""
    from ._strings import Text

    return type(array) is Text


def rows_have_nan(rows: Rows) -> Any:
    """For each row whether it holds a NaN; None if no row does."""
    if rows.code not in FLOATS or rows.n == 0 or rows.count == 0:
        return None
    found = rows.place.isnan(rows.keys).any(-1)
    return found if bool(found.any()) else None
