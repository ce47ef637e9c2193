"""Sources and sinks of ordo.external: files, arrays and chunks as structs of the C library.

A regular file is read and written by the library itself. Arrays and chunks pass through callbacks,
which the library calls from its own threads. An exception of a callback ends the call and is raised
afterwards. Elements of a type that the library does not have are converted in callbacks, too.
"""

from __future__ import annotations

import ctypes
import os
import re
import stat
import struct
import tempfile
from collections.abc import Iterable, Iterator
from ctypes import CFUNCTYPE, c_char_p, c_int32, c_size_t, c_ssize_t, c_uint32, c_uint64, c_void_p
from itertools import chain
from typing import Any

import numpy as np

from . import _lib
from ._arrays import HOST, TYPES, numbers_of
from ._check import integer, unmasked
from ._inputs.mapped import Mapped

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
_BLOCK = 1 << 20  # elements that are read or converted at once
_LEAST_MEMORY = 8 << 20  # of the library


def is_path(value: Any) -> bool:
    return isinstance(value, (str, bytes, os.PathLike))


# ---- Memory --------------------------------------------------------------------------------------

_SIZE = re.compile(r"([0-9]+)(?:([KMGT])(i?)|([kmgtb])|[eE]([0-9]+))?")


def memory_of(memory: Any) -> int:
    """Returns the bytes that a call may hold; 0 if there is no limit.

    A text has the form of the command's option -S. Less than the library needs counts as that much.
    """
    if memory is None:
        return 0
    limit = _size_of(memory) if isinstance(memory, str) else integer(memory, "memory")
    if limit is None or not 0 < limit < 2**64:
        raise ValueError(
            f"memory is {memory!r}; expected a number of bytes, or a text such as '512M', '4Gi' or "
            "'50%'"
        )
    return max(limit, _LEAST_MEMORY)


def _size_of(text: str) -> int | None:
    """Returns the bytes of a text of the command's option -S; None if it is no such text."""
    if re.fullmatch(r"[0-9]+%", text):
        share = int(text[:-1])
        pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
        return pages // 100 * share * page if share <= 100 else None
    if re.fullmatch(r"2\^[0-9]{1,2}", text):
        return 2 ** int(text[2:])
    found = _SIZE.fullmatch(text)
    if found is None:
        return None
    number, unit, binary, small, power = found.groups()
    if power is not None:
        return int(number) * 10 ** min(int(power), 20)
    if small == "b":
        return int(number)
    letter = unit or (small or "").upper()
    if not letter:
        return int(number) * 1024  # as sort(1) counts
    return int(number) * (1024 if binary else 1000) ** ("KMGT".index(letter) + 1)


# ---- Types ---------------------------------------------------------------------------------------


class Mapping:
    """Elements of a type that the library does not have, as keys of a type that it has.

    `order` and `descending` are those of `_inputs.mapped`, for dates, times and numbers of 16 bits.
    Without an order, numbers of 16 bits become float32.
    """

    def __init__(self, dtype: np.dtype, order: str | None, descending: bool) -> None:
        self.dtype = native = dtype.newbyteorder("=")
        self._sample: Any = None
        self._made = (descending, order or "ties")
        if native.kind in "Mm" or (order is not None and _is_half(native)):
            self._sample = Mapped(np.empty(0, native), *self._made)
            self.key: np.dtype = self._sample.keys.dtype
        else:
            self.key = np.dtype(np.float32) if _is_half(native) else native

    def keys(self, elements: Any) -> Any:
        if self._sample is not None:
            return Mapped(elements, *self._made).keys
        with np.errstate(invalid="ignore"):  # a signalling NaN would warn
            return elements.astype(self.key)

    def elements(self, keys: Any) -> Any:
        if self._sample is not None:
            return self._sample.back(keys)
        with np.errstate(invalid="ignore"):
            return keys.astype(self.dtype, copy=False)


def _is_half(dtype: np.dtype) -> bool:
    return dtype.name in ("float16", "bfloat16")


