"""Arrays of other libraries: PyTorch, CuPy, JAX and Numba, in host memory and on a GPU.

Every function must return the same result as for the NumPy array, as an array of the same library
on the same device, computed on the current stream. A pretended GPU runs the code for GPU arrays on
every machine: its arrays are a class of their own, and the library's calls run on the CPU.
"""

from __future__ import annotations

import ctypes
import functools
import importlib

import numpy as np
import pytest

import ordo
from ordo import _lib
from ordo._inputs import device, tensors
from ordo._places import HostPlace, address


class Far(np.ndarray):
    """An array on the pretended GPU."""


class FarPlace(HostPlace):
    name = where = "far"
    on_device = True

    def __init__(self, library, array):
        pass

    def address(self, array):
        assert type(array) is Far
        return address(array)

    def empty(self, shape, dtype):
        return np.empty(shape, dtype).view(Far)

    def contiguous(self, array):
        return super().contiguous(array).view(Far)

    def copy(self, array):
        return array.copy("C")

    def count_up(self, n):
        return super().count_up(n).view(Far)

    def from_host(self, array):
        assert type(array) is np.ndarray
        return array.view(Far)

    def to_host(self, array):
        return array.view(np.ndarray)

    def scalar(self, array):
        return array.view(Far)

    def number_like(self, array, number):
        return np.asarray(number).view(Far)

    def searchsorted(self, haystack, needles, side, sorter):
        return np.asarray(np.searchsorted(haystack, needles, side, sorter)).view(Far)

    def wait(self):
        pass


class Pretended:
    def put(self, array):
        return np.array(array).view(Far)

    def get(self, result):
        assert isinstance(result, Far)
        return result.view(np.ndarray)


class Torch:
    def __init__(self, device):
        self.torch = importlib.import_module("torch")
        self.device = device

    def put(self, array):
        return self.torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def get(self, result):
        assert isinstance(result, self.torch.Tensor)
        assert result.device.type == self.device
        return result.cpu().numpy()


class Cupy:
    def __init__(self):
        self.cupy = importlib.import_module("cupy")

    def put(self, array):
        return self.cupy.asarray(array)

    def get(self, result):
        assert isinstance(result, self.cupy.ndarray)
        return self.cupy.asnumpy(result)


class Jax:
    def __init__(self):
        self.jax = importlib.import_module("jax")

    def put(self, array):
        with self.jax.enable_x64(True):
            return self.jax.numpy.asarray(array)

    def get(self, result):
        assert isinstance(result, self.jax.Array)
        return np.asarray(result)


class Numba:
    def __init__(self):
        self.cuda = importlib.import_module("numba.cuda")

    def put(self, array):
        return self.cuda.to_device(np.ascontiguousarray(array))

    def get(self, result):
        assert self.cuda.is_cuda_array(result)
        return result.copy_to_host()


def library(name):
    """Returns the library, or skips the test with a reason."""
    module, _, device = name.partition("/")
    found = pytest.importorskip(module, reason=f"{module} is not installed")
    if module == "torch":
        if device == "cuda" and not found.cuda.is_available():
            pytest.skip("PyTorch sees no GPU")
        return Torch(device)
    if module == "cupy":
        try:
            found.cuda.runtime.getDeviceCount()
        except found.cuda.runtime.CUDARuntimeError as error:
            pytest.skip(f"CuPy sees no GPU: {error}")
        return Cupy()
    if module == "jax":
        if device == "cuda" and found.default_backend() != "gpu":
            pytest.skip("JAX sees no GPU")
        return Jax()
    if not importlib.import_module("numba.cuda").is_available():
        pytest.skip("Numba sees no GPU")
    return Numba()


LIBRARIES = ["pretended", "torch/cpu", "torch/cuda", "cupy", "jax/cpu", "jax/cuda", "numba"]
DTYPES = ["i1", "u1", "i2", "i4", "i8", "f2", "f4", "f8", "?"]


@pytest.fixture(params=LIBRARIES)
def lib(request, monkeypatch):
    if request.param != "pretended":
        return library(request.param)
    known = device._library_of
    pretend = (FarPlace, None)
    monkeypatch.setattr(device, "_library_of", lambda a: pretend if type(a) is Far else known(a))
    return Pretended()


