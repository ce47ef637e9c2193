"""Results do not depend on the floating-point mode: flushed subnormals, other roundings."""

from __future__ import annotations

import ctypes
import platform
from contextlib import contextmanager

import numpy as np
import pytest

import ordo
from ordo import _short

libm = ctypes.CDLL(None)
MACHINE = platform.machine()
# The offset and the mask of the bits of fenv_t that flush subnormals.
FLUSH = {"x86_64": (28, 0x8040), "aarch64": (0, 1 << 24)}
ROUNDINGS = {"x86_64": [0x400, 0x800, 0xC00], "aarch64": [0x400000, 0x800000, 0xC00000]}

if MACHINE not in FLUSH or not hasattr(libm, "fegetenv"):
    pytest.skip("cannot change the floating-point mode here", allow_module_level=True)


@contextmanager
def flushing():
    offset, bits = FLUSH[MACHINE]
    before = ctypes.create_string_buffer(64)
    assert libm.fegetenv(before) == 0
    changed = ctypes.create_string_buffer(before.raw)
    word = int.from_bytes(changed.raw[offset : offset + 4], "little") | bits
    changed[offset : offset + 4] = word.to_bytes(4, "little")
    libm.fesetenv(changed)
    try:
        yield
    finally:
        libm.fesetenv(before)


@contextmanager
def rounding(direction):
    assert libm.fesetround(direction) == 0
    try:
        yield
    finally:
        libm.fesetround(0)


MODES = [flushing, *(lambda r=r: rounding(r) for r in ROUNDINGS[MACHINE])]


def results(a):
    """Returns the bytes of the results of every function, for rows and for all elements."""
    rows, flat = a, a.reshape(-1)
    found = []
    for x, axis in ((rows, -1), (flat, None)):
        found += [
            ordo.sort(x, axis),
            ordo.argsort(x, axis),
            ordo.argsort(x, axis, descending=True),
            ordo.rankdata(x, "average", axis=axis),
            ordo.rankdata(x, "dense", axis=axis),
            ordo.cumsum(x, axis),
            ordo.cummax(x, axis),
            ordo.cummin(x, axis),
            *ordo.topk(x, 3, axis),
        ]
        if a.dtype == np.float64:
            found += [
                ordo.median(x, axis),
                ordo.quantile(x, [0.1, 0.3, 0.77], axis),
                ordo.quantile(x, 0.3, axis, method="hazen"),
            ]
    found += [ordo.is_sorted(flat)]
    return [np.asarray(x).tobytes() for x in found]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(40, 5), (3, 30), (2, 5000)])
def test_modes_change_nothing(rng, mode, dtype, shape):
    bits = rng.integers(0, 1 << 20, shape).astype(f"u{dtype[1]}")
    a = bits.view(dtype)  # subnormal
    a[rng.random(shape) < 0.3] = 0
    a[rng.random(shape) < 0.3] *= -1
    falling = np.sort(np.abs(a), -1)[:, ::-1].copy()
    ordinary = rng.standard_normal(shape).astype(dtype)
    for keys in (a, falling, ordinary):
        expected = results(keys)
        with mode():
            got = results(keys)
        assert got == expected


@pytest.mark.parametrize("mode", MODES)
def test_the_mode_is_noticed_and_kept(mode):
    assert _short.mode_is_default()
    with mode():
        assert not _short.mode_is_default()
        ordo.sort(np.arange(1000.0))
        assert not _short.mode_is_default()
    assert _short.mode_is_default()
