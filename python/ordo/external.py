"""Data larger than memory: sort, rank and select from files, memory maps and chunks.

    >>> import numpy as np, os, tempfile
    >>> from ordo import external
    >>> folder = tempfile.mkdtemp()
    >>> path = os.path.join(folder, "keys.npy")
    >>> np.save(path, np.array([30, 10, 20], np.int32))
    >>> external.sort(path)
    array([10, 20, 30], dtype=int32)
    >>> out = external.sort(path, os.path.join(folder, "sorted.npy"), memory=64 << 20)
    >>> np.load(out)
    array([10, 20, 30], dtype=int32)
    >>> external.median(np.load(path, mmap_mode="r"))
    np.float64(20.0)

Every function takes its data as

- a path: an .npy file, or a file of raw elements whose type is `dtype`
- an array with one dimension, for example a memory map; also a Series or an Arrow array of numbers
- an iterable of such arrays, which follow each other

and the keywords `memory` (bytes that a call may hold, or a text as of the command's option -S:
'512M', '4Gi', '50%'; less than 8 MiB counts as 8 MiB; default: a share of the available memory),
`directories` (one folder or several for temporary files; default: $TMPDIR or /var/tmp) and `dtype`.
Elements with fields (structured arrays) have their key in the field `key`. Results go to `out`: a
path (.npy, else raw), which is replaced when all results are written, or an array of the length of
the result; without `out` they are returned as an array. The results are those of the functions of
`ordo` on all data in one NumPy array.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from ctypes import addressof, c_char_p, c_size_t, c_uint64, c_void_p
from typing import Any, Callable

import numpy as np

from . import _lib
from ._arrays import HOST
from ._check import (
    check_nan_policy,
    check_positions,
    flag,
    found_nan,
    integer,
    quantile_parts,
    unmasked,
)
from ._context import host_context
from ._external_files import (
    Failures,
    Sink,
    Source,
    SourceStruct,
    elements_of,
    is_path,
    mapping_of,
    memory_of,
)
from ._inputs.series import nan_policy_of
from ._verbs import times
from ._verbs.select import quantile_type

__all__ = [
    "argsort", "median", "merge", "quantile", "rank", "select", "sort", "topk", "unique",
]  # fmt: skip

_UNIQUE = 1 << 32
_P, _T, _N = _lib.P, _lib.T, c_size_t
_Options = _lib._struct(
    "ExternalOptions", ("flags", c_uint64), ("memory", c_uint64), ("directories", c_void_p),
    ("directory_count", c_size_t), ("resume_directory", c_char_p), ("watch", c_void_p),
    ("watch_user", c_void_p),
)  # fmt: skip
_sort = _lib._call("ordo_external_sort", _P, _P, _P, _P, _P)
_unique = _lib._call("ordo_external_unique", _P, _P, _P, _P, _P, _P)
_merge = _lib._call("ordo_external_merge", _P, _P, _N, _P, _P, _P)
_argsort = _lib._call("ordo_external_argsort", _P, _P, _T, _P, _P, _P)
_topk = _lib._call("ordo_external_topk", _P, _P, c_uint64, _P, _P, _P)
_rank = _lib._call("ordo_external_rank", _P, _P, _T, _T, _P, _P, _P)
_select = _lib._call("ordo_external_select", _P, _P, _P, _N, _P, _P, _P)
_quantiles = _lib._call("ordo_external_quantiles", _P, _P, _P, _N, _P, _T, _T, _P, _P)


class _Call:
    """The arguments of one call: sources, sinks, options. Closes the files at its end.

    `order` is the order that elements need which the library does not have: see `Mapping`.
    """

    def __init__(
        self,
        datas: Sequence[Any],
        dtype: Any,
        key: str | None,
        memory: Any,
        directories: Sequence[Any] | os.PathLike | None,
        flags: int = 0,
        resume: Any = None,
        order: str | None = None,
    ) -> None:
        self.failures = Failures()
        self.sources: list[Source] = []
        self.sinks: list[Sink] = []
        folders: Any = [directories] if is_path(directories) else directories or ()
        names = [os.fsencode(folder) for folder in folders]
        self._names = (c_char_p * len(names))(*names)
        self._folder = os.fsdecode(names[0]) if names else os.environ.get("TMPDIR") or "/var/tmp"
        self.options: Any = _Options(
            struct_size=ctypes.sizeof(_Options),
            flags=flags,
            memory=memory_of(memory),
            directories=ctypes.cast(self._names, c_void_p) if names else None,
            directory_count=len(names),
            resume_directory=None if resume is None else os.fsencode(resume),
        )
        try:
            for data in datas:
                self.sources.append(Source(data, dtype, self.failures))
                dtype = self.sources[-1].dtype
            if dtype is None:
                raise ValueError("there are no sources, so dtype must be given")
            self.dtype = np.dtype(dtype)
            self.mapping = mapping_of(self.dtype, order, bool(flags & _lib.DESCENDING))
            keys = self.dtype if self.mapping is None else self.mapping.key
            self.elements, self.key = elements_of(keys, key)
        except BaseException:
            self.close()
            raise

    @property
    def element(self) -> np.dtype:
        """The dtype of a key as an element of the caller."""
        return self.key if self.mapping is None else self.mapping.dtype

    def counted(self) -> int:
        """Returns the number of elements of the only source."""
        try:
            return self.sources[0].counted(self._folder)
        except BaseException:
            self.close()
            raise

    def sink(self, out: Any, dtype: Any = None, part: bool = False) -> int:
        """Adds a sink for elements, or for numbers of a dtype, and returns its address."""
        try:
            mapping = self.mapping if dtype is None else None
            kind = np.dtype(self.dtype if dtype is None else dtype)
            self.sinks.append(Sink(out, kind, self.failures, mapping, part))
        except BaseException:
            self.close()
            raise
        return addressof(self.sinks[-1].struct)

    def run(self, function: Any, *arguments: Any) -> Any:
        """Calls the library with the elements, the sources and these arguments.

        Returns what the sinks return.
        """
        try:
            function(host_context(), addressof(self.elements), *arguments,
                     addressof(self.options), None)  # fmt: skip
            results = [sink.finish() for sink in self.sinks]
            return results[0] if len(results) == 1 else tuple(results)
        except BaseException:
            if self.failures.first is not None:
                raise self.failures.first from None
            raise
        finally:
            self.close()

    def one(self, function: Any, *arguments: Any) -> Any:
        """The same for a function with one source."""
        struct = self.sources[0].struct(self.mapping)
        return self.run(function, addressof(struct), *arguments)

    def checked(self, check: Callable[[int], Any]) -> Any:
        """Returns check(number of elements), or closes the files and raises its error."""
        try:
            return check(self.counted())
        except BaseException:
            self.close()
            raise

    def numbers(self, q: Any, method: str | None, nan_policy: str) -> Any:
        """Returns quantiles of numbers as float64; `method` None: the rounding of medians."""
        if nan_policy == "raise" and self.counted() > 0:
            q = np.append(q, 1.0)  # which is NaN only if there is a NaN
        values = np.empty(q.size, np.float64)
        nans = _lib.NANS["omit" if nan_policy == "omit" else "propagate"]
        rule = _lib.HALF_SUM if method is None else _lib.METHODS[method]
        self.one(_quantiles, q.ctypes.data, q.size, values.ctypes.data, nans, rule)
        if nan_policy != "raise" or self.counted() == 0:
            return values
        if np.isnan(values[-1]):
            raise found_nan()
        return values[:-1]

    def dates(self, q: Any, method: str | None, nan_policy: str) -> Any:
        """Returns quantiles of dates or times; `method` None: the median."""
        n, missing = self.checked(lambda n: (n, self.sources[0].missing()))
        if missing and nan_policy == "raise":
            self.close()
            raise found_nan()
        if n == missing or (missing and nan_policy == "propagate"):
            self.close()
            return np.full(q.shape, "NaT", self.element)
        below, above, fraction = times.neighbours(np.full(q.shape, n - missing), q, method)
        found = self.selected(np.stack([below, above]).astype(np.uint64))
        return times.value(found[0], found[1], fraction)

    def selected(self, positions: Any) -> Any:
        """Returns the elements at positions from 0 of the sorted source."""
        keys = np.empty(positions.size, self.key)
        flat = np.ascontiguousarray(positions.reshape(-1), np.uint64)
        self.one(_select, flat.ctypes.data, flat.size, keys.ctypes.data)
        found = keys if self.mapping is None else self.mapping.elements(keys)
        return found.reshape(positions.shape)

    def close(self) -> None:
        for source in self.sources:
            source.close()
        for sink in self.sinks:
            sink.close()


def _flags(descending: bool, name: str = "descending") -> int:
    return _lib.DESCENDING if flag(descending, name) else 0


def sort(
    data: Any,
    out: Any = None,
    *,
    key: str | None = None,
    descending: bool = False,
    dtype: Any = None,
    memory: int | str | None = None,
    directories: Sequence[Any] | os.PathLike | None = None,
    resume: Any = None,
) -> Any:
    """Sorts all elements. Elements with fields are sorted by `key`; ties keep their sequence.

    Parameters
    ----------
    data, out, key, dtype, memory, directories : see the text of this module.
    descending : largest first; NaNs are last in both directions.
    resume : a folder that keeps sorted parts if the call fails or the process dies. A later call
        with the same file goes on from there. The folder is removed after success. `data` must be
        a path.

    Returns
    -------
    `out`, or an array.

    Raises
    ------
    OSError : a file or the disk failed.
    ValueError : an argument is wrong, or the file of `resume` has changed.

    Examples
    --------
    >>> import numpy as np
    >>> from ordo import external
    >>> external.sort([np.array([3.0, 1.0]), np.array([2.0])])
    array([1., 2., 3.])
    """
    call = _Call([data], dtype, key, memory, directories, _flags(descending), resume, "bits")
    to = call.sink(out)
    return call.one(_sort, to)


def unique(
    data: Any,
    out: Any = None,
    *,
    key: str | None = None,
    return_counts: bool = False,
    dtype: Any = None,
    memory: int | str | None = None,
    directories: Sequence[Any] | os.PathLike | None = None,
) -> Any:
    """Returns the sorted distinct elements: the first of tied keys. -0 and 0 tie, and so do NaNs.

    With `return_counts` returns a pair: the elements, and how often each occurs, as an array. If
    `out` is an array with more elements, the first element of the result is a view of its part.

    Examples
    --------
    >>> import numpy as np
    >>> from ordo import external
    >>> external.unique(np.array([2, 1, 2]), return_counts=True)
    (array([1, 2]), array([1, 2]))
    """
    counts = flag(return_counts, "return_counts")
    call = _Call([data], dtype, key, memory, directories, _UNIQUE)
    to = call.sink(out, part=True)
    if not counts:
        return call.one(_sort, to)
    return call.one(_unique, to, call.sink(None, np.int64))


def merge(
    sources: Sequence[Any],
    out: Any = None,
    *,
    key: str | None = None,
    descending: bool = False,
    dtype: Any = None,
    memory: int | str | None = None,
) -> Any:
    """Merges sorted sources (paths, arrays or iterables of arrays) into one sorted sequence.

    Raises
    ------
    ValueError : a source is not sorted; the message names the source and the element.

    Examples
    --------
    >>> import numpy as np
    >>> from ordo import external
    >>> external.merge([np.array([1, 4]), np.array([2, 3])])
    array([1, 2, 3, 4])
    """
    call = _Call(list(sources), dtype, key, memory, None, _flags(descending))
    to = call.sink(out)
    each = (source.struct(call.mapping) for source in call.sources)
    structs = (SourceStruct * len(call.sources))(*each)
    return call.run(_merge, addressof(structs), len(call.sources), to)


def argsort(
    data: Any,
    out: Any = None,
    *,
    key: str | None = None,
    descending: bool = False,
    index_dtype: Any = np.int64,
    dtype: Any = None,
    memory: int | str | None = None,
    directories: Sequence[Any] | os.PathLike | None = None,
    resume: Any = None,
) -> Any:
    """Returns the positions of the elements in sorted order. Ties keep their sequence.

    index_dtype : int64 or uint64; int32 or uint32 for less than 2^31 or 2^32 elements.
    resume : see `sort`.

    Examples
    --------
    >>> import numpy as np
    >>> from ordo import external
    >>> external.argsort(np.array([30, 10, 20]))
    array([1, 2, 0])
    """
    index = np.dtype(index_dtype)
    if index.kind not in "iu" or index.itemsize not in (4, 8):
        raise ValueError(f"index_dtype is {index}; expected int64, uint64, int32 or uint32")
    call = _Call([data], dtype, key, memory, directories, _flags(descending), resume, "ties")
    to = call.sink(out, index)
    return call.one(_argsort, _lib.U32 if index.itemsize == 4 else _lib.U64, to)


def rank(
    data: Any,
    out: Any = None,
    *,
    key: str | None = None,
    method: _lib.Ties = "average",
    descending: bool = False,
    dtype: Any = None,
    memory: int | str | None = None,
    directories: Sequence[Any] | os.PathLike | None = None,
    resume: Any = None,
) -> Any:
    """Returns the rank of each element, from 1: float64 for method='average', otherwise int64.

    method : rule for ties, as of `ordo.rankdata`. NaNs are last and tie.
    resume : see `sort`; the later call also needs the same `memory`.

    Examples
    --------
    >>> import numpy as np
    >>> from ordo import external
    >>> external.rank(np.array([30, 10, 30]), method="min")
    array([2, 1, 2])
    """
    rule = _lib.number_of(_lib.TIES, method, "method")
    call = _Call([data], dtype, key, memory, directories, _flags(descending), resume, "ties")
    average = method == "average"
    unsigned = getattr(out, "dtype", None) == np.uint64
    to = call.sink(out, np.float64 if average else np.uint64 if unsigned else np.int64)
    return call.one(_rank, rule, _lib.F64 if average else _lib.U64, to)


def topk(
    data: Any,
    k: int,
    out: Any = None,
    *,
    key: str | None = None,
    largest: bool = True,
    dtype: Any = None,
    memory: int | str | None = None,
    directories: Sequence[Any] | os.PathLike | None = None,
) -> Any:
    """Returns the k largest elements, the largest first; with largest=False the smallest.

    Examples
    --------
    >>> import numpy as np
    >>> from ordo import external
    >>> external.topk(np.array([30, 10, 20]), 2)
    array([30, 20])
    """
    k = integer(k, "k")
    if not 0 <= k < 2**64:
        raise ValueError(f"k is {k}; expected 0 or more and less than 2^64")
    down = _flags(largest, "largest")
    call = _Call([data], dtype, key, memory, directories, down)
    n = call.sources[0].count
    if n is not None and k > n:
        call.close()
        raise ValueError(f"k is {k}; expected 0 to {n}")
    to = call.sink(out)
    call.sinks[0].least = k
    return call.one(_topk, k, to)


def select(
    data: Any,
    k: Any,
    *,
    key: str | None = None,
    descending: bool = False,
    dtype: Any = None,
    memory: int | str | None = None,
    directories: Sequence[Any] | os.PathLike | None = None,
) -> Any:
    """Returns the keys at positions `k`, from 0, of the sorted data, in about one read.

    k : position or positions. Negative ones count from the end, as in `ordo.select`; chunks are
        copied to a temporary file then. The command `ordo select -k` counts from 1.

    Examples
    --------
    >>> import numpy as np
    >>> from ordo import external
    >>> external.select(np.array([30, 10, 20]), [0, -1])
    array([10, 30])
    """
    places = unmasked(k, "k")
    if places.size > 0 and places.dtype.kind not in "iu":
        raise TypeError(f"k has dtype {places.dtype}; expected integers")
    down = _flags(descending)
    call = _Call([data], dtype, key, memory, directories, down, order="bits")
    if places.size == 0 or places.min() < 0 or call.sources[0].count is not None:
        places = call.checked(lambda n: check_positions(places, n))
    return call.selected(places)[()]


def quantile(
    data: Any,
    q: Any,
    *,
    key: str | None = None,
    method: _lib.Method = "linear",
    nan_policy: _lib.NanPolicy | None = None,
    dtype: Any = None,
    memory: int | str | None = None,
    directories: Sequence[Any] | os.PathLike | None = None,
) -> Any:
    """Returns quantiles, exactly as ordo.quantile, in about one read.

    nan_policy : 'propagate' (a NaN makes every result NaN), 'omit' or 'raise'. None: 'omit' for
        objects of pandas and polars, else 'propagate'. Dates are read twice, to count NaTs.

    Examples
    --------
    >>> import numpy as np
    >>> from ordo import external
    >>> external.quantile(np.array([1.0, 2.0, 3.0]), [0.0, 0.75])
    array([1. , 2.5])
    """
    wanted = quantile_parts(q)
    outside = ~((wanted >= 0) & (wanted <= 1))
    if outside.any():
        raise ValueError(f"q is {wanted[outside].flat[0]}; expected 0 to 1")
    _lib.number_of(_lib.METHODS, method, "method")
    if wanted.dtype.kind in "iub" and method == "linear":
        method = "lower"
    policy = nan_policy_of(data, nan_policy)
    check_nan_policy(policy)
    call = _Call([data], dtype, key, memory, directories)
    parts = np.ascontiguousarray(wanted.reshape(-1), np.float64)
    if call.element.kind in "Mm":
        return call.dates(parts, method, policy).reshape(wanted.shape)[()]
    if method in times.DISCRETE and call.element.kind != "f" and call.counted() > 0:
        n = call.counted()
        return call.selected(times.neighbours(n, parts, method)[0]).reshape(wanted.shape)[()]
    values = call.numbers(parts, method, policy)
    name = HOST.float_name(call.element)
    kind = quantile_type(name, q, wanted, method) if name else np.float64
    return values.astype(kind, copy=False).reshape(wanted.shape)[()]


def median(
    data: Any,
    *,
    key: str | None = None,
    nan_policy: _lib.NanPolicy | None = None,
    dtype: Any = None,
    memory: int | str | None = None,
    directories: Sequence[Any] | os.PathLike | None = None,
) -> Any:
    """Returns the middle key, or the mean of the two middle keys, exactly as ordo.median.

    nan_policy : as for `quantile`.

    Examples
    --------
    >>> import numpy as np
    >>> from ordo import external
    >>> external.median([np.array([1, 9]), np.array([4])])
    np.float64(4.0)
    """
    policy = nan_policy_of(data, nan_policy)
    check_nan_policy(policy)
    call = _Call([data], dtype, key, memory, directories)
    if call.element.kind in "Mm":
        return call.dates(np.array([0.5]), None, policy)[0]
    half = call.numbers(np.array([0.5]), None, policy)
    name = HOST.float_name(call.element)
    return half.astype(name or np.float64, copy=False)[0]
