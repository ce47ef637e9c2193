"""Calls on one row of a PyTorch tensor on a GPU, without the conversions that other arrays need.

Most of the time of a call on a few thousand elements is spent before the GPU starts. These
functions are for contiguous tensors of one dimension and an element type of the library, with the
options of most calls. All other calls convert their arguments (``Rows``).
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from .. import _lib
from .._context import gpu_context
from .device import _torch_codes

# Elements up to which a GPU finds the median of a row faster as one of several rows: the result
# then stays on the GPU, and the call does not wait for it.
_MEDIAN_MOST = 4096
_MOST_KEPT = 256
_sizes = {
    struct: ctypes.sizeof(struct)
    for struct in (_lib.SortOptions, _lib.QuantileOptions, _lib.Segments)
}
_PROPAGATE = _lib.NANS["propagate"]
_LONG = (_lib.I8, _lib.I16, _lib.I32)


class _Torch:
    """What the functions need of PyTorch, once it is imported."""

    tensor: Any = None
    codes: dict[Any, int]
    stream: Any
    int64: Any
    float64: Any


def _find_torch() -> bool:
    torch = sys.modules.get("torch")
    stream = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    if torch is None or stream is None or not hasattr(torch, "float64"):
        return False
    _Torch.codes, _Torch.stream = _torch_codes(torch), stream
    _Torch.int64, _Torch.float64 = torch.int64, torch.float64
    _Torch.tensor = torch.Tensor
    return True


def row_of(a: Any, axis: Any) -> int:
    """Returns the library's type of a tensor that these functions accept; 0 for other objects."""
    if type(a) is not _Torch.tensor and (_Torch.tensor or not _find_torch()):
        return 0
    if type(a) is not _Torch.tensor or not a.is_cuda or a.dim() != 1 or a.requires_grad:
        return 0
    if axis is not None and (type(axis) is not int or not -1 <= axis <= 0):
        return 0
    return _Torch.codes.get(a.dtype, 0) if a.is_contiguous() and a.numel() else 0


_kept: dict[Any, Any] = {}


def _options(struct: Any, stream: int, flags: int = 0) -> Any:
    """Returns options with a stream and flags, which must not be changed."""
    key = (struct, stream, flags)
    found = _kept.get(key)
    if found is None:
        found = struct(
            struct_size=ctypes.sizeof(struct), flags=flags | _lib.ON_DEVICE, stream=stream or None
        )
        if len(_kept) < _MOST_KEPT:
            _kept[key] = found
    return found


def sort(a: Any, code: int, descending: bool) -> Any:
    """Returns a sorted copy."""
    device, result = a.get_device(), a.new_empty(a.numel())
    flags = _lib.ON_DEVICE | (_lib.DESCENDING if descending else 0)
    opts = _lib.SortOptions(
        _sizes[_lib.SortOptions], flags, 0, 0, 0, _Torch.stream(device), a.data_ptr()
    )
    where = ctypes.addressof(opts)
    _lib.sort(gpu_context(device), code, result.data_ptr(), a.numel(), where)
    return result


def argsort(a: Any, code: int, descending: bool) -> Any:
    """Returns the sorting indices as int64."""
    device, n = a.get_device(), a.numel()
    result = a.new_empty(n, dtype=_Torch.int64)
    opts = _options(_lib.SortOptions, _Torch.stream(device), _lib.DESCENDING if descending else 0)
    where = ctypes.addressof(opts)
    _lib.argsort(gpu_context(device), code, a.data_ptr(), n, _lib.U64, result.data_ptr(), where)
    return result


def topk(a: Any, code: int, k: int, largest: bool) -> tuple[Any, Any]:
    """Returns the k largest or smallest elements in order, and their indices."""
    device = a.get_device()
    values, index = a.new_empty(k), a.new_empty(k, dtype=_Torch.int64)
    opts = _options(_lib.SelectOptions, _Torch.stream(device), _lib.DESCENDING if largest else 0)
    where = ctypes.addressof(opts)
    _lib.topk(
        gpu_context(device), code, a.data_ptr(), a.numel(), k, values.data_ptr(), _lib.U64,
        index.data_ptr(), None, where,
    )  # fmt: skip
    return values, index


def scan(a: Any, code: int, op: Any) -> Any:
    """Returns cumulative sums or products; None if their dtype is unsigned and not that of `a`."""
    if code in (_lib.U8, _lib.U16, _lib.U32):
        return None
    device, n, out = a.get_device(), a.numel(), code
    if code in _LONG:
        result, out = a.new_empty(n, dtype=_Torch.int64), _lib.I64
    else:
        result = a.new_empty(n)
    opts = _options(_lib.ScanOptions, _Torch.stream(device))
    where = ctypes.addressof(opts)
    _lib.scan(gpu_context(device), op, code, a.data_ptr(), n, out, result.data_ptr(), where)
    return result


def median(a: Any, axis: Any) -> Any:
    """Returns the median as a tensor of 0 dimensions; None if `Rows` must compute it."""
    code = row_of(a, axis)
    if not code or (n := a.numel()) > _MEDIAN_MOST:
        return None
    device, result = a.get_device(), a.new_empty((), dtype=_Torch.float64)
    row = _lib.Segments(_sizes[_lib.Segments], 1, None, n)
    opts = _lib.QuantileOptions(
        _sizes[_lib.QuantileOptions], _lib.ON_DEVICE, _PROPAGATE, _lib.HALF_SUM, 0, 0,
        _Torch.stream(device), 0, ctypes.addressof(row),
    )  # fmt: skip
    where = ctypes.addressof(opts)
    _lib.median(gpu_context(device), code, a.data_ptr(), n, result.data_ptr(), where)
    return result.to(a.dtype) if code == _lib.F32 else result
