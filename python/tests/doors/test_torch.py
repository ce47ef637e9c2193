"""The operators torch.ops.ordo beside the functions of PyTorch and SciPy.

They need PyTorch 2.10 or newer: pip install torch.
"""

import itertools
import subprocess
import sys
import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 10):
    pytest.skip(f"PyTorch is {torch.__version__}; 2.10 is needed", allow_module_level=True)

import ordo.torch  # noqa: E402, F401 - registers the operators

OPS = torch.ops.ordo
NAN = float("nan")
HALVES = [torch.float16, torch.bfloat16]
FLOATS = [torch.float32, torch.float64]
INTEGERS = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
TYPES = [*HALVES, *FLOATS, *INTEGERS]
SHAPES = [(), (1,), (7,), (300,), (3000,), (0,), (4, 0), (0, 4), (5, 60), (3, 4, 50), (2, 3, 4, 5)]
PLACES = [(shape, dim) for shape in SHAPES for dim in range(-1, max(len(shape), 1))]
METHODS = ["linear", "lower", "higher", "midpoint", "nearest"]


def tensor(shape, dtype, seed=0, nans=True):
    """Small numbers with ties; floats also with NaNs, infinities and both zeros."""
    generator = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    x = torch.randint(0, 9 if dtype == torch.uint8 else 17, shape, generator=generator)
    x = x if dtype == torch.uint8 else x - 8
    x = x.to(dtype)
    if dtype.is_floating_point:
        special = torch.tensor([NAN if nans else 1.0, float("inf"), -float("inf"), -0.0])
        which = torch.randint(0, 40, shape, generator=generator)
        x = torch.where(which < 4, special[which % 4].to(dtype), x / 4)
    return x


def rows_with_nans(shape, dtype, dim):
    """Rows of which some have no NaN, some have one and some are only NaN."""
    x = tensor(shape, dtype, nans=False)
    if x.numel() and dtype.is_floating_point:
        rows = x.movedim(dim, -1).reshape(-1, x.shape[dim] if x.dim() else 1)
        rows[1::3, -1] = NAN
        rows[2::3] = NAN
        x = rows.reshape(x.movedim(dim, -1).shape).movedim(-1, dim) if x.dim() else rows.reshape(())
    return x


def same(a, b):
    if isinstance(a, (tuple, list)):
        for part, other in zip(a, b, strict=True):
            same(part, other)
        return
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)


