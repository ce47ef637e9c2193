"""The operators torch.ops.ordo beside the functions of PyTorch and SciPy.

They need PyTorch 2.10 or newer: pip install torch. Where PyTorch has a GPU, all tests run there,
too, and the results must be those of PyTorch's functions on the CPU.
"""

import ctypes
import itertools
import json
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
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch has no GPU")


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=needs_gpu)])
def device(request):
    return request.param


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


def close(ours, theirs, device, **tolerances):
    """Compares results on a device with results on any device."""
    if isinstance(ours, (tuple, list)):
        for part, other in zip(ours, theirs, strict=True):
            close(part, other, device, **tolerances)
        return
    assert (ours.device.type, ours.dtype, ours.shape) == (device, theirs.dtype, theirs.shape)
    torch.testing.assert_close(ours.cpu(), theirs.cpu(), equal_nan=True, **tolerances)


def same(ours, theirs, device):
    close(ours, theirs, device, rtol=0, atol=0)


# ---- Results -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*TYPES, torch.bool], ids=str)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_and_argsort(dtype, descending, device):
    for shape, dim in PLACES:
        x = tensor(shape, dtype)
        theirs = torch.sort(x, dim=dim, descending=descending, stable=True)
        x = x.to(device)
        same(OPS.sort(x, dim, descending), theirs, device)
        same(OPS.argsort(x, dim, descending), theirs[1], device)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("largest", [False, True])
