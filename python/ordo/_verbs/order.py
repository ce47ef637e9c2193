"""sort, argsort, sort_pairs and sort_records."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from .. import _lib
from .._arrays import (
    COPY_BY_THREADS,
    HOST,
    PLAIN,
    TYPES,
    USABLE,
    Rows,
    address,
    is_arrow_text,
    is_text,
    ndarray,
    normal_axis,
    place_of,
    plain_code,
    pointer,
    product,
    takes_result,
)
from .._check import check_kind, check_stable, flag, integer, into, output, same_place
from .._context import host_context
from .._inputs import tensors
from .._inputs.device import with_guests
from .._inputs.series import column_named, column_of, is_frame, names_of, rows_of
from .._rooms import empty
from .._short import by_library

_P = ctypes.c_void_p
_INTP = np.dtype(np.intp)
_sort_records = _lib._call("ordo_sort_records", _P, _P, _P, _P, ctypes.c_int, _P)
_INDEX = {np.dtype(name): code for name, code in
          (("u4", _lib.U32), ("i4", _lib.U32), ("u8", _lib.U64), ("i8", _lib.U64))}  # fmt: skip


class _Wish(NamedTuple):
    """How to sort: the arguments that sort, argsort and sort_pairs share."""

    descending: bool
    algorithm: str = "auto"
    radius: int = 0

    def options(self, place: Any) -> Any:
        """Returns the options of a call. ValueError if the algorithm is unknown."""
        number = _lib.number_of(_lib.ALGORITHMS, self.algorithm, "algorithm", _lib.SORTS)
        return _lib.options(
            _lib.SortOptions,
            flags=place.flags | (_lib.DESCENDING if self.descending else 0),
            radius=self.radius,
            algorithm=number,
            stream=place.stream or None,
        )


def _wish(descending: bool, algorithm: str, radius: Any) -> _Wish:
    number = integer(radius, "radius")
    if not 0 <= number < 1 << 64:
        raise ValueError(f"radius is {number}; expected 0 (measure it) or a number below 2^64")
    return _Wish(descending, algorithm, number)


_WIDE = PLAIN[np.dtype("u8")]
_DESCENDING = _Wish(True).options(HOST)

# ---- sort --------------------------------------------------------------------------------------


def _sort_rows(rows: Rows, wish: _Wish) -> None:
    """Sorts the keys of rows in place."""
    code = rows.code
    rows.run(
        lambda context, n, opts, keys: _lib.sort(context, code, keys, n, opts),
        _lib.SortOptions,
        wish.options(rows.place),
    )


def _sort_rows_from(rows: Rows, wish: _Wish) -> Any:
    """Returns a new array with the sorted rows. The library reads the keys where they are."""
    code = rows.code
    result = empty(rows.keys.shape, rows.keys.dtype)
    source = _lib.copy_options(_lib.SortOptions, wish.options(rows.place))
    source.source = address(rows.keys)
    rows.run(
        lambda context, n, opts, keys, out: _lib.sort(context, code, out, n, opts),
        _lib.SortOptions,
        ctypes.c_void_p(ctypes.addressof(source)),
        result,
    )
    return result


@by_library
def sort(
    a: Any,
    axis: int | None = -1,
    kind: _lib.SortKind | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
    algorithm: _lib.Algorithm = "auto",
    radius: int = 0,
    out: Any = None,
    by: Any = None,
) -> Any:
    """Returns a sorted copy of an array, as `numpy.sort` does.

    Parameters
    ----------
    a : array-like of numbers or strings; also GPU arrays and Arrow arrays.
    axis : axis to sort along. None: sort all elements as one row.
    kind, stable : accepted for NumPy; every algorithm gives the same bytes.
    order : must be None.
    descending : sort from the largest to the smallest. NaNs are last in both directions.
    algorithm : 'auto', or the name of an algorithm: radix, sample, intervals, merge, bitonic,
        split, bubble, rough, halving or windows; on a GPU also insertion and global. Strings
        accept 'auto' and 'sample'.
    radius : for rough, halving, windows and insertion: no element is more than this many positions
        from its sorted position. 0: the radius is measured. If the radius is too small, the sort
        takes longer; the result is the same.
    out : array for the result, of the same shape and dtype. ``out=a`` sorts in place.
    by : if `a` is a data frame of pandas, polars or pyarrow: the name of a column, or a list of
        names. Rows are sorted by the first, equal rows by the next. `descending` may be a list. A
        tuple is one name if a column has it, else a list.

    Returns
    -------
    Sorted array of the same library, shape and dtype; of one dimension if `axis` is None. A Series
    is returned as a Series with its index, a data frame as a data frame.

    Raises
    ------
    TypeError : the elements or an argument have the wrong type.
    ValueError : `axis`, `kind`, `algorithm` or `out` is wrong.
    KeyError : the data frame has no column of this name.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.sort([3.0, np.nan, 1.0, 2.0])
    array([ 1.,  2.,  3., nan])
    >>> ordo.sort(np.array([[3, 1, 2], [9, 7, 8]]), descending=True)
    array([[3, 2, 1],
           [9, 8, 7]])
    >>> ordo.sort(["pear", "fig", "apple"])
    array(['apple', 'fig', 'pear'], dtype='<U5')
    """
    if by is not None:
        if out is not None:
            raise TypeError("out is for arrays; expected None with a data frame")
        if integer(axis, "axis") not in (0, -1):
            raise ValueError(f"axis is {axis}; expected 0 with by, which sorts the rows")
        if stable is not None:
            check_stable(kind, stable)
        check_kind(kind, order)
        return rows_of(a, frame_order(a, by, descending, algorithm, radius))
    if descending is not False:
        descending = flag(descending, "descending")
    if stable is not None:
        check_stable(kind, stable)
    code = plain_code(a, axis, 0)
    usual = kind is order is None and algorithm == "auto" and type(radius) is int
    if code is not None and usual and radius == 0:
        large = a.nbytes >= COPY_BY_THREADS and a.flags.num & USABLE == USABLE
        if large and (out is None or takes_result(out, a, a.dtype)):
            return _sort_large(a, code, descending, out)
        if out is None:
            result = a.copy()
            opts = _DESCENDING if descending else None
            _lib.sort(host_context(), code, pointer(result), a.size, opts)
            return result
    if usual and radius == 0 and out is None and (row := tensors.row_of(a, axis)):
        return tensors.sort(a, row, descending)
    check_kind(kind, order)
    return _sort(a, axis, _wish(descending, algorithm, radius), out)


def _sort_large(a: Any, code: Any, descending: bool, out: Any) -> Any:
    """Sorts from `a` to `out` or a new array. The library reads `a`: no copy before the sort."""
    result = empty(a.size, a.dtype) if out is None else out
    flags = _lib.DESCENDING if descending else 0
    opts = _lib.SortOptions(
        struct_size=ctypes.sizeof(_lib.SortOptions), flags=flags, source=address(a)
    )
    _lib.sort(host_context(), code, pointer(result), a.size, ctypes.addressof(opts))
    return result


@with_guests
def _sort(a: Any, axis: int | None, wish: _Wish, out: Any) -> Any:
    column = column_of(a) if out is None else None
    if column is not None:
        return column.take(_argsort(a, axis, wish, _INTP))
    place, array = place_of(a)
    if place is HOST and is_text(array):
        from .. import _strings

        return _strings.sort(array, axis, wish.descending, out, wish.algorithm)
    if out is not None:
        return _sort_into(place, array, axis, wish, out)
    rows = Rows(place, array, axis, strided=True, descending=wish.descending, order="bits")
    wish.options(place)  # raises an error for an unknown algorithm
    if place is HOST and rows.keys is array:
        return rows.restored(rows.back(_sort_rows_from(rows, wish)))
    result = rows.own(array)
    _sort_rows(rows, wish)
    return rows.restored(rows.back(result))


def _sort_into(place: Any, array: Any, axis: int | None, wish: _Wish, out: Any) -> Any:
    if not hasattr(out, "dtype"):
        raise TypeError(f"out is a {type(out).__name__}; expected an array")
    expected = tuple(array.shape) if axis is not None else (product(array.shape),)
    output(place, place_of(out)[0], out, expected, array.dtype)
    if axis is not None:
        normal_axis(axis, len(expected))
    wish.options(place)  # raises an error for an unknown algorithm
    if out is not array:
        out[...] = array if axis is not None else place.reshape(array, (-1,))
    along = -1 if axis is None else axis
    rows = Rows(place, out, along, strided=True, descending=wish.descending, order="bits")
    _sort_rows(rows, wish)
    if place.address(rows.keys) != place.address(out):  # Rows made a copy
        out[...] = rows.restored(rows.back(rows.keys))
    return out


# ---- argsort -----------------------------------------------------------------------------------


def check_index_dtype(dtype: Any, n: int) -> Any:
    """Returns the dtype for indices of n elements, or raises a TypeError or ValueError."""
    wanted = np.dtype(dtype)
    if wanted not in _INDEX:
        raise TypeError(f"dtype is {wanted}; expected int64, uint64, int32 or uint32")
    if wanted.itemsize == 4 and n > np.iinfo(wanted).max:
        raise ValueError(
            f"dtype is {wanted}, which cannot hold indices of {n} elements; expected 64 bits"
        )
    return wanted


def _argsort_rows(rows: Rows, wish: _Wish, dtype: Any) -> Any:
    """Returns the sorting indices of every row, in an array of the keys' shape."""
    code, index_code = rows.code, _INDEX[check_index_dtype(dtype, rows.n)]
    result = rows.place.empty(rows.keys.shape, np.dtype(dtype))
    rows.run(
        lambda context, n, opts, keys, index: _lib.argsort(
            context, code, keys, n, index_code, index, opts
        ),
        _lib.SortOptions,
        wish.options(rows.place),
        result,
    )
    return result


