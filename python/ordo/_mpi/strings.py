"""The functions of ``ordo.mpi`` on strings.

S and U arrays are sent with the width of the widest part, other strings with their own lengths: str
in UTF-8, whose order is that of the code points. Results are made in the form of the input: NumPy
arrays of S, U, StringDType or objects, and arrays of pyarrow, polars and pandas.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, c_int, c_size_t, c_uint64, c_void_p
from typing import Any, Callable

import numpy as np

from .. import _lib
from .._arrays import HOST, address, is_text, place_of
from .._check import check_nan_policy
from .._context import host_context
from .._inputs.text import Text, text_of
from .._verbs.topk import TopK
from . import Group, call_of, declare, group_of

_P, _N, _T = c_void_p, c_size_t, c_int
_sort = declare("ordo_dist_sort_strings", _P, _N, _P)
_argsort = declare("ordo_dist_argsort_strings", _P, _N, _T, _P)
_rank = declare("ordo_dist_rank_strings", _P, _N, _T, _T, _P)
_quantiles = declare("ordo_dist_quantiles_strings", _P, _N, _P, _N, _T, _P, _P)
_median = declare("ordo_dist_median_strings", _P, _N, _P, _P)
_topk = declare("ordo_dist_topk_strings", _P, _N, _N, _P, _P, _P)
_is_sorted = declare("ordo_dist_is_sorted_strings", _P, _N, _P, _P)
_unique_count = declare("ordo_dist_unique_count_strings", _P, _N, _P)

_Take = CFUNCTYPE(c_void_p, c_void_p, c_uint64)


class _TextOut(ctypes.Structure):
    """ordo_dist_text of ordo_dist_strings.h."""

    _fields_ = [
        ("struct_size", c_size_t), ("n", c_size_t), ("offsets", c_void_p), ("take", _Take),
        ("user", c_void_p),
    ]  # fmt: skip


class _Result:
    """Strings that the library writes."""

    def __init__(self, n: int) -> None:
        self.offsets = np.zeros(n + 1, np.uint64)
        self.data = np.empty(0, np.uint8)
        self.table = _TextOut(
            struct_size=ctypes.sizeof(_TextOut), n=n, offsets=address(self.offsets),
            take=_Take(self._take),
        )  # fmt: skip
        self.address = ctypes.addressof(self.table)

    def _take(self, user: Any, count: int) -> int | None:
        try:
            self.data = np.empty(max(count, 1), np.uint8)
        except MemoryError:
            return None
        return address(self.data)

    def elements(self, n: int, text: bool) -> list:
        """Returns the first n strings as str or bytes."""
        held = self.data.tobytes()
        edges = self.offsets[: n + 1].tolist()
        found = [held[start:end] for start, end in zip(edges, edges[1:])]
        return [each.decode("utf-8", "surrogatepass") for each in found] if text else found


# ---- The forms of strings ----------------------------------------------------------------------


def strings_in(a: Any) -> Any:
    """Returns `a` as an array if it holds strings or objects, else None."""
    try:
        place, array = place_of(a)
    except Exception:  # the caller meets the same exception, and shares it with the other ranks
        return None
    return array if place is HOST and is_text(array) else None


def _form(array: Any) -> tuple[str, str, int, int]:
    """Returns what all ranks must have alike, whether objects are bytes or str, and for S and U
    arrays the width and the largest code point."""
    if isinstance(array, Text):
        return f"{type(array.source).__module__.split('.')[0]} strings", "", 0, 0
    kind = array.dtype.kind
    if kind == "O":
        return "objects", type(array[0]).__name__ if array.size else "", 0, 0
    width, largest = 0, 0
    if kind in "SU":
        width = array.itemsize // (4 if kind == "U" else 1)
    if kind == "U" and array.size and width:
        flat = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
        largest = int(flat.view(np.uint32).max())
    return f"strings of dtype kind {kind}", "", width, largest


def _unit(kind: str, largest: int) -> Any:
    """Returns the dtype of a code point: the most significant byte first."""
    if kind == "S" or largest < 1 << 8:
        return np.dtype("u1")
    return np.dtype(">u2" if largest < 1 << 16 else ">u4")


def _padded(array: Any, width: int, unit: Any) -> Text:
    """Returns an S or U array as strings of `width` units, with zeros at their ends."""
    kind = array.dtype.kind
    flat = np.ascontiguousarray(array, f"{kind}{max(width, 1)}")
    points = flat.view(np.uint32 if kind == "U" else np.uint8)
    data = points.astype(unit, copy=False).view(np.uint8)
    length = np.uint64(max(width, 1) * unit.itemsize)
    return Text(data, np.arange(array.size + 1, dtype=np.uint64) * length, array)


def _is_binary(source: Any) -> bool:
    kind = source.type if hasattr(source, "type") else source.dtype
    return "binary" in str(kind).lower()


def _foreign(result: _Result, n: int, source: Any) -> Any:
    """Returns strings as an array of the library of `source`."""
    module = type(source).__module__.split(".")[0]
    if module == "pyarrow":
        return _arrow(result, n, source)
    elements = result.elements(n, not _is_binary(source))
    if module == "polars":
        import polars

        return polars.Series(source.name, elements, dtype=source.dtype)
    import pandas

    values = pandas.array(elements, dtype=source.dtype)
    named = isinstance(source, (pandas.Series, pandas.Index))
    return type(source)(values, name=source.name) if named else values


def _arrow(result: _Result, n: int, source: Any) -> Any:
    import pyarrow

    binary = _is_binary(source)
    maker = pyarrow.LargeBinaryArray if binary else pyarrow.LargeStringArray
    offsets = np.ascontiguousarray(result.offsets[: n + 1]).view(np.int64)
    data = pyarrow.py_buffer(result.data)
    kind = pyarrow.large_binary() if binary else pyarrow.large_string()
    if binary:
        made = maker.from_buffers(kind, n, [None, pyarrow.py_buffer(offsets), data])
    else:
        made = maker.from_buffers(n, pyarrow.py_buffer(offsets), data)
    made = made.cast(source.type)
    return pyarrow.chunked_array([made]) if hasattr(source, "chunks") else made


class Strings:
    """This rank's strings, and the group of ranks."""

    def __init__(
        self, verb: str, array: Any, comm: Any, check: Callable[[], Any] | None = None
    ) -> None:
        self.group: Group = group_of(comm)
        error: Exception | None = None
        form: tuple = ("", "", 0, 0)
        call: tuple = ()
        try:
            if array.ndim != 1:
                raise ValueError(f"the array has {array.ndim} dimensions; expected 1")
            self.array = array
            self.fixed = not isinstance(array, Text) and array.dtype.kind in "SU"
            self.text: Any = None if self.fixed else text_of(array)
            if self.text and self.text.missing is not None and self.text.missing.any():
                raise ValueError("the array has nulls; expected strings only")
            self.checked: Any = check() if check else None
            call = call_of(verb, self.checked)
            form = _form(array)
            host_context()  # the first call of a thread makes it, which may fail
        except Exception as caught:
            error = caught
        forms = self.group.agree(error, form, call)
        self.width = max(each[2] for each in forms)
        self.objects = next((each[1] for each in forms if each[1]), "str")
        if self.fixed:
            self.unit = _unit(array.dtype.kind, max(each[3] for each in forms))
            self.text = self.group.together(lambda: _padded(array, self.width, self.unit))
        self.size = self.text.size
        self.table = _lib.Strings(
            struct_size=ctypes.sizeof(_lib.Strings),
            bytes=address(self.text.data),
            offsets=address(self.text.offsets),
        )

    def call(self, function: Any, *arguments: Any, flags: int = 0) -> None:
        where = ctypes.addressof(self.table)
        self.group.call(function, where, self.size, *arguments, flags=flags)

    def result(self, n: int) -> _Result:
        """Returns room for n strings. Every rank calls it."""
        return self.group.together(lambda: _Result(n))

    def empty(self, n: int, dtype: Any) -> Any:
        """Returns an array for n results. Every rank calls it."""
        return self.group.together(lambda: np.empty(n, dtype))

    def back(self, result: _Result, n: int) -> Any:
        """Converts the first n strings of a result to the form of the input.

        Every rank calls it.
        """
        return self.group.together(lambda: self._converted(result, n))

    def one(self, result: _Result) -> Any:
        """Returns the only string of a result. Every rank calls it."""
        return self.group.together(lambda: self._single(result))

    def _converted(self, result: _Result, n: int) -> Any:
        array = self.array
        if isinstance(array, Text):
            return _foreign(result, n, array.source)
        kind, width = array.dtype.kind, max(self.width, 1)
        if self.fixed:
            units = result.data[: n * width * self.unit.itemsize].view(self.unit)
            points = units.astype(np.uint32 if kind == "U" else np.uint8, copy=False)
            return points.view(f"{kind}{width}")
        made = np.empty(n, array.dtype)
        made[:] = result.elements(n, kind != "O" or self.objects != "bytes")
        return made

    def _single(self, result: _Result) -> Any:
        if self.fixed:
            return self._converted(result, 1)[0].item()
        array = self.array
        if isinstance(array, Text):
            return result.elements(1, not _is_binary(array.source))[0]
        return result.elements(1, array.dtype.kind != "O" or self.objects != "bytes")[0]


