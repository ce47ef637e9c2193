"""Arrays of other libraries: PyTorch and CuPy have places; JAX, Numba and others are guests.

The places (see ``_places``) of PyTorch and CuPy use arrays without a copy, in host memory or on a
GPU. Results are arrays of the same library, and work is enqueued on the library's current stream.
This file imports neither library: an array of a library exists only if the library is imported.

Guests are arrays without a place: arrays of JAX, of Numba, and all other arrays on a GPU that have
``__cuda_array_interface__`` or ``__dlpack__``. They are converted, without a copy, to arrays of
CuPy, PyTorch or NumPy, and the results are converted back.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any, Callable, TypeVar, cast

import numpy as np

from .. import _lib
from .._context import gpu_context, host_context
from .._places import TYPES, HostPlace

_DLPACK_GPUS = (2, 13)  # kDLCUDA, kDLCUDAManaged


def _loaded(name: str, part: str | None = None) -> Any:
    """Returns a module if it is imported and complete (has `part`), else None."""
    module = sys.modules.get(name)
    return module if module is None or part is None or hasattr(module, part) else None


# ---- PyTorch -----------------------------------------------------------------------------------


def _torch_stream(torch: Any, device: Any) -> int:
    """Returns the handle of the current stream, by PyTorch's internal function if it exists."""
    fast = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    if fast is not None and device.index is not None:
        return fast(device.index)
    return torch.cuda.current_stream(device).cuda_stream


@functools.cache
def _torch_dtype(torch: Any, dtype: Any) -> Any:
    name = np.dtype(dtype).name
    return getattr(torch, name, None) or getattr(torch, name.replace("u", "", 1))


class TorchPlace:
    """Tensors of one device, in host memory or on a GPU."""

    name = "torch"

    def __init__(self, torch: Any, tensor: Any) -> None:
        device = tensor.device
        kind = device.type
        if kind not in ("cpu", "cuda"):
            raise TypeError(f"the tensor is on device {device}; expected cpu or cuda")
        self.torch = torch
        self.device = device
        self.on_device = kind == "cuda"
        self.flags = _lib.ON_DEVICE if self.on_device else 0
        self.stream = _torch_stream(torch, device) if self.on_device else None
        self.isnan = torch.isnan
        self.concatenate = torch.cat
        self.broadcast_to = torch.broadcast_to

    @property
    def where(self) -> str:
        return f"torch on {self.device}"

    @property
    def context(self) -> Any:
        return gpu_context(self.device.index or 0) if self.on_device else host_context()

    def native(self, dtype: Any) -> Any:
        """Returns PyTorch's dtype for NumPy's; signed if PyTorch lacks the unsigned dtype."""
        return dtype if isinstance(dtype, self.torch.dtype) else _torch_dtype(self.torch, dtype)

    def typed(self, array: Any) -> tuple[Any, int, Any]:
        torch, dtype = self.torch, array.dtype
        if array.requires_grad:
            array = array.detach()
        code = _torch_codes(torch).get(dtype)
        if code is not None:
            return array, code, dtype
        if dtype == torch.bool:
            return array.view(torch.uint8), _lib.U8, dtype
        if dtype in (torch.float16, torch.bfloat16):
            return array.to(torch.float32), _lib.F32, dtype
        raise TypeError(
            f"the elements have dtype {dtype}; expected integers of 8 to 64 bits, bool, float16, "
            "bfloat16, float32 or float64"
        )

    def address(self, array: Any) -> int:
        return array.data_ptr()

    def empty(self, shape: tuple, dtype: Any) -> Any:
        return self.torch.empty(tuple(shape), dtype=self.native(dtype), device=self.device)

    def moveaxis(self, array: Any, source: Any, destination: Any) -> Any:
        return self.torch.movedim(array, source, destination)

    def contiguous(self, array: Any) -> Any:
        return array.contiguous()

    def copy(self, array: Any) -> Any:
        return array.clone(memory_format=self.torch.contiguous_format)

    def astype(self, array: Any, dtype: Any) -> Any:
        return array.to(self.native(dtype))

    def astype_back(self, array: Any, dtype: Any) -> Any:
        if array.dtype == dtype:
            return array
        return array.view(dtype) if dtype == self.torch.bool else array.to(dtype)

    def reshape(self, array: Any, shape: tuple) -> Any:
        return array.reshape(tuple(shape))

    def set_nan(self, array: Any, mask: Any) -> None:
        array[mask if mask.ndim else ...] = float("nan")

    def from_host(self, array: Any) -> Any:
        return (
            self.torch.as_tensor(np.ascontiguousarray(array)).to(self.device).reshape(array.shape)
        )

    def to_host(self, array: Any) -> Any:
        return array.cpu().numpy()

    def wait(self) -> None:
        """Waits for the work of the current stream."""
        self.torch.cuda.current_stream(self.device).synchronize()

    def scalar(self, array: Any) -> Any:
        return array

    def key_dtype(self, rows: Any) -> Any:
        return rows.keys.dtype

    def float_name(self, dtype: Any) -> str | None:
        if not dtype.is_floating_point:
            return None
        return "float32" if dtype == self.torch.bfloat16 else str(dtype).replace("torch.", "")

    def is_bool(self, dtype: Any) -> bool:
        return dtype == self.torch.bool

    def wants_cast(self, array: Any, dtype: Any) -> bool:
        return array.dtype != self.native(dtype)

    def may_write(self, array: Any) -> bool:
        return not array.requires_grad

    def itemsize(self, array: Any) -> int:
        return array.element_size()

    def opaque(self, array: Any) -> bool:
        return False

    def count_up(self, n: int) -> Any:
        return self.torch.arange(n, device=self.device)

    def count_true(self, flags: Any) -> int:
        return int(self.torch.count_nonzero(flags))

    def not_equal(self, a: Any, b: Any, out: Any) -> None:
        self.torch.ne(a, b, out=out)

    def nonzero(self, array: Any) -> Any:
        return self.torch.nonzero(array).reshape(-1)

    def number_like(self, array: Any, number: Any) -> Any:
        """Returns a number as a tensor of 0 dimensions on the device of `array`."""
        dtype = self.torch.float64 if isinstance(number, float) else self.torch.int64
        return self.torch.tensor(number, dtype=dtype, device=array.device)

    def searchsorted(self, haystack: Any, needles: Any, side: str, sorter: Any) -> Any:
        if haystack.dtype != needles.dtype:  # torch.searchsorted requires equal dtypes
            dtype = self.torch.float64  # NumPy's common dtype of a float and an integer
            if haystack.dtype.is_floating_point == needles.dtype.is_floating_point:
                dtype = self.torch.promote_types(haystack.dtype, needles.dtype)
            haystack, needles = haystack.to(dtype), needles.to(dtype)
        sorter = None if sorter is None else sorter.to(self.torch.int64)
        return self.torch.searchsorted(haystack, needles, side=side, sorter=sorter)


