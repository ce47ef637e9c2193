"""Sources and sinks of ordo.external: files, arrays and chunks as structs of the C library.

A regular file is read and written by the library itself. Arrays and chunks pass through callbacks,
which the library calls from its own threads. An exception of a callback ends the call and is raised
afterwards.
"""

from __future__ import annotations

import ctypes
import os
import struct
import tempfile
from collections.abc import Iterable, Iterator
from ctypes import CFUNCTYPE, c_char_p, c_int32, c_size_t, c_ssize_t, c_uint32, c_uint64, c_void_p
from typing import Any

import numpy as np

from . import _lib
from ._arrays import TYPES
from ._check import unmasked

Elements = _lib._struct(
    "Elements", ("type", c_uint32), ("reserved", c_uint32), ("size", c_size_t),
    ("key_offset", c_size_t),
)  # fmt: skip
SourceStruct = _lib._struct(
    "SourceStruct", ("read", c_void_p), ("user", c_void_p), ("bytes", c_uint64), ("fd", c_int32),
    ("reserved", c_uint32), ("name", c_char_p),
)  # fmt: skip
SinkStruct = _lib._struct(
    "SinkStruct", ("write", c_void_p), ("user", c_void_p), ("fd", c_int32), ("reserved", c_uint32),
    ("name", c_char_p),
)  # fmt: skip
_Transfer = CFUNCTYPE(c_ssize_t, c_void_p, c_void_p, c_size_t)
_MAGIC = b"\x93NUMPY\x01\x00"
_IO_ERROR = 5


def is_path(value: Any) -> bool:
    return isinstance(value, (str, bytes, os.PathLike))


class Failures:
    """The first exception of the callbacks of a call."""

    def __init__(self) -> None:
        self.first: BaseException | None = None

    def keep(self, error: BaseException) -> int:
        self.first = self.first or error
        ctypes.set_errno(_IO_ERROR)
        return -1


class Source:
    """Elements from a path, a one-dimensional array or an iterable of such arrays."""

    def __init__(self, data: Any, dtype: Any, failures: Failures) -> None:
        self.failures = failures
        self.fd = -1
        self.dtype = None if dtype is None else np.dtype(dtype)
        self._chunks: Iterator[Any] = iter(())
        self._held = memoryview(b"")
        self._kept: list[Any] = []
        size = 0
        if is_path(data):
            name = os.fsdecode(data)
            self._open(name)
        elif isinstance(data, np.ndarray):
            name = "the array"
            size = self._take(data).nbytes
        elif isinstance(data, Iterable):
            name = "the chunks"
            self._chunks = iter(data)
            self._next()
        else:
            raise TypeError(
                f"the source is {type(data).__name__}; expected a path, an array or an iterable of "
                "arrays"
            )
        if self.dtype is None:
            raise ValueError(f"{name} has no elements, so dtype must be given")
        callback = None if self.fd >= 0 else _Transfer(self._read)
        self._kept += [callback, os.fsencode(name)]
        self.struct: Any = SourceStruct(
            struct_size=ctypes.sizeof(SourceStruct),
            read=ctypes.cast(callback, c_void_p) if callback else None,
            bytes=size,
            fd=self.fd,
            name=self._kept[-1],
        )

    def _open(self, path: str) -> None:
        self.fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
        with open(self.fd, "rb", buffering=0, closefd=False) as file:
            if file.read(6) == _MAGIC[:6]:
                file.seek(0)
                shape, _, found = _read_header(file, path)
                if self.dtype is not None and self.dtype != found:
                    raise ValueError(f"{path} holds {found}; expected dtype {self.dtype}")
                if len(shape) != 1:
                    raise ValueError(f"{path} has shape {shape}; expected one dimension")
                self.dtype = found
            elif self.dtype is None:
                raise ValueError(f"{path} is not an .npy file, so dtype must be given")
            else:
                file.seek(0)

    def _take(self, array: Any) -> Any:
        """Checks an array and makes it the next bytes of the source."""
        array = unmasked(array, "an array")
        if array.ndim != 1:
            raise ValueError(f"an array has shape {array.shape}; expected one dimension")
        if self.dtype is None:
            self.dtype = array.dtype
        if array.dtype != self.dtype:
            raise ValueError(f"an array holds {array.dtype}; expected {self.dtype}")
        array = np.ascontiguousarray(array)
        self._held = memoryview(array.view(np.uint8))
        return array

    def _next(self) -> bool:
        """Takes the next chunk that has elements; False at the end."""
        return any(self._take(chunk).size > 0 for chunk in self._chunks)

    def _read(self, _user: Any, into: int, size: int) -> int:
        try:
            if len(self._held) == 0 and not self._next():
                return 0
            size = min(size, len(self._held))
            target = (ctypes.c_char * size).from_address(into)
            memoryview(target).cast("B")[:] = self._held[:size]
            self._held = self._held[size:]
            return size
        except BaseException as error:
            return self.failures.keep(error)

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def _read_header(file: Any, path: str) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"{path} has .npy format {version}; expected 1.0 or 2.0")
    return read(file)