def inputs(rng, dtype):
    numbers = rng.standard_normal((3, 500)) * 40
    if np.dtype(dtype).kind == "f":
        numbers[1, ::50] = np.nan
        numbers[2, 7] = -0.0
    elif np.dtype(dtype).kind == "u":
        numbers = np.abs(numbers)
    return numbers.astype(dtype)


def check(lib, call, *arrays):
    """Compares the results of a call on NumPy arrays and on arrays of the library."""
    expected = call(*arrays)
    result = call(*(lib.put(array) for array in arrays))
    if not isinstance(expected, tuple):
        expected, result = (expected,), (result,)
    for wanted, got in zip(expected, result):
        if isinstance(wanted, (bool, int, float)) and not isinstance(wanted, np.generic):
            assert got == pytest.approx(wanted, rel=1e-9, nan_ok=True)
            continue
        np.testing.assert_array_equal(lib.get(got), np.asarray(wanted))
        if np.asarray(wanted).dtype.itemsize > 2:
            assert lib.get(got).dtype == np.asarray(wanted).dtype


CALLS = {
    "sort": lambda a: ordo.sort(a),
    "sort descending": lambda a: ordo.sort(a, descending=True),
    "sort all": lambda a: ordo.sort(a, None),
    "argsort": lambda a: ordo.argsort(a),
    "argsort narrow": lambda a: ordo.argsort(a, dtype=np.int32),
    "rank average": lambda a: ordo.rankdata(a, axis=-1),
    "rank min": lambda a: ordo.rankdata(a, "min", axis=1, nan_policy="omit"),
    "rank dense": lambda a: ordo.rankdata(a, "dense", descending=True),
    "median": lambda a: ordo.median(a),
    "median rows": lambda a: ordo.median(a, -1, keepdims=True),
    "median omit": lambda a: ordo.median(a, 1, nan_policy="omit"),
    "quantile": lambda a: ordo.quantile(a, [0.1, 0.5, 0.9], 1),
    "quantile one": lambda a: ordo.quantile(a, 0.25),
    "quantile lower": lambda a: ordo.quantile(a, [0.3, 0.6], -1, method="lower"),
    "select": lambda a: ordo.select(a, [0, 5, -1], 1),
    "topk": lambda a: ordo.topk(a, 7),
    "topk least": lambda a: ordo.topk(a, 7, largest=False),
    "cummax": lambda a: ordo.cummax(a, 1),
    "cummin": lambda a: ordo.cummin(a),
    "unique": lambda a: ordo.unique(a),
    "unique all": lambda a: ordo.unique(a, True, True, True),
    "is_sorted": lambda a: ordo.is_sorted(a, None),
    "radius": lambda a: ordo.radius(a, None),
}


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_verb(lib, rng, dtype):
    a = inputs(rng, dtype)
    if isinstance(lib, Numba) and dtype in ("f2", "?"):
        pytest.skip("Numba's arrays of this dtype are not exchanged")
    for name, call in CALLS.items():
        try:
            check(lib, call, a)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


@pytest.mark.parametrize("dtype", ["i2", "i4", "u1"])
def test_integer_sums(lib, rng, dtype):
    check(lib, lambda a: ordo.cumsum(a, 1, np.int64), inputs(rng, dtype))


def test_float_sums(lib, rng):
    a = rng.random(3000)
    np.testing.assert_allclose(lib.get(ordo.cumsum(lib.put(a))), np.cumsum(a), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["i2", "u4", "f4", "f8"])