def test_topk(dtype, largest, device):
    for shape, dim in PLACES:
        x = tensor(shape, dtype)
        n = x.shape[dim] if shape else 1
        order = torch.sort(x, dim=dim, descending=largest, stable=True)
        x = x.to(device)
        for k in {0, min(1, n), n // 2, n}:
            theirs = [part.narrow(dim, 0, k) if shape else part for part in order]
            if not shape and k == 0:
                continue
            same(OPS.topk(x, k, dim, largest), theirs, device)
            same(OPS.argtopk(x, k, dim, largest), theirs[1], device)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_topk_of_rows_of_nans(dtype, device):
    x = rows_with_nans((9, 20), dtype, 1)
    for k in (1, 3, 20):
        theirs = torch.sort(x, descending=True, stable=True)
        same(OPS.topk(x.to(device), k), [part[:, :k] for part in theirs], device)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("keepdim", [False, True])
def test_median(dtype, keepdim, device):
    for shape, dim in PLACES:
        x = rows_with_nans(shape, dtype, dim)
        if x.numel():
            same(OPS.median(x.to(device)), torch.median(x), device)
        if shape and x.shape[dim] == 0:
            continue
        values, indices = OPS.median(x.to(device), dim, keepdim)
        theirs = torch.median(x, dim, keepdim)
        same(values, theirs.values, device)
        assert indices.shape == theirs.indices.shape and indices.dtype == torch.int64
        if x.numel() and shape:
            wide = theirs.values if keepdim else theirs.values.unsqueeze(dim)
            ties = (x == wide) | (x.isnan() & wide.isnan())
            found = indices if keepdim else indices.unsqueeze(dim)
            same(found, ties.to(torch.uint8).argmax(dim, keepdim=True), device)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("method", METHODS)
def test_quantile(dtype, method, device):
    several = torch.tensor([0.0, 0.3, 0.5, 0.99, 1.0], dtype=dtype)
    for (shape, dim), keepdim in itertools.product(PLACES, [False, True]):
        x = rows_with_nans(shape, dtype, dim)
        x = torch.where(x.isinf(), 3.0, x)
        options = {"keepdim": keepdim, "interpolation": method}
        for q, where in itertools.product([0.25, several, several[1], several[:1]], [None, dim]):
            if x.numel() == 0:  # PyTorch refuses it
                continue
            placed = q.to(device) if isinstance(q, torch.Tensor) else q
            ours = OPS.quantile(x.to(device), placed, where, **options)
            close(ours, torch.quantile(x, q, where, **options), device)


def test_quantile_of_other_types(device):
    x = torch.arange(10, device=device)
    assert OPS.quantile(x, 0.25).dtype == torch.float64
    assert OPS.quantile(x, 0.25).item() == 2.25
    for dtype in HALVES:
        ours = OPS.quantile(x.to(dtype), 0.25)
        assert ours.dtype == dtype and ours.item() == 2.25


@pytest.mark.parametrize("dtype", [*TYPES, torch.bool], ids=str)
def test_cumsum(dtype, device):
    for shape, dim in PLACES:
        x = tensor(shape, dtype, nans=False)
        x = torch.where(x.isinf(), 1, x) if dtype.is_floating_point else x
        close(OPS.cumsum(x.to(device), dim), torch.cumsum(x, dim), device)
        for wanted in [torch.int32, torch.int64, *FLOATS]:
            theirs = torch.cumsum(x, dim, dtype=wanted)
            close(OPS.cumsum(x.to(device), dim, dtype=wanted), theirs, device)


@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
def test_rank(method, device):
    stats = pytest.importorskip("scipy.stats")
    for dtype, (shape, dim) in itertools.product([*FLOATS, *INTEGERS, torch.bool], PLACES):
        x = tensor(shape, dtype, nans=False)
        theirs = stats.rankdata(np.atleast_1d(x.numpy()), method, axis=dim).reshape(shape)
        wanted = torch.float64 if method == "average" else torch.int64
        same(OPS.rank(x.to(device), dim, method), torch.tensor(theirs).to(wanted), device)


def test_ranks_of_nans_are_the_last(device):
    x = torch.tensor([NAN, 1.0, NAN, 2.0], device=device)
    assert OPS.rank(x).tolist() == [3.5, 1, 3.5, 2]
    assert OPS.rank(x, 0, "dense").tolist() == [3, 1, 3, 2]


def test_a_long_row(device):
    x = torch.randn(200_000, generator=torch.Generator().manual_seed(1))
    for y in (x, torch.where(x > 2, NAN, x)):
        z = y.to(device)
        same(OPS.sort(z, 0, True), torch.sort(y, descending=True, stable=True), device)
        same(OPS.topk(z, 1000)[0], torch.topk(y, 1000)[0], device)
        same(OPS.median(z), torch.median(y), device)
    theirs = torch.cumsum(x, 0)
    close(OPS.cumsum(x.to(device), 0), theirs, device, rtol=1e-5, atol=1e-2)


def test_strides(device):
    whole = tensor((6, 8, 10), torch.float32).to(device)
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
            same(getattr(OPS, name)(view, dim), getattr(OPS, name)(copy, dim), device)
        same(OPS.topk(view, 2, dim), OPS.topk(copy, 2, dim), device)
        same(OPS.quantile(view, 0.3, dim), OPS.quantile(copy, 0.3, dim), device)


# ---- What PyTorch asks of operators ------------------------------------------------------------


def samples(device):
    """Arguments of every operator, with a dimension in the middle, without one, and no elements."""
    several, wide = torch.tensor([0.1, 0.5, 1.0], device=device), {"dtype": torch.float64}
    for x, dim in ((torch.randn(3, 5, 4), 1), (torch.randn(()), -1), (torch.zeros(3, 0), 0)):
        x = x.to(device).requires_grad_(x.dim() > 1)
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
def test_opcheck(device):
    seen = set()
    quick = ("test_schema", "test_autograd_registration", "test_faketensor")
    for operator, arguments, named in samples(device):
        tests = (*quick, "test_aot_dispatch_dynamic") if arguments[0].requires_grad else quick
        torch.library.opcheck(operator, arguments, named, test_utils=tests)
        seen.add(str(operator).split(".")[1])
    assert seen == {*ordo_operators()}


def ordo_operators():
    names = torch._C._dispatch_get_all_op_names()
    return {name.split("::")[1].split(".")[0] for name in names if name.startswith("ordo::")}


def test_gradients(device):
    x = torch.randn(6, 5, dtype=torch.float64, device=device, requires_grad=True)
    several = torch.tensor([0.15, 0.8], device=device)
    functions = [OPS.median, lambda x: OPS.sort(x[0])[0], lambda x: OPS.median(x, 1, True)[0]]
    for dim in (0, 1):
        functions += [
            lambda x, dim=dim: OPS.sort(x, dim, True)[0],
            lambda x, dim=dim: OPS.topk(x, 2, dim)[0],
            lambda x, dim=dim: OPS.median(x, dim)[0],
            lambda x, dim=dim: OPS.cumsum(x, dim),
        ]
        for method, keepdim in itertools.product(METHODS, [False, True]):
            named = {"interpolation": method}
            functions += [
                lambda x, a=(dim, keepdim), named=named: OPS.quantile(x, 0.3, *a, **named),
                lambda x, a=(dim, keepdim), named=named: OPS.quantile(x, several, *a, **named),
                lambda x, named=named: OPS.quantile(x, several, **named),
            ]
    for function in functions:
        assert torch.autograd.gradcheck(function, x)
    for function in (lambda x: OPS.cumsum(x, 0), lambda x: OPS.sort(x, 0)[0]):
        assert torch.autograd.gradgradcheck(function, x)


def test_gradients_of_ties_and_nans_are_those_of_pytorch(device):
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
            for function, place in ((ours, device), (theirs, "cpu")):
                leaf = data.to(place, copy=True).requires_grad_()
                function(leaf).sum().backward()
                gradients.append(leaf.grad.sum(-1))
            close(*gradients, device)


def test_indices_and_ranks_have_no_gradient(device):
    x = torch.randn(5, device=device, requires_grad=True)
    for result in (OPS.argsort(x), OPS.argtopk(x, 2), OPS.argmedian(x, 0), OPS.rank(x)):
        assert not result.requires_grad
    assert OPS.sort(x)[0].requires_grad and not OPS.sort(x)[1].requires_grad
    with torch.no_grad():
        assert not OPS.sort(x)[0].requires_grad
    with torch.inference_mode():
        assert OPS.sort(x)[0].is_inference()


# One call of each operator on two dimensions. On a GPU none of them waits.
CALLS = [
    lambda x: OPS.sort(x, 0),
    lambda x: OPS.sort(x, 1, True),
    lambda x: OPS.argsort(x, 0, True),
    lambda x: OPS.topk(x, 2),
    lambda x: OPS.median(x),
    lambda x: OPS.median(x, 0),
    lambda x: OPS.quantile(x, 0.3),
    lambda x: OPS.quantile(x, 0.3, 1),
    lambda x: OPS.cumsum(x, 1, dtype=torch.float64),
    lambda x: OPS.rank(x, 0, "min"),
]


def work(x, several):
    return [*(call(x) for call in CALLS), OPS.quantile(x, several, 1)]


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile_without_a_break(dynamic, device):
    several = torch.tensor([0.3, 0.4], device=device)
    compiled = torch.compile(work, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    for rows in (6, 9):
        x = torch.randn(rows, 5, device=device)
        same(compiled(x, several), work(x, several), device)
    x = torch.randn(6, 5, device=device, requires_grad=True)
    y = x.detach().clone().requires_grad_()
    for function, leaf in ((compiled, x), (work, y)):
        found = function(leaf, several)
        (found[0][0].prod() + found[3][0].sum() + found[6] + found[8].square().sum()).backward()
    torch.testing.assert_close(x.grad, y.grad)


def test_threads(device):
    x = [torch.randn(50_000, generator=torch.Generator().manual_seed(i)) for i in range(8)]
    placed = [part.to(device) for part in x]
    found = [None] * len(x)

    def run(i):
        y = placed[i]
        for _ in range(5):
            found[i] = OPS.sort(y), OPS.quantile(y, 0.5), OPS.topk(y, 5)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(x))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, (order, middle, best) in enumerate(found):
        same(order, torch.sort(x[i], stable=True), device)
        close(middle, torch.quantile(x[i], 0.5), device)
        same(best, torch.topk(x[i], 5), device)


# ---- On a GPU ----------------------------------------------------------------------------------


class Gate:
    """Holds a stream of a GPU until it is opened, which happens by itself after a minute."""

    def __init__(self, stream):
        self.flag = torch.zeros(1, dtype=torch.int32, pin_memory=True)  # which the GPU reads
        wait = ctypes.CDLL("libcuda.so.1").cuStreamWaitValue32_v2
        wait.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint]
        if wait(stream.cuda_stream, self.flag.data_ptr(), 1, 0) != 0:
            pytest.skip("the driver cannot hold a stream")
        self.was_late = False
        self.timer = threading.Timer(60, self._open_late)
        self.timer.start()

    def _open_late(self):
        self.was_late = True
        self.flag[0] = 1

    def open(self):
        self.timer.cancel()
        self.flag[0] = 1


