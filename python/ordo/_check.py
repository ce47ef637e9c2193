"""Argument checks that several functions share.

Every message says which argument is wrong, its value, and what was expected.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def flag(value: Any, name: str) -> bool:
    """Returns `value` as a bool. 0 and 1 are accepted; strings, None and arrays are not."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)) and 0 <= value <= 1:
        return bool(value)
    raise TypeError(f"{name} is {value!r}; expected True or False")


def integer(value: Any, name: str) -> int:
    """Returns `value` as an int. Floats, strings and bools raise a TypeError."""
    try:
        if not isinstance(value, (bool, np.bool_)):
            return value.__index__()
    except (AttributeError, TypeError):
        pass
    raise TypeError(f"{name} is {value!r}; expected an integer")


def one_of(names: tuple[str, ...], value: Any, name: str) -> None:
    """Raises a ValueError if the argument called `name` is not one of `names`."""
    if value not in names:
        raise ValueError(f"{name} is {value!r}; expected one of {', '.join(names)}")


def check_nan_policy(nan_policy: Any) -> None:
    one_of(("propagate", "omit", "raise"), nan_policy, "nan_policy")


def found_nan() -> ValueError:
    """Returns the error of nan_policy='raise', with SciPy's text."""
    return ValueError("The input contains nan values")


def unmasked(value: Any, name: str) -> Any:
    """Returns `value` as a NumPy array. A masked array raises a TypeError."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; expected an array without a mask")
    return np.asarray(value)


def same_place(a: Any, a_name: str, b: Any, b_name: str) -> None:
    """Raises a TypeError unless two arguments are arrays of one library on one device."""
    if a is not b and a.where != b.where:
        raise TypeError(
            f"{a_name} is an array of {a.where} and {b_name} an array of {b.where}; expected both "
            "in the same place"
        )


def output(place: Any, out_place: Any, out: Any, shape: tuple, dtype: Any) -> None:
    """Raises an error unless a result of this shape and dtype can be written to `out`."""
    same_place(place, "a", out_place, "out")
    if tuple(out.shape) != tuple(shape) or out.dtype != dtype:
        raise ValueError(
            f"out has dtype {out.dtype} and shape {tuple(out.shape)}; expected {dtype} and "
            f"{tuple(shape)}"
        )
    if not place.may_write(out):
        raise ValueError("out is read-only; expected a writable array")
