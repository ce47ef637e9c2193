"""Ctrl-C during a call: signal handlers run while the library works, and may end the call.

Python runs signal handlers in the main thread between two bytecode instructions, and a library call
is one instruction. Contexts of the main thread therefore have a progress callback. The library
calls it every few milliseconds of a long call, and it executes a few instructions, so pending
handlers run. If a handler raises (as the handler of Ctrl-C does), the callback stores the exception
and cancels the call; ``_lib.fail`` raises the exception. A call shorter than 5 milliseconds makes
no callback.

Python may run a handler at the first instruction of a function, before any ``try`` in that
function; ctypes would print and drop an exception raised there. The callback therefore is the
built-in ``next``, which resumes a generator that waits inside its ``try``.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator

_raised: BaseException | None = None  # by a handler, during a call of the main thread


def _let_handlers_run() -> Iterator[int]:
    """Yields the callback's answers: 0 to continue, 1 to cancel."""
    global _raised
    answer = 0
    while True:
        try:
            while True:  # a second handler may raise at the jump to this line
                try:
                    while True:
                        yield answer
                        answer = 0
                except GeneratorExit:
                    return
                except BaseException as error:
                    _raised, answer = error, 1
        except BaseException as error:
            _raised, answer = error, 1


# ordo_progress_fn is int (void *user, double done). `user` is the generator, so the library's call
# is next(generator, done). The generator never ends, so `done`, the default value, is not used.
_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_double)
_generator = _let_handlers_run()
next(_generator)  # advance to the `yield`, inside the `try`
_callback = _Callback(next)
_address = ctypes.cast(_callback, ctypes.c_void_p).value


def callback() -> tuple[int | None, int | None]:
    """Returns `progress` and `progress_user` for a context that the calling thread creates."""
    if threading.current_thread() is threading.main_thread():
        return _address, id(_generator)
    return None, None


def take() -> BaseException | None:
    """Returns and clears the exception that ended the main thread's last call, if any."""
    global _raised
    if threading.current_thread() is not threading.main_thread():
        return None
    raised, _raised = _raised, None
    return raised