@functools.lru_cache(maxsize=1)
def _torch_codes(torch: Any) -> dict[Any, int]:
    """Returns the type number of every dtype that both PyTorch and the library have."""
    known = ((getattr(torch, dtype.name, None), code) for dtype, code in TYPES.items())
    return {dtype: code for dtype, code in known if dtype is not None}


# ---- CuPy --------------------------------------------------------------------------------------


class CupyPlace(HostPlace):
    """Arrays of one GPU. CuPy has NumPy's functions and dtypes, so most methods are inherited."""

    name = "cupy"
    flags = _lib.ON_DEVICE
    on_device = True

    def __init__(self, cupy: Any, array: Any) -> None:
        self.cupy = cupy
        self.ordinal = array.device.id
        self.stream = cupy.cuda.get_current_stream().ptr
        self.moveaxis = cupy.moveaxis
        self.isnan = cupy.isnan
        self.concatenate = cupy.concatenate
        self.broadcast_to = cupy.broadcast_to

    @property
    def where(self) -> str:  # type: ignore[override]
        return f"cupy on cuda:{self.ordinal}"

    @property
    def context(self) -> Any:
        return gpu_context(self.ordinal)

    def address(self, array: Any) -> int:  # type: ignore[override]
        return array.data.ptr

    def empty(self, shape: tuple, dtype: Any) -> Any:
        with self.cupy.cuda.Device(self.ordinal):
            return self.cupy.empty(shape, dtype)

    def contiguous(self, array: Any) -> Any:
        return self.cupy.ascontiguousarray(array)

    def copy(self, array: Any) -> Any:
        return array.copy(order="C")

    def count_up(self, n: int) -> Any:
        with self.cupy.cuda.Device(self.ordinal):
            return self.cupy.arange(n, dtype=np.int64)

    def count_true(self, flags: Any) -> int:
        return int(self.cupy.count_nonzero(flags))

    def not_equal(self, a: Any, b: Any, out: Any) -> None:
        self.cupy.not_equal(a, b, out)

    def from_host(self, array: Any) -> Any:
        with self.cupy.cuda.Device(self.ordinal):
            result = self.cupy.empty(array.shape, array.dtype)
            result.set(np.ascontiguousarray(array).reshape(array.shape))
            return result

    def to_host(self, array: Any) -> Any:
        return self.cupy.asnumpy(array)

    def wait(self) -> None:
        """Waits for the work of the current stream."""
        self.cupy.cuda.get_current_stream().synchronize()

    def scalar(self, array: Any) -> Any:
        return array

    def may_write(self, array: Any) -> bool:
        return True

    def number_like(self, array: Any, number: Any) -> Any:
        """Returns a number as an array of 0 dimensions on the same GPU."""
        with self.cupy.cuda.Device(self.ordinal):
            return self.cupy.asarray(number)

    def searchsorted(self, haystack: Any, needles: Any, side: str, sorter: Any) -> Any:
        return self.cupy.searchsorted(haystack, needles, side, sorter)


