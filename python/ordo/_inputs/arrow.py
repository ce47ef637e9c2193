"""Arrow arrays, read through the Arrow C data interface and its PyCapsule protocol.

Accepts every object with ``__arrow_c_array__`` or ``__arrow_c_stream__``. Numbers are read without
a copy, strings in every layout, and dictionaries are decoded to their values. Nulls are treated as
NaNs: last, tied, propagated or omitted. Integers with nulls become float64 if float64 can hold all
of them. Other types raise a TypeError that says what to pass instead.

https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .text import Text, order_of


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
# Dates, times of day and durations: the type in memory and the NumPy type. The format of a
# timestamp continues with the time zone; the numbers are in UTC.
_TIMES = {b"tdD": ("i4", "M8[D]"), b"tdm": ("i8", "M8[ms]")}
for _letter, _unit in zip(b"smun", ("s", "ms", "us", "ns")):
    _TIMES[b"ts%c" % _letter] = ("i8", f"M8[{_unit}]")
    _TIMES[b"tD%c" % _letter] = ("i8", f"m8[{_unit}]")
    _TIMES[b"tt%c" % _letter] = ("i4" if _letter in b"sm" else "i8", f"m8[{_unit}]")
_OFFSETS = {b"u": np.int32, b"z": np.int32, b"U": np.int64, b"Z": np.int64}
_ORDERED = 1  # ARROW_FLAG_DICTIONARY_ORDERED
_EXTENSION = b"ARROW:extension:name"
_PLAIN_EXTENSIONS = (b"arrow.bool8", b"arrow.json")  # values are ordered as their storage
_INLINE = 12  # bytes that a string view can hold itself
_EXACT = 1 << 53  # float64 holds every integer up to this one


def _pointer(capsule: Any, name: bytes, struct: type) -> Any:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ctypes.cast(get(capsule, name), ctypes.POINTER(struct))


class _Owned:
    """An ArrowArray or ArrowSchema received from a stream; released with this object."""

    def __init__(self, kind: type) -> None:
        self.struct = kind()

    def __del__(self) -> None:
        if self.struct.release:
            self.struct.release(ctypes.byref(self.struct))


def is_arrow(a: Any) -> bool:
    """Returns whether to read `a` as Arrow. pandas objects with a NumPy dtype are not."""
    if not hasattr(a, "__arrow_c_array__") and not hasattr(a, "__arrow_c_stream__"):
        return False
    return not isinstance(getattr(a, "dtype", None), np.dtype)


def to_numpy(a: Any, source: Any = None, compare: bool = True) -> Any:
    """Returns the elements as a NumPy array (nulls as NaNs) or as a Text.

    `source` is the array that sorted strings are taken from, by default `a`. With `compare`,
    ordered categories raise a TypeError unless their order is that of the values.
    """
    if hasattr(a, "__arrow_c_array__"):
        schema_capsule, array_capsule = a.__arrow_c_array__()
        schema = _pointer(schema_capsule, b"arrow_schema", _Schema).contents
        array = _pointer(array_capsule, b"arrow_array", _Array)
        chunks = [_read(schema, array.contents, array_capsule, compare)]
        form = _value_format(schema)
    else:
        form, chunks = _read_stream(a, compare)
    if _is_number(form):
        return _join_numbers(chunks, form)
    return _join_text(chunks, a if source is None else source)


def _read_stream(a: Any, compare: bool) -> tuple[bytes, list]:
    capsule = a.__arrow_c_stream__()
    stream = _pointer(capsule, b"arrow_array_stream", _Stream)
    schema = _Owned(_Schema)
    if stream.contents.get_schema(stream, ctypes.byref(schema.struct)):
        raise ValueError("the Arrow stream returned an error for its schema")
    form = _value_format(schema.struct)
    if not _is_readable(form):
        raise TypeError(_refusal(form))
    chunks: list = []
    while True:
        chunk = _Owned(_Array)
        if stream.contents.get_next(stream, ctypes.byref(chunk.struct)):
            why = stream.contents.get_last_error(stream) or b"no reason given"
            raise ValueError(f"the Arrow stream failed: {why.decode()}")
        if not chunk.struct.release:
            return form, chunks
        chunks.append(_read(schema.struct, chunk.struct, chunk, compare))


# ---- Types -------------------------------------------------------------------------------------


def _values_of(schema: _Schema) -> _Schema:
    """Returns the schema of a dictionary's values."""
    return ctypes.cast(schema.dictionary, ctypes.POINTER(_Schema)).contents


def _value_format(schema: _Schema) -> bytes:
    """Returns the format of the values; of a dictionary, that of its values."""
    while schema.dictionary:
        schema = _values_of(schema)
    return bytes(schema.format)


def _is_readable(form: bytes) -> bool:
    return _is_number(form) or form in _OFFSETS or form in (b"vu", b"vz")


def _is_number(form: bytes) -> bool:
    return form in _NUMBERS or form[:3] in _TIMES or form in (b"b", b"n") or form[:2] == b"d:"


