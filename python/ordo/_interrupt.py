"""Ctrl-C during a call: signal handlers run while the library works, and may end the call.

Python runs signal handlers in the main thread, between two instructions of its bytecode, and a call
of the library is one instruction. Contexts of the main thread therefore have a progress callback,
which the library calls every few milliseconds of a long call: it executes a few instructions, so
that handlers get their turn. If one raises, as that of Ctrl-C does, the callback keeps the
exception and cancels the call, and ``_lib.fail`` raises it. A call that takes less than 5
milliseconds makes no callback.

Python may run a handler at the first instruction of a function, before any ``try`` of it. ctypes
would print and drop an exception from there. The callback is therefore no function but resumes a
generator, which waits inside its ``try``.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Iterator

_raised: BaseException | None = None  # by a handler, during a call of the main thread


def _let_handlers_run() -> Iterator[int]:
    """What the callback answers, one number a call: 0 to go on, 1 to cancel."""
    global _raised
    answer = 0
    while True:
        try:
            while True:
                yield answer
                answer = 0
        except GeneratorExit:
            return
        except BaseException as error:
            _raised = error
            answer = 1


# The callback is declared without the parameters of ordo_progress_fn, since `next` takes none. They
# come in registers, which the function called may leave unread, on every platform of the package.
_Callback = ctypes.CFUNCTYPE(ctypes.c_int)
_generator = _let_handlers_run()
next(_generator)  # runs to its `yield`, where it waits for the first callback
_callback = _Callback(functools.partial(next, _generator, 0))
_address = ctypes.cast(_callback, ctypes.c_void_p).value


def callback() -> int | None:
    """The callback for a context that the calling thread makes; None if it needs none."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    return _address if in_main_thread else None


def take() -> BaseException | None:
    """The exception that ended the main thread's last call; None in other threads, or if none."""
    global _raised
    if threading.current_thread() is not threading.main_thread():
        return None
    raised, _raised = _raised, None
    return raised