@by_library
def argsort(
    a: Any,
    axis: int | None = -1,
    kind: _lib.SortKind | None = None,
    order: None = None,
    *,
    stable: bool | None = None,
    descending: bool = False,
    algorithm: _lib.Algorithm = "auto",
    radius: int = 0,
    dtype: Any = _INTP,
    out: Any = None,
) -> Any:
    """Returns the indices that sort an array, as `numpy.argsort` does; always stable.

    Parameters
    ----------
    a, axis, kind, order, stable, descending, algorithm, radius : as for `sort`.
    dtype : dtype of the indices: int64 (the default), uint64, int32 or uint32. 32 bits need half
        the memory.
    out : array for the indices, of the same shape.

    Returns
    -------
    Array of indices. Equal elements are in the order of their indices.

    Raises
    ------
    TypeError : the elements, `dtype` or another argument have the wrong type.
    ValueError : `axis`, `kind` or `algorithm` is wrong, or `dtype` is too narrow.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.argsort(np.array([30, 10, 20, 10]))
    array([1, 3, 2, 0])
    >>> ordo.argsort(np.array([30, 10, 20, 10]), descending=True)
    array([0, 2, 1, 3])
    """
    if descending is not False:
        descending = flag(descending, "descending")
    if stable is not None:
        check_stable(kind, stable)
    code = plain_code(a, axis)
    usual = kind is order is None and algorithm == "auto" and dtype is _INTP and out is None
    if usual and code is not None and type(radius) is int and radius == 0:
        n = a.size
        result = empty(n, _INTP)
        opts = _DESCENDING if descending else None
        _lib.argsort(host_context(), code, pointer(a), n, _WIDE, pointer(result), opts)
        return result
    if usual and type(radius) is int and radius == 0 and (row := tensors.row_of(a, axis)):
        return tensors.argsort(a, row, descending)
    check_kind(kind, order)
    return into(out, _argsort(a, axis, _wish(descending, algorithm, radius), dtype))


