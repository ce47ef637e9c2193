"""Argument checks and warnings that several functions share.

Every message says which argument is wrong, its value, and what was expected.
"""

from __future__ import annotations

import sys
import warnings
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
    """Returns the error of nan_policy='raise'; it begins with SciPy's text."""
    return ValueError("The input contains nan values; expected none with nan_policy='raise'")


def unmasked(value: Any, name: str) -> Any:
    """Returns `value` as a NumPy array. A masked array raises a TypeError."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; expected an array without a mask")
    return np.asarray(value)


def quantile_parts(q: Any, most: int = 1) -> Any:
    """Returns `q` of a quantile as an aligned array of numbers, which may be out of range."""
    wanted = unmasked(q, "q")
    if wanted.dtype.kind not in "iufb":
        raise TypeError(f"q has dtype {wanted.dtype}; expected numbers from 0 to {most}")
    return np.require(wanted, requirements="A")


def check_positions(k: Any, n: int, what: str = "k") -> Any:
    """Returns positions as an array of 0 to n - 1. Negative positions count from the end."""
    if type(k) is int and -n <= k < n:
        return np.array(k % n, np.uintp)
    wanted = unmasked(k, what)
    if wanted.size == 0:
        return np.zeros(wanted.shape, np.uintp)
    if wanted.dtype.kind not in "iu":
        raise TypeError(f"{what} has dtype {wanted.dtype}; expected integers")
    low, high = int(wanted.min()), int(wanted.max())
    if low < -n or high >= n:
        limits = f"expected {-n} to {n - 1}" if n else "the array has no elements"
        raise ValueError(f"{what} is {low if low < -n else high}; {limits}")
    wide = wanted.astype(np.int64)  # int8 cannot hold a sum with n
    return np.where(wide < 0, wide + n, wide).astype(np.uintp)


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


# ---- Parameters and warnings of NumPy's functions ----------------------------------------------

SORT_KINDS = ("quicksort", "heapsort", "mergesort", "stable")
SELECT_KINDS = ("introselect",)


def check_kind(kind: Any, order: Any, names: tuple[str, ...] = SORT_KINDS) -> None:
    """Accepts a name or the beginning of one ('q', 'Quick'); raises an error otherwise."""
    if kind is not None and kind not in names:
        if not isinstance(kind, str):
            raise TypeError(f"kind is {kind!r}; expected a str, one of {', '.join(names)}")
        if not kind or not any(name.startswith(kind.lower()) for name in names):
            raise ValueError(f"kind is {kind!r}; expected one of {', '.join(names)}")
    if order is not None:
        raise ValueError(
            f"order is {order!r}; expected None; sort one field of a structured array, a['name']"
        )


def check_stable(kind: Any, stable: Any) -> None:
    """Checks `stable`, which is not None."""
    if kind is not None:
        raise ValueError(
            "`kind` and `stable` parameters can't be provided at the same time; expected one"
        )
    flag(stable, "stable")


def into(out: Any, result: Any) -> Any:
    """Writes a result to `out` and returns `out`; returns the result if `out` is None."""
    if out is None:
        return result
    if not hasattr(out, "shape"):
        raise TypeError(f"out is a {type(out).__name__}; expected an array")
    shape = tuple(np.shape(result))
    if tuple(out.shape) != shape and (shape or tuple(out.shape) != (1,)):
        raise ValueError(f"out has shape {tuple(out.shape)}; expected {shape}, as the result")
    if isinstance(out, np.ndarray):
        found = np.asarray(result).dtype
        kind = out.dtype.kind
        # NumPy would write numbers as text, and cut strings that are too long.
        if kind in "SUTOV" and (kind != found.kind or out.dtype.itemsize < found.itemsize):
            raise TypeError(f"out has dtype {out.dtype}; expected {found}, as the result")
        np.copyto(out, result, casting="same_kind")
    else:
        out[...] = result
    return out


def _is_of_ordo(frame: Any) -> bool:
    return str(frame.f_globals.get("__package__")).split(".")[0] == __package__


def warn(message: str) -> None:
    """Issues a RuntimeWarning for the line that called ordo, whatever the depth of this call."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_of_ordo(frame.f_back):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, RuntimeWarning, stacklevel=level + 1)


def warn_of_no_elements(rows: Any, result: Any, nan_policy: str) -> None:
    """Issues NumPy's warning if a result is NaN because its row has no elements or only NaNs."""
    if rows.count == 0:
        return
    if rows.n == 0:
        warn("Mean of empty slice")
    elif nan_policy == "omit" and rows.place.float_name(rows.dtype):
        isnan = np.isnan if isinstance(result, np.ndarray) else rows.place.isnan
        if not bool(isnan(result).any()):
            return
        nans = rows.place.isnan(rows.keys)  # the median of -inf and inf is NaN, too
        if bool(nans.all(rows.at).any()):
            warn("All-NaN slice encountered")
