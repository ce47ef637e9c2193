"""Sorts, ranks and quantiles of arrays whose parts are on the ranks of an MPI communicator.

Every rank of the communicator calls the same function with its part. The global array is the part
of rank 0, then that of rank 1, and so on; parts may be empty and of different lengths. The results
are those of the function of ordo with the same name on the global array, for any number of ranks,
except that the last bits of float sums may differ. A program for ``mpiexec -n 4 python file.py``::

    import numpy as np
    from mpi4py import MPI
    import ordo.mpi

    rank = MPI.COMM_WORLD.Get_rank()
    part = np.random.default_rng(rank).standard_normal(1_000_000)
    print(ordo.mpi.median(part))            # of all 4 million, on every rank
    ranks = ordo.mpi.rankdata(part)         # of this rank's elements among all
    part = ordo.mpi.sort(part)              # rank 0 has the smallest million

Arrays are of one dimension: integers of 8 to 64 bits, bool, float16, float32 and float64, of NumPy,
PyTorch or CuPy; or strings: lists and NumPy arrays of str or bytes, and arrays of pyarrow, polars
and pandas without nulls. All ranks have the same kind of elements. If every rank has its part on a
GPU, the GPUs sort and rank the parts, and what the ranks exchange goes through host memory. If only
some ranks have, their parts are copied to host memory. Results of the length of a part, and those
of `topk`, are where the part is. An error on one rank raises the same exception on every rank; its
text names the rank. ``comm`` is a communicator of mpi4py; None is ``MPI.COMM_WORLD``.
"""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_int, c_size_t, c_uint64, c_void_p
from typing import Any, Callable

import numpy as np

from . import _lib
from ._arrays import FLOATS, HOST, address, numbers_of
from ._check import check_nan_policy, flag, found_nan, integer, quantile_parts
from ._mpi import Group, call_of, declare, group_of
from ._mpi import strings as _of_strings
from ._verbs.topk import TopK

__all__ = [
    "argsort",
    "count_unique",
    "cummax",
    "cummin",
    "cumsum",
    "is_sorted",
    "median",
    "quantile",
    "rankdata",
    "sort",
    "topk",
]

_P, _N, _T = c_void_p, c_size_t, c_int
_sort = declare("ordo_dist_sort", _T, _P, _N)
_argsort = declare("ordo_dist_argsort", _T, _P, _N, _T, _P)
_rank = declare("ordo_dist_rank", _T, _P, _N, _T, _T, _P)
_quantiles = declare("ordo_dist_quantiles", _T, _P, _N, _P, _N, _P, _T, _T)
_topk = declare("ordo_dist_topk", _T, _P, _N, _N, _P, _P, _P)
_scan = declare("ordo_dist_scan", _T, _T, _P, _N, _T, _P)
_is_sorted = declare("ordo_dist_is_sorted", _T, _P, _N, _P, _P)
_unique_count = declare("ordo_dist_unique_count", _T, _P, _N, _P)


