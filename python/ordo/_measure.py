"""is_sorted, radius: how much of its order an array already has."""

from __future__ import annotations

from ctypes import addressof, c_int, c_size_t
from typing import Any, Callable

import numpy as np

from . import _lib
from ._arrays import AXIS_TYPES, HOST, Rows, is_text, numbers_of, place_of, plain_code, pointer
from ._check import flag
from ._context import host_context
from ._device import with_guests


def _measure(
    a: Any, axis: int | None, descending: bool, ask: Callable[..., int], answer: Any
) -> Any:
    """What `ask` answers for every row, as a NumPy array, or one number for one dimension."""
    rows = Rows(*numbers_of(a), axis)
    place, code, n = rows.place, rows.code, rows.n
    wish = _lib.options(
        _lib.OrderOptions,
        flags=place.flags | (_lib.DESCENDING if descending else 0),
        stream=place.stream or None,
    )
    answers = np.empty((*rows.lead, 1), answer)
    rows.run(lambda context, keys, out: ask(context, code, keys, n, out, wish), answers)
    return answers.reshape(rows.lead) if rows.lead else answers.item()


def _ask_sorted(context: Any, code: int, keys: int, n: int, out: int, wish: Any) -> int:
    return _lib.is_sorted(context, code, keys, n, out, None, wish)


def is_sorted(a: Any, axis: int | None = -1, *, descending: bool = False) -> Any:
    """Whether elements are in order, NaNs last: True or False, for every row of several.

    Examples
    --------
    >>> import numpy as np, ordo
    >>> ordo.is_sorted([1, 2, 2, 5])
    True
    >>> ordo.is_sorted(np.array([[1, 2], [2, 1]]))
    array([ True, False])
    """
    if descending is not False:
        descending = flag(descending, "descending")
    code = plain_code(a)
    usual = not descending and type(axis) in AXIS_TYPES
    if usual and code is not None and axis in (-1, 0, None):
        answer = c_int()
        context = host_context()
        status = _lib.is_sorted(context, code, pointer(a), a.size, addressof(answer), None, None)
        if status:
            _lib.fail(status, context)
        return answer.value != 0
    return _is_sorted(a, axis, descending)


@with_guests
def _is_sorted(a: Any, axis: int | None, descending: bool) -> Any:
    place, array = place_of(a)
    if place is HOST and is_text(array):
        from . import _strings

        return _strings.is_sorted(array, axis, descending)
    answers = _measure(array, axis, descending, _ask_sorted, np.intc)
    return answers != 0


def radius(a: Any, axis: int | None = -1, *, descending: bool = False) -> Any:
    """How far from sorted: the least k such that elements more than k places apart are in order.

    0 if and only if the array is sorted; no element is further than k from its place.

    Examples
    --------
    >>> import ordo
    >>> ordo.radius([1, 2, 3, 4])
    0
    >>> ordo.radius([2, 3, 1, 4])
    2
    """
    if descending is not False:
        descending = flag(descending, "descending")
    code = plain_code(a)
    usual = not descending and type(axis) in AXIS_TYPES
    if usual and code is not None and axis in (-1, 0, None):
        answer = c_size_t()
        context = host_context()
        status = _lib.radius(context, code, pointer(a), a.size, addressof(answer), None)
        if status:
            _lib.fail(status, context)
        return answer.value
    return _radius(a, axis, descending)


@with_guests
def _radius(a: Any, axis: int | None, descending: bool) -> Any:
    return _measure(a, axis, descending, _lib.radius, np.int64)
