"""The library's calls of `ordo.bz2`: data in memory, between functions and in pieces.

`BZ2Compressor` and `BZ2Decompressor` hold an ordo_bz_writer and an ordo_bz_reader, which keep the
state between two pieces. A lock makes the calls of several threads come one after the other.
"""

from __future__ import annotations

import ctypes
import operator
import threading
from typing import Any, Callable, NoReturn

import numpy as np

from .. import _lib
from .._arrays import address
from .._context import host_context

_P, _N = ctypes.c_void_p, ctypes.c_size_t
Move = ctypes.CFUNCTYPE(ctypes.c_ssize_t, _P, _P, _N)
_Options = _lib._struct("BzOptions", ("level", ctypes.c_uint32), ("reserved", ctypes.c_uint32))
Source = _lib._struct(
    "BzSource", ("read", Move), ("user", _P), ("bytes", ctypes.c_uint64), ("fd", ctypes.c_int32),
    ("reserved", ctypes.c_uint32), ("name", ctypes.c_char_p),
)  # fmt: skip
Sink = _lib._struct(
    "BzSink", ("write", Move), ("user", _P), ("fd", ctypes.c_int32),
    ("reserved", ctypes.c_uint32), ("name", ctypes.c_char_p),
)  # fmt: skip
_compress = _lib._call("ordo_bz_compress", _P, _N, _P, _N, _P, _P, _P)
_decompress = _lib._call("ordo_bz_decompress", _P, _N, _P, _N, _P, _P, _P)
compress_stream = _lib._call("ordo_bz_compress_stream", _P, _P, _P, _P)
decompress_stream = _lib._call("ordo_bz_decompress_stream", _P, _P, _P, _P)
_bound = _lib._function("ordo_bz_bound", _N, returns=_N)
_writer_open = _lib._call("ordo_bz_writer_open", _P, _P)
_writer_add = _lib._call("ordo_bz_writer_add", _P, _P, _N, _P)
_writer_end = _lib._call("ordo_bz_writer_end", _P, _P, _P)
_writer_free = _lib._function("ordo_bz_writer_free", _P, returns=None)
_reader_open = _lib._call("ordo_bz_reader_open", _P)
_reader_read = _lib._call("ordo_bz_reader_read", _P, _P, _N, _P, _P, _N, _P)
_reader_state = _lib._function("ordo_bz_reader_state", _P, returns=ctypes.c_int)
_reader_free = _lib._function("ordo_bz_reader_free", _P, returns=None)

_HAS_OUTPUT, _ENDED = 1, 2  # of ordo_bz_state
_ROOM = 1 << 22  # the most bytes that one call of a reader writes


def options(level: int) -> Any:
    """Returns the options for a level."""
    try:
        number = operator.index(level)
    except TypeError:
        raise TypeError(f"compresslevel is {level!r}; expected a number from 1 to 9") from None
    if not 1 <= number <= 9:
        raise ValueError(f"compresslevel is {level!r}; expected a number from 1 to 9")
    return _lib.options(_Options, level=number)


def bytes_of(data: Any) -> Any:
    """Returns the memory of an object with a buffer as an array."""
    view = memoryview(data)
    return np.frombuffer(view.cast("B") if view.nbytes else b"", np.uint8)


def compress(data: Any, compresslevel: int = 9) -> bytes:
    """Returns the data, an object with a buffer, as a bzip2 stream."""
    array = bytes_of(data)
    opts = options(compresslevel)
    out = np.empty(_bound(array.size), np.uint8)
    written = ctypes.c_size_t()
    _compress(
        host_context(), address(array), array.size, address(out), out.size,
        ctypes.addressof(written), opts, None,
    )  # fmt: skip
    return out[: written.value].tobytes()


compress.__module__ = "ordo.bz2"

SMALL = 1 << 16  # the most bytes that decompress_small takes
_SMALL_DATA = 1 << 20  # and returns


