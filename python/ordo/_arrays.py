"""Input arrays: their place, their element type, and their rows along an axis.

``place_of`` converts an argument to an array of a place (see ``_places``). ``Rows`` converts every
array to one form: rows of an element type of the library, contiguous and with the chosen axis last,
or columns of a contiguous array. The rows are segments of one call of the library.
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable

import numpy as np

from . import _lib
from ._check import integer
from ._context import host_uses_cpu
from ._context.threads import by_threads
from ._inputs.mapped import mapped
from ._places import (
    COPY_BY_THREADS,
    FLOATS,
    HOST,
    PLAIN,
    TYPES,
    USABLE,
    HostPlace,
    address,
    instead_of,
    ndarray,
    plain_code,
    plain_has_nan,
    pointer,
    takes_result,
)

__all__ = [
    "COPY_BY_THREADS",
    "FLOATS",
    "HOST",
    "PLAIN",
    "TYPES",
    "USABLE",
    "HostPlace",
    "Rows",
    "address",
    "is_arrow_text",
    "is_text",
    "ndarray",
    "normal_axes",
    "normal_axis",
    "numbers_of",
    "place_of",
    "plain_code",
    "plain_has_nan",
    "pointer",
    "product",
    "rows_have_nan",
    "takes_result",
]

AxisError = getattr(np, "exceptions", np).AxisError


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
    from ._inputs import device
    from ._inputs.text import Text

    if type(a) is Text:
        return HOST, a
    foreign = device.place_of(a)
    if foreign is not None:
        return foreign, a
    from ._inputs import arrow, pandas, series

    if series.is_frame(a):
        raise TypeError(
            f"the argument is a data frame ({series.listed(series.names_of(a))}); expected one "
            "column, or a.to_numpy(); ordo.sort(a, by=name) sorts the rows"
        )

    if pandas.is_extension(a):
        return HOST, pandas.to_numpy(a, compare)
    if arrow.is_arrow(a):
        return HOST, arrow.to_numpy(a, None, compare)
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError("the array is masked; expected a.compressed() or a.filled(value)")
    array = np.asarray(a)
    if array.ndim == 0 and array.dtype.kind == "O":
        way = "a.collect()" if hasattr(a, "collect") else "list(a)"
        instead = f"; pass {way}" if hasattr(a, "__iter__") or hasattr(a, "collect") else ""
        raise TypeError(f"the argument is a {type(a).__name__}; expected an array{instead}")
    return HOST, array


def numbers_of(a: Any) -> tuple[Any, Any]:
    """Like `place_of`, but strings, decimals and objects raise a TypeError."""
    place, array = place_of(a)
    if place is HOST and array.dtype.kind == "m" and type(array) is not ndarray:
        raise TypeError(
            "the elements are decimals; expected numbers; pass the array cast to float64"
        )
    if place is HOST and is_text(array):
        if array.dtype.kind == "O":
            raise TypeError(
                f"the elements have dtype object; expected numbers{instead_of(array.dtype)}"
            )
        raise TypeError("the elements are strings; expected numbers")
    return place, array


# ---- Rows --------------------------------------------------------------------------------------


def normal_axis(axis: int, ndim: int) -> int:
    """Returns `axis` counted from the front. An axis that is out of range raises an AxisError."""
    index = integer(axis, "axis")
    if not -ndim <= index < ndim:
        raise AxisError(index, ndim)
    return index % ndim


def normal_axes(axis: Any, ndim: int, several: bool) -> tuple[int, ...]:
    """Returns the axes counted from the front; `axis` may be a tuple or list if `several` is set.

    Without an axis each element is a row, as in NumPy.
    """
    axes = axis if several and isinstance(axis, (tuple, list)) else (axis,)
    normal = tuple(normal_axis(one, ndim) for one in axes)
    if len(set(normal)) != len(normal):
        raise ValueError(f"axis is {axis}, which names a dimension twice; expected distinct axes")
    return normal


class Rows:
    """Keys as `count` rows of `n` elements, and the way back to the caller's axes.

    `axis` is an integer or None, or several integers if `several` is set. The rows are
    contiguous along the last axis of `keys`. With `strided` they may also be along axis `at` of
    contiguous `keys`, where they were, if the library can do them there.

    `descending` is the direction of the call, and `order` what it needs of the keys: see
    `_inputs.mapped`. Both matter for types that the library does not have.
    """

    __slots__ = (
        "_mapped", "at", "axes", "code", "count", "dtype", "keys", "lead", "n", "ndim", "place",
    )  # fmt: skip

    def __init__(
        self,
        place: Any,
        array: Any,
        axis: int | tuple | None,
        several: bool = False,
        strided: bool = False,
        *,
        descending: bool = False,
        order: str | None = None,
    ) -> None:
        self._mapped = mapped(array, descending, order) if place is HOST else None
        if self._mapped is None:
            keys, self.code, self.dtype = place.typed(array)
        else:
            keys, self.code = self._mapped.keys, self._mapped.code
            self.dtype = self._mapped.dtype
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
        if len(self.axes) != 1:
            return False
        at = self.axes[0]
        shape = tuple(keys.shape)
        if product(shape[at + 1 :]) < 2 or product(shape) == 0:
            return False
        if self._on_gpu() or self.place is not HOST or keys.flags.num & USABLE != USABLE:
            return False
        self.at, self.keys, self.n = at, keys, shape[at]
        self.lead = shape[:at] + shape[at + 1 :]
        self.count = product(self.lead)
        return True

    def _on_gpu(self) -> bool:
        """Returns whether a GPU does the calls."""
        return self.place.on_device or not host_uses_cpu()

    def numbers(self, width: int, dtype: Any, auto: bool = True) -> Any:
        """Returns an array for `width` numbers of each row: medians, quantiles and the like.

        The array is on the GPU if one call does several rows there; `auto` says that the algorithm
        of the call is 'auto'. Otherwise the library writes such numbers to host memory.
        """
        shape = (*self.lead, width)
        if self.place.on_device and self.count != 1 and auto:
            return self.place.empty(shape, np.dtype(dtype))
        return np.empty(shape, dtype)

    def to_host(self, numbers: Any) -> Any:
        """Returns an array that `numbers` returned as a NumPy array."""
        return numbers if type(numbers) is ndarray else self.place.to_host(numbers)

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

        One call does all rows: n counts all elements, and the options, a `struct` like the one at
        the address `opts`, have segments. An algorithm that the caller named is for one array on
        a GPU, so there each row is a call. `results` are arrays with one row for each row of keys.
        """
        context, count = self.place.context, self.count
        arrays = (self.keys, *results)
        firsts = [self._place(array).address(array) for array in arrays]
        if count == 1 and self.at < 0:
            call(context, self.n, opts, *firsts)
            return
        if count == 0:
            return
        many = _lib.copy_options(struct, opts)
        if getattr(many, "algorithm", 0) == 0 or not self._on_gpu():
            segments = self._segments()
            many.segments = ctypes.addressof(segments)
            call(context, count * self.n, ctypes.c_void_p(ctypes.addressof(many)), *firsts)
            return
        sizes = [array.shape[-1] * self._place(array).itemsize(array) for array in arrays]
        rows = zip(*(_steps(first, size, count) for first, size in zip(firsts, sizes)))
        for addresses in rows:
            call(context, self.n, opts, *addresses)

    def _place(self, array: Any) -> Any:
        return HOST if type(array) is ndarray else self.place

    def restored(self, keys: Any) -> Any:
        """Returns keys as elements of the caller's dtype."""
        if self._mapped is not None:
            return self._mapped.back(keys)
        return self.place.astype_back(keys, self.dtype)

    @property
    def may_have_nan(self) -> bool:
        return self._mapped is not None or self.code in FLOATS

    def is_nan(self, keys: Any) -> Any:
        """Returns for each key whether it is a NaN or a NaT."""
        if self._mapped is not None:
            return self._mapped.is_missing(keys)
        return self.place.isnan(keys)

    def set_nan(self, keys: Any, mask: Any) -> None:
        """Replaces the keys in `mask` by the key of NaN or NaT."""
        if self._mapped is not None:
            keys[mask] = self._mapped.missing
        else:
            self.place.set_nan(keys, mask)

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
    from ._inputs.text import Text

    return type(array) is Text