@with_guests
def _argsort(a: Any, axis: int | None, wish: _Wish, dtype: Any) -> Any:
    place, array = place_of(a)
    if place is HOST and is_text(array):
        from .. import _strings

        wanted = check_index_dtype(dtype, array.size)
        return _strings.argsort(array, axis, wish.descending, wanted, wish.algorithm)
    rows = Rows(place, array, axis, strided=True, descending=wish.descending, order="ties")
    return rows.back(_argsort_rows(rows, wish, dtype))


def frame_order(
    frame: Any, by: Any, descending: Any, algorithm: _lib.Algorithm = "auto", radius: int = 0
) -> Any:
    """Returns the positions of the rows of a data frame in the order of the columns `by`.

    A stable sort by each column, the last one first, is a sort by all of them.
    """
    if not is_frame(frame):
        raise TypeError(f"by is {by!r} and a is a {type(frame).__name__}; expected a data frame")
    several = isinstance(by, list) or (isinstance(by, tuple) and by not in names_of(frame))
    names = list(by) if several else [by]
    if not names:
        raise ValueError("by is empty; expected a name or a list of names")
    each = descending if isinstance(descending, (list, tuple)) else [descending] * len(names)
    if len(each) != len(names):
        raise ValueError(f"descending has {len(each)} flags; expected {len(names)}, as by")
    flags = [flag(one, "descending") for one in each]
    keys = [place_of(column_named(frame, name))[1] for name in names]
    order = None
    for column, falling in reversed(list(zip(keys, flags))):
        part = column if order is None else _taken(column, order)
        step = argsort(part, descending=falling, algorithm=algorithm, radius=radius)
        order = step if order is None else order[step]
    return order


# ---- sort_pairs --------------------------------------------------------------------------------

_LARGEST_VALUE = 16  # bytes; larger values are gathered by index after an argsort


def _is_large(place: Any, values: Any) -> bool:
    """Returns whether values are gathered by index: they are large, or references to objects."""
    return place.itemsize(values) > _LARGEST_VALUE or place.opaque(values)


def _taken(array: Any, index: Any) -> Any:
    return array.take(index) if is_arrow_text(array) else array[index]


