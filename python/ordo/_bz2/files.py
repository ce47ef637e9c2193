"""The data of a `BZ2File`, between its calls and the file object below it.

A small file needs no thread: the calling thread decompresses it when it is first read, or
compresses it at `close`. Otherwise a thread runs one call of the library over the whole file, and
pieces of data wait between that thread and the caller.
"""

from __future__ import annotations

import collections
import contextlib
import io
import operator
import os
import threading
from typing import Any, Callable

from .. import _bz2

_PIECES = 16  # that may wait
_HANDED = 1 << 16  # bytes of a piece for the thread that compresses
_PATIENCE = 0.1  # seconds after which `close` no longer waits for a read of a pipe or a socket


class _Closed(Exception):
    """The file was closed before the call ended."""


# Threads that were not joined. A thread that ends while it is garbage may not tell so: a finalizer
# that joins it would wait for ever.
_unjoined: set[_Worker] = set()


class _Worker(threading.Thread):
    """Runs a call in a thread; up to _PIECES pieces of bytes wait for it or for its caller.

    The thread refers to no BZ2File, so a file that is dropped without `close` is closed by its
    finalizer. A process that was forked has no such thread: `put` and `get` raise an OSError there.
    """

    def __init__(self, run: Callable[[_Worker], None]) -> None:
        super().__init__(daemon=True)
        self._run_call = run
        self._pieces: collections.deque[bytes] = collections.deque()
        self._changed = threading.Condition()  # of the pieces and of the flags
        self.closed = False  # the caller takes or gives no more pieces
        self.complete = False  # no more pieces will be put
        self.ended = False
        self.error: BaseException | None = None
        self.left: list[Any] = []  # files to close at the end

    def start(self) -> None:
        super().start()
        _unjoined.add(self)

    def join(self, timeout: float | None = None) -> None:
        super().join(timeout)
        _unjoined.discard(self)

    def run(self) -> None:
        try:
            self._run_call(self)
        except _Closed:
            pass
        except BaseException as error:
            self.error = error
        finally:
            self.end()
            for file in self.left:
                file.close()

    def _set(self, flag: str) -> None:
        with self._changed:
            setattr(self, flag, True)
            self._changed.notify_all()

    def end(self) -> None:
        self._set("ended")

    def close(self) -> None:
        self._set("closed")

    def finish(self, piece: bytes) -> None:
        """Adds the last piece and waits for the end of the call. Raises its error."""
        with contextlib.suppress(_Closed):
            self.put(piece)
        self._set("complete")
        self.join()
        if self.error is not None:
            raise self.error

    def let_end(self, seconds: float, reads: Callable[[], bool]) -> bool:
        """Tells the thread to end and waits for it.

        Returns False for a thread that still waits for a pipe or a socket: `reads()` says that it
        reads, and nothing can end that.
        """
        if not self.is_alive():
            _unjoined.discard(self)
            return True
        self.close()
        with self._changed:
            while not self._changed.wait_for(lambda: self.ended, seconds):
                if reads():
                    _unjoined.discard(self)
                    return False
        self.join()
        return True

    def close_file(self, file: Any) -> None:
        """Closes the file now or, if the thread still reads it, when that read ends."""
        self.left.append(file)
        if self.ended:
            file.close()

    def _check_process(self) -> None:
        if not self.is_alive() and not self.ended:
            raise OSError("the file was opened before a fork; open it again in this process")

    def put(self, piece: bytes) -> None:
        """Adds a piece. Raises _Closed if nothing takes it any more."""
        self._check_process()
        with self._changed:
            self._changed.wait_for(lambda: self.closed or self.ended or len(self._pieces) < _PIECES)
            if self.closed or self.ended:
                raise _Closed
            self._pieces.append(piece)
            self._changed.notify_all()

    def get(self) -> bytes | None:
        """Takes a piece; None at the end. Raises ValueError if another thread closes the file."""
        self._check_process()
        with self._changed:
            self._changed.wait_for(
                lambda: self._pieces or self.ended or self.complete or self.closed
            )
            if self._pieces:
                self._changed.notify_all()
                return self._pieces.popleft()
            if self.closed and not self.ended:
                raise ValueError("I/O operation on closed file")
            return None


def _read_head(file: Any) -> tuple[bytes, bool]:
    """Returns the first bytes of a file, and whether it has no more of them.

    Reads nothing of a pipe or a socket, where a read can wait: a thread does that.
    """
    head = b""
    if not getattr(file, "seekable", lambda: False)():
        return head, False
    while len(head) <= _bz2.SMALL:
        piece = file.read(_bz2.SMALL + 1 - len(head))
        if not piece:
            return head, True
        head += piece
    return head, False


_may_start = True  # threads; not while the interpreter exits


def forbid_threads() -> None:
    """Files start no thread from now on."""
    global _may_start
    _may_start = False


