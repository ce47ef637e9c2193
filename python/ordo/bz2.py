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
import ctypes
import io
import operator
import os
import queue
import threading
import weakref
from typing import IO, Any, Callable

import numpy as np

from . import _bz2
from ._arrays import address
from ._bz2 import BZ2Compressor, BZ2Decompressor
from ._context import host_context

__all__ = ["BZ2Compressor", "BZ2Decompressor", "BZ2File", "compress", "decompress", "open"]


def compress(data: Any, compresslevel: int = 9) -> bytes:
    """Returns the data, an object with a buffer, as a bzip2 stream."""
    array = _bz2.bytes_of(data)
    options = _bz2.options(compresslevel)
    out = np.empty(_bz2.bound(array.size), np.uint8)
    written = ctypes.c_size_t()
    _bz2.compress(
        host_context(), address(array), array.size, address(out), out.size,
        ctypes.addressof(written), options, None,
    )  # fmt: skip
    return out[: written.value].tobytes()


class _Stream:
    """A call of the library between two Python functions.

    `pull(size)` returns up to `size` bytes, b"" at the end; `push(bytes)` takes bytes. An exception
    of either ends the call and is raised again.
    """

    def __init__(self, pull: Callable[[int], Any], push: Callable[[bytes], Any], name: str) -> None:
        self.error: BaseException | None = None
        self._pull, self._push = pull, push
        text = name.encode("utf-8", "replace")
        self._kept = (_bz2.Move(self._read), _bz2.Move(self._write), text)
        self._from = _bz2.Source(
            struct_size=ctypes.sizeof(_bz2.Source), read=self._kept[0], name=self._kept[2]
        )
        self._to = _bz2.Sink(struct_size=ctypes.sizeof(_bz2.Sink), write=self._kept[1])

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
            if call is _bz2.decompress_stream and isinstance(error, ValueError):
                ended = "; expected the end of the stream" in text or "has at least 14" in text
                raise (EOFError if ended else OSError)(text) from None
            raise


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
    parts: list[bytes] = []
    try:
        _Stream(_reader(view), parts.append, "data").run(_bz2.decompress_stream)
    except EOFError as error:
        raise ValueError(str(error)) from None
    return b"".join(parts)


# ---- Files -------------------------------------------------------------------------------------

_PIECES = 16  # that may wait in a queue
_PATIENCE = 0.1  # seconds after which `close` no longer waits for a read of a pipe or a socket


class _Closed(Exception):
    """The file was closed before the call ended."""


class _Worker(threading.Thread):
    """Runs a call in a thread; pieces of bytes wait in a queue of limited length.

    The thread refers to no BZ2File, so a file that is dropped without `close` is closed by its
    finalizer. A process that was forked has no such thread: `put` and `get` raise an OSError there.
    """

    def __init__(self, run: Callable[[_Worker], None]) -> None:
        super().__init__(daemon=True)
        self._run_call = run
        self.pieces: queue.Queue[bytes | None] = queue.Queue(_PIECES)
        self.error: BaseException | None = None
        self.closed = threading.Event()
        self.ended = threading.Event()
        self.done = threading.Event()  # no more pieces will be put
        self.left: list[Any] = []  # files to close at the end

    def run(self) -> None:
        try:
            self._run_call(self)
        except _Closed:
            pass
        except BaseException as error:
            self.error = error
        finally:
            self.ended.set()
            for file in self.left:
                file.close()

    def let_end(self, seconds: float, reads: Callable[[], bool]) -> bool:
        """Tells the thread to end and waits for it.

        Returns False for a thread that still waits for a pipe or a socket: `reads()` says that it
        reads, and nothing can end that.
        """
        self.closed.set()
        while self.is_alive() and not self.ended.wait(seconds):  # a fork has no such thread
            if reads():
                return False
        self.join()
        return True

    def close_file(self, file: Any) -> None:
        """Closes the file now or, if the thread still reads it, when that read ends."""
        self.left.append(file)
        if self.ended.is_set():
            file.close()

    def _check_process(self) -> None:
        if not self.is_alive() and not self.ended.is_set():
            raise OSError("the file was opened before a fork; open it again in this process")

    def put(self, piece: bytes | None) -> None:
        """Adds a piece. Raises _Closed if nothing takes it any more."""
        self._check_process()
        while True:
            if self.closed.is_set():
                raise _Closed
            try:
                self.pieces.put(piece, timeout=0.05)
                return
            except queue.Full:
                pass

    def get(self, alive: threading.Event) -> bytes | None:
        """Takes a piece; None at the end, or if `alive` is set and there are no more.

        Raises ValueError if another thread closes the file.
        """
        self._check_process()
        while True:
            try:
                return self.pieces.get(timeout=0.05)
            except queue.Empty:
                if alive.is_set() and self.pieces.empty():
                    return None
                if self.closed.is_set():
                    raise ValueError("I/O operation on closed file") from None