def elements_of(dtype: np.dtype, key: str | None) -> tuple[Any, np.dtype]:
    """Returns the struct that describes elements, and the dtype of their keys."""
    base, offset = dtype, 0
    if dtype.names is not None:
        if key not in dtype.names:
            raise ValueError(f"key is {key!r}; expected one of the fields {', '.join(dtype.names)}")
        assert dtype.fields is not None
        base, offset = dtype.fields[key][:2]
    elif key is not None:
        raise ValueError(f"key is {key!r}, but elements of {dtype} have no fields")
    code = TYPES.get(base)
    if code is None:
        raise TypeError(f"keys are {base}; expected integers, float32 or float64 in native order")
    struct = Elements(
        struct_size=ctypes.sizeof(Elements), type=code, size=dtype.itemsize, key_offset=offset
    )
    return struct, base


def header(dtype: np.dtype, n: int) -> bytes:
    """Returns an .npy header whose length does not depend on n."""
    descr = np.lib.format.dtype_to_descr(dtype)
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': ({n},), }}"
    longest = len(text) - len(str(n)) + 20
    total = (len(_MAGIC) + 2 + longest + 1 + 63) // 64 * 64
    body = text.ljust(total - len(_MAGIC) - 3) + "\n"
    return _MAGIC + struct.pack("<H", len(body)) + body.encode("latin1")


class Sink:
    """Results to a path (.npy, else raw), to an array, or to memory if `out` is None.

    A file is written beside its target and renamed by `finish`.
    """

    def __init__(self, out: Any, dtype: np.dtype, failures: Failures) -> None:
        self.failures = failures
        self.dtype = dtype
        self.out = out
        self.fd = -1
        self._at = 0
        self._parts = bytearray()
        self._target = memoryview(b"")
        callback = None
        name = "the result"
        if is_path(out):
            name = os.fsdecode(out)
            self._open(name)
        else:
            if out is not None:
                self._target = self._space(out)
            callback = _Transfer(self._write)
        self._kept = [callback, os.fsencode(name)]
        self.struct: Any = SinkStruct(
            struct_size=ctypes.sizeof(SinkStruct),
            write=ctypes.cast(callback, c_void_p) if callback else None,
            fd=self.fd,
            name=self._kept[1],
        )

    def _open(self, path: str) -> None:
        self._is_npy = path.endswith(".npy")
        self._path = os.path.realpath(path)  # a link stays, and its target is replaced
        if os.path.exists(self._path) and not os.path.isfile(self._path):
            raise ValueError(
                f"out is {path!r}, which is not a regular file; expected the path of a file"
            )
        folder = os.path.dirname(self._path)
        self.fd, self._temporary = tempfile.mkstemp(prefix=".ordo-", dir=folder)
        if self._is_npy:
            os.write(self.fd, header(self.dtype, 0))

    def _space(self, out: Any) -> memoryview:
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out is {type(out).__name__}; expected a path, an array or None")
        if out.ndim != 1 or out.dtype != self.dtype or not out.flags.c_contiguous:
            raise ValueError(
                f"out is an array of {out.dtype} with shape {out.shape}; expected a contiguous "
                f"array of {self.dtype} with one dimension"
            )
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        octets: Any = out.view(np.uint8)
        return memoryview(octets)

    def _write(self, _user: Any, source: int, size: int) -> int:
        try:
            data = memoryview((ctypes.c_char * size).from_address(source)).cast("B")
            if self.out is None:
                self._parts += data
                return size
            if self._at + size > len(self._target):
                raise ValueError(f"out has {self.out.size} elements; the result has more")
            self._target[self._at : self._at + size] = data
            self._at += size
            return size
        except BaseException as error:
            return self.failures.keep(error)

    def finish(self) -> Any:
        """Makes the result final and returns it: an array, or the path."""
        if self.out is None:
            return np.frombuffer(self._parts, self.dtype)
        if self.fd < 0:
            return self.out[: self._at // self.dtype.itemsize]
        if self._is_npy:
            start = len(header(self.dtype, 0))
            n = (os.fstat(self.fd).st_size - start) // self.dtype.itemsize
            os.pwrite(self.fd, header(self.dtype, n), 0)
        os.fchmod(self.fd, self._mode())
        os.fsync(self.fd)
        os.replace(self._temporary, self._path)
        os.close(self.fd)
        self.fd = -1
        return self.out

    def _mode(self) -> int:
        """Returns the permissions of the file: those of the file it replaces, or the usual ones."""
        try:
            return os.stat(self._path).st_mode & 0o777
        except OSError:
            umask = os.umask(0)
            os.umask(umask)
            return 0o666 & ~umask

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            os.remove(self._temporary)
            self.fd = -1