def mapping_of(dtype: np.dtype, order: str | None, descending: bool) -> Mapping | None:
    """Returns how elements become keys; None if they are keys, or have fields."""
    if dtype in TYPES or dtype.kind == "b" or dtype.names is not None:
        return None
    if dtype.kind in "iuf" and dtype.newbyteorder("=") in TYPES:
        return Mapping(dtype, order, descending)
    if dtype.kind in "Mm" or _is_half(dtype):
        return Mapping(dtype, order, descending)
    return None


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
    code = _lib.U8 if base.kind == "b" else TYPES.get(base)
    if code is None:
        more = "in native order" if dtype.names else "float16, dates or times"
        raise TypeError(f"keys are {base}; expected integers, bool, float32 or float64, {more}")
    struct = Elements(
        struct_size=ctypes.sizeof(Elements), type=code, size=dtype.itemsize, key_offset=offset
    )
    return struct, base


# ---- Sources -------------------------------------------------------------------------------------


class Failures:
    """The first exception of the callbacks of a call."""

    def __init__(self) -> None:
        self.first: BaseException | None = None

    def keep(self, error: BaseException) -> int:
        self.first = self.first or error
        ctypes.set_errno(_IO_ERROR)
        return -1


class Source:
    """Elements from a path, a one-dimensional array or an iterable of such arrays.

    `count` is the number of elements; None if it is not known before all are read.
    """

    def __init__(self, data: Any, dtype: Any, failures: Failures) -> None:
        self.failures = failures
        self.dtype = None if dtype is None else np.dtype(dtype)
        self.count: int | None = None
        self._file: Any = None
        self._array: Any = None
        self._chunks: Iterator[Any] = iter(())
        self._mapping: Mapping | None = None
        self._held = memoryview(b"")
        self._kept: list[Any] = []
        if is_path(data):
            path = os.fsdecode(data)
            self._name = _lib.printable(path)
            self._open(path)
        elif isinstance(data, np.ndarray) or _is_array_like(data):
            self._name = "the array"
            self._array = self._checked(data)
            self.count = self._array.size
        elif isinstance(data, Iterable):
            self._name = "the chunks"
            chunks = (self._checked(chunk) for chunk in data)
            self._chunks = chain([next(chunks, np.empty(0, self.dtype))], chunks)
        else:
            raise TypeError(
                f"the source is {type(data).__name__}; expected a path, an array or an iterable of "
                "arrays"
            )
        if self.dtype is None:
            raise ValueError(f"{self._name} has no elements, so dtype must be given")

    def _open(self, path: str) -> None:
        self._file = file = open(path, "rb", buffering=0)  # noqa: SIM115 # `close` closes it
        try:
            self._read_dtype(file)
            state = os.fstat(file.fileno())
            if stat.S_ISREG(state.st_mode) and self.dtype is not None:
                self.count = max(state.st_size - file.tell(), 0) // max(self.dtype.itemsize, 1)
        except BaseException:
            self.close()
            raise

    def _read_dtype(self, file: Any) -> None:
        if file.read(6) == _MAGIC[:6]:
            file.seek(0)
            shape, _, found = _read_header(file, self._name)
            if self.dtype is not None and self.dtype != found:
                raise ValueError(f"{self._name} holds {found}; expected dtype {self.dtype}")
            if len(shape) != 1:
                raise ValueError(f"{self._name} has shape {shape}; expected one dimension")
            self.dtype = found
        elif self.dtype is None:
            raise ValueError(f"{self._name} is not an .npy file, so dtype must be given")
        else:
            file.seek(0)

    def _checked(self, data: Any) -> Any:
        """Returns an array of the source, or raises an error if it is not one."""
        place, array = numbers_of(unmasked(data, "an array") if _is_plain(data) else data)
        if place is not HOST:
            raise TypeError(f"the source is an array of {place.where}; expected one of numpy")
        if array.ndim != 1:
            raise ValueError(f"an array has shape {array.shape}; expected one dimension")
        if self.dtype is None:
            self.dtype = array.dtype
        if array.dtype != self.dtype:
            raise ValueError(f"an array holds {array.dtype}; expected {self.dtype}")
        return array

    def blocks(self) -> Iterator[Any]:
        """Returns the elements in arrays: all of an array or file, or the chunks that are left."""
        if self._array is not None:
            starts = range(0, self._array.size, _BLOCK)
            return (self._array[start : start + _BLOCK] for start in starts)
        return self._chunks if self._file is None else self._blocks_of(self._file)

    def _blocks_of(self, file: Any) -> Iterator[Any]:
        assert self.dtype is not None
        size, rest = self.dtype.itemsize, b""
        while block := file.read(_BLOCK * size):
            whole = rest + block
            used = len(whole) // size * size
            rest = whole[used:]
            yield np.frombuffer(whole[:used], self.dtype)
        if rest:
            raise ValueError(
                f"{self._name} has {len(rest)} bytes after its last element; expected elements of "
                f"{size} bytes"
            )

    def counted(self, folder: Any) -> int:
        """Returns the number of elements. Others than arrays and files are copied to a file."""
        if self.count is None:
            file: Any = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 # `close`
            count, blocks = 0, self.blocks()
            before, self._file = self._file, file
            try:
                for block in blocks:
                    _write_all(file.fileno(), _octets_of(block))
                    count += block.size
            finally:
                if before is not None:
                    before.close()
            file.seek(0)
            self._chunks, self.count = iter(()), count
        return self.count

    def missing(self) -> int:
        """Returns the number of NaTs of an array, or of a file, whose position stays."""
        start = 0 if self._file is None else self._file.tell()
        found = sum(int(np.count_nonzero(np.isnat(block))) for block in self.blocks())
        if self._file is not None:
            self._file.seek(start)
        return found

    def struct(self, mapping: Mapping | None) -> Any:
        """Returns the struct for the library, which reads files of its types itself."""
        assert self.dtype is not None
        self._mapping = mapping
        direct = self._file is not None and mapping is None
        self._chunks = iter(()) if direct else self.blocks()
        callback = None if direct else _Transfer(self._read)
        key = self.dtype if mapping is None else mapping.key
        self._kept = [callback, os.fsencode(self._name)]
        return SourceStruct(
            struct_size=ctypes.sizeof(SourceStruct),
            read=ctypes.cast(callback, c_void_p) if callback else None,
            bytes=0 if direct else (self.count or 0) * key.itemsize,
            fd=self._file.fileno() if direct else -1,
            name=self._kept[1],
        )

    def _next(self) -> bool:
        """Takes the next block that has elements; False at the end."""
        for block in self._chunks:
            if block.size > 0:
                keys = block if self._mapping is None else self._mapping.keys(block)
                self._held = _octets_of(keys)
                return True
        return False

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
        if self._file is not None:
            self._file.close()
            self._file = None