# ---- Verbs -------------------------------------------------------------------------------------


def sort(array: Any, comm: Any, check: Callable[[], Any]) -> Any:
    part = Strings("sort", array, comm, check)
    flags, balanced = part.checked
    n = part.group.equal_part(part.size) if balanced else part.size
    result = part.result(n)
    part.call(_sort, result.address, flags=flags)
    return part.back(result, n)


def argsort(array: Any, comm: Any, check: Callable[[], int]) -> Any:
    part = Strings("argsort", array, comm, check)
    index = part.empty(part.size, np.uint64)
    part.call(_argsort, _lib.U64, address(index), flags=part.checked)
    return index.view(np.int64)


def rankdata(array: Any, comm: Any, check: Callable[[], Any]) -> Any:
    part = Strings("rankdata", array, comm, check)
    flags, ties = part.checked
    average = ties == _lib.TIES["average"]
    ranks = part.empty(part.size, np.float64 if average else np.uint64)
    part.call(_rank, ties, _lib.F64 if average else _lib.U64, address(ranks), flags=flags)
    return ranks if average else ranks.view(np.int64)


def quantile(array: Any, comm: Any, check: Callable[[], Any]) -> Any:
    part = Strings("quantile", array, comm, check)
    wanted, number, _ = part.checked
    result = part.result(wanted.size)
    part.call(_quantiles, address(wanted), wanted.size, number, None, result.address)
    if wanted.ndim == 0:
        return part.one(result)
    made = part.back(result, wanted.size)
    return made.reshape(wanted.shape) if wanted.ndim > 1 else made


def median(array: Any, comm: Any, nan_policy: str) -> Any:
    part = Strings("median", array, comm, lambda: check_nan_policy(nan_policy))
    result = part.result(1)
    part.call(_median, None, result.address)
    return part.one(result)


def topk(array: Any, comm: Any, check: Callable[[], Any]) -> TopK:
    part = Strings("topk", array, comm, check)
    wanted, flags = part.checked
    part.group.check_count(wanted, part.size)
    result, index = part.result(wanted), part.empty(max(wanted, 1), np.uint64)
    found = c_size_t()
    part.call(_topk, wanted, address(index), result.address, ctypes.addressof(found), flags=flags)
    return TopK(part.back(result, wanted), index[:wanted].view(np.int64))


def is_sorted(array: Any, comm: Any, check: Callable[[], int]) -> bool:
    part = Strings("is_sorted", array, comm, check)
    answer = c_int()
    part.call(_is_sorted, ctypes.addressof(answer), None, flags=part.checked)
    return bool(answer.value)


def count_unique(array: Any, comm: Any) -> int:
    part = Strings("count_unique", array, comm)
    count = c_uint64()
    part.call(_unique_count, ctypes.addressof(count))
    return int(count.value)