class _Part:
    """This rank's part of the global array, and the group of ranks.

    `place` is where the caller's array is, and `home` where the call works: the same place if all
    ranks have arrays on a GPU, else host memory.
    """

    def __init__(
        self, verb: str, a: Any, comm: Any, check: Callable[[], Any] | None = None,
        nan_policy: str = "",
    ) -> None:  # fmt: skip
        self.group: Group = group_of(comm)
        error: Exception | None = None
        call: tuple = ()
        try:
            self.place, array = numbers_of(a)
            if array.ndim != 1:
                raise ValueError(f"the array has {array.ndim} dimensions; expected 1")
            typed, self.code, self.dtype = self.place.typed(array)
            self.checked: Any = check() if check else None
            call = call_of(verb, self.checked, nan_policy)
            if self.place.on_device:
                self.keys = self.place.contiguous(typed)
            else:
                self.keys = self._on_host(typed)
            _ = self.place.context  # the first call of a thread makes it, which may fail
        except Exception as caught:
            error = caught
        on_gpu = error is None and self.place.on_device
        forms = self.group.agree(error, ("numbers", "", on_gpu), call)
        on_gpus = [form[2] for form in forms]
        self.home = self.place if all(on_gpus) else HOST
        if any(on_gpus) and not all(on_gpus):
            self._leave_gpu()
        self.n: int = self.keys.shape[0]

    def _on_host(self, keys: Any) -> Any:
        to_host = getattr(self.place, "to_host", None)
        return HOST.contiguous(to_host(keys) if to_host else keys)

    def _leave_gpu(self) -> None:
        """Copies keys on a GPU to host memory, because other ranks have theirs there."""

        def leave() -> None:
            _ = HOST.context
            if self.place.on_device:
                self.keys = self._on_host(self.keys)

        self.group.together(leave)

    def call(self, function: Any, *arguments: Any, flags: int = 0, **options: Any) -> None:
        """Calls a function of ordo_dist.h; a bad status raises an exception."""
        home = self.home
        self.group.call(
            function, *arguments, context=home.context, flags=flags | home.flags,
            stream=home.stream, **options,
        )  # fmt: skip

    @property
    def where(self) -> tuple[int, int]:
        """Address and length."""
        return self.home.address(self.keys), self.n

    def empty(self, n: int, dtype: Any = None) -> Any:
        """Returns an array for n results, or for n keys without `dtype`. Every rank calls it."""
        kind = self.keys.dtype if dtype is None else dtype
        return self.group.together(lambda: self.home.empty((n,), kind))

    def back(self, result: Any, is_keys: bool = False) -> Any:
        """Converts results to an array of the caller's library, and keys to the caller's dtype.

        Every rank calls it.
        """

        def convert() -> Any:
            array = result if self.home is self.place else self.place.from_host(result)
            return self.place.astype_back(array, self.dtype) if is_keys else array

        return self.group.together(convert)

    def mark_nans(self, ranks: Any) -> None:
        """Sets the ranks of NaNs to NaN. Every rank calls it."""
        home = self.home
        self.group.together(lambda: home.set_nan(ranks, home.isnan(self.keys)))

    def nans(self) -> int:
        """Returns the number of NaNs of all ranks."""

        def count() -> int:
            return int(self.home.isnan(self.keys).sum()) if self.code in FLOATS else 0

        return self.group.comm.allreduce(self.group.together(count))


def _direction(descending: Any) -> int:
    return _lib.DESCENDING if flag(descending, "descending") else 0


def sort(a: Any, *, comm: Any = None, descending: bool = False, balanced: bool = False) -> Any:
    """Returns this rank's part of the sorted global array.

    Parameters
    ----------
    a : this rank's part of the global array. It does not change.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.
    descending : largest first; NaNs are last in both directions.
    balanced : the parts of the result have equal lengths, or differ by 1. The default is that every
        part has the length of the input.

    Returns
    -------
    Array of the library and dtype of `a`.
    """

    def check() -> tuple[int, bool]:
        return _direction(descending), flag(balanced, "balanced")

    strings = _of_strings.strings_in(a)
    if strings is not None:
        return _of_strings.sort(strings, comm, check)
    part = _Part("sort", a, comm, check)
    flags, balanced = part.checked
    n = part.group.equal_part(part.n) if balanced else part.n
    out = part.empty(max(n, 1))
    part.call(_sort, part.code, *part.where, flags=flags, out=part.home.address(out), n_out=n)
    return part.back(out[:n], is_keys=True)


def argsort(a: Any, *, comm: Any = None, descending: bool = False) -> Any:
    """Returns the global indices of the elements that belong to this rank's places.

    Parameters
    ----------
    a : this rank's part of the global array.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.
    descending : largest first. Ties keep their order in both directions.

    Returns
    -------
    Array of int64, as long as `a`.
    """
    strings = _of_strings.strings_in(a)
    if strings is not None:
        return _of_strings.argsort(strings, comm, lambda: _direction(descending))
    part = _Part("argsort", a, comm, lambda: _direction(descending))
    index = part.empty(part.n, np.int64)  # below 2^63
    where = part.home.address(index)
    part.call(_argsort, part.code, *part.where, _lib.U64, where, flags=part.checked)
    return part.back(index)


