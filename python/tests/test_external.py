"""ordo.external against ordo on the whole array: paths, memory maps, chunks, records, failures."""

from __future__ import annotations

import os
import pathlib

import numpy as np
import pytest
from cases import TIES

import ordo
from ordo import external

MEMORY = 8 << 20
N = 700_000  # eight bytes each: less than MEMORY, but more than its buffers
DTYPES = ["i1", "u2", "i4", "u8", "f4", "f8"]


def make(dtype, n=N):
    keys = ordo.generate("uniform", n, dtype, seed=3) if np.dtype(dtype).itemsize > 2 else None
    if keys is None:
        keys = ordo.generate("few", n, dtype, seed=3, k=50)
    if np.dtype(dtype).kind == "f":
        keys[::1000] = np.nan
        keys[1::1000] = -0.0
        keys[2::1000] = 0.0
    return keys


def same(expected, got):
    expected = np.asarray(expected)
    assert got.dtype == expected.dtype
    assert got.tobytes() == expected.tobytes()


@pytest.fixture(params=["npy", "raw", "mmap", "chunks"])
def given(request, tmp_path):
    """A function that gives an array to external functions in one of four ways."""

    def give(array):
        path = tmp_path / "data.npy"
        if request.param == "raw":
            path = tmp_path / "data.bin"
            array.tofile(path)
            return {"data": path, "dtype": array.dtype}
        np.save(path, array)
        if request.param == "npy":
            return {"data": str(path)}
        if request.param == "mmap":
            return {"data": np.load(path, mmap_mode="r")}
        return {"data": (array[i : i + 99_999] for i in range(0, len(array), 99_999))}

    return give


@pytest.fixture
def limits(tmp_path):
    folder = tmp_path / "spill"
    folder.mkdir()
    yield {"memory": MEMORY, "directories": [folder]}
    assert os.listdir(folder) == []


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("descending", [False, True])
def test_sort(given, limits, dtype, descending):
    keys = make(dtype)
    got = external.sort(**given(keys), **limits, descending=descending)
    same(ordo.sort(keys, descending=descending), got)


@pytest.mark.parametrize("dtype", ["u2", "f8"])
def test_order(given, limits, dtype):
    keys = make(dtype)
    same(ordo.argsort(keys), external.argsort(**given(keys), **limits))
    limits["memory"] *= 4
    numbers = np.where(np.isnan(keys), np.inf, keys)  # NaNs are last and tie
    for ties in TIES:
        got = external.rank(**given(keys), **limits, method=ties)
        same(ordo.rankdata(numbers, method=ties), got)


@pytest.mark.parametrize("dtype", ["i1", "i4", "f8"])
def test_few(given, limits, dtype):
    keys = make(dtype)
    q = np.array([[0.0, 0.25], [0.5, 0.999]])
    for policy in ("propagate", "omit"):
        quantile = ordo.nanquantile if policy == "omit" else ordo.quantile
        same(quantile(keys, q), external.quantile(**given(keys), q=q, nan_policy=policy, **limits))
    same(ordo.median(keys), external.median(**given(keys), **limits))
    same(ordo.nanmedian(keys), external.median(**given(keys), nan_policy="omit", **limits))
    same(
        ordo.select(keys, [0, 9, N - 1]), external.select(**given(keys), k=[0, 9, N - 1], **limits)
    )
    same(ordo.topk(keys, 1000).values, external.topk(**given(keys), k=1000, **limits))
    got = external.topk(**given(keys), k=10, largest=False, **limits)
    same(ordo.topk(keys, 10, largest=False).values, got)


@pytest.mark.parametrize("dtype", ["i1", "u8", "f8"])
def test_unique(given, limits, dtype):
    keys = make(dtype)
    keys = np.concatenate([keys, keys[:1000]])
    values, counts = external.unique(**given(keys), **limits, return_counts=True)
    expected, expected_counts = np.unique(keys, return_counts=True)
    assert np.array_equal(expected, values, equal_nan=np.dtype(dtype).kind == "f")
    same(expected_counts, counts)
    same(values, external.unique(**given(keys), **limits))


