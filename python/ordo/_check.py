"""Checks of arguments that several functions share.

Every message says what was found and what was expected.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def flag(value: Any, name: str) -> bool:
    """`value` as a bool. 0 and 1 count as flags; strings, None and arrays are a TypeError."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)) and 0 <= value <= 1:
        return bool(value)
    raise TypeError(f"{name} is {value!r}; expected True or False")


def integer(value: Any, name: str) -> int:
    """`value` as an int; TypeError for floats, strings and bools."""
    try:
        if not isinstance(value, (bool, np.bool_)):
            return value.__index__()
    except (AttributeError, TypeError):
        pass
    raise TypeError(f"{name} is {value!r}; expected an integer")


def unmasked(value: Any, name: str) -> Any:
    """`value` as a NumPy array; TypeError for a masked array, whose mask would be lost."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; expected one without a mask")
    return np.asarray(value)


def same_place(a: Any, b: Any) -> bool:
    """Whether two places are the same library and the same memory."""
    if a is b:
        return True

    def key(place: Any) -> tuple:
        device = getattr(place, "device", None)
        return (place.name, place.on_device, str(device), getattr(place, "ordinal", None))

    return key(a) == key(b)


def output(place: Any, out_place: Any, out: Any, shape: tuple, dtype: Any) -> None:
    """Checks that a result of this shape and dtype can be written to `out` as it is."""
    if not same_place(place, out_place):
        raise TypeError(
            f"out is an array of {out_place.name} and a of {place.name}; expected both in the "
            "same place"
        )
    if tuple(out.shape) != tuple(shape) or out.dtype != dtype:
        raise ValueError(
            f"out is {out.dtype} of shape {tuple(out.shape)}; expected {dtype} of {tuple(shape)}"
        )
    if not place.may_write(out):
        raise ValueError("out is read-only; expected an array that can be written")