def rankdata(
    a: Any,
    method: _lib.Ties = "average",
    *,
    comm: Any = None,
    nan_policy: _lib.NanPolicy = "propagate",
    descending: bool = False,
) -> Any:
    """Returns the ranks of this rank's elements in the global array.

    Parameters
    ----------
    a : this rank's part of the global array.
    method : rule for ties, as of `ordo.rankdata`.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.
    nan_policy : 'propagate': if any rank has a NaN, all ranks are NaN. 'omit': a NaN has rank NaN,
        and the others are ranked without it. 'raise': a NaN raises a ValueError.
    descending : the largest element has rank 1.

    Returns
    -------
    Array as long as `a`: float64 for 'average' and if a rank of any process is NaN, else int64.
    """

    def check() -> tuple[int, int]:
        check_nan_policy(nan_policy)
        return _direction(descending), _lib.number_of(_lib.TIES, method, "method")

    strings = _of_strings.strings_in(a)
    if strings is not None:
        return _of_strings.rankdata(strings, comm, check)
    part = _Part("rankdata", a, comm, check, nan_policy)
    flags, ties = part.checked
    nans = part.nans()
    if nans and nan_policy == "raise":
        raise found_nan()
    average = method == "average"
    ranks = part.empty(part.n, np.float64 if average or nans else np.int64)
    if nans and nan_policy == "propagate":
        ranks[...] = float("nan")
        return part.back(ranks)
    kind = _lib.F64 if average or nans else _lib.U64
    where = part.home.address(ranks)
    part.call(_rank, part.code, *part.where, ties, kind, where, flags=flags)
    if nans:
        part.mark_nans(ranks)
    return part.back(ranks)


def quantile(
    a: Any,
    q: Any,
    *,
    comm: Any = None,
    method: _lib.Method = "linear",
    nan_policy: _lib.NanPolicy = "propagate",
) -> Any:
    """Returns quantiles of the global array, on every rank.

    Parameters
    ----------
    a : this rank's part of the global array.
    q : a number from 0 to 1, or an array of them; the same on every rank.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.
    method : one of NumPy's methods.
    nan_policy : 'propagate', 'omit' or 'raise', as for `ordo.quantile`.

    Returns
    -------
    A float64, or a NumPy array of float64 with the shape of `q`. Integers above 2^53 are rounded.
    Quantiles of strings are strings, and `method` is 'inverted_cdf', 'closest_observation',
    'lower', 'higher' or 'nearest'.
    """

    def check() -> tuple[Any, int, Any]:
        check_nan_policy(nan_policy)
        wanted = quantile_parts(q)
        number = _lib.number_of(_lib.METHODS, method, "method")
        return np.asarray(wanted, np.float64, order="C"), number, np.empty(max(wanted.size, 1))

    strings = _of_strings.strings_in(a)
    if strings is not None:
        return _of_strings.quantile(strings, comm, check)
    part = _Part("quantile", a, comm, check, nan_policy)
    wanted, number, out = part.checked
    if nan_policy == "raise" and part.nans():
        raise found_nan()
    nans = _lib.NANS["omit" if nan_policy == "omit" else "propagate"]
    part.call(
        _quantiles, part.code, *part.where, address(wanted), wanted.size, address(out), nans,
        number,
    )  # fmt: skip
    return out[: wanted.size].reshape(wanted.shape)[()]


def median(a: Any, *, comm: Any = None, nan_policy: _lib.NanPolicy = "propagate") -> Any:
    """Returns the median of the global array, on every rank.

    Parameters
    ----------
    a : this rank's part of the global array.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.
    nan_policy : 'propagate', 'omit' or 'raise', as for `ordo.median`.

    Returns
    -------
    A float64; of strings the string in the middle, or the smaller of the two in the middle.
    """
    strings = _of_strings.strings_in(a)
    if strings is not None:
        return _of_strings.median(strings, comm, nan_policy)
    part = _Part("median", a, comm, lambda: check_nan_policy(nan_policy), nan_policy)
    if nan_policy == "raise" and part.nans():
        raise found_nan()
    half, out = c_double(0.5), c_double()
    nans = _lib.NANS["omit" if nan_policy == "omit" else "propagate"]
    part.call(
        _quantiles, part.code, *part.where, ctypes.addressof(half), 1, ctypes.addressof(out), nans,
        _lib.HALF_SUM,
    )  # fmt: skip
    return np.float64(out.value)


def topk(a: Any, k: int, *, comm: Any = None, largest: bool = True) -> TopK:
    """Returns the `k` largest (or smallest) elements of the global array, on every rank.

    Parameters
    ----------
    a : this rank's part of the global array.
    k : number of elements, the same on every rank; at most the length of the global array.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.
    largest : False returns the smallest elements.

    Returns
    -------
    TopK : `values` in order, and their global indices. NaNs are after all other elements.
    """

    def check() -> tuple[int, int]:
        wanted = integer(k, "k")
        if wanted < 0:
            raise ValueError(f"k is {wanted}; expected at least 0")
        return wanted, _direction(flag(largest, "largest"))

    strings = _of_strings.strings_in(a)
    if strings is not None:
        return _of_strings.topk(strings, comm, check)
    part = _Part("topk", a, comm, check)
    wanted, flags = part.checked
    part.group.check_count(wanted, part.n)
    values = part.empty(max(wanted, 1))
    index = part.empty(max(wanted, 1), np.int64)
    found = c_size_t()
    part.call(
        _topk, part.code, *part.where, wanted, part.home.address(values),
        part.home.address(index), ctypes.addressof(found), flags=flags,
    )  # fmt: skip
    return TopK(part.back(values[:wanted], is_keys=True), part.back(index[:wanted]))