@by_library
def sort_pairs(
    keys: Any,
    values: Any,
    *,
    descending: bool = False,
    algorithm: _lib.Algorithm = "auto",
    radius: int = 0,
) -> tuple[Any, Any]:
    """Sorts keys and moves their values with them; stable.

    Parameters
    ----------
    keys : array-like of one dimension: numbers or strings.
    values : array with one value for each key. Further dimensions move as a whole.
    descending, algorithm, radius : as for `sort`.

    Returns
    -------
    The sorted keys, and the values in the same order.

    Raises
    ------
    TypeError : `keys` and `values` are arrays of different libraries or devices.
    ValueError : the shapes do not match, or `algorithm` is unknown.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.sort_pairs(np.array([3, 1, 2]), np.array(["c", "a", "b"]))
    (array([1, 2, 3]), array(['a', 'b', 'c'], dtype='<U1'))
    """
    if descending is not False:
        descending = flag(descending, "descending")
    code = plain_code(keys)
    usual = algorithm == "auto" and type(radius) is int and radius == 0
    if code is not None and usual and type(values) is ndarray:
        n = keys.size
        small = values.nbytes < COPY_BY_THREADS
        if small and values.ndim == 1 and values.size == n and values.dtype in PLAIN:
            sorted_keys, moved = keys.copy(), values.copy()
            _lib.sort_pairs(
                host_context(), code, pointer(sorted_keys), n, pointer(moved), moved.itemsize,
                _DESCENDING if descending else None,
            )  # fmt: skip
            return sorted_keys, moved
    return _sort_pairs(keys, values, _wish(descending, algorithm, radius))


@with_guests
def _sort_pairs(keys: Any, values: Any, wish: _Wish) -> tuple[Any, Any]:
    place, array = place_of(keys)
    value_place, payload = place_of(values, compare=False)
    same_place(place, "keys", value_place, "values")
    if array.ndim != 1 or payload.ndim < 1 or payload.shape[0] != array.shape[0]:
        raise ValueError(
            f"keys have shape {tuple(array.shape)} and values {tuple(payload.shape)}; expected "
            "keys of one dimension and one value for each key"
        )
    text = place is HOST and is_text(array)
    columns = (column_of(keys), column_of(values))
    opts = wish.options(place)
    if text:
        from .. import _strings

        _strings.check_algorithm(wish.algorithm)
    halves = (
        place is HOST and array.dtype.itemsize == 2 and array.dtype.kind in "fV"
    )  # ties need a fold
    by_index = text or halves or payload.ndim > 1 or is_arrow_text(payload) or any(columns)
    if by_index or _is_large(place, payload):
        index = argsort(array, **wish._asdict())
        pairs = zip(columns, (array, payload))
        first, second = (c.take(index) if c else _taken(part, index) for c, part in pairs)
        return first, second
    rows = Rows(place, array, -1, descending=wish.descending)
    sorted_keys = rows.own(array)
    moved = place.copy(payload)
    code, size = rows.code, place.itemsize(moved)
    rows.run(
        lambda context, n, opts, start, values_start: _lib.sort_pairs(
            context, code, start, n, values_start, size, opts
        ),
        _lib.SortOptions,
        opts,
        moved,
    )
    return rows.restored(sorted_keys), moved


@by_library
def sort_records(a: Any, field: str, *, descending: bool = False, inplace: bool = False) -> Any:
    """Returns the records of a structured array, sorted by a field; ties keep their order.

    Parameters
    ----------
    a : NumPy array of one dimension with a structured dtype of any size.
    field : name of a field that holds one number: an integer of 8 to 64 bits, float32 or float64,
        in native byte order. The field may be unaligned.
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
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError("a is a masked array; expected an array without a mask")
    if a.ndim != 1:
        raise ValueError(f"a has {a.ndim} dimensions; expected 1")
    if field not in a.dtype.names:
        raise ValueError(f"field is {field!r}; expected one of {', '.join(a.dtype.names)}")
    kind, offset = a.dtype.fields[field][:2]  # type: ignore[index] # names is not None
    if kind not in TYPES:
        raise TypeError(
            f"field {field!r} has dtype {kind}; expected an integer of 8 to 64 bits, float32 or "
            f"float64, in native byte order; a[ordo.argsort(a[{field!r}])] sorts by other types"
        )
    if a.dtype.hasobject:
        raise TypeError("a has fields of Python objects; expected plain data")
    if flag(inplace, "inplace"):
        if not a.flags.c_contiguous or not a.flags.writeable:
            raise ValueError("inplace needs a contiguous, writable array")
        result = a
    else:
        result = HOST.copy(a)
    opts = _lib.options(
        _lib.SortOptions, flags=_lib.DESCENDING if flag(descending, "descending") else 0
    )
    _sort_records(
        host_context(), pointer(result), result.size, result.dtype.itemsize, offset, TYPES[kind],
        opts,
    )  # fmt: skip
    return result