def decompress_small(data: Any) -> bytes | None:
    """Returns the data of few compressed bytes; None if they are many or damaged."""
    array = bytes_of(data)
    out = np.empty(_SMALL_DATA, np.uint8)
    written = ctypes.c_size_t()
    try:
        _decompress(
            host_context(), address(array), array.size, address(out), out.size,
            ctypes.addressof(written), None, None,
        )  # fmt: skip
    except ValueError:
        return None
    return out[: written.value].tobytes()


class Stream:
    """A call of the library between two Python functions.

    `pull(size)` returns up to `size` bytes, b"" at the end; `push(bytes)` takes bytes. An exception
    of either ends the call and is raised again.
    """

    def __init__(self, pull: Callable[[int], Any], push: Callable[[bytes], Any], name: str) -> None:
        self.error: BaseException | None = None
        self._pull, self._push = pull, push
        text = name.encode("utf-8", "replace")
        self._kept = (Move(self._read), Move(self._write), text)
        self._from = Source(
            struct_size=ctypes.sizeof(Source), read=self._kept[0], name=self._kept[2]
        )
        self._to = Sink(struct_size=ctypes.sizeof(Sink), write=self._kept[1])

    def _read(self, user: Any, into: int, size: int) -> int:
        try:
            data = self._pull(size)
            ctypes.memmove(into, data, len(data))
            return len(data)
        except BaseException as error:
            self.error = error
            return -1

    def _write(self, user: Any, start: int, size: int) -> int:
        try:
            self._push(ctypes.string_at(start, size))
            return size
        except BaseException as error:
            self.error = error
            return -1

    def run(self, call: Any, options: Any = None) -> None:
        try:
            call(
                host_context(), ctypes.addressof(self._from), ctypes.addressof(self._to), options,
                None,
            )  # fmt: skip
        except (ValueError, OSError, RuntimeError) as error:
            if self.error is not None:
                raise self.error from None
            text = str(error)
            if call is decompress_stream and isinstance(error, ValueError):
                ended = "; expected the end of the stream" in text or "has at least 14" in text
                raise (EOFError if ended else OSError)(text) from None
            raise


def _refuse_pickle(self: Any) -> NoReturn:
    raise TypeError(f"cannot pickle {type(self).__name__!r} object")


class BZ2Compressor:
    """Compresses data that come in pieces to one bzip2 stream.

    The pieces that `compress` and `flush` return are together the bytes that the function
    `compress` returns for all data. Data wait until they fill two blocks for each thread, and all
    threads then compress them; this takes up to 1.8 MB per thread with level 9, besides the scratch
    of a call. Several threads may use the object, one at a time.

    Parameters
    ----------
    compresslevel : size of a block in units of 100000 bytes, 1 to 9.

    Raises
    ------
    TypeError, ValueError : the level is no number, or not 1 to 9.

    Examples
    --------
    >>> from ordo import bz2
    >>> packer = bz2.BZ2Compressor()
    >>> packed = packer.compress(b"some ") + packer.compress(b"text") + packer.flush()
    >>> bz2.decompress(packed)
    b'some text'
    """

    __module__ = "ordo.bz2"
    _writer: Any = None
    _free = _writer_free  # at exit the module may be deleted before this object

    def __init__(self, compresslevel: int = 9) -> None:
        opts = options(compresslevel)
        parts: list[bytes] = []

        def take(user: Any, start: int, size: int) -> int:
            parts.append(ctypes.string_at(start, size))
            return size

        self._parts = parts
        self._flushed = False
        self._lock = threading.Lock()
        self._kept = Move(take)  # does not refer to this object, so `del` frees it
        self._sink = Sink(struct_size=ctypes.sizeof(Sink), write=self._kept)
        made = _P()
        _writer_open(host_context(), opts, ctypes.addressof(made))
        self._writer = made

    def __del__(self) -> None:
        if self._writer is not None:
            type(self)._free(self._writer)

    __reduce__ = _refuse_pickle

    def _take_parts(self) -> bytes:
        made = b"".join(self._parts)
        self._parts.clear()
        return made

    def compress(self, data: Any, /) -> bytes:
        """Adds data, an object with a buffer. Returns compressed bytes, often none."""
        array = bytes_of(data)
        with self._lock:
            if self._flushed:
                raise ValueError("the compressor has been flushed; expected no more data")
            to = ctypes.addressof(self._sink)
            _writer_add(host_context(), self._writer, address(array), array.size, to)
            return self._take_parts()

    def flush(self) -> bytes:
        """Ends the stream and returns its last bytes. The object cannot be used further."""
        with self._lock:
            if self._flushed:
                raise ValueError("flush was called before; expected one call")
            self._flushed = True
            _writer_end(host_context(), self._writer, ctypes.addressof(self._sink), None)
            return self._take_parts()