# ---- Results -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*TYPES, torch.bool], ids=str)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_and_argsort(dtype, descending):
    for shape, dim in PLACES:
        x = tensor(shape, dtype)
        theirs = torch.sort(x, dim=dim, descending=descending, stable=True)
        same(OPS.sort(x, dim, descending), theirs)
        same(OPS.argsort(x, dim, descending), theirs[1])


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("largest", [False, True])
def test_topk(dtype, largest):
    for shape, dim in PLACES:
        x = tensor(shape, dtype)
        n = x.shape[dim] if shape else 1
        order = torch.sort(x, dim=dim, descending=largest, stable=True)
        for k in {0, min(1, n), n // 2, n}:
            theirs = [part.narrow(dim, 0, k) if shape else part for part in order]
            if not shape and k == 0:
                continue
            same(OPS.topk(x, k, dim, largest), theirs)
            same(OPS.argtopk(x, k, dim, largest), theirs[1])


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_topk_of_rows_of_nans(dtype):
    x = rows_with_nans((9, 20), dtype, 1)
    for k in (1, 3, 20):
        theirs = torch.sort(x, descending=True, stable=True)
        same(OPS.topk(x, k), [part[:, :k] for part in theirs])


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("keepdim", [False, True])
def test_median(dtype, keepdim):
    for shape, dim in PLACES:
        x = rows_with_nans(shape, dtype, dim)
        if x.numel():
            same(OPS.median(x), torch.median(x))
        if shape and x.shape[dim] == 0:
            continue
        values, indices = OPS.median(x, dim, keepdim)
        theirs = torch.median(x, dim, keepdim)
        same(values, theirs.values)
        assert indices.shape == theirs.indices.shape and indices.dtype == torch.int64
        if x.numel() and shape:
            wide = values if keepdim else values.unsqueeze(dim)
            ties = (x == wide) | (x.isnan() & wide.isnan())
            found = indices if keepdim else indices.unsqueeze(dim)
            same(found, ties.to(torch.uint8).argmax(dim, keepdim=True))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_quantile(dtype, method):
    several = torch.tensor([0.0, 0.3, 0.5, 0.99, 1.0], dtype=dtype)
    for (shape, dim), keepdim in itertools.product(PLACES, [False, True]):
        x = rows_with_nans(shape, dtype, dim)
        x = torch.where(x.isinf(), 3.0, x)
        options = {"keepdim": keepdim, "interpolation": method}
        for q, where in itertools.product([0.25, several, several[1], several[:1]], [None, dim]):
            if x.numel() == 0:  # PyTorch refuses it
                continue
            ours = OPS.quantile(x, q, where, **options)
            theirs = torch.quantile(x, q, where, **options)
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
            torch.testing.assert_close(ours, theirs, equal_nan=True)


def test_quantile_of_other_types():
    x = torch.arange(10)
    assert OPS.quantile(x, 0.25).dtype == torch.float64
    assert OPS.quantile(x, 0.25).item() == 2.25
    for dtype in HALVES:
        ours = OPS.quantile(x.to(dtype), 0.25)
        assert ours.dtype == dtype and ours.item() == 2.25


@pytest.mark.parametrize("dtype", [*TYPES, torch.bool], ids=str)
def test_cumsum(dtype):
    for shape, dim in PLACES:
        x = tensor(shape, dtype, nans=False)
        x = torch.where(x.isinf(), 1, x) if dtype.is_floating_point else x
        torch.testing.assert_close(OPS.cumsum(x, dim), torch.cumsum(x, dim))
        for wanted in [torch.int32, torch.int64, *FLOATS]:
            ours, theirs = (f(x, dim, dtype=wanted) for f in (OPS.cumsum, torch.cumsum))
            torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
def test_rank(method):
    stats = pytest.importorskip("scipy.stats")
    for dtype, (shape, dim) in itertools.product([*FLOATS, *INTEGERS, torch.bool], PLACES):
        x = tensor(shape, dtype, nans=False)
        theirs = stats.rankdata(np.atleast_1d(x.numpy()), method, axis=dim).reshape(shape)
        ours = OPS.rank(x, dim, method)
        assert ours.dtype == (torch.float64 if method == "average" else torch.int64)
        np.testing.assert_array_equal(ours.numpy(), theirs)


def test_ranks_of_nans_are_the_last():
    x = torch.tensor([NAN, 1.0, NAN, 2.0])
    assert OPS.rank(x).tolist() == [3.5, 1, 3.5, 2]
    assert OPS.rank(x, 0, "dense").tolist() == [3, 1, 3, 2]


def test_a_long_row():
    x = torch.randn(200_000, generator=torch.Generator().manual_seed(1))
    for y in (x, torch.where(x > 2, NAN, x)):
        same(OPS.sort(y, 0, True), torch.sort(y, descending=True, stable=True))
        same(OPS.topk(y, 1000)[0], torch.topk(y, 1000)[0])
        same(OPS.median(y), torch.median(y))
        torch.testing.assert_close(OPS.cumsum(x, 0), torch.cumsum(x, 0), rtol=1e-5, atol=1e-2)


def test_strides():
    whole = tensor((6, 8, 10), torch.float32)
    views = [
        whole[::2, 1:, ::3],
        whole.transpose(0, 2),
        whole[:, 3],
        whole[1:2].expand(4, 8, 10),
        whole.permute(2, 0, 1)[3:],
    ]
    for view, dim in itertools.product(views, [0, 1, -1]):
        copy = view.clone(memory_format=torch.contiguous_format)
        for name in ("sort", "argsort", "rank", "median", "cumsum"):
            same(getattr(OPS, name)(view, dim), getattr(OPS, name)(copy, dim))
        same(OPS.topk(view, 2, dim), OPS.topk(copy, 2, dim))
        same(OPS.quantile(view, 0.3, dim), OPS.quantile(copy, 0.3, dim))


# ---- What PyTorch asks of operators ------------------------------------------------------------


def samples():
    """Arguments of every operator, with a dimension in the middle, without one, and no elements."""
    several, wide = torch.tensor([0.1, 0.5, 1.0]), {"dtype": torch.float64}
    for x, dim in ((torch.randn(3, 5, 4), 1), (torch.randn(()), -1), (torch.zeros(3, 0), 0)):
        x.requires_grad_(x.dim() > 1)
        yield OPS.sort.default, (x, dim), {}
        yield OPS.argsort.default, (x, dim, True), {}
        yield OPS.rank.default, (x, dim, "min"), {}
        yield OPS.cumsum.default, (x, dim), wide
        yield OPS.topk.default, (x, 1, dim), {}
        yield OPS.argtopk.default, (x, 1, dim), {}
        yield OPS.argmedian.default, (x, dim), {}
        yield OPS.median.dim, (x, dim), {}
        yield OPS.quantile.scalar, (x, 0.3, dim, True), {"interpolation": "lower"}
        yield OPS.quantile.default, (x, several, dim), {}
        if x.numel():
            yield OPS.median.default, (x,), {}
            yield OPS.quantile.default, (x, several), {}


@pytest.mark.filterwarnings("ignore")
def test_opcheck():
    seen = set()
    quick = ("test_schema", "test_autograd_registration", "test_faketensor")
    for operator, arguments, named in samples():
        tests = (*quick, "test_aot_dispatch_dynamic") if arguments[0].requires_grad else quick
        torch.library.opcheck(operator, arguments, named, test_utils=tests)
        seen.add(str(operator).split(".")[1])
    assert seen == {*ordo_operators()}


def ordo_operators():
    names = torch._C._dispatch_get_all_op_names()
    return {name.split("::")[1].split(".")[0] for name in names if name.startswith("ordo::")}


def test_gradients():
    x = torch.randn(6, 5, dtype=torch.float64, requires_grad=True)
    functions = [OPS.median, lambda x: OPS.sort(x[0])[0], lambda x: OPS.median(x, 1, True)[0]]
    for dim in (0, 1):
        functions += [
            lambda x, dim=dim: OPS.sort(x, dim, True)[0],
            lambda x, dim=dim: OPS.topk(x, 2, dim)[0],
            lambda x, dim=dim: OPS.median(x, dim)[0],
            lambda x, dim=dim: OPS.cumsum(x, dim),
        ]
        for method, keepdim in itertools.product(METHODS, [False, True]):
            several, named = torch.tensor([0.15, 0.8]), {"interpolation": method}
            functions += [
                lambda x, a=(dim, keepdim), named=named: OPS.quantile(x, 0.3, *a, **named),
                lambda x, a=(dim, keepdim), q=several, named=named: OPS.quantile(x, q, *a, **named),
                lambda x, q=several, named=named: OPS.quantile(x, q, **named),
            ]
    for function in functions:
        assert torch.autograd.gradcheck(function, x)
    for function in (lambda x: OPS.cumsum(x, 0), lambda x: OPS.sort(x, 0)[0]):
        assert torch.autograd.gradgradcheck(function, x)


def test_gradients_of_ties_and_nans_are_those_of_pytorch():
    pairs = [(OPS.median, torch.median)]
    for method in METHODS:
        pairs.append(
            [
                lambda x, f=f, m=method: f(x, 0.7, 1, interpolation=m)
                for f in (OPS.quantile, torch.quantile)
            ]
        )
    x = torch.tensor([[2.0, 1.0, 2.0, 2.0], [3.0, NAN, 1.0, 5.0], [9.0, 8.0, 7.0, 6.0]])
    for data in (x, x[::2]):
        for ours, theirs in pairs:
            gradients = []
            for function in (ours, theirs):
                leaf = data.clone().requires_grad_()
                function(leaf).sum().backward()
                gradients.append(leaf.grad)
            assert torch.allclose(gradients[0].sum(-1), gradients[1].sum(-1))


def test_indices_and_ranks_have_no_gradient():
    x = torch.randn(5, requires_grad=True)
    for result in (OPS.argsort(x), OPS.argtopk(x, 2), OPS.argmedian(x, 0), OPS.rank(x)):
        assert not result.requires_grad
    assert OPS.sort(x)[0].requires_grad and not OPS.sort(x)[1].requires_grad
    with torch.no_grad():
        assert not OPS.sort(x)[0].requires_grad
    with torch.inference_mode():
        assert OPS.sort(x)[0].is_inference()


def work(x):
    return (
        OPS.sort(x, 0),
        OPS.argsort(x, 0, True),
        OPS.topk(x, 2),
        OPS.median(x),
        OPS.median(x, 0),
        OPS.quantile(x, 0.3),
        OPS.quantile(x, torch.tensor([0.3, 0.4]), 1),
        OPS.cumsum(x, 1, dtype=torch.float64),
        OPS.rank(x, 0, "min"),
    )


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile_without_a_break(dynamic):
    compiled = torch.compile(work, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    for rows in (6, 9):
        x = torch.randn(rows, 5)
        same(compiled(x), work(x))
    x = torch.randn(6, 5, requires_grad=True)
    y = x.detach().clone().requires_grad_()
    for function, leaf in ((compiled, x), (work, y)):
        found = function(leaf)
        (found[0][0].prod() + found[2][0].sum() + found[5] + found[7].square().sum()).backward()
    torch.testing.assert_close(x.grad, y.grad)


def test_threads():
    x = [torch.randn(50_000, generator=torch.Generator().manual_seed(i)) for i in range(8)]
    found = [None] * len(x)

    def run(i):
        for _ in range(5):
            found[i] = OPS.sort(x[i]), OPS.quantile(x[i], 0.5), OPS.topk(x[i], 5)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(x))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, (order, middle, best) in enumerate(found):
        same(order, torch.sort(x[i], stable=True))
        torch.testing.assert_close(middle, torch.quantile(x[i], 0.5))
        same(best, torch.topk(x[i], 5))


# ---- Errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: OPS.sort(x, 1), r"expected to be in range of \[-1, 0\], but got 1"),
        (lambda x: OPS.topk(x, 4), "k is 4; expected a number from 0 to 3"),
        (lambda x: OPS.topk(x, -1), "k is -1; expected a number from 0 to 3"),
        (lambda x: OPS.median(x[:0]), "median: a row has no elements"),
        (lambda x: OPS.quantile(x[:0], 0.5), "quantile: a row has no elements"),
        (lambda x: OPS.quantile(x, 1.5), r"q is 1.5; expected numbers in the range \[0, 1\]"),
        (lambda x: OPS.quantile(x, NAN), "q is nan; expected numbers"),
        (lambda x: OPS.quantile(x, x.reshape(3, 1)), "q has 2 dimensions"),
        (lambda x: OPS.quantile(x, 0.5, interpolation="x"), "interpolation is 'x'; expected one"),
        (lambda x: OPS.rank(x, 0, "mean"), "method is 'mean'; expected one of min, max"),
        (lambda x: OPS.sort(x.to(torch.complex64)), "elements that ordo does not order"),
        (lambda x: OPS.sort([3, 1]), "sort"),
        (lambda x: OPS.cumsum(x), "missing value for argument 'dim'"),
    ],
)
def test_errors(call, message):
    with pytest.raises((RuntimeError, TypeError), match=message):
        call(torch.tensor([3.0, 1.0, 2.0]))


def test_a_missing_library(tmp_path):
    """Without its shared object the module says how to build it."""
    program = (
        "import ordo._lib\n"
        f"ordo._lib.path = {str(tmp_path / 'libordo.so.0')!r}\n"
        "try:\n    import ordo.torch\n"
        "except ImportError as error:\n    print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    message = f"{tmp_path}/libordo_torch.so is missing; `pip install .` and `make` build it\n"
    assert run.stdout == message