def test_products(lib, rng, dtype):
    a = inputs(rng, dtype) if dtype[0] != "f" else (1 + rng.random((7, 600)) / 50).astype(dtype)
    check(lib, lambda x: ordo.cumprod(x, 1, exclusive=True), a)
    assert np.array_equal(lib.get(ordo.cumprod(lib.put(a), 1)), ordo.cumprod(a, 1))


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
def test_weights_of_groups(lib, rng, dtype):
    groups, a = rng.integers(0, 40, 3000), rng.integers(0, 90, 3000).astype("f4")
    weights = (rng.random(3000) * 5).astype(dtype)
    there = [lib.put(x) for x in (groups, a, weights)]
    for q in (0.3, [0.5, 0.99]):
        expected = ordo.group_quantile(groups, a, q, method="hazen", weights=weights)
        found = ordo.group_quantile(*there[:2], q, method="hazen", weights=there[2])
        assert np.array_equal(lib.get(found.values), expected.values)
    expected = ordo.group_median(groups, a, weights=weights)
    found = ordo.group_median(*there[:2], weights=there[2])
    assert np.array_equal(lib.get(found.groups), expected.groups)
    assert np.array_equal(lib.get(found.values), expected.values)
    with pytest.raises(ValueError, match=r"weights has 2 elements|weights have shape"):
        ordo.group_median(*there[:2], weights=lib.put(weights[:2]))


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
def test_weights(lib, rng, dtype):
    a = rng.integers(0, 90, (6, 5, 40)).astype("f4")
    weights = (rng.random(a.shape) * 5).astype(dtype)
    for axis in (None, 1, -1, (0, 2)):
        check(lib, lambda x, w, axis=axis: ordo.median(x, axis, weights=w), a, weights)
        check(
            lib,
            lambda x, w, axis=axis: ordo.quantile(x, [0.3, 0.9], axis, method="weibull", weights=w),
            a,
            weights,
        )
    check(lib, lambda x, w: ordo.quantile(x, 0.2, 1, weights=w), a, weights[0, :, 0])
    for method in ("min", "max", "average", "dense"):
        check(lib, lambda x, w, m=method: ordo.rankdata(x, m, axis=1, weights=w), a, weights)
        check(lib, lambda x, w, m=method: ordo.rankdata(x, m, weights=w), a, weights)
    with pytest.raises(ValueError, match="weights have shape"):
        ordo.median(lib.put(a), 1, weights=lib.put(weights[0, 0, :3]))


def test_pairs_search_and_statistics(lib, rng):
    keys, values = rng.integers(0, 50, 1000), rng.random(1000)
    check(lib, lambda k, v: ordo.sort_pairs(k, v), keys, values)
    check(lib, lambda k, v: ordo.sort_pairs(v, k), keys, values)
    for test in (ordo.spearmanr, ordo.mannwhitneyu):
        for x, y, axis in [(keys * 1.0, values, 0), (values.reshape(100, 10), values[:100], None)]:
            expected = test(x, y if axis == 0 else x[::-1], axis=axis)
            found = test(lib.put(x), lib.put(y if axis == 0 else x[::-1]), axis=axis)
            assert tuple(map(float, found)) == pytest.approx(expected, rel=1e-9)
        x, y = values.reshape(100, 10), keys.reshape(100, 10) * 1.0
        for found, wanted in zip(test(lib.put(x), lib.put(y), axis=1), test(x, y, axis=1)):
            np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-9, atol=1e-12)
    found = ordo.mannwhitneyu(lib.put(x), lib.put(x[:1]), axis=1).statistic
    expected = ordo.mannwhitneyu(x, x[:1], axis=1).statistic
    np.testing.assert_allclose(np.asarray(found), expected)
    if not isinstance(lib, Numba):
        check(
            lib, lambda k, v: ordo.searchsorted(k, v, "right"), np.sort(values), values[::-1].copy()
        )


def test_partition(lib, rng):
    a = rng.random(501)
    assert lib.get(ordo.partition(lib.put(a), 250))[250] == np.median(a)


def test_other_axes_and_strides(lib, rng):
    if isinstance(lib, Numba):
        pytest.skip("Numba's arrays have no strided views to exchange")
    a = rng.random((4, 5, 6))
    x = lib.put(a)
    for axis in range(3):
        np.testing.assert_array_equal(lib.get(ordo.sort(x, axis)), np.sort(a, axis))
        expected = ordo.rankdata(a, axis=axis)
        np.testing.assert_array_equal(lib.get(ordo.rankdata(x, axis=axis)), expected)
    np.testing.assert_array_equal(lib.get(ordo.sort(x[:, ::2, 1])), np.sort(a[:, ::2, 1]))
    np.testing.assert_array_equal(lib.get(x), a)


ROWS = {
    **{name: CALLS[name] for name in ("sort", "sort descending", "argsort", "argsort narrow")},
    "rank": lambda a: ordo.rankdata(a, "min", axis=-1, nan_policy="omit"),
    "rank sorted": lambda a: ordo.rank_sorted(ordo.sort(a), "dense", axis=-1),
    "median": lambda a: ordo.median(a, -1),
    "median omit": lambda a: ordo.nanmedian(a, -1, keepdims=True),
    "quantile": lambda a: ordo.quantile(a, [0.1, 0.5, 1.0], -1),
    "quantile one": lambda a: ordo.quantile(a, 0.3, -1, method="weibull"),
    "quantile discrete": lambda a: ordo.quantile(a, [0.3, 0.6], -1, method="higher"),
    "percentile": lambda a: ordo.nanpercentile(a, 40, -1),
    "many positions": lambda a: ordo.quantile(a, np.linspace(0, 1, 700), -1),
    "select": lambda a: ordo.select(a, [0, -1], -1),
    "select descending": lambda a: ordo.select(a, 1, -1, descending=True, keepdims=True),
    "topk": lambda a: ordo.topk(a, 2),
    "cummax": lambda a: ordo.cummax(a, -1),
    "cummin": lambda a: ordo.cummin(a, -1),
    # Arrays of Numba have no index Ellipsis.
    "partition": lambda a: ordo.partition(a, 1)[(slice(None),) * (a.ndim - 1) + (1,)],
}


