"""read_fasta: the records of a FASTA text, as arrays that the other functions accept."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from .. import _lib
from .._arrays import address
from .._check import flag, one_of
from .._context import host_context
from .._inputs.text import Text, order_of
from . import check_algorithm, ranks_of

_P = ctypes.c_void_p
_parse = _lib._call("ordo_parse_fasta", _P, _lib.N, _P)
_Records = _lib._struct(
    "Records", ("n", ctypes.c_size_t), ("header_bytes", ctypes.c_uint64),
    ("sequence_bytes", ctypes.c_uint64), ("starts", _P), ("headers", _P), ("header_offsets", _P),
    ("sequences", _P), ("sequence_offsets", _P), ("bad_line", ctypes.c_size_t),
    ("why", ctypes.c_char_p),
)  # fmt: skip
_KEYS = ("sequence", "header")


class Fasta:
    """FASTA records in the order of their text. `read_fasta` makes them.

    ``headers`` and ``sequences`` are NumPy arrays of bytes objects, made when they are first used;
    ``to_arrow`` returns both without a copy. ``sort`` and ``argsort`` need neither.
    """

    def __init__(self, text: Any) -> None:
        records = _Records(struct_size=ctypes.sizeof(_Records))
        place = ctypes.addressof(records)
        _parse(host_context(), address(text), text.size, place)
        self._text = text
        self._starts = np.empty(records.n + 1, np.uint64)
        self._keys = {
            key: Text(np.empty(size, np.uint8), np.empty(records.n + 1, np.uint64), None)
            for key, size in zip(_KEYS, (records.sequence_bytes, records.header_bytes))
        }
        records.starts = address(self._starts)
        records.headers = address(self._keys["header"].data)
        records.header_offsets = address(self._keys["header"].offsets)
        records.sequences = address(self._keys["sequence"].data)
        records.sequence_offsets = address(self._keys["sequence"].offsets)
        _parse(host_context(), address(text), text.size, place)
        self._objects: dict[str, Any] = {}

    def __len__(self) -> int:
        return self._starts.size - 1

    def __repr__(self) -> str:
        return f"<ordo.Fasta of {len(self)} records, {self._text.size} bytes>"

    def _made(self, key: str) -> Any:
        if key not in self._objects:
            text = self._keys[key]
            whole, ends = text.data.tobytes(), text.offsets.tolist()
            made = np.empty(len(self), object)
            made[:] = [whole[begin:end] for begin, end in zip(ends, ends[1:])]
            self._objects[key] = made
        return self._objects[key]

    @property
    def headers(self) -> Any:
        """The headers without '>' and line end, as an array of n objects of type bytes."""
        return self._made("header")

    @property
    def sequences(self) -> Any:
        """The sequences without line ends, as an array of n objects of type bytes."""
        return self._made("sequence")

    def to_arrow(self) -> Any:
        """Returns a pyarrow.Table with the columns header and sequence, of type large_binary."""
        import pyarrow

        def column(key: str) -> Any:
            text = self._keys[key]
            buffers = [None, pyarrow.py_buffer(text.offsets), pyarrow.py_buffer(text.data)]
            return pyarrow.Array.from_buffers(pyarrow.large_binary(), len(self), buffers)

        return pyarrow.table({key: column(key) for key in ("header", "sequence")})

    def argsort(
        self, by: str = "sequence", *, descending: bool = False, algorithm: _lib.Algorithm = "auto"
    ) -> Any:
        """Returns the indices that sort the records.

        Parameters
        ----------
        by : 'sequence' or 'header'. Bytes are compared as unsigned numbers.
        descending : sort from the largest to the smallest. Equal records keep their order.
        algorithm : 'auto' or 'sample', with the same result.
        """
        one_of(_KEYS, by, "by")
        number = check_algorithm(algorithm)
        return order_of(self._keys[by], flag(descending, "descending"), algorithm=number)

    def sort(
        self,
        by: str = "sequence",
        *,
        descending: bool = False,
        unique: bool = False,
        algorithm: _lib.Algorithm = "auto",
    ) -> Fasta:
        """Returns the records sorted, each with its own lines, as ``ordo sort --fasta`` does.

        ``unique`` keeps the first of the records with equal keys. The other parameters are those
        of `argsort`.
        """
        unique = flag(unique, "unique")
        order = self.argsort(by, descending=descending, algorithm=algorithm)
        if unique and order.size:
            ranks = ranks_of(self._keys[by], _lib.TIES["dense"], False, np.int64)[order]
            order = order[np.flatnonzero(np.diff(ranks, prepend=0))]
        return Fasta(np.frombuffer(self._written(order), np.uint8))

    def _written(self, order: Any) -> bytes:
        """Returns the text before the first record and the records of these indices."""
        text, starts = memoryview(self._text), self._starts.tolist()
        parts: list[memoryview | bytes] = [text[: starts[0]]]
        last = len(self) - 1
        for i in order.tolist():
            parts.append(text[starts[i] : starts[i + 1]])
            if i == last:
                parts.append(self._missing_end())
        if order.size and order[-1] == last:
            parts.pop()
        return b"".join(parts)

    def _missing_end(self) -> bytes:
        """Returns what the last line needs before another line: the end of the first line."""
        if self._text[-1] == ord("\n"):
            return b""
        newline = np.flatnonzero(self._text == ord("\n"))[:1].tolist()
        crlf = newline and newline[0] > 0 and self._text[newline[0] - 1] == ord("\r")
        return b"\r\n" if crlf and self._text[-1] != ord("\r") else b"\n"

    def tobytes(self) -> bytes:
        """Returns the text of the records."""
        return self._text.tobytes()


def read_fasta(source: Any) -> Fasta:
    """Reads FASTA records.

    A record is a header, which is a line that starts with '>', and all lines up to the next header.
    Its sequence is these lines without their ends. Lines end with LF or CRLF. A record without
    residues has an empty sequence.

    Parameters
    ----------
    source : path of a file (str or os.PathLike), or the text: bytes, or another object with the
        buffer interface.

    Returns
    -------
    Fasta : ``len(f)`` records, ``f.headers`` and ``f.sequences`` (NumPy arrays of bytes objects),
        ``f.to_arrow()``, ``f.argsort(by)``, ``f.sort(by)`` and ``f.tobytes()``.

    Raises
    ------
    OSError : the file cannot be read.
    TypeError : `source` is neither a path nor bytes.
    ValueError : the text has a zero byte, residues before the first header, or a record of 4 GiB
        or more. The message has the number of the line.

    Examples
    --------
    >>> import ordo
    >>> f = ordo.read_fasta(b">b\\nAC\\nGT\\n>a\\nAAA\\n")
    >>> f.sequences
    array([b'ACGT', b'AAA'], dtype=object)
    >>> ordo.argsort(f.headers, algorithm="sample")
    array([1, 0])
    >>> f.sort(by="header").tobytes()
    b'>a\\nAAA\\n>b\\nAC\\nGT\\n'
    """
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        with open(name, "rb") as file:
            text = file.read()
        try:
            return Fasta(np.frombuffer(text, np.uint8))
        except ValueError as error:
            raise ValueError(f"{_lib.printable(os.fsdecode(name))}: {error}") from None
    try:
        view = memoryview(source).cast("B")
    except TypeError:
        raise TypeError(
            f"source is a {type(source).__name__}; expected a path, or bytes without gaps"
        ) from None
    return Fasta(np.frombuffer(view, np.uint8))
