"""Signals that arrive during a call: Ctrl-C ends it, other handlers run and it goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

# A thread sends the signal. It gets the GIL only when the main thread gives it up, inside the call,
# because nothing takes the GIL from a thread within a thousand seconds. (NumPy gives it up too, so
# nothing else is done between.) On a busy machine the signal may still be so late that the call is
# over: then there is another attempt.
PRELUDE = """
import os, signal, sys, threading, traceback
import numpy as np, ordo

sys.setswitchinterval(1000)
ordo.config(threads=1)
keys = np.random.default_rng(5).random(1 << 22)
before = keys.copy()
expected = np.argsort(keys, kind="stable")
ordo.argsort(keys[:100])  # makes the context


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
    "The functions that an interrupt passed through; None if there was no interrupt in time."
    try:
        sender = send_soon(signal.SIGINT)
        call()
        sender.join()
    except KeyboardInterrupt as interrupt:
        sender.join()
        return [frame.name for frame in traceback.extract_tb(interrupt.__traceback__)]


def interrupted(call):
    "Whether the library was stopped in the middle, in one of some attempts."
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
    assert done.stderr == ""  # ctypes prints an exception that nothing catches
    return done.stdout.split()


def test_ctrl_c_ends_a_call():
    """The call is cancelled, its input is unchanged, and later calls are as before."""
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
    """The array that was sorted holds anything; the next sort of other keys is right."""
    code = """
    copies = [before.copy() for _ in range(20)]
    print(interrupted(lambda: ordo.sort(copies[-1], out=copies.pop())))
    print(np.array_equal(ordo.sort(keys, out=keys), before[expected]))
    """
    assert run(code) == ["True", "True"]


def test_other_handlers_run_and_the_call_goes_on():
    code = """
    seen = []
    signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    sender = send_soon(signal.SIGUSR1)
    order = ordo.argsort(keys)
    sender.join()
    print(len(seen), np.array_equal(order, expected))
    """
    assert run(code) == ["1", "True"]


def test_a_handler_may_raise_what_it_likes():
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


def test_calls_of_other_threads_go_on():
    """Their contexts have no callback, and what ends a call of the main thread is not theirs."""
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