@needs_gpu
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("shape", [(30, 40), (4, 20_000)])
def test_work_on_a_stream_is_in_order_and_waits_for_nothing(call, shape):
    """A call sees what was enqueued before it, and what is enqueued after it sees its results."""
    x, z = (torch.randn(shape, generator=torch.Generator().manual_seed(i)) for i in (1, 2))
    source, later = x.cuda(), z.cuda()
    target = torch.zeros_like(source)
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()

    def enqueue():
        target.copy_(source)
        found = call(target)
        copies = [part * 1 for part in (found if isinstance(found, tuple) else [found])]
        target.copy_(later)
        return copies, call(target)

    with torch.cuda.stream(stream):
        enqueue()  # loads kernels and takes memory, so that the next time need not
        target.zero_()
        gate = Gate(stream)
        try:
            first, second = enqueue()
        finally:
            gate.open()
    stream.synchronize()
    assert not gate.was_late, "the call waited for the GPU"
    theirs = call(x)
    close(first, theirs if isinstance(theirs, tuple) else [theirs], "cuda")
    close(second, call(z), "cuda")


@needs_gpu
def test_quantiles_wait_for_q_on_their_stream():
    x = torch.randn(300, generator=torch.Generator().manual_seed(1))
    several, target = torch.tensor([0.3, 0.9]), torch.zeros(2, device="cuda")
    y, source = x.cuda(), several.cuda()
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(10_000_000)
        target.copy_(source)
        found = OPS.quantile(y, target).cpu()
    torch.testing.assert_close(found, torch.quantile(x, several))


