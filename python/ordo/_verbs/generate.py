"""generate: keys and strings of known distributions, for tests and benchmarks."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .. import _lib
from .._arrays import TYPES, address
from .._check import integer
from .._context import host_context

_TEXT = ("strings", "fasta")
_MOST = 2**64 - 1


def generate(
    dist: _lib.Distribution,
    n: int,
    dtype: Any = np.float64,
    *,
    seed: int = 0,
    k: int = 0,
    p: float = 0.0,
) -> Any:
    """Returns n generated keys or strings. The same arguments give the same bytes everywhere.

    Parameters
    ----------
    dist : name of a distribution; strings and fasta make strings. docs/generators.md defines all.
    n : number of keys.
    dtype : integers of 8 to 64 bits, float32 or float64. Strings are always bytes.
    seed : chooses one of 2^64 arrays.
    k : few: number of values; zipf: largest value; sawtooth: number of teeth; ksorted, shuffled:
        radius; dupes, staggered, bucket: number of buckets; outliers: one key in k is an outlier;
        timestamps: keys of a burst; sensors: number of sensors. 0: the default of the
        distribution.
    p : recur: the probability that a key equals the previous key.

    Returns
    -------
    NumPy array of n keys; for strings and fasta an array of n objects of type bytes.

    Raises
    ------
    TypeError : `dtype`, or the type of another argument, is wrong.
    ValueError : `dist` is unknown, or `dtype` has too few values for n, k or p.

    Examples
    --------
    >>> import ordo
    >>> ordo.radius(ordo.generate("ksorted", 1000, "int32", k=5))
    5
    >>> len(ordo.generate("strings", 3, seed=1))
    3
    """
    number = _lib.number_of(_lib.DISTRIBUTIONS, dist, "dist")
    n, seed, k = (_count(value, name) for value, name in ((n, "n"), (seed, "seed"), (k, "k")))
    try:
        opts = _lib.GenOptions(ctypes.sizeof(_lib.GenOptions), seed, k, float(p))
    except (TypeError, ValueError):
        raise TypeError(f"p is {p!r}; expected a number from 0 to 1") from None
    if dist in _TEXT:
        return _strings(number, n, opts)
    wanted = np.dtype(dtype)
    if wanted not in TYPES:
        raise TypeError(f"dtype is {wanted}; expected integers of 8 to 64 bits, float32 or float64")
    keys = np.empty(n, wanted)
    _lib.gen(host_context(), number, TYPES[wanted], address(keys), n, ctypes.addressof(opts))
    return keys


def _count(value: Any, name: str) -> int:
    number = integer(value, name)
    if not 0 <= number <= _MOST:
        raise ValueError(f"{name} is {number}; expected a number from 0 to 2^64 - 1")
    return number


def _strings(number: int, n: int, opts: ctypes.Structure) -> Any:
    offsets = np.zeros(n + 1, np.uint64)
    place = ctypes.addressof(opts)
    context = host_context()
    _lib.gen_strings(context, number, n, address(offsets), None, 0, place)
    text = np.empty(int(offsets[n]), np.uint8)
    _lib.gen_strings(context, number, n, address(offsets), address(text), text.size, place)
    whole, ends = text.tobytes(), offsets.tolist()
    result = np.empty(n, object)
    result[:] = [whole[begin:end] for begin, end in zip(ends, ends[1:])]
    return result