def _scanned(verb: str, op: int, a: Any, comm: Any, exclusive: Any) -> Any:
    part = _Part(verb, a, comm, lambda: flag(exclusive, "exclusive"))
    code: int = part.code
    dtype: Any = None
    if op == _lib.SUM and code not in FLOATS:  # numbers of signed types are odd
        code, dtype = (_lib.I64, np.int64) if code % 2 == 1 else (_lib.U64, np.uint64)
        if part.place.is_bool(part.dtype):
            dtype = np.int64  # as in NumPy; the library adds bools as u8
    out = part.empty(part.n, dtype)
    flags = _lib.EXCLUSIVE if part.checked else 0
    part.call(_scan, op, part.code, *part.where, code, part.home.address(out), flags=flags)
    if op == _lib.MIN and part.code in FLOATS:
        _spread_nan(part, out)
    return part.back(out, is_keys=op != _lib.SUM)


def _spread_nan(part: _Part, out: Any) -> None:
    """Sets all minima from the first NaN of the global array on to NaN; the library omits NaNs."""
    found = part.group.together(lambda: part.home.nonzero(part.home.isnan(part.keys)))
    count = found.shape[0]
    earlier = part.group.comm.exscan(count)
    start = 0 if earlier else int(found[0]) if count else part.n
    out[start:] = float("nan")


def cumsum(a: Any, *, comm: Any = None, exclusive: bool = False) -> Any:
    """Returns cumulative sums of the global array, for this rank's elements.

    Parameters
    ----------
    a : this rank's part of the global array.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.
    exclusive : sum i does not include element i.

    Returns
    -------
    Array as long as `a`. Sums of integers have 64 bits and wrap. The order in which floats are
    added depends on the lengths of the parts.
    """
    return _scanned("cumsum", _lib.SUM, a, comm, exclusive)


def cummax(a: Any, *, comm: Any = None) -> Any:
    """Returns cumulative maxima of the global array, for this rank's elements.

    Parameters
    ----------
    a : this rank's part of the global array.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.

    Returns
    -------
    Array as long as `a`.
    """
    return _scanned("cummax", _lib.MAX, a, comm, False)


def cummin(a: Any, *, comm: Any = None) -> Any:
    """Returns cumulative minima of the global array, for this rank's elements.

    Parameters
    ----------
    a : this rank's part of the global array.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.

    Returns
    -------
    Array as long as `a`.
    """
    return _scanned("cummin", _lib.MIN, a, comm, False)


def is_sorted(a: Any, *, comm: Any = None, descending: bool = False) -> bool:
    """Returns whether the global array is sorted, with NaNs last; on every rank.

    Parameters
    ----------
    a : this rank's part of the global array.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.
    descending : whether the order is from the largest to the smallest.

    Returns
    -------
    bool
    """
    strings = _of_strings.strings_in(a)
    if strings is not None:
        return _of_strings.is_sorted(strings, comm, lambda: _direction(descending))
    part = _Part("is_sorted", a, comm, lambda: _direction(descending))
    answer = c_int()
    part.call(
        _is_sorted, part.code, *part.where, ctypes.addressof(answer), None, flags=part.checked
    )
    return bool(answer.value)


def count_unique(a: Any, *, comm: Any = None) -> int:
    """Returns the number of different elements of the global array, on every rank.

    Parameters
    ----------
    a : this rank's part of the global array.
    comm : communicator of mpi4py; None: ``MPI.COMM_WORLD``.

    Returns
    -------
    int : -0.0 and +0.0 are the same element, and so are all NaNs.
    """
    strings = _of_strings.strings_in(a)
    if strings is not None:
        return _of_strings.count_unique(strings, comm)
    part = _Part("count_unique", a, comm)
    count = c_uint64()
    part.call(_unique_count, part.code, *part.where, ctypes.addressof(count))
    return int(count.value)