def _extension(schema: _Schema) -> bytes | None:
    """Returns the name of an extension type, or None.

    The metadata holds the number of pairs, then the sizes and bytes of each key and value.
    """
    if not schema.metadata:
        return None
    at = schema.metadata

    def number() -> int:
        nonlocal at
        at += 4
        return ctypes.c_int32.from_address(at - 4).value

    def text() -> bytes:
        nonlocal at
        size = number()
        at += size
        return ctypes.string_at(at - size, size)

    pairs = [(text(), text()) for _ in range(number())]
    return dict(pairs).get(_EXTENSION)


class Unscaled(np.ndarray):
    """Decimals without their scale, as timedelta64, where NaT is null.

    They have the order of the decimals, but not their values.
    """


def _read_decimals(form: bytes, address: int, first: int, count: int, owner: Any) -> Any:
    """Returns decimals that fit 64 bits. The format is d:precision,scale and the bits, or 128."""
    parts = form[2:].split(b",")
    bits = int(parts[2]) if len(parts) > 2 else 128
    if bits <= 64:
        return _view(address, f"i{bits // 8}", first + count, owner)[first:].astype(np.int64)
    words = _view(address, np.int64, (first + count) * (bits // 64), owner)
    return words.reshape(-1, bits // 64)[first:]


def _as_unscaled(numbers: Any, missing: Any) -> Any:
    """Returns decimals as Unscaled; TypeError if one of them does not fit 64 bits."""
    if numbers.ndim > 1:
        low = numbers[:, :1]
        fits = (numbers[:, 1:] == low >> 63).all(axis=1)
        if not (fits if missing is None else fits | missing).all():
            raise TypeError(
                "the decimals do not fit 64 bits; pass the array cast to float64, or to a smaller "
                "decimal type"
            )
        numbers = low[:, 0].copy()
    return numbers.view("m8[s]").view(Unscaled)


def _refusal(form: bytes) -> str:
    """Returns the message for an unsupported format: what it is, and what to pass instead."""
    known = {
        b"ti": ("calendar intervals", "durations"),
        b"+s": ("a table or a struct", "one column, or a.to_numpy() of a frame"),
        b"+r": ("run-end encoded", "the decoded array"),
        b"w:": ("binary of a fixed size", "the array cast to binary"),
    }
    unknown = ("a nested type", "its flattened values") if form[:1] == b"+" else None
    what, instead = known.get(form[:2], unknown or ("an unknown type", "a.to_numpy()"))
    return (
        f"the Arrow array has format {form.decode()!r} ({what}); expected numbers, bool, utf8 or "
        f"binary; pass {instead}"
    )


def _view(address: int, dtype: Any, count: int, owner: Any) -> Any:
    """Returns `count` elements at an address as a NumPy array that keeps `owner` alive."""
    dtype = np.dtype(dtype)
    if count == 0 or not address:
        return np.empty(0, dtype)
    memory = (ctypes.c_ubyte * (count * dtype.itemsize)).from_address(address)
    memory.owner = owner
    return np.frombuffer(memory, dtype)


def _bits(address: int, first: int, count: int, owner: Any) -> Any:
    packed = _view(address, np.uint8, (first + count + 7) // 8, owner)
    return np.unpackbits(packed, bitorder="little")[first : first + count].astype(bool)


def _read(schema: _Schema, array: _Array, owner: Any, compare: bool) -> tuple[Any, Any]:
    """Returns the elements, decoded if they are a dictionary, and a mask of nulls or None.

    Strings are returned as a tuple: their bytes and their offsets.
    """
    name = _extension(schema)
    if name is not None and name not in _PLAIN_EXTENSIONS:
        raise TypeError(
            f"the Arrow array has extension type {name.decode()!r}; expected numbers, bool, utf8 "
            "or binary; pass a.storage"
        )
    if not schema.dictionary:
        return _read_plain(bytes(schema.format), array, owner)
    codes, missing = _read_plain(bytes(schema.format), array, owner)
    within = ctypes.cast(array.dictionary, ctypes.POINTER(_Array)).contents
    values, absent = _read(_values_of(schema), within, owner, compare)
    if compare and schema.flags & _ORDERED:
        check_ascending(Text(values[0], values[1], None) if isinstance(values, tuple) else values)
    return decode(codes, missing, values, absent)


def _read_plain(form: bytes, array: _Array, owner: Any) -> tuple[Any, Any]:
    count, first = array.length, array.offset
    if form == b"n":
        return np.zeros(count), np.ones(count, bool) if count else None
    buffers = [array.buffers[i] or 0 for i in range(array.n_buffers)]
    missing = None
    if array.null_count != 0 and buffers and buffers[0] and count:
        missing = ~_bits(buffers[0], first, count, owner)
        missing = missing if missing.any() else None
    if form in _NUMBERS:
        return _view(buffers[1], _NUMBERS[form], first + count, owner)[first:], missing
    if form[:3] in _TIMES:
        stored, kind = _TIMES[form[:3]]
        numbers = _view(buffers[1], stored, first + count, owner)[first:]
        return numbers.astype(np.int64, copy=False).view(kind), missing
    if form[:2] == b"d:":
        numbers = _read_decimals(form, buffers[1], first, count, owner)
        return _as_unscaled(numbers, missing), missing
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
    raise TypeError(_refusal(form))


def _read_views(buffers: list, first: int, count: int, owner: Any) -> tuple[Any, Any]:
    """Returns the bytes and offsets of string views, gathered into one buffer.

    A view is a length, then either the bytes or their position in another buffer.
    """
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
    return _gather(np.concatenate(pieces), starts, lengths)


def _gather(data: Any, starts: Any, lengths: Any) -> tuple[Any, Any]:
    """Returns the bytes and offsets of strings that are anywhere in `data`."""
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    sources = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
    return data[sources], offsets.astype(np.uint64)


def _count(values: Any) -> int:
    """Returns the number of elements, which are numbers or the bytes and offsets of strings."""
    return values[1].size - 1 if isinstance(values, tuple) else values.size


# ---- Dictionaries ------------------------------------------------------------------------------


def check_ascending(categories: Any) -> None:
    """Raises a TypeError if ordered categories are not in the order of their values.

    The functions compare values, which would contradict the order of the categories.
    """
    if isinstance(categories, Text):
        order = order_of(categories, False)
    else:
        order = np.argsort(categories, kind="stable")
    if (order[1:] < order[:-1]).any():
        raise TypeError(
            "the categories have an order that is not the order of their values; pass the codes "
            "(pandas: a.cat.codes or a.codes, pyarrow: a.indices, polars: a.to_physical()) to "
            "compare categories, or np.asarray(a) to compare values"
        )


def decode(codes: Any, missing: Any, values: Any, absent: Any) -> tuple[Any, Any]:
    """Returns the values of codes, and a mask of missing elements or None.

    `values` are numbers, or the bytes and offsets of strings. `missing` is a mask of null codes,
    `absent` a mask of null values; both may be None.
    """
    count = _count(values)
    no_value = np.append(np.zeros(count, bool) if absent is None else absent, True)
    indices = codes.astype(np.intp)
    if missing is not None:
        indices[missing] = count  # one index after the last value, for all null codes
    null = no_value[indices]
    null = null if null.any() else None
    if not isinstance(values, tuple):
        return np.append(values, np.zeros(1, values.dtype))[indices].view(type(values)), null
    data, offsets = values
    lengths = np.append(np.diff(offsets), 0).astype(np.int64)[indices]
    return _gather(data, offsets.astype(np.int64)[indices], lengths), null


# ---- Chunks ------------------------------------------------------------------------------------


def _join_numbers(chunks: list, form: bytes) -> Any:
    kind = _TIMES[form[:3]][1] if form[:3] in _TIMES else "?" if form == b"b" else "f8"
    empty: Any = np.empty(0, _NUMBERS.get(form, kind))
    if form[:2] == b"d:":
        empty = _as_unscaled(np.empty(0, np.int64), None)
    values = [chunk[0] for chunk in chunks] or [empty]
    joined = values[0] if len(values) == 1 else np.concatenate(values).view(type(values[0]))
    missing = _join_masks(chunks)
    return joined if missing is None else with_nans(joined, missing)


def with_nans(values: Any, missing: Any) -> Any:
    """Returns numbers with NaNs for missing ones, dates and times with NaTs.

    Integers and bools become float64.
    """
    if values.dtype.kind in "Mm":
        return np.where(missing, values.dtype.type("NaT"), values).view(type(values))
    if values.dtype.kind == "f":
        values = values.copy()
    else:
        present = values[~missing]
        if (
            values.dtype.itemsize == 8
            and present.size
            and not (-_EXACT <= int(present.min()) and int(present.max()) <= _EXACT)
        ):
            raise ValueError(
                "the array has nulls and 64-bit integers above 2^53, which float64 cannot hold; "
                "drop or fill the nulls"
            )
        values = values.astype(np.float64)
    values[missing] = np.nan
    return values


def _join_masks(chunks: list) -> Any:
    """Returns the masks of all chunks as one, or None if no element is missing."""
    if all(missing is None for _, missing in chunks):
        return None
    return np.concatenate(
        [np.zeros(_count(v), bool) if missing is None else missing for v, missing in chunks]
    )


def _join_text(chunks: list, source: Any) -> Text:
    parts = [chunk[0] for chunk in chunks] or [(np.empty(0, np.uint8), np.zeros(1, np.uint64))]
    missing = _join_masks(chunks)
    if len(parts) == 1:
        return Text(parts[0][0], parts[0][1], source, missing)
    shift, pieces = np.uint64(0), []
    for data, own in parts:
        pieces.append(own[:-1] + shift)
        shift += np.uint64(data.size)
    pieces.append(np.array([shift], np.uint64))
    return Text(np.concatenate([p[0] for p in parts]), np.concatenate(pieces), source, missing)