class _Unpacked(io.RawIOBase):
    """The decompressed data of a file object."""

    def __init__(self, file: Any, name: str) -> None:
        self._file, self._name = file, name
        self._piece, self._place = memoryview(b""), 0
        self._reads = False  # the thread is in a read of the file
        self._is_left = False  # the thread could not be ended
        self._begin()

    def _begin(self) -> None:
        def run(worker: _Worker) -> None:
            def pull(size: int) -> bytes:
                if worker.closed.is_set():
                    raise _Closed
                self._reads = True
                data: bytes = self._file.read(size)
                self._reads = False
                return data

            _Stream(pull, worker.put, self._name).run(_bz2.decompress_stream)

        self._worker = _Worker(run)
        self._worker.start()

    def _stop(self) -> None:
        if not self._is_left:
            self._is_left = not self._worker.let_end(_PATIENCE, lambda: self._reads)

    def end_thread(self) -> bool:
        """Ends the thread before the interpreter does. Data that were not read are lost.

        Returns False for a thread that waits for a pipe or a socket: it stays there.
        """
        worker = self._worker
        if not worker.ended.is_set():
            self._is_left = not worker.let_end(1, lambda: self._reads)
            worker.error = OSError("the file cannot be read while the interpreter exits")
            worker.ended.set()  # get() does not wait
        return not self._is_left

    def close_file(self) -> None:
        """Closes the file that is read, after `close`."""
        self._worker.close_file(self._file)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def readinto(self, buffer: Any) -> int:
        if not len(self._piece):
            piece = self._worker.get(self._worker.ended)
            if piece is None:
                if self._worker.error is not None:
                    raise self._worker.error
                if self._worker.closed.is_set():
                    raise ValueError("I/O operation on closed file")
                return 0
            self._piece = memoryview(piece)
        size = min(len(buffer), len(self._piece))
        buffer[:size] = self._piece[:size]
        self._piece = self._piece[size:]
        self._place += size
        return size

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Backwards, the file is decompressed again from its start."""
        if not self.seekable():
            raise io.UnsupportedOperation("the underlying file cannot seek")
        if whence == io.SEEK_END:
            while self.read(1 << 20):
                pass
        target = offset + (0 if whence == io.SEEK_SET else self._place)
        if target < self._place:
            self._worker.closed.set()
            if not self._is_left:
                self._worker.join()  # two threads must not read the file
            self._file.seek(0)
            self._piece, self._place = memoryview(b""), 0
            self._begin()
        while self._place < target and self.read(min(1 << 20, target - self._place)):
            pass
        return self._place

    def close(self) -> None:
        if not self.closed:
            self._stop()
        super().close()


def _pack(worker: _Worker, file: Any, options: Any) -> None:
    """Compresses the pieces of the worker to a file object."""
    rest = memoryview(b"")

    def pull(size: int) -> bytes:
        nonlocal rest
        while not len(rest):
            piece = worker.get(worker.done)
            if piece is None:
                return b""
            rest = memoryview(piece)
        now, rest = bytes(rest[:size]), rest[size:]
        return now

    def push(piece: bytes) -> None:
        file.write(piece)

    try:
        _Stream(pull, push, "the data").run(_bz2.compress_stream, options)
    except BaseException:
        worker.closed.set()  # a write that waits for space ends
        raise


_open_files: weakref.WeakSet[BZ2File] = weakref.WeakSet()


@atexit.register
def _end_threads() -> None:
    """Ends the threads of all open files: a thread that calls Python later would crash."""
    for file in list(_open_files):
        with contextlib.suppress(Exception):  # close() raises the error of a write
            file._end_thread()


os.register_at_fork(after_in_child=_open_files.clear)


class BZ2File(io.BufferedIOBase):
    """A bzip2 file that is read or written by several threads.

    `filename` is a path or a file object, `mode` one of "r", "w", "x" and "a", with or without "b".
    """

    def __init__(self, filename: Any, mode: str = "r", *, compresslevel: int = 9) -> None:
        self._raw: Any = None
        kind = (mode.replace("b", "") or "r") if isinstance(mode, str) else mode
        if kind not in ("r", "w", "x", "a"):
            raise ValueError(f"mode is {mode!r}; expected 'r', 'w', 'x' or 'a'")
        options = _bz2.options(compresslevel)
        self._owned = isinstance(filename, (str, bytes, os.PathLike))
        self._file = filename
        if self._owned:
            self._file = builtins.open(filename, kind + "b")  # noqa: SIM115 # closed by close
        if not hasattr(self._file, "read" if kind == "r" else "write"):
            raise TypeError("filename is no str, bytes, file or PathLike object")
        self.mode = "rb" if kind == "r" else "wb"
        self.name = os.fsdecode(filename) if self._owned else getattr(filename, "name", "the file")
        self._written = 0
        self._late: list[bytes] | None = None  # data written after _end_thread
        _open_files.add(self)
        if kind == "r":
            self._raw = io.BufferedReader(_Unpacked(self._file, str(self.name)), 1 << 18)
            return
        self._level = compresslevel
        file = self._file
        self._worker = _Worker(lambda worker: _pack(worker, file, options))
        self._worker.start()

    def _end_thread(self) -> None:
        """Ends the thread of the file. What is written later becomes a second stream."""
        if self._raw is not None:
            ended = self._raw.raw.end_thread()
            self._owned = self._owned and ended  # a file cannot be closed while a thread reads it
        elif self._late is None:
            self._late = []
            self._worker.done.set()
            self._worker.join()

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
        piece = _bz2.bytes_of(data).tobytes()
        try:
            if self._late is not None:
                self._late.append(piece)
            elif piece:
                self._worker.put(piece)
        except _Closed:
            self._worker.join()
            raise self._worker.error or OSError("the file cannot be written") from None
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
                self._worker.done.set()
                self._worker.join()
                if self._worker.error is not None:
                    raise self._worker.error
                if self._late:
                    self._file.write(compress(b"".join(self._late), self._level))
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
