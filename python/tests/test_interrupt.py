"""Signals during a call: Ctrl-C ends the call; after other handlers the call continues."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

# A thread sends the signal. The switch interval is a thousand seconds, so this thread gets the GIL
# only when the main thread releases it, inside the call. (NumPy releases it too, so the main thread
# does nothing else.) On a busy machine the signal may arrive after the call; then the test tries
# again.
PRELUDE = """
import os, signal, sys, threading, traceback
import numpy as np, ordo

sys.setswitchinterval(1000)
ordo.config(threads=1)
keys = np.random.default_rng(5).random(1 << 22)
before = keys.copy()
expected = np.argsort(keys, kind="stable")
ordo.argsort(keys[:100])  # creates the context


def send_soon(number):
    ready = threading.Event()

    def send():
        ready.wait()
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=send)
    thread.start()
    ready.set()
    return thread


def attempt(call):
    "Returns the functions in the traceback of the interrupt; None if the call was not interrupted."
    try:
        sender = send_soon(signal.SIGINT)
        call()
        sender.join()
    except KeyboardInterrupt as interrupt:
        sender.join()
        return [frame.name for frame in traceback.extract_tb(interrupt.__traceback__)]


def interrupted(call):
    "Returns whether one of several attempts interrupted a library call."
    return any("fail" in (attempt(call) or ()) for _ in range(20))
"""


def run(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env=dict(os.environ),
        timeout=300,
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
    copies = [before.copy() for _ in range(20)]
    print(interrupted(lambda: ordo.sort(copies[-1], out=copies.pop())))
    print(np.array_equal(ordo.sort(keys, out=keys), before[expected]))
    """
    assert run(code) == ["True", "True"]


def test_other_handlers_run_and_the_call_continues():
    code = """
    seen = []
    signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    sender = send_soon(signal.SIGUSR1)
    order = ordo.argsort(keys)
    sender.join()
    print(len(seen), np.array_equal(order, expected))
    """
    assert run(code) == ["1", "True"]


def test_a_handler_may_raise_any_exception():
    code = """
    class Late(Exception):
        pass


    def raise_late(number, frame):
        raise Late("too late")


    signal.signal(signal.SIGINT, raise_late)
    for _ in range(20):
        try:
            attempt(lambda: ordo.argsort(keys))
        except Late as error:
            if any(frame.name == "fail" for frame in traceback.extract_tb(error.__traceback__)):
                print("stopped:", error)
                break
    """
    assert run(code) == ["stopped:", "too", "late"]


def test_calls_of_other_threads_continue():
    """Contexts of other threads have no callback; Ctrl-C does not end their calls."""
    code = """
    results, started, stop = [], threading.Event(), threading.Event()


    def work():
        started.set()
        while not stop.is_set():
            results.append(ordo.argsort(keys))


    worker = threading.Thread(target=work)
    worker.start()
    started.wait()
    print(interrupted(lambda: ordo.argsort(keys)))
    stop.set()
    worker.join()
    print(len(results) > 0, all(np.array_equal(order, expected) for order in results))
    """
    assert run(code) == ["True"] * 3