def test_records(given, limits):
    rows = np.zeros(N, [("name", "S3"), ("key", "<u2"), ("place", "<i8")])
    rows["key"] = make("u2")
    rows["place"] = np.arange(N)
    order = np.argsort(rows["key"], kind="stable")
    same(rows[order], external.sort(**given(rows), **limits, key="key"))
    same(order, external.argsort(**given(rows), **limits, key="key"))
    assert external.median(**given(rows), **limits, key="place") == np.median(rows["place"])


def test_merge(tmp_path):
    keys = make("f8")
    parts = [ordo.sort(part) for part in np.array_split(keys, 7)]
    np.save(tmp_path / "part.npy", parts[0])
    sources = [tmp_path / "part.npy", iter(np.array_split(parts[1], 3)), *parts[2:]]
    same(ordo.sort(keys), external.merge(sources, memory=MEMORY))
    sorted_by_numpy = [np.sort(part) for part in np.array_split(keys, 3)]
    assert np.array_equal(np.sort(keys), external.merge(sorted_by_numpy), equal_nan=True)
    assert external.merge([], dtype="f8").size == 0
    with pytest.raises(ValueError, match=r"the array is not sorted: element 1 is out of order"):
        external.merge([np.array([1, 2]), np.array([2, 1])])


def test_out(tmp_path, limits):
    keys = make("i4")
    expected = ordo.sort(keys)
    for name in ("out.npy", "out.bin"):
        path = tmp_path / name
        path.write_bytes(b"old")
        assert external.sort(keys, path, **limits) == path
        same(expected, np.load(path) if name == "out.npy" else np.fromfile(path, "i4"))
        assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()
    array = np.empty(N, "i4")
    assert external.sort(keys, array, **limits) is array
    same(expected, array)
    rows = np.zeros(10, [("a", "<i4"), ("b", "<f8")])
    external.sort(rows, tmp_path / "rows.npy", key="b")
    same(rows, np.load(tmp_path / "rows.npy"))
    assert sorted(os.listdir(tmp_path)) == ["out.bin", "out.npy", "rows.npy", "spill"]


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_out_is_no_plain_file(tmp_path, limits):
    keys = np.array([3, 1, 2], "u4")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path):
        with pytest.raises(ValueError, match="not a regular file"):
            external.sort(keys, out=path, **limits)
    assert sorted(os.listdir(tmp_path)) == ["pipe", "spill"]
    (tmp_path / "file.npy").write_bytes(b"old")
    os.chmod(tmp_path / "file.npy", 0o640)
    os.symlink("file.npy", tmp_path / "link.npy")
    external.sort(keys, out=tmp_path / "link.npy", **limits)
    assert os.path.islink(tmp_path / "link.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "file.npy"), [1, 2, 3])
    assert os.stat(tmp_path / "file.npy").st_mode & 0o777 == 0o640


def test_failures(tmp_path, limits):
    class Broken(Exception):
        pass

    def broken():
        yield make("i4")
        raise Broken("no more data")

    path = tmp_path / "out.npy"
    path.write_bytes(b"old")
    with pytest.raises(Broken, match="no more data"):
        external.sort(broken(), path, **limits)
    assert path.read_bytes() == b"old"
    with pytest.raises(ValueError, match="the result has more"):
        external.sort(make("i4"), np.empty(5, "i4"))
    with pytest.raises(OSError):
        external.sort(make("u8"), memory=MEMORY, directories=[tmp_path / "missing"])
    with pytest.raises(FileNotFoundError):
        external.sort(tmp_path / "missing.npy")
    assert sorted(os.listdir(tmp_path)) == ["out.npy", "spill"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"data": 7}, "expected a path"),
        ({"data": []}, "dtype must be given"),
        ({"data": np.zeros((2, 2))}, "one dimension"),
        ({"data": [np.zeros(2), np.zeros(2, "i4")]}, "an array holds int32; expected float64"),
        ({"data": np.zeros(2, complex)}, "expected integers"),
        ({"data": np.zeros(2, [("a", ">i4")]), "key": "a"}, "native order"),
        ({"data": np.array(["a"])}, "the elements are strings"),
        ({"data": np.zeros(2), "key": "a"}, "no fields"),
        ({"data": np.zeros(2, [("a", "i4")])}, "one of the fields a"),
        ({"data": np.zeros(2), "memory": -1}, "memory is -1"),
        ({"data": np.zeros(2), "memory": 2**64 + (64 << 20)}, "memory is 18446744073776660480"),
        ({"data": np.zeros(2), "memory": 0}, "memory is 0; expected a number of bytes"),
        ({"data": np.zeros(2), "memory": "64MB"}, "memory is '64MB'; .*'512M'"),
        ({"data": np.zeros(2), "memory": "101%"}, "memory is '101%'"),
        ({"data": np.zeros(2), "out": 7}, "out is int"),
        ({"data": np.zeros(2), "out": np.zeros(2, "i4")}, "contiguous array of float64"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        external.sort(**arguments)


@pytest.mark.parametrize("verb", ["sort", "argsort", "rank"])
def test_resume(verb, tmp_path):
    """Ranks need a little more memory; their sink fails after all parts are made."""
    np.save(tmp_path / "keys.npy", make("u8", 2 * N))
    folder = tmp_path / "state"
    call = getattr(external, verb)
    memory = (2 if verb == "rank" else 1) * MEMORY
    few = np.empty(5, "f8" if verb == "rank" else "i8" if verb == "argsort" else "u8")
    with pytest.raises(ValueError, match="the result has more"):
        call(tmp_path / "keys.npy", few, memory=memory, resume=folder)
    assert sorted(os.listdir(folder)) == ["index", "manifest", "runs"]
    got = call(tmp_path / "keys.npy", memory=memory, resume=folder)
    keys = np.load(tmp_path / "keys.npy")
    expected = ordo.rankdata(keys) if verb == "rank" else getattr(ordo, verb)(keys)
    same(expected, got)
    assert not folder.exists()


REFUSED = {
    "descending": lambda: external.sort(np.zeros(2), descending="no"),
    "largest": lambda: external.topk(np.zeros(2), 1, largest=None),
    "return_counts": lambda: external.unique(np.zeros(2), return_counts="no"),
    "memory": lambda: external.sort(np.zeros(2), memory=1e9),
    "k has dtype float64": lambda: external.select(np.zeros(2), [0.5]),
    "memory is True": lambda: external.sort(np.zeros(2), memory=True),
    "k is 1.5": lambda: external.topk(np.zeros(2), 1.5),
    "k is True": lambda: external.topk(np.zeros(2), True),
    "k is a masked array": lambda: external.select(np.zeros(2), np.ma.masked_array([0], [True])),
    "q has dtype": lambda: external.quantile(np.zeros(2), "0.5"),
    "q is a masked array": lambda: external.quantile(
        np.zeros(2), np.ma.masked_array([0.5], [True])
    ),
    "an array is a masked array": lambda: external.sort(np.ma.masked_array([1.0], [True])),
    "masked array": lambda: external.sort(iter([np.ma.masked_array([1.0], [True])])),
}


@pytest.mark.parametrize("message", REFUSED)
def test_wrong_types(message):
    with pytest.raises(TypeError, match=message):
        REFUSED[message]()


def test_counts_do_not_wrap():
    with pytest.raises(ValueError, match="k is 18446744073709551617"):
        external.topk(np.zeros(2), 2**64 + 1)


@pytest.mark.parametrize("kind", [str, os.fsencode, pathlib.Path])
def test_one_folder(kind, tmp_path):
    """A path is one folder and not a sequence of letters."""
    keys = np.random.default_rng(3).random(3 << 20)
    found = external.sort(keys, memory=8 << 20, directories=kind(tmp_path))
    assert np.array_equal(found, np.sort(keys))
    with pytest.raises(OSError, match="no-such-folder failed"):
        external.sort(keys, memory=8 << 20, directories=kind(tmp_path / "no-such-folder"))


# ---- The same as on arrays -----------------------------------------------------------------------

TYPES = "i1 u2 i4 u8 f4 f8 ? f2 M8[s] m8[ms] >i4 >f8 >u2 >M8[D]".split()
QUANTILES = ["linear", "hazen", "midpoint", "lower", "nearest", "inverted_cdf"]


def elements(rng, dtype, n):
    """Few values with ties, NaNs, NaTs and zeros of both signs; large ones of 64 bits."""
    kind, numbers = np.dtype(dtype).kind, rng.integers(-5, 6, n)
    if kind in "bu":
        return (np.abs(numbers) << (58 if dtype == "u8" else 0)).astype(dtype)
    made = numbers.astype("i8").view("M8[D]" if kind == "M" else "m8[D]" if kind == "m" else "i8")
    made = made.astype(dtype)
    if kind in "fMm":
        made[rng.random(n) < 0.15] = "NaT" if kind != "f" else np.nan
    if kind == "f":
        made[rng.random(n) < 0.1] = -0.0
    return made


ON_ARRAYS = {
    "rank": ordo.rankdata,
    "topk": lambda a, **named: ordo.topk(a, **named).values,
    "unique": lambda a: ordo.unique(a, return_counts=True),
}


def outcome(call):
    """Returns the arrays that a call returns, or the type of its error."""
    try:
        result = call()
    except (TypeError, ValueError) as error:
        return type(error)
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


def same_outcome(found, expected):
    if isinstance(expected, type):
        assert found is expected
        return
    for x, y in zip(found, expected):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        nan = y != y
        assert np.array_equal(x != x, nan) and x[~nan].tobytes() == y[~nan].tobytes()


def same_call(give, a, verb, like=None, **named):
    """Compares a function of ordo.external with that of ordo on the array, or on `like`."""
    more = {"return_counts": True} if verb == "unique" else {}
    found = outcome(lambda: getattr(external, verb)(**give(a), **named, **more))
    on_array = ON_ARRAYS.get(verb) or getattr(ordo, verb)
    same_outcome(found, outcome(lambda: on_array(a if like is None else like, **named)))


@pytest.fixture(params=["array", "npy", "raw", "chunks", "Series"])
def given_any(request, tmp_path):
    def give(array):
        if request.param == "Series":
            pandas = pytest.importorskip("pandas")
            series = pandas.Series(array) if array.dtype.isnative else None
            return {"data": array if series is None or series.dtype != array.dtype else series}
        if request.param == "chunks":
            return {"data": (array[i : i + 7] for i in range(0, max(len(array), 1), 7))}
        if request.param == "array":
            return {"data": np.repeat(array, 2)[::2]}
        path = tmp_path / ("data.npy" if request.param == "npy" else "data.bin")
        if request.param == "npy":
            np.save(path, array)
            return {"data": path}
        array.tofile(path)
        return {"data": path, "dtype": array.dtype}

    return give


@pytest.mark.parametrize("dtype", TYPES)
def test_orders_are_the_same_as_on_arrays(given_any, dtype, rng, tmp_path):
    for n in (0, 1, 2, 9, 33):
        a = elements(rng, dtype, n)
        for down in (False, True):
            same_call(given_any, a, "sort", descending=down)
            same_call(given_any, a, "argsort", descending=down)
            for k in (0, -1, n - 1, n, -n - 1, [0, -1], np.zeros(0, int)):
                same_call(given_any, a, "select", k=k, descending=down)
            for k in (0, 1, n, n + 1, -1):
                same_call(given_any, a, "topk", k=k, largest=down)
            for method in TIES if not (a != a).any() else ():
                same_call(given_any, a, "rank", method=method, descending=down)
            ordered, out = ordo.sort(a, descending=down), np.empty(n, dtype)
            assert external.sort(**given_any(a), out=out, descending=down) is out
            same_outcome([out.astype(ordered.dtype)], [ordered])
            external.sort(**given_any(a), out=tmp_path / "out.npy", descending=down)
            same_outcome([np.load(tmp_path / "out.npy")], [ordered])
        same_call(given_any, a, "unique")
        halves = [ordo.sort(part).astype(dtype) for part in (a[: n // 3], a[n // 3 :])]
        merged = external.merge(halves, dtype=dtype)
        assert np.array_equal(merged, ordo.sort(a), equal_nan=a.dtype.kind in "fMm")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", TYPES)
def test_quantiles_are_the_same_as_on_arrays(given_any, dtype, rng):
    parts = [0.3, [0.25, 1.0], np.float32(0.5), 1]
    for n in (0, 1, 2, 20):
        a = elements(rng, dtype, n)
        for policy in (None, "propagate", "omit", "raise"):
            data = given_any(a)["data"]
            like = data if hasattr(data, "iloc") else None  # pandas skips NaNs
            same_call(given_any, a, "median", like, nan_policy=policy)
            for i, method in enumerate(QUANTILES):
                named = {"q": parts[(n + i) % 4], "method": method, "nan_policy": policy}
                same_call(given_any, a, "quantile", like, **named)


def test_the_length_of_out(tmp_path):
    keys = np.array([3, 1, 2, 1])
    for call in (external.sort, external.argsort):
        with pytest.raises(ValueError, match="out has 5 elements; the result has 4"):
            call(keys, np.empty(5, int))
    with pytest.raises(ValueError, match="out has 3 elements; the result has 2"):
        external.topk(keys, 2, np.empty(3, int))
    for kind in ("i8", "u8"):
        out = np.empty(4, kind)
        assert external.rank(keys, out, method="min") is out and out.tolist() == [4, 1, 3, 1]
    out = np.zeros(5, int)
    found = external.unique(keys, out)
    assert found.base is out and found.tolist() == [1, 2, 3]
    out = np.zeros(3, int)
    assert external.unique(keys, out) is out
    path = tmp_path / "few.npy"
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match="k is 9; expected 0 to 4"):
        external.topk(iter([keys]), 9, path)
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["few.npy"]


def test_paths_are_named(tmp_path):
    with pytest.raises(IsADirectoryError, match=f"'{tmp_path}'"):
        external.sort(tmp_path)
    with pytest.raises(IsADirectoryError, match=f"'{tmp_path}'"):
        external.sort(str(tmp_path), dtype="i4")
    missing = tmp_path / "missing" / "out.npy"
    with pytest.raises(FileNotFoundError, match=f"'{missing}'"):
        external.sort(np.zeros(2), missing)
    (tmp_path / "odd.bin").write_bytes(b"12345")
    for dtype in ("i4", ">i4"):
        with pytest.raises(ValueError, match=r"odd\.bin"):
            external.sort(tmp_path / "odd.bin", dtype=dtype)


def test_names_in_messages_are_printable(tmp_path, monkeypatch):
    name = b"odd\x1b[31m\xff\xc3\xa9"
    path = os.path.join(os.fsencode(tmp_path), name)
    shown = r"odd\\x1b\[31m\\(x|udc)ff\u00e9"
    np.save(os.fsdecode(path) + ".npy", np.array([2, 1]))
    with open(path, "wb") as file:
        file.write(b"12345")
    large = np.random.default_rng(3).random(3 << 20)
    monkeypatch.setenv("TMPDIR", os.fsdecode(path) + "/none")
    for call in (
        lambda: external.sort(path),
        lambda: external.sort(path, dtype="i4"),
        lambda: external.sort(path, dtype=">i4"),
        lambda: external.sort(path + b".npy", dtype="f4"),
        lambda: external.merge([path + b".npy"]),
        lambda: external.sort(large, memory=8 << 20),
        lambda: external.sort(large, memory=8 << 20, directories=path + b".none"),
        lambda: external.sort(path + b".npy", resume=path + b".none/x"),
        lambda: ordo.read_fasta(os.fsdecode(path)),
    ):
        with pytest.raises((ValueError, OSError), match=shown):
            call()


@pytest.mark.parametrize("memory", [1, 1000, "1", "64M", "64m", "16Mi", "1e8", "2^25", "9b", "1%"])
def test_memory_has_the_sizes_of_the_command(memory):
    keys = np.random.default_rng(3).random(100)
    assert np.array_equal(external.sort(keys, memory=memory), np.sort(keys))


def test_columns_of_pandas_and_arrow():
    pandas = pytest.importorskip("pandas")
    column = pandas.Series([3, None, 1], dtype="Int64")
    assert external.median(column) == 2
    assert np.isnan(external.median(column, nan_policy="propagate"))
    assert external.sort([column, column]).tolist()[:4] == [1, 1, 3, 3]
    with pytest.raises(TypeError, match="data frame"):
        external.sort(pandas.DataFrame({"a": [1]}))
    with pytest.raises(TypeError, match="expected numbers"):
        external.sort(pandas.Series(["a"]))
    arrow = pytest.importorskip("pyarrow")
    assert external.sort(arrow.array([3, 1])).tolist() == [1, 3]