class Unpacked(io.RawIOBase):
    """The decompressed data of a file object. A thread reads all but small files."""

    def __init__(self, file: Any, name: str) -> None:
        self._file, self._name = file, name
        self._piece, self._place = memoryview(b""), 0
        self._worker: _Worker | None = None
        self._at_end = False  # of a file that needed no thread
        self._reads = False  # the thread is in a read of the file
        self._is_left = False  # the thread could not be ended
        self._is_closed = False
        self._starts = threading.Lock()  # another thread may call `close`

    def _start(self, head: bytes) -> _Worker:
        """Starts a thread that decompresses the head and what follows it in the file."""
        rest = memoryview(head)

        def run(worker: _Worker) -> None:
            def pull(size: int) -> Any:
                nonlocal rest
                if worker.closed:
                    raise _Closed
                if rest:
                    data, rest = rest[:size], rest[size:]
                    return bytes(data)
                self._reads = True
                data = self._file.read(size)
                self._reads = False
                return data

            _bz2.Stream(pull, worker.put, self._name).run(_bz2.decompress_stream)

        if not _may_start:
            raise OSError("the file cannot be read while the interpreter exits")
        with self._starts:
            if self._is_closed:
                raise ValueError("I/O operation on closed file")
            self._worker = _Worker(run)
            self._worker.start()
            return self._worker

    def _next(self) -> bytes | None:
        """Returns the next piece of the data; None at the end."""
        worker = self._worker
        if worker is None:
            if self._at_end:
                return None
            head, all_read = _read_head(self._file)
            small = _bz2.decompress_small(head) if all_read else None
            if small is not None:
                self._at_end = True
                return small
            worker = self._start(head)
        piece = worker.get()
        if piece is None:
            if not self._is_left:
                worker.join()
            if worker.error is not None:
                raise worker.error
            if worker.closed:
                raise ValueError("I/O operation on closed file")
        return piece

    def end_thread(self) -> bool:
        """Ends the thread before the interpreter does. Data that were not read are lost.

        Returns False for a thread that waits for a pipe or a socket: it stays there.
        """
        worker = self._worker
        if worker is not None and not worker.ended:
            self._is_left = not worker.let_end(1, lambda: self._reads)
            worker.error = OSError("the file cannot be read while the interpreter exits")
            worker.end()  # get() does not wait
        return not self._is_left

    def close_file(self) -> None:
        """Closes the file that is read, after `close`."""
        if self._worker is not None:
            self._worker.close_file(self._file)
        else:
            self._file.close()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def readinto(self, buffer: Any) -> int:
        if not len(self._piece):
            self._piece = memoryview(self._next() or b"")
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
            if self._worker is not None:
                self._worker.close()
                if not self._is_left:
                    self._worker.join()  # two threads must not read the file
            self._file.seek(0)
            self._piece, self._place = memoryview(b""), 0
            self._worker, self._at_end = None, False
        while self._place < target and self.read(min(1 << 20, target - self._place)):
            pass
        return self._place

    def close(self) -> None:
        with self._starts:
            self._is_closed = True
        if self._worker is not None and not self._is_left and not self.closed:
            self._is_left = not self._worker.let_end(_PATIENCE, lambda: self._reads)
        super().close()


def _pack(worker: _Worker, file: Any, options: Any) -> None:
    """Compresses the pieces of the worker to a file object."""
    rest = memoryview(b"")

    def pull(size: int) -> bytes:
        nonlocal rest
        while not len(rest):
            piece = worker.get()
            if piece is None:
                return b""
            rest = memoryview(piece)
        now, rest = bytes(rest[:size]), rest[size:]
        return now

    def push(piece: bytes) -> None:
        file.write(piece)

    try:
        _bz2.Stream(pull, push, "the data").run(_bz2.compress_stream, options)
    except BaseException:
        worker.close()  # a write that waits for space ends
        raise


class Packed:
    """Compresses data to a file object. A thread does that if there are more than one block.

    The calls of several threads come one after the other.
    """

    def __init__(self, file: Any, level: int) -> None:
        self._file, self._level = file, level
        self._waiting: list[bytes] = []
        self._size = 0  # of what waits
        self._enough = operator.index(level) * 100_000  # bytes for the thread
        self._worker: _Worker | None = None
        self._error: BaseException | None = None
        self._has_stream = False  # a stream was ended
        self._process = os.getpid()
        self._lock = threading.RLock()  # a signal handler may write, too

    def write(self, piece: bytes) -> None:
        if self._process != os.getpid():
            raise OSError("the file was opened before a fork; open it again in this process")
        with self._lock:
            self._waiting.append(piece)
            self._size += len(piece)
            if self._size >= self._enough and _may_start:
                self._hand_on()

    def _take(self) -> bytes:
        data = b"".join(self._waiting)
        self._waiting, self._size = [], 0
        return data

    def _hand_on(self) -> None:
        """Gives the thread what waits."""
        if self._worker is None:
            file, options = self._file, _bz2.options(self._level)
            self._worker = _Worker(lambda worker: _pack(worker, file, options))
            self._worker.start()
            self._enough = _HANDED
        try:
            self._worker.put(self._take())
        except _Closed:
            self._worker.join()
            raise self._worker.error or OSError("the file cannot be written") from None

    def finish(self) -> None:
        """Ends the stream. What is written later becomes a further one."""
        if self._process != os.getpid():
            return
        with self._lock:
            if self._error is not None:
                raise self._error
            try:
                if self._worker is not None:
                    worker, self._worker = self._worker, None
                    worker.finish(self._take())
                elif self._waiting or not self._has_stream:
                    self._file.write(_bz2.compress(self._take(), self._level))
                self._has_stream = True
            except BaseException as error:
                self._error = error
                raise
