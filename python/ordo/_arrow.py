"""Arrow arrays, through the C data interface that the PyCapsule protocol hands out.

Any object with ``__arrow_c_array__`` or ``__arrow_c_stream__`` is read: numbers without a copy,
strings of every layout. Nulls are what NaNs are: last, tied, propagated or omitted. Integers with
nulls become float64 for that, if that can hold them all.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ._strings import Text


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


_RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))
_RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))
_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", _RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", _RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]


class _Stream(ctypes.Structure):
    pass


_Stream._fields_ = [
    (
        "get_schema",
        ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema)),
    ),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]

_NUMBERS = {
    b"c": "i1", b"C": "u1", b"s": "i2", b"S": "u2", b"i": "i4", b"I": "u4", b"l": "i8",
    b"L": "u8", b"e": "f2", b"f": "f4", b"g": "f8",
}  # fmt: skip
_OFFSETS = {b"u": np.int32, b"z": np.int32, b"U": np.int64, b"Z": np.int64}
_INLINE = 12  # a string view no longer than this holds its bytes itself
_EXACT = 1 << 53  # float64 holds every integer up to here


def _pointer(capsule: Any, name: bytes, struct: type) -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(get(capsule, name), ctypes.POINTER(struct))


class _Chunk:
    """An ArrowArray that a stream gave us; released when the last view of it is gone."""

    def __init__(self) -> None:
        self.array = _Array()

    def __del__(self) -> None:
        if self.array.release:
            self.array.release(ctypes.byref(self.array))


def is_arrow(a: Any) -> bool:
    """Whether to read `a` as Arrow; pandas' objects with NumPy's dtypes are NumPy's."""
    if not hasattr(a, "__arrow_c_array__") and not hasattr(a, "__arrow_c_stream__"):
        return False
    return not isinstance(getattr(a, "dtype", None), np.dtype)


def to_numpy(a: Any) -> Any:
    """The elements as a NumPy array, or as Text; nulls of numbers as NaNs."""
    if hasattr(a, "__arrow_c_array__"):
        schema_capsule, array_capsule = a.__arrow_c_array__()
        schema = _pointer(schema_capsule, b"arrow_schema", _Schema)
        array = _pointer(array_capsule, b"arrow_array", _Array)
        chunks = [_read(schema.contents.format, array.contents, array_capsule)]
        form = schema.contents.format
    else:
        form, chunks = _read_stream(a)
    if form in _NUMBERS or form == b"b":
        return _join_numbers(chunks, form)
    return _join_text(chunks, a)


def _read_stream(a: Any) -> tuple[bytes, list]:
    capsule = a.__arrow_c_stream__()
    stream = _pointer(capsule, b"arrow_array_stream", _Stream)
    schema = _Schema()
    if stream.contents.get_schema(stream, ctypes.byref(schema)):
        raise ValueError("the Arrow stream gives no schema")
    form = bytes(schema.format)
    schema.release(ctypes.byref(schema))
    chunks: list = []
    while True:
        chunk = _Chunk()
        if stream.contents.get_next(stream, ctypes.byref(chunk.array)):
            why = stream.contents.get_last_error(stream) or b"no reason given"
            raise ValueError(f"the Arrow stream failed: {why.decode()}")
        if not chunk.array.release:
            return form, chunks
        chunks.append(_read(form, chunk.array, chunk))


def _view(address: int, dtype: Any, count: int, owner: Any) -> Any:
    """`count` elements at an address, as a NumPy array that keeps `owner` alive."""
    dtype = np.dtype(dtype)
    if count == 0 or not address:
        return np.empty(0, dtype)
    memory = (ctypes.c_ubyte * (count * dtype.itemsize)).from_address(address)
    memory.owner = owner
    return np.frombuffer(memory, dtype)