def rows_have_nan(rows: Rows) -> Any:
    """Returns for each row whether it holds a NaN; None if no row does."""
    nan = nans_of(rows)
    return None if nan is None else nan.any(rows.at)


def nans_of(rows: Rows) -> Any:
    """Returns for each key whether it is a NaN; None if no key is."""
    if not rows.may_have_nan or rows.n == 0 or rows.count == 0 or _is_free_of_nan(rows):
        return None
    nan = _nans_by_threads(rows) if _is_large(rows) else rows.is_nan(rows.keys)
    return nan if bool(nan.any()) else None


def _nans_by_threads(rows: Rows) -> Any:
    """Returns for each key of a large host array whether it is a NaN."""
    keys = rows.keys.reshape(-1)
    nan = np.empty(rows.keys.shape, bool)
    flags = nan.reshape(-1)

    def find(lo: int, hi: int) -> None:
        flags[lo:hi] = rows.is_nan(keys[lo:hi])

    by_threads(find, keys.size)
    return nan


def _is_large(rows: Rows) -> bool:
    """Returns whether the keys are an array of floats in host memory that all threads search."""
    keys = rows.keys
    if type(keys) is not ndarray or rows.code not in FLOATS or keys.nbytes < COPY_BY_THREADS:
        return False
    return keys.flags.c_contiguous


def _is_free_of_nan(rows: Rows) -> bool:
    """Returns True if all threads of the library have found that the host array has no NaN."""
    return _is_large(rows) and not plain_has_nan(rows.keys, rows.code)