def _octets_of(array: Any) -> memoryview:
    octets: Any = np.ascontiguousarray(array).view(np.uint8)
    return memoryview(octets)


def _write_all(fd: int, data: memoryview) -> None:
    while len(data):
        data = data[os.write(fd, data) :]


def _is_plain(data: Any) -> bool:
    return isinstance(data, (np.ndarray, list, tuple))


def _is_array_like(data: Any) -> bool:
    """Returns whether `data` is an array of another library, and not an iterable of arrays."""
    if isinstance(data, (list, tuple)):
        return False
    names = ("__array__", "__arrow_c_array__", "__arrow_c_stream__")
    return any(hasattr(data, name) for name in names)


def _read_header(file: Any, name: str) -> tuple[tuple[int, ...], bool, np.dtype]:
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read is None:
        raise ValueError(f"{name} has .npy format {version}; expected 1.0 or 2.0")
    return read(file)


def header(dtype: np.dtype, n: int) -> bytes:
    """Returns an .npy header whose length does not depend on n."""
    descr = np.lib.format.dtype_to_descr(dtype)
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': ({n},), }}"
    longest = len(text) - len(str(n)) + 20
    total = (len(_MAGIC) + 2 + longest + 1 + 63) // 64 * 64
    body = text.ljust(total - len(_MAGIC) - 3) + "\n"
    return _MAGIC + struct.pack("<H", len(body)) + body.encode("latin1")