@needs_gpu
def test_threads_with_streams():
    x = [torch.randn(40, 500, generator=torch.Generator().manual_seed(i)) for i in range(8)]
    found = [None] * len(x)

    def run(i):
        with torch.cuda.stream(torch.cuda.Stream()):
            y, several = x[i].cuda(), torch.tensor([0.3, 0.4], device="cuda")
            for _ in range(5):
                found[i] = work(y, several)
            torch.cuda.current_stream().synchronize()

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(x))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, results in enumerate(found):
        close(results, work(x[i], torch.tensor([0.3, 0.4])), "cuda")


@needs_gpu
def test_large_tensors_stay_on_the_gpu(tmp_path):
    x, several = torch.randn(4, 1 << 20, device="cuda"), torch.tensor([0.3], device="cuda")
    work(x, several)
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work(x, several)
        torch.cuda.synchronize()
    profile.export_chrome_trace(str(tmp_path / "trace.json"))
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    if not any(event.get("cat") == "kernel" for event in events):
        pytest.skip("the profiler of PyTorch sees no GPU")
    copies = [event for event in events if event.get("cat") == "gpu_memcpy"]
    moved = [event["args"]["bytes"] for event in copies if "DtoD" not in event["name"]]
    assert sum(moved) < x.numel() // 64, copies


@needs_gpu
def test_tensors_of_two_devices():
    x, several = torch.randn(5), torch.tensor([0.3, 0.4])
    for pair in ((x.cuda(), several), (x, several.cuda())):
        with pytest.raises(RuntimeError, match="x and q are on two devices; expected one"):
            OPS.quantile(*pair)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="PyTorch has fewer than two GPUs")
def test_another_gpu():
    x, several = torch.randn(40, 500), torch.tensor([0.3, 0.4])
    found = work(x.to("cuda:1"), several.to("cuda:1"))
    assert torch.cuda.current_device() == 0 and found[-1].device.index == 1
    close(found, work(x, several), "cuda")


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
def test_errors(call, message, device):
    with pytest.raises((RuntimeError, TypeError), match=message):
        call(torch.tensor([3.0, 1.0, 2.0], device=device))


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
