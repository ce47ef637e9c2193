"""Signals during a call: Ctrl-C ends the call; after other handlers the call continues."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

# A timer sends a signal every millisecond, so one is always pending when the library calls back.
# The handler returns unless it runs inside that callback: NumPy and this code are not interrupted.
PRELUDE = """
import signal, threading, traceback
import numpy as np, ordo

ordo.config(threads=1)
keys = np.random.default_rng(5).random(1 << 22)
before = keys.copy()
expected = np.argsort(keys, kind="stable")
ordo.argsort(keys[:100])  # creates the context


def during_calls(handler):
    "Calls `handler` for the first signal that Python handles inside the library's callback."
    handled = []

    def once_there(number, frame):
        if not handled and frame.f_code.co_name == "_let_handlers_run":
            handled.append(number)
            handler(number, frame)

    signal.signal(signal.SIGALRM, once_there)


def with_signals(call):
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        return call()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def interrupted(call):
    "Returns whether Ctrl-C ends a library call."
    during_calls(signal.default_int_handler)
    try:
        with_signals(call)
    except KeyboardInterrupt as interrupt:
        return "fail" in [frame.name for frame in traceback.extract_tb(interrupt.__traceback__)]
    return False
"""


def run(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env=dict(os.environ),
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # ctypes prints uncaught exceptions of callbacks
    return done.stdout.split()


def test_ctrl_c_ends_a_call():
    """The call is cancelled, the input is unchanged, and later calls are correct."""
    code = """
    print(interrupted(lambda: ordo.argsort(keys)))
    print(np.array_equal(keys, before), np.array_equal(ordo.argsort(keys), expected))
    print(interrupted(lambda: ordo.sort(keys)), np.array_equal(keys, before))
    rows = keys.view(np.int64).reshape(2, -1)
    print(interrupted(lambda: ordo.rankdata(rows, axis=1)))
    with ordo.context(threads=1):
        print(interrupted(lambda: ordo.argsort(keys)))
    print(np.array_equal(ordo.sort(keys), keys[expected]))
    """
    assert run(code) == ["True"] * 8


def test_ctrl_c_in_place():
    """The interrupted array has undefined contents; the next sort is correct."""
    code = """
    changed = before.copy()
    print(interrupted(lambda: ordo.sort(changed, out=changed)))
    print(np.array_equal(ordo.sort(keys, out=keys), before[expected]))
    """
    assert run(code) == ["True", "True"]


def test_ctrl_c_in_pieces_of_bzip2():
    """The object refuses further calls; another one is not affected."""
    code = """
    from ordo import bz2

    data, packer = keys.tobytes(), bz2.BZ2Compressor()
    print(interrupted(lambda: packer.compress(data)))
    try:
        packer.compress(b"more")
    except ValueError as error:
        print("failed" in str(error))
    packed, unpacker = bz2.compress(data), bz2.BZ2Decompressor()
    print(interrupted(lambda: unpacker.decompress(packed)))
    try:
        unpacker.decompress(b"")
    except OSError as error:
        print("failed" in str(error))
    print(bz2.BZ2Decompressor().decompress(packed) == data)
    """
    assert run(code) == ["True"] * 5


def test_other_handlers_run_and_the_call_continues():
    code = """
    seen = []
    during_calls(lambda number, frame: seen.append(number))
    order = with_signals(lambda: ordo.argsort(keys))
    print(seen == [signal.SIGALRM], np.array_equal(order, expected))
    """
    assert run(code) == ["True", "True"]


def test_a_handler_may_raise_any_exception():
    code = """
    class Late(Exception):
        pass


    def raise_late(number, frame):
        raise Late("too late")


    during_calls(raise_late)
    try:
        with_signals(lambda: ordo.argsort(keys))
    except Late as error:
        print("stopped:", error)
    """
    assert run(code) == ["stopped:", "too", "late"]


def test_calls_of_other_threads_continue():
    """Contexts of other threads have no callback; Ctrl-C does not end their calls."""
    code = """
    results, started, stop = [], threading.Event(), threading.Event()


    def work():
        started.set()
        results.append(ordo.argsort(keys))
        while not stop.is_set():
            results.append(ordo.argsort(keys))


    worker = threading.Thread(target=work)
    worker.start()
    started.wait()
    print(interrupted(lambda: ordo.argsort(keys)))
    stop.set()
    worker.join()
    print(all(np.array_equal(order, expected) for order in results))
    """
    assert run(code) == ["True"] * 2