@pytest.mark.parametrize("shape", [(1000, 3), (70, 100), (3, 5000), (40, 1, 3), (1, 9)])
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.filterwarnings("ignore:All-NaN")
def test_rows(lib, rng, dtype, shape):
    a = (rng.standard_normal(shape) * 9).astype(dtype)
    if a.dtype.kind == "f":
        a[0, ..., 1] = np.nan
        a[-1] = np.nan
    for name, call in ROWS.items():
        try:
            check(lib, call, a)
            assert ordo.explain().n == a.size, "more than one call of the library"
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


GROUPS = {
    "count": lambda g, a: ordo.group_count(g),
    "count all": lambda g, a: ordo.group_count(g, dropna=False),
    "argsort": lambda g, a: ordo.group_argsort(g, a),
    "argsort alone": lambda g, a: ordo.group_argsort(g),
    "argsort descending": lambda g, a: ordo.group_argsort(g, a, descending=True, dropna=False),
    "rank": lambda g, a: ordo.group_rank(g, a),
    "rank narrow": lambda g, a: ordo.group_rank(g, a, "dense", descending=True, dtype=np.uint32),
    "median": lambda g, a: ordo.group_median(g, a),
    "median of NaNs": lambda g, a: ordo.group_median(g, a, skipna=False, dropna=False),
    "quantile": lambda g, a: ordo.group_quantile(g, a, 0.3, method="lower"),
    "quantiles": lambda g, a: ordo.group_quantile(g, a, [0.1, 0.5, 1.0]),
    "topk": lambda g, a: ordo.group_topk(g, a, 3),
    "topk least": lambda g, a: ordo.group_topk(g, a, 2, largest=False, skipna=False),
}


@pytest.mark.parametrize("kinds", [("i4", "f4"), ("f8", "i2"), ("u1", "f8"), ("f4", "f4")])
def test_groups(lib, rng, kinds):
    groups = rng.integers(0, 40, 3000).astype(kinds[0])
    a = (rng.standard_normal(3000) * 9).astype(kinds[1])
    for array, some in ((groups, 70), (a, 9)):
        if array.dtype.kind == "f":
            array[::some] = np.nan
    for name, call in GROUPS.items():
        try:
            check(lib, call, groups, a)
            check(lib, call, groups[:0], a[:0])
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


def test_groups_of_other_places(lib, rng):
    groups, a = rng.integers(0, 5, 100), rng.random(100)
    if isinstance(lib, (Jax, Numba)):
        return
    for arrays in ((lib.put(groups), a), (groups, lib.put(a))):
        for call in (ordo.group_rank, ordo.group_median, ordo.group_argsort):
            with pytest.raises(TypeError, match=r"a is an array of .*; expected one of"):
                call(*arrays)
    with pytest.raises(ValueError, match="99 elements"):
        ordo.group_rank(lib.put(groups), lib.put(a[1:]))


def test_measures_of_rows(lib, rng):
    a = rng.integers(0, 9, (50, 6)).astype("i4")
    a[::3] = np.sort(a[::3])
    for axis in (0, 1):
        for call in (ordo.is_sorted, ordo.radius):
            result = call(lib.put(a), axis)
            assert ordo.explain().n == a.size
            np.testing.assert_array_equal(np.asarray(result), call(a, axis))
    found = ordo.radius(lib.put(a), sequences=True)
    for got, expected in zip(found, ordo.radius(a, sequences=True)):
        got = got if isinstance(got, np.ndarray) and type(got) is not Far else lib.get(got)
        np.testing.assert_array_equal(got, expected)


