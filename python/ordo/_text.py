"""suffix_array, lcp, bwt, unbwt and FMIndex: indexes of texts."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _lib
from ._arrays import HOST, address
from ._check import integer, unmasked
from ._context import host_context
from ._inputs import device
from ._inputs.device import with_guests

_P, _N, _T = _lib.P, _lib.N, _lib.T
_suffix_array = _lib._call("ordo_suffix_array", _P, _N, _T, _P, _P)
_lcp = _lib._call("ordo_lcp", _P, _N, _T, _P, _P, _P)
_bwt = _lib._call("ordo_bwt", _P, _N, _P, _P, _P)
_unbwt = _lib._call("ordo_unbwt", _P, _N, ctypes.c_uint64, _P, _P)
_fm_build = _lib._call("ordo_fm_build", _P, _N, _P, _P)
_fm_load = _lib._call("ordo_fm_load", _P, _N, _P)
_fm_count = _lib._call("ordo_fm_count", _P, _P, _P, _N, _P)
_fm_locate = _lib._call("ordo_fm_locate", _P, _P, _P, _N, _P, _P, _N)
_fm_extract = _lib._call("ordo_fm_extract", _P, ctypes.c_uint64, _N, _P)
_fm_free = _lib._function("ordo_fm_free", _P, returns=None)
_fm_data = _lib._function("ordo_fm_data", _P, _P, returns=_P)
_fm_describe = _lib._function("ordo_fm_describe", _P, _P, returns=ctypes.c_int)

_Options = _lib._struct(
    "TextOptions", ("flags", ctypes.c_uint64), ("algorithm", ctypes.c_uint32),
    ("reserved", ctypes.c_uint32), ("offsets", _P), ("count", ctypes.c_size_t), ("stream", _P),
)  # fmt: skip
_FmOptions = _lib._struct(
    "FmOptions", ("flags", ctypes.c_uint64), ("sample", ctypes.c_uint32),
    ("reserved", ctypes.c_uint32),
)  # fmt: skip
_FmFacts = _lib._struct(
    "FmFacts", ("n", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("sample", ctypes.c_uint32),
    ("letters", ctypes.c_uint32),
)  # fmt: skip
_ALGORITHMS = {"auto": 0, "induced": 1, "doubling": 2, "msd": 3}
TextAlgorithm = Literal["auto", "induced", "doubling", "msd"]


class Bwt(NamedTuple):
    """A Burrows-Wheeler transform: its bytes, or an array on a GPU, and its primary index."""

    data: Any
    primary: int


def _bytes_of(text: Any, name: str = "text") -> Any:
    """Returns the bytes of a text as an array of uint8, without a copy where possible."""
    if isinstance(text, str):
        raise TypeError(f"{name} is a str; expected bytes, such as {name}.encode()")
    if isinstance(text, np.ndarray):
        text = unmasked(text, name)
        if text.dtype != np.uint8 or text.ndim != 1:
            raise TypeError(
                f"{name} has dtype {text.dtype} and {text.ndim} dimensions; expected bytes or a "
                "one-dimensional array of uint8"
            )
        return np.ascontiguousarray(text)
    try:
        return np.frombuffer(text, np.uint8)
    except (TypeError, ValueError, BufferError):
        raise TypeError(
            f"{name} is {type(text).__name__}; expected bytes or an array of uint8"
        ) from None


def _joined(texts: Sequence[Any], name: str) -> tuple[Any, Any]:
    """Returns the bytes of many texts and their offsets."""
    parts = [_bytes_of(text, f"{name}[{i}]") for i, text in enumerate(texts)]
    offsets = np.zeros(len(parts) + 1, np.uint64)
    np.cumsum([part.size for part in parts], out=offsets[1:])
    data = np.concatenate(parts) if parts else np.empty(0, np.uint8)
    return data, offsets


def _placed(text: Any, name: str = "text") -> tuple[Any, Any]:
    """Returns the place of a text and its bytes as an array of that place."""
    place = device.place_of(text)
    if place is None:
        return HOST, _bytes_of(text, name)
    found, code, dtype = place.typed(text)
    if code != _lib.U8 or "bool" in str(dtype) or found.ndim != 1:
        raise TypeError(
            f"{name} has dtype {dtype} and {found.ndim} dimensions; expected a one-dimensional "
            "array of uint8"
        )
    return place, place.contiguous(found)


def _texts_of(text: Any) -> tuple[Any, Any, Any]:
    """Returns the place, the bytes and, for a list or tuple of texts, the offsets."""
    if isinstance(text, (list, tuple)):
        return (HOST, *_joined(text, "text"))
    return (*_placed(text), None)


def _options(place: Any, offsets: Any = None, algorithm: int = 0) -> Any:
    opts = _Options(
        struct_size=ctypes.sizeof(_Options),
        flags=place.flags,
        algorithm=algorithm,
        stream=place.stream or None,
    )
    if offsets is not None and offsets.size > 1:
        opts.offsets = address(offsets)
        opts.count = offsets.size - 1
    return opts


def suffix_array(text: Any, algorithm: TextAlgorithm = "auto", dtype: Any = None) -> Any:
    """Returns the positions of all suffixes of a text in lexicographic order.

    A suffix that is a prefix of another suffix comes first. A list of texts gives the suffixes of
    all of them in one array of positions in the joined texts: no comparison goes beyond the end of
    a text, and equal suffixes are in the order of the texts.

    Parameters
    ----------
    text : bytes, an array of uint8, also on a GPU, or a list of texts in host memory.
    algorithm : 'auto'; 'induced' (linear time, CPU), 'doubling' or 'msd', with the same result.
    dtype : uint32 or uint64. None: uint32 if that is enough.

    Returns
    -------
    Array of n positions, on the GPU of the text.

    Raises
    ------
    TypeError : the text is not bytes.
    ValueError : an argument is out of range.

    Examples
    --------
    >>> import ordo
    >>> ordo.suffix_array(b"banana")
    array([5, 3, 1, 0, 4, 2], dtype=uint32)
    """
    number = _lib.number_of(_ALGORITHMS, algorithm, "algorithm")
    wanted = np.dtype(dtype) if dtype is not None else None
    if wanted is not None and wanted not in (np.uint32, np.uint64):  # float64 == None in NumPy
        raise ValueError(f"dtype is {wanted}; expected uint32 or uint64")
    return _suffixes(text, number, wanted)


@with_guests
def _suffixes(text: Any, algorithm: int, wanted: Any) -> Any:
    place, data, offsets = _texts_of(text)
    n = data.shape[0]
    opts = _options(place, offsets, algorithm)
    if wanted is None:
        wanted = np.dtype(np.uint32 if n < 2**32 else np.uint64)
    result = place.empty((n,), wanted)
    code = _lib.U32 if wanted == np.uint32 else _lib.U64
    _suffix_array(
        place.context, place.address(data), n, code, place.address(result), ctypes.addressof(opts)
    )
    return result


def lcp(text: Any, sa: Any) -> Any:
    """Returns the lengths of the longest common prefixes of neighbours in a suffix array.

    Parameters
    ----------
    text : the text or texts of `suffix_array`.
    sa : the suffix array, of uint32 or uint64.

    Returns
    -------
    Array of the dtype of `sa`: element i is the common prefix of the suffixes sa[i - 1] and sa[i],
    and element 0 is 0.

    Raises
    ------
    TypeError : the text is not bytes, or `sa` has another dtype.
    ValueError : `sa` has another length than the text, or an element that is not a position.
        Another array that is not the suffix array of the text gives unspecified results.

    Examples
    --------
    >>> import ordo
    >>> ordo.lcp(b"banana", ordo.suffix_array(b"banana"))
    array([0, 1, 3, 0, 0, 2], dtype=uint32)
    """
    return _prefixes(text, sa)


# Signed types stand for the unsigned ones that a library lacks.
_INDICES = {_lib.U32: _lib.U32, _lib.I32: _lib.U32, _lib.U64: _lib.U64, _lib.I64: _lib.U64}


def _indices(place: Any, sa: Any) -> tuple[Any, int]:
    """Returns a suffix array of the place of its text, and its type."""
    if place is HOST:
        sa = HOST.contiguous(np.asarray(sa))
        if sa.dtype not in (np.uint32, np.uint64):
            raise TypeError(f"sa has dtype {sa.dtype}; expected uint32 or uint64")
        return sa, _lib.U32 if sa.dtype == np.uint32 else _lib.U64
    there = device.place_of(sa)
    if there is None or there.where != place.where:
        raise TypeError(f"sa is not an array of {place.where}; expected the place of the text")
    found, code, dtype = place.typed(sa)
    if code not in _INDICES:
        raise TypeError(f"sa has dtype {dtype}; expected uint32 or uint64")
    return place.contiguous(found), _INDICES[code]


@with_guests
def _prefixes(text: Any, sa: Any) -> Any:
    place, data, offsets = _texts_of(text)
    sa, code = _indices(place, sa)
    if tuple(sa.shape) != tuple(data.shape):
        raise ValueError(f"sa has shape {tuple(sa.shape)}; expected {tuple(data.shape)}")
    opts = _options(place, offsets)
    result = place.empty(tuple(sa.shape), sa.dtype)
    _lcp(
        place.context, place.address(data), data.shape[0], code, place.address(sa),
        place.address(result), ctypes.addressof(opts),
    )  # fmt: skip
    return result


def bwt(text: Any, algorithm: TextAlgorithm = "auto") -> Bwt:
    """Returns the Burrows-Wheeler transform of a text.

    Parameters
    ----------
    text : bytes or an array of uint8, also on a GPU.
    algorithm : as for `suffix_array`.

    Returns
    -------
    Bwt : the transform `data`, as long as the text, and the index `primary`, which is 1 to n (0 for
        an empty text), as libdivsufsort and libsais define it. `data` is bytes, or an array on the
        GPU of the text.

    Raises
    ------
    TypeError : the text is not bytes.

    Examples
    --------
    >>> import ordo
    >>> ordo.bwt(b"banana")
    Bwt(data=b'annbaa', primary=4)
    """
    return _transformed(text, _lib.number_of(_ALGORITHMS, algorithm, "algorithm"))


@with_guests
def _transformed(text: Any, algorithm: int) -> Bwt:
    place, data = _placed(text)
    n = data.shape[0]
    opts = _options(place, None, algorithm)
    result = place.empty((n,), np.uint8)
    primary = ctypes.c_uint64()
    _bwt(
        place.context, place.address(data), n, place.address(result), ctypes.addressof(primary),
        ctypes.addressof(opts),
    )  # fmt: skip
    return Bwt(result.tobytes() if place is HOST else result, primary.value)


def unbwt(data: Any, primary: int) -> Any:
    """Returns the text of a Burrows-Wheeler transform.

    Parameters
    ----------
    data, primary : as `bwt` returns them.

    Returns
    -------
    bytes, or an array on the GPU of `data`.

    Raises
    ------
    ValueError : no text has this transform.

    Examples
    --------
    >>> import ordo
    >>> ordo.unbwt(*ordo.bwt(b"banana"))
    b'banana'
    """
    return _inverted(data, integer(primary, "primary"))


@with_guests
def _inverted(data: Any, primary: int) -> Any:
    place, found = _placed(data, "data")
    n = found.shape[0]
    if not 0 <= primary <= n:
        raise ValueError(f"primary is {primary}; expected 1 to {n}")
    opts = _options(place)
    result = place.empty((n,), np.uint8)
    _unbwt(
        place.context, place.address(found), n, primary, place.address(result),
        ctypes.addressof(opts),
    )  # fmt: skip
    return result.tobytes() if place is HOST else result


class FMIndex:
    """An index that finds patterns in a text without the text.

    It is a little smaller than a text of words; random bytes take 1.3 times their size.

    Parameters
    ----------
    text : bytes or an array of uint8, of fewer than 2^32 bytes.
    sample : every `sample`-th position is stored, 1 to 4096. More samples make `locate` and
        `extract` faster; each takes 8 bytes.

    Examples
    --------
    >>> import ordo
    >>> index = ordo.FMIndex(b"banana")
    >>> index.count(b"an"), index.locate(b"an")
    (2, array([1, 3], dtype=uint64))
    """

    _fm: Any = None

    def __init__(self, text: Any, sample: int = 64) -> None:
        data = _bytes_of(text)
        sample = integer(sample, "sample")
        if not 1 <= sample <= 4096:
            raise ValueError(f"sample is {sample}; expected 1 to 4096")
        opts = _FmOptions(struct_size=ctypes.sizeof(_FmOptions), sample=sample)
        made = _P()
        _fm_build(
            host_context(), address(data), data.size, ctypes.addressof(opts), ctypes.addressof(made)
        )
        self._fm = made

    def __del__(self) -> None:
        if self._fm is not None:
            _fm_free(self._fm)

    @classmethod
    def from_bytes(cls, data: Any) -> FMIndex:
        """Returns the index of `to_bytes`. A ValueError says what is wrong with the data."""
        stored = _bytes_of(data, "data")
        made = _P()
        _fm_load(host_context(), address(stored), stored.size, ctypes.addressof(made))
        self = cls.__new__(cls)
        self._fm = made
        return self

    @classmethod
    def load(cls, file: str | os.PathLike) -> FMIndex:
        """Returns the index of a file of `save` or `ordo index`."""
        return cls.from_bytes(np.fromfile(file, np.uint8))

    def _data(self) -> Any:
        size = ctypes.c_size_t()
        at = _fm_data(self._fm, ctypes.addressof(size))
        return (ctypes.c_uint8 * size.value).from_address(at)

    def to_bytes(self) -> bytes:
        """Returns the index as bytes, for `from_bytes` on a machine of the same byte order."""
        return bytes(self._data())

    def save(self, file: str | os.PathLike) -> None:
        """Writes the index to a file, for `load` and `ordo search`."""
        with open(file, "wb") as out:
            out.write(self._data())

    def __reduce__(self) -> tuple:
        return FMIndex.from_bytes, (self.to_bytes(),)

    def _facts(self) -> Any:
        facts = _FmFacts(struct_size=ctypes.sizeof(_FmFacts))
        _fm_describe(self._fm, ctypes.addressof(facts))
        return facts

    def __len__(self) -> int:
        return self._facts().n

    @property
    def nbytes(self) -> int:
        """The size of the index."""
        return self._facts().bytes

    def __repr__(self) -> str:
        facts = self._facts()
        return f"<ordo.FMIndex of {facts.n} bytes, {facts.letters} letters>"

    def __contains__(self, pattern: Any) -> bool:
        return self.count(pattern) > 0

    def count(self, patterns: Any) -> Any:
        """Returns how often a pattern occurs; for a list of patterns an array of counts.

        An empty pattern occurs at each position of the text.
        """
        many = isinstance(patterns, (list, tuple))
        data, offsets = _joined(patterns if many else [patterns], "patterns")
        counts = np.empty(offsets.size - 1, np.uint64)
        _fm_count(
            host_context(), self._fm, address(data), address(offsets), counts.size, address(counts)
        )
        return counts if many else int(counts[0])

    def locate(self, patterns: Any) -> Any:
        """Returns the ascending positions of a pattern; for a list of patterns a list of arrays."""
        many = isinstance(patterns, (list, tuple))
        data, offsets = _joined(patterns if many else [patterns], "patterns")
        first = np.empty(offsets.size, np.uint64)
        call = (host_context(), self._fm, address(data), address(offsets), offsets.size - 1)
        _fm_locate(*call, address(first), None, 0)
        positions = np.empty(int(first[-1]), np.uint64)
        if positions.size > 0:
            _fm_locate(*call, address(first), address(positions), positions.size)
        found = np.split(positions, first[1:-1].astype(np.intp))
        return found[: offsets.size - 1] if many else found[0]

    def extract(self, start: int, stop: int) -> bytes:
        """Returns the bytes [start, stop) of the text, as text[start:stop] of bytes does."""
        start, stop, _ = slice(integer(start, "start"), integer(stop, "stop")).indices(len(self))
        result = np.empty(max(stop - start, 0), np.uint8)
        if result.size > 0:
            _fm_extract(host_context(), self._fm, start, result.size, address(result))
        return result.tobytes()