def _bits(address: int, first: int, count: int, owner: Any) -> Any:
    packed = _view(address, np.uint8, (first + count + 7) // 8, owner)
    return np.unpackbits(packed, bitorder="little")[first : first + count].astype(bool)


def _read(form: bytes, array: _Array, owner: Any) -> tuple[Any, Any]:
    """Elements and a mask of the nulls (None: there are none)."""
    count, first = array.length, array.offset
    buffers = [array.buffers[i] or 0 for i in range(array.n_buffers)]
    missing = None
    if array.null_count != 0 and buffers and buffers[0] and count:
        missing = ~_bits(buffers[0], first, count, owner)
        missing = missing if missing.any() else None
    if form in _NUMBERS:
        return _view(buffers[1], _NUMBERS[form], first + count, owner)[first:], missing
    if form == b"b":
        return _bits(buffers[1], first, count, owner), missing
    if form in _OFFSETS:
        offsets = _view(buffers[1], _OFFSETS[form], first + count + 1, owner)[first:]
        if count == 0:
            offsets = np.zeros(1, _OFFSETS[form])
        begin, end = int(offsets[0]), int(offsets[-1])
        data = _view(buffers[2], np.uint8, end, owner)[begin:]
        return (data, (offsets - offsets[0]).astype(np.uint64)), missing
    if form in (b"vu", b"vz"):
        return _read_views(buffers, first, count, owner), missing
    raise TypeError(
        f"the Arrow array has format {form.decode()!r}; expected numbers, bool, utf8 or binary"
    )


def _read_views(buffers: list, first: int, count: int, owner: Any) -> tuple[Any, Any]:
    """String views: a length, then the bytes or where they are; gathered into one piece."""
    views = _view(buffers[1], np.uint8, 16 * (first + count), owner)[16 * first :]
    words = views.view(np.int32).reshape(count, 4)
    lengths = words[:, 0].astype(np.int64)
    blocks = buffers[2:-1]
    sizes = _view(buffers[-1], np.int64, len(blocks), owner)
    pieces = [views, *(_view(p, np.uint8, int(s), owner) for p, s in zip(blocks, sizes))]
    piece_starts = np.concatenate(([0], np.cumsum([piece.size for piece in pieces])))
    long = lengths > _INLINE
    starts = 16 * np.arange(count) + 4
    starts[long] = piece_starts[words[long, 2] + 1] + words[long, 3]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    where = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
    return np.concatenate(pieces)[where], offsets.astype(np.uint64)


def _join_numbers(chunks: list, form: bytes) -> Any:
    values = [chunk[0] for chunk in chunks] or [np.empty(0, _NUMBERS.get(form, "?"))]
    joined = values[0] if len(values) == 1 else np.concatenate(values)
    if all(chunk[1] is None for chunk in chunks):
        return joined
    missing = _join_masks(chunks)
    if joined.dtype.kind != "f":
        largest = joined[~missing]
        if (
            joined.dtype.itemsize == 8
            and largest.size
            and not (-_EXACT <= int(largest.min()) and int(largest.max()) <= _EXACT)
        ):
            raise ValueError(
                "the Arrow array has nulls and 64-bit integers beyond 2^53, which float64 cannot "
                "hold beside NaN; drop or fill the nulls"
            )
        joined = joined.astype(np.float64)
    elif joined.base is not None:
        joined = joined.copy()
    joined[missing] = np.nan
    return joined


def _join_masks(chunks: list) -> Any:
    masks = []
    for values, missing in chunks:
        count = values[1].size - 1 if isinstance(values, tuple) else values.size
        masks.append(np.zeros(count, bool) if missing is None else missing)
    return np.concatenate(masks)


def _join_text(chunks: list, source: Any) -> Text:
    parts = [chunk[0] for chunk in chunks] or [(np.empty(0, np.uint8), np.zeros(1, np.uint64))]
    missing = None
    if any(chunk[1] is not None for chunk in chunks):
        missing = _join_masks(chunks)
    if len(parts) == 1:
        data, offsets = parts[0]
        return Text(data, offsets, source, missing)
    shift, pieces = np.uint64(0), []
    for data, own in parts:
        pieces.append(own[:-1] + shift)
        shift += np.uint64(data.size)
    pieces.append(np.array([shift], np.uint64))
    return Text(np.concatenate([p[0] for p in parts]), np.concatenate(pieces), source, missing)
