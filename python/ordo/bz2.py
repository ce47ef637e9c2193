"""bzip2 with all threads: the functions and classes of Python's module bz2.

    >>> from ordo import bz2
    >>> packed = bz2.compress(b"some text, some text, some text")
    >>> bz2.decompress(packed)
    b'some text, some text, some text'
    >>> import io
    >>> bz2.open(io.BytesIO(packed)).read(9)
    b'some text'

`compress` returns the bytes that Python's own function returns, except for blocks that are one word
repeated (docs/bzip2.md). Blocks of any bzip2 file are decompressed in parallel.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import io
import operator
import os
import weakref
from typing import IO, Any, Callable

from . import _bz2
from ._bz2 import BZ2Compressor, BZ2Decompressor, compress, files

__all__ = ["BZ2Compressor", "BZ2Decompressor", "BZ2File", "compress", "decompress", "open"]


def _reader(view: memoryview) -> Callable[[int], bytes]:
    place = 0

    def pull(size: int) -> bytes:
        nonlocal place
        piece = bytes(view[place : place + size])
        place += len(piece)
        return piece

    return pull


def decompress(data: Any) -> bytes:
    """Returns the data of one or several bzip2 streams. Bytes after the last one are ignored.

    Raises ValueError if the data end too early, OSError if they are damaged.
    """
    view = memoryview(_bz2.bytes_of(data))
    if not len(view):
        return b""
    small = _bz2.decompress_small(view) if len(view) <= _bz2.SMALL else None
    if small is not None:
        return small
    parts: list[bytes] = []
    try:
        _bz2.Stream(_reader(view), parts.append, "data").run(_bz2.decompress_stream)
    except EOFError as error:
        raise ValueError(str(error)) from None
    return b"".join(parts)


# ---- Files -------------------------------------------------------------------------------------

_open_files: weakref.WeakSet[BZ2File] = weakref.WeakSet()


@atexit.register
def _end_threads() -> None:
    """Ends the threads of all open files: a thread that calls Python later would crash."""
    files.forbid_threads()
    for file in list(_open_files):
        with contextlib.suppress(Exception):  # close() raises the error of a write
            file._end_thread()


os.register_at_fork(after_in_child=_open_files.clear)


class BZ2File(io.BufferedIOBase):
    """A bzip2 file that is read or written by several threads, a small one by the calling thread.

    `filename` is a path or a file object, `mode` one of "r", "w", "x" and "a", with or without "b".
    """

    def __init__(self, filename: Any, mode: str = "r", *, compresslevel: int = 9) -> None:
        self._raw: Any = None
        kind = (mode.replace("b", "") or "r") if isinstance(mode, str) else mode
        if kind not in ("r", "w", "x", "a"):
            raise ValueError(f"mode is {mode!r}; expected 'r', 'w', 'x' or 'a'")
        _bz2.options(compresslevel)  # raises before the file is created
        self._owned = isinstance(filename, (str, bytes, os.PathLike))
        self._file = filename
        if self._owned:
            self._file = builtins.open(filename, kind + "b")  # noqa: SIM115 # closed by close
        if not hasattr(self._file, "read" if kind == "r" else "write"):
            raise TypeError("filename is no str, bytes, file or PathLike object")
        self.mode = "rb" if kind == "r" else "wb"
        self.name = os.fsdecode(filename) if self._owned else getattr(filename, "name", "the file")
        self._written = 0
        if kind == "r":
            self._raw = io.BufferedReader(files.Unpacked(self._file, str(self.name)), 1 << 18)
        else:
            self._packed = files.Packed(self._file, compresslevel)
        _open_files.add(self)

    def _end_thread(self) -> None:
        """Ends the thread of the file. What is written later becomes a second stream."""
        if self._raw is not None:
            ended = self._raw.raw.end_thread()
            self._owned = self._owned and ended  # a file cannot be closed while a thread reads it
        else:
            self._packed.finish()

    def readable(self) -> bool:
        self._check_open()
        return self._raw is not None

    def writable(self) -> bool:
        self._check_open()
        return self._raw is None

    def seekable(self) -> bool:
        return self.readable() and self._raw.seekable()

    def fileno(self) -> int:
        self._check_open()
        return int(self._file.fileno())

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def _reading(self) -> Any:
        self._check_open()
        if self._raw is None:
            raise io.UnsupportedOperation("the file was opened for writing")
        return self._raw

    def read(self, size: int | None = -1, /) -> bytes:
        return self._reading().read(-1 if size is None else size)

    def read1(self, size: int = -1, /) -> bytes:
        return self._reading().read1(size)

    def readinto(self, buffer: Any, /) -> int:
        return self._reading().readinto(buffer)

    def readline(self, size: int = -1, /) -> bytes:  # type: ignore[override]
        return self._reading().readline(operator.index(size))

    def readlines(self, size: int = -1, /) -> list[bytes]:
        return self._reading().readlines(operator.index(size))

    def peek(self, size: int = 0, /) -> bytes:
        return self._reading().peek(size)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._reading().seek(offset, whence)

    def tell(self) -> int:
        self._check_open()
        return self._written if self._raw is None else self._raw.tell()

    def write(self, data: Any, /) -> int:
        self._check_open()
        if self._raw is not None:
            raise io.UnsupportedOperation("the file was opened for reading")
        piece = data if type(data) is bytes else _bz2.bytes_of(data).tobytes()
        self._packed.write(piece)
        self._written += len(piece)
        return len(piece)

    def close(self) -> None:
        """Ends the compressed data. Raises the error of an earlier write, if there was one."""
        if self.closed:
            return
        try:
            if self._raw is not None:
                self._raw.raw.close()  # ends a read of another thread: the next line waits for it
                self._raw.close()
            else:
                self._packed.finish()
        finally:
            _open_files.discard(self)
            super().close()
            if self._owned and self._raw is not None:
                self._raw.raw.close_file()
            elif self._owned:
                self._file.close()


def open(
    filename: Any,
    mode: str = "rb",
    compresslevel: int = 9,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
) -> IO[Any]:
    """Opens a bzip2 file: binary, or text if the mode contains "t"."""
    if "t" not in mode:
        if encoding is not None or errors is not None or newline is not None:
            raise ValueError("encoding, errors and newline are for text modes; expected mode 'rt'")
        return BZ2File(filename, mode, compresslevel=compresslevel)  # type: ignore[return-value]
    if "b" in mode:
        raise ValueError(f"mode is {mode!r}; expected 't' or 'b', not both")
    file = BZ2File(filename, mode.replace("t", ""), compresslevel=compresslevel)
    return io.TextIOWrapper(file, encoding, errors, newline)  # type: ignore[type-var]