class BZ2Decompressor:
    """Decompresses one bzip2 stream that comes in pieces.

    All threads decompress the blocks of a piece, up to two blocks for each thread at a time, so
    large pieces take less time. The object keeps up to 2.1 MB for each of these blocks, at most
    2.5 MiB of a block that is not complete, and data that were given beyond `max_length`. Several
    threads may use the object, one at a time.

    Examples
    --------
    >>> from ordo import bz2
    >>> packed = bz2.compress(b"some text") + b"more"
    >>> unpacker = bz2.BZ2Decompressor()
    >>> unpacker.decompress(packed[:20]), unpacker.decompress(packed[20:])
    (b'', b'some text')
    >>> unpacker.eof, unpacker.unused_data
    (True, b'more')
    """

    __module__ = "ordo.bz2"
    _reader: Any = None
    _free = _reader_free

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rest = bytearray()  # data that were not used
        self._unused = b""
        self._state = 0
        made = _P()
        _reader_open(host_context(), ctypes.addressof(made))
        self._reader = made

    def __del__(self) -> None:
        if self._reader is not None:
            type(self)._free(self._reader)

    __reduce__ = _refuse_pickle

    @property
    def eof(self) -> bool:
        """Whether the end of the stream was reached."""
        return self._state == _ENDED

    @property
    def needs_input(self) -> bool:
        """Whether `decompress` can return no more bytes without more data."""
        return self._state not in (_HAS_OUTPUT, _ENDED)

    @property
    def unused_data(self) -> bytes:
        """The data after the end of the stream."""
        return self._unused

    def _read(self, source: Any, most: int) -> tuple[bytes, int]:
        """Returns decompressed bytes, at most `most` unless that is negative, and the bytes used"""
        room = min(_ROOM, max(1 << 16, 16 * source.size))
        out = np.empty(room if most < 0 else min(room, most), np.uint8)
        used, written = _N(), _N()
        place, got, parts = 0, 0, []
        while True:
            now = out.size if most < 0 else min(out.size, most - got)
            _reader_read(
                host_context(), self._reader, source.ctypes.data + place, source.size - place,
                ctypes.addressof(used), address(out), now, ctypes.addressof(written),
            )  # fmt: skip
            place += used.value
            got += written.value
            parts.append(out[: written.value].tobytes())
            self._state = _reader_state(self._reader)
            if self._state != _HAS_OUTPUT or got == most:
                return b"".join(parts), place

    def decompress(self, data: Any, max_length: int = -1) -> bytes:
        """Returns decompressed bytes of the data given so far.

        Parameters
        ----------
        data : an object with a buffer. May be empty if `needs_input` is False.
        max_length : the most bytes to return; the rest follows in further calls. Negative: all.

        Raises
        ------
        EOFError : the stream has ended.
        OSError : the data are damaged, or are no bzip2 stream.
        """
        most = operator.index(max_length)
        array = bytes_of(data)
        with self._lock:
            if self.eof:
                raise EOFError("the stream has ended; unused_data has the data after it")
            if self._rest:
                self._rest += memoryview(array)
                array = bytes_of(self._rest)
            try:
                made, used = self._read(array, most)
            except BaseException as error:
                self._rest = bytearray()  # the reader failed; a traceback may hold the old one
                if isinstance(error, ValueError):
                    raise OSError(str(error)) from None
                raise
            if self._rest:
                del array  # a bytearray whose memory is in use cannot shrink
                del self._rest[:used]
            else:
                self._rest = bytearray(array[used:])
            if self.eof:
                self._unused, self._rest = bytes(self._rest), bytearray()
            return made