# ---- Sinks ---------------------------------------------------------------------------------------


class Sink:
    """Results to a path (.npy, else raw), to an array, or to memory if `out` is None.

    A file is written beside its target and renamed by `finish`. `mapping` says which keys the
    library writes. An array has the length of the result, or more if `part` is set.
    """

    def __init__(
        self,
        out: Any,
        dtype: np.dtype,
        failures: Failures,
        mapping: Mapping | None = None,
        part: bool = False,
    ) -> None:
        self.failures = failures
        self.dtype = dtype if mapping is None else mapping.dtype
        self.out = out
        self.fd = -1
        self._mapping = mapping
        self._part = part
        self._at = 0
        self._parts = bytearray()
        self._target = memoryview(b"")
        self.least = 0  # elements that the caller has asked for
        name = "the result"
        if is_path(out):
            name = os.fsdecode(out)
            self._open(name)
        elif out is not None:
            self._target = self._space(out)
        direct = self.fd >= 0 and mapping is None
        callback = None if direct else _Transfer(self._write)
        self._kept = [callback, os.fsencode(name)]
        self.struct: Any = SinkStruct(
            struct_size=ctypes.sizeof(SinkStruct),
            write=ctypes.cast(callback, c_void_p) if callback else None,
            fd=self.fd if direct else -1,
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
        try:
            self.fd, self._temporary = tempfile.mkstemp(prefix=".ordo-", dir=folder)
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from None
        if self._is_npy:
            os.write(self.fd, header(self.dtype, 0))

    def _space(self, out: Any) -> memoryview:
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out is {type(out).__name__}; expected a path, an array or None")
        fits = self.dtype in (out.dtype, out.dtype.newbyteorder("="))
        if out.ndim != 1 or not fits or not out.flags.c_contiguous:
            raise ValueError(
                f"out is an array of {out.dtype} with shape {out.shape}; expected a contiguous "
                f"array of {self.dtype} with one dimension"
            )
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        octets: Any = out.view(np.uint8)
        return memoryview(octets)

    def _octets(self, source: int, size: int) -> Any:
        """Returns the elements of the keys at an address, as bytes."""
        data = memoryview((ctypes.c_char * size).from_address(source)).cast("B")
        wanted = self.out.dtype if isinstance(self.out, np.ndarray) else self.dtype
        if self._mapping is None and wanted == self.dtype:
            return data
        if self._mapping is None:
            elements = np.frombuffer(data, self.dtype)
        else:
            elements = self._mapping.elements(np.frombuffer(data, self._mapping.key))
        return _octets_of(elements.astype(wanted, copy=False))

    def _write(self, _user: Any, source: int, size: int) -> int:
        try:
            data = self._octets(source, size)
            if self.out is None:
                self._parts += data
            elif self.fd >= 0:
                _write_all(self.fd, data)
            elif self._at + len(data) > len(self._target):
                raise ValueError(f"out has {self.out.size} elements; the result has more")
            else:
                self._target[self._at : self._at + len(data)] = data
                self._at += len(data)
            return size
        except BaseException as error:
            return self.failures.keep(error)

    def count(self) -> int:
        """Returns the number of elements that were written."""
        size = self._at
        if self.out is None:
            size = len(self._parts)
        elif self.fd >= 0:
            size = os.fstat(self.fd).st_size
            size -= len(header(self.dtype, 0)) if self._is_npy else 0
        return size // self.dtype.itemsize

    def finish(self) -> Any:
        """Makes the result final and returns it: an array, or the path."""
        n = self.count()
        if n < self.least:
            raise ValueError(f"k is {self.least}; expected 0 to {n}")
        if self.out is None:
            return np.frombuffer(self._parts, self.dtype)
        if self.fd < 0:
            if n == self.out.size:
                return self.out
            if not self._part:
                raise ValueError(f"out has {self.out.size} elements; the result has {n}")
            return self.out[:n]
        if self._is_npy:
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