def _library_of(a: Any) -> tuple[Any, Any]:
    """Returns the place class and the library of a PyTorch or CuPy array; else (None, None)."""
    torch = _loaded("torch", "Tensor")
    if torch is not None and isinstance(a, torch.Tensor):
        return TorchPlace, torch
    cupy = _loaded("cupy", "ndarray")
    if cupy is not None and isinstance(a, cupy.ndarray):
        return CupyPlace, cupy
    return None, None


def place_of(a: Any) -> Any:
    """Returns the place of a PyTorch or CuPy array; None for other arrays."""
    place, library = _library_of(a)
    return place(library, a) if place else None


# ---- Guests ------------------------------------------------------------------------------------


def _is_jax(a: Any) -> bool:
    jax = _loaded("jax", "Array")
    return jax is not None and isinstance(a, jax.Array)


def _is_on_gpu(a: Any) -> bool:
    if hasattr(a, "__cuda_array_interface__"):
        return True
    where = getattr(a, "__dlpack_device__", None)
    if where is None:
        return False
    try:
        return int(where()[0]) in _DLPACK_GPUS
    except (TypeError, ValueError, BufferError):
        return False  # no DLPack form exists: older pyarrow refuses arrays of strings this way


def _import_library() -> Any:
    """Imports CuPy or PyTorch, whichever is installed."""
    for name in ("cupy", "torch"):
        try:
            return __import__(name)
        except ImportError:
            continue
    raise TypeError(
        "the array is on a GPU, and neither CuPy nor PyTorch is installed; expected one of them, "
        "because ordo reads GPU arrays of other libraries through it"
    )


def _take_in(a: Any) -> Any:
    """Converts a guest to an array that has a place and shares its memory."""
    if not _is_on_gpu(a):
        return np.asarray(a)
    library = _import_library()
    if hasattr(a, "__dlpack__"):
        return library.from_dlpack(a)
    return library.asarray(a)


def _hand_back(result: Any, guest: Any) -> Any:
    """Converts a result to an array of the guest's library, without a copy if possible."""
    if isinstance(result, tuple):
        parts = [_hand_back(part, guest) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if not hasattr(result, "shape"):
        return result
    if _is_jax(guest):
        jax = sys.modules["jax"]
        with _wide(jax):
            if isinstance(result, (np.ndarray, np.generic)):
                return jax.numpy.asarray(result)
            return jax.dlpack.from_dlpack(result)
    if isinstance(result, (np.ndarray, np.generic)):
        return result
    numba = _loaded("numba", "cuda")
    if numba is not None and type(guest).__module__.startswith("numba"):
        return numba.cuda.as_cuda_array(result)
    return result


def _wide(jax: Any) -> Any:
    """Lets JAX make 64-bit arrays, which indices and ranks need, whatever its settings."""
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    return importlib.import_module("jax.experimental").enable_x64()


# Types that are never guests. _is_guest adds the types of arrays that have a place.
_NO_GUESTS = {np.ndarray, list, tuple, bool, int, float, str, bytes, type(None)}


def _is_guest(a: Any) -> bool:
    kind = type(a)
    if kind in _NO_GUESTS:
        return False
    if _library_of(a)[0] is not None:
        _NO_GUESTS.add(kind)
        return False
    return not isinstance(a, np.ndarray) and (_is_jax(a) or _is_on_gpu(a))


_Function = TypeVar("_Function", bound=Callable[..., Any])


def with_guests(function: _Function) -> _Function:
    """Decorates a function so that it accepts guests and returns arrays of the guests' library."""

    @functools.wraps(function)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        if arguments and type(arguments[0]) is np.ndarray:
            return function(*arguments, **named)
        for guest in arguments:
            if _is_guest(guest):
                converted = [_take_in(a) if _is_guest(a) else a for a in arguments]
                more = {  # but not `out`: arrays of JAX must not be written
                    name: _take_in(a) if name != "out" and _is_guest(a) else a
                    for name, a in named.items()
                }
                return _hand_back(function(*converted, **more), guest)
        return function(*arguments, **named)

    return cast(_Function, wrapped)