def test_rows_by_a_named_algorithm(lib, rng):
    a = rng.random((5, 700))
    check(lib, lambda a: ordo.sort(a, algorithm="radix"), a)
    check(lib, lambda a: ordo.median(a, 1, algorithm="merge"), a)
    check(lib, lambda a: ordo.quantile(a, [0.2, 0.4], 1, algorithm="radix"), a)


def test_tuples_of_axes(lib, rng):
    a = rng.random((4, 5, 6)).astype("f4")
    for axis in ((0, 2), (1,), (2, 1), (0, 1, 2)):
        check(lib, functools.partial(ordo.median, axis=axis, keepdims=True), a)
        check(lib, functools.partial(ordo.quantile, q=[0.25, 0.5], axis=axis), a)


ROW_CALLS = [
    ordo.sort,
    ordo.argsort,
    ordo.cumsum,
    ordo.cumprod,
    ordo.median,
    functools.partial(ordo.sort, descending=True),
    functools.partial(ordo.argsort, descending=True),
    lambda a: ordo.topk(a, a.shape[0] // 2),
    lambda a: ordo.topk(a, 1, largest=False),
]


@pytest.mark.parametrize("dtype", "i1 u1 i2 i4 i8 f4 f8".split())
def test_one_row_of_a_tensor(rng, dtype):
    """One row on a GPU needs no conversion; the results are those of rows that do."""
    lib = library("torch/cuda")
    for n in (1, 2, 10, 100, 1000, 4096, 4097):
        a = rng.integers(-50, 50, n).astype(dtype)
        keys = [a, np.where(a > 45, np.nan, a).astype(dtype)] if dtype[0] == "f" else [a]
        for row in map(lib.put, keys):
            assert tensors.row_of(row, 0) and not tensors.row_of(row, 1)
            wide = lib.torch.stack([row, row], 1)[:, 0]  # the same elements, not contiguous
            assert n == 1 or not tensors.row_of(wide, None)
            for call in ROW_CALLS:
                found, expected = call(row), call(wide)
                pairs = zip(found, expected) if isinstance(found, tuple) else [(found, expected)]
                for one, other in pairs:
                    assert one.device == other.device and one.dtype == other.dtype
                    assert one.shape == other.shape
                    assert lib.get(one).tobytes() == lib.get(other).tobytes()
    assert not tensors.row_of(lib.put(np.zeros(0)), 0) and not tensors.row_of(np.zeros(3), 0)
    gradient = lib.torch.ones(3, device="cuda", requires_grad=True)
    assert not tensors.row_of(gradient, 0) and ordo.sort(gradient).shape == (3,)


def test_few_options_of_rows_are_kept(monkeypatch):
    monkeypatch.setattr(tensors, "_kept", {})
    kept = len(_lib._options)
    for stream in range(tensors._MOST_KEPT + 10):
        opts = tensors._options(_lib.ScanOptions, stream)
        assert (opts.stream or 0, opts.flags) == (stream, _lib.ON_DEVICE)
        assert opts.struct_size == ctypes.sizeof(opts)
    assert len(tensors._kept) == tensors._MOST_KEPT and len(_lib._options) == kept
    assert tensors._options(_lib.ScanOptions, 3) is tensors._options(_lib.ScanOptions, 3)


def test_work_follows_the_current_stream():
    """A sort on a stream starts after the kernel that writes the keys, and reads come last."""
    torch = library("torch/cuda").torch
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(20):
            big = torch.rand(1 << 22, device="cuda")
            torch.cuda._sleep(2_000_000)
            big.mul_(-1)
            result = ordo.sort(big)
            assert bool((result[1:] >= result[:-1]).all())
            assert float(result[-1]) <= 0
    cupy = library("cupy").cupy
    with cupy.cuda.Stream(non_blocking=True):
        keys = cupy.arange(1 << 20, 0, -1, dtype=cupy.float32)
        assert float(ordo.median(keys)) == (1 << 19) + 0.5
        assert ordo.explain().backend == "cuda"


def test_out_on_the_device(lib, rng):
    if isinstance(lib, (Jax, Numba)):
        pytest.skip("arrays of this library are not written in place")
    a = rng.random((20, 30))
    x = lib.put(a)
    assert ordo.sort(x, 0, out=x) is x
    np.testing.assert_array_equal(lib.get(x), np.sort(a, 0))


def test_bad_arguments(lib, rng):
    x = lib.put(rng.random(500))
    for verb in (ordo.partition, ordo.argpartition):
        for kth, error in ((500, ValueError), (1.5, TypeError), (True, ValueError)):
            with pytest.raises(error, match=r"kth (is|has)"):
                verb(x, kth)
    for axis in (0.0, True, (0,)):
        with pytest.raises(TypeError, match="axis is"):
            ordo.sort(x, axis)
        with pytest.raises(TypeError, match="axis is"):
            ordo.cumsum(x, axis)
    with pytest.raises(ValueError, match="axis 1"):
        ordo.topk(x, 2, 1)
    with pytest.raises(TypeError, match=r"k is 2\.0"):
        ordo.topk(x, 2.0)
    with pytest.raises(ValueError, match="k is 501"):
        ordo.topk(x, 501)
    with pytest.raises(ValueError, match="k is 500"):
        ordo.select(x, 500)
    with pytest.raises(ValueError, match="expected 0 to 1"):
        ordo.quantile(x, 1.5)
    with pytest.raises(TypeError, match="descending"):
        ordo.argsort(x, descending="yes")
    if isinstance(lib, (Pretended, Torch, Cupy)):
        with pytest.raises(TypeError, match="same place"):
            ordo.sort(x, out=np.empty(500))
        with pytest.raises(ValueError, match="expected"):
            ordo.sort(x, out=lib.put(np.empty(499)))
        with pytest.raises(TypeError, match="same place"):
            ordo.searchsorted(x, np.zeros(3))


def test_sorters(lib, rng):
    if isinstance(lib, Numba):
        pytest.skip("Numba's arrays are not searched")
    a = rng.random(500)
    x, order = lib.put(a), lib.put(np.argsort(a))
    for value in (0.5, 1):
        found = ordo.searchsorted(x, value, sorter=order)
        assert int(np.asarray(lib.get(found))) == np.searchsorted(np.sort(a), value)
    found = ordo.searchsorted(x, lib.put(a[:9]), sorter=lib.put(np.argsort(a).astype("i4")))
    np.testing.assert_array_equal(lib.get(found), np.searchsorted(np.sort(a), a[:9]))
    for bad, error in (
        (np.arange(3), ValueError),
        (np.arange(500) - 1, ValueError),
        (np.arange(500) + 1, ValueError),
        (np.arange(500.0), TypeError),
        (np.ones(500, bool), TypeError),
        (np.zeros((2, 250), int), TypeError),
    ):
        with pytest.raises(error, match="sorter"):
            ordo.searchsorted(x, x, sorter=lib.put(bad))


def test_sums_of_dtype_bool(lib):
    if isinstance(lib, Numba):
        pytest.skip("Numba's arrays of bools are not exchanged")
    check(lib, lambda a: ordo.cumsum(a, 1, bool), np.array([[0, 0, 2], [0, 256, -256]]))


def test_guests_in_named_arguments(monkeypatch):
    class Guest:
        array = np.zeros(3)

    monkeypatch.setattr(device, "_is_guest", lambda a: isinstance(a, Guest))
    monkeypatch.setattr(device, "_take_in", lambda a: a.array)

    @device.with_guests
    def types(a, *, weights=None, out=None):
        return tuple(type(x).__name__ for x in (a, weights, out))

    assert types(Guest(), weights=Guest(), out=Guest()) == ("ndarray", "ndarray", "Guest")
    assert types(Guest.array) == ("ndarray", "NoneType", "NoneType")


def test_texts(lib, rng):
    text = rng.integers(0, 3, 3000).astype("u1")
    there = lib.put(text)
    sa, expected = ordo.suffix_array(there), ordo.suffix_array(text)
    np.testing.assert_array_equal(lib.get(sa), expected)
    np.testing.assert_array_equal(lib.get(ordo.lcp(there, sa)), ordo.lcp(text, expected))
    found, data = ordo.bwt(there), ordo.bwt(text)
    assert found.primary == data.primary
    with pytest.raises(TypeError, match=r"uint8"):
        ordo.suffix_array(lib.put(text.astype("i4")))
    if isinstance(found.data, bytes):  # arrays of JAX in host memory become arrays of NumPy
        assert isinstance(lib, Jax)
        assert (found.data, ordo.unbwt(*found)) == (data.data, text.tobytes())
        return
    assert lib.get(found.data).tobytes() == data.data
    np.testing.assert_array_equal(lib.get(ordo.unbwt(*found)), text)
    with pytest.raises(TypeError, match=r"place of the text"):
        ordo.lcp(there, expected)
