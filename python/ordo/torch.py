"""Operators of PyTorch: ``import ordo.torch`` registers ``torch.ops.ordo``.

    >>> import torch, ordo.torch
    >>> x = torch.tensor([2.5, 9.0, 1.5])
    >>> torch.ops.ordo.argsort(x)
    tensor([2, 0, 1])
    >>> torch.ops.ordo.topk(x, 2)
    (tensor([9.0000, 2.5000]), tensor([1, 0]))

The operators are in libordo_torch.so. This module adds what PyTorch asks of Python: the shapes of
results for ``torch.compile`` and gradients. The operators sort, topk and median with a dimension
need neither, because they are made of argsort, argtopk or argmedian and operators of PyTorch.
"""

from __future__ import annotations

import os
from typing import Any

import torch

from . import _lib, _workers

__all__: list[str] = []  # the operators are in torch.ops.ordo


def _load() -> None:
    path = os.path.join(os.path.dirname(_lib.path), "libordo_torch.so")
    if not os.path.exists(path):
        raise ImportError(f"{path} is missing; `pip install .` and `make` build it")
    try:
        torch.ops.load_library(path)
    except OSError as error:
        raise ImportError(
            f"PyTorch {torch.__version__} cannot load {path}; expected 2.10 or newer: {error}"
        ) from error
    _workers.add_door(path)


_load()
_ops: Any = torch.ops.ordo


# ---- Shapes of results -------------------------------------------------------------------------


def _place(x: Any, dim: int) -> int:
    """Returns the number of a dimension from 0 on."""
    most = max(x.dim(), 1)
    torch._check(
        -most <= dim < most,
        lambda: (
            f"Dimension out of range (expected to be in range of [{-most}, {most - 1}], but got "
            f"{dim})"
        ),
    )
    return dim % most


def _like(x: Any, dim: int, dtype: Any) -> Any:
    _place(x, dim)
    return x.new_empty(x.shape, dtype=dtype)


def _reduced(x: Any, dim: int | None, keepdim: bool) -> list[Any]:
    """Returns the sizes of a result with one element for each row."""
    if dim is None or x.dim() == 0:
        return [1] * x.dim() if keepdim else []
    place = _place(x, dim)
    return [*x.shape[:place], *([1] if keepdim else []), *x.shape[place + 1 :]]


@torch.library.register_fake("ordo::argsort")
def _(x: Any, dim: int = -1, descending: bool = False, stable: bool = True) -> Any:
    return _like(x, dim, torch.int64)


@torch.library.register_fake("ordo::rank")
def _(x: Any, dim: int = -1, method: str = "average") -> Any:
    return _like(x, dim, torch.float64 if method == "average" else torch.int64)


@torch.library.register_fake("ordo::argtopk")
def _(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    place = _place(x, dim)
    if x.dim() == 0:
        return x.new_empty((), dtype=torch.int64)
    sizes = [*x.shape[:place], *x.shape[place + 1 :], k]
    return x.new_empty(sizes, dtype=torch.int64).movedim(-1, place)


@torch.library.register_fake("ordo::argmedian")
def _(x: Any, dim: int) -> Any:
    return x.new_empty(_reduced(x, dim, True), dtype=torch.int64)


@torch.library.register_fake("ordo::median")
def _(x: Any) -> Any:
    return x.new_empty(())


def _quantile_dtype(x: Any) -> Any:
    return x.dtype if x.dtype.is_floating_point else torch.float64


@torch.library.register_fake("ordo::quantile.scalar")
def _(
    x: Any,
    q: float,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Any:
    return x.new_empty(_reduced(x, dim, keepdim), dtype=_quantile_dtype(x))


@torch.library.register_fake("ordo::quantile")
def _(
    x: Any,
    q: Any,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Any:
    sizes = [*_reduced(x, dim, keepdim), *q.shape]
    result = x.new_empty(sizes, dtype=_quantile_dtype(x))
    return result.movedim(-1, 0) if q.dim() else result


@torch.library.register_fake("ordo::cumsum")
def _(x: Any, dim: int, *, dtype: Any = None) -> Any:
    if dtype is None:
        dtype = x.dtype if x.dtype.is_floating_point else torch.int64
    return _like(x, dim, dtype)


# ---- Gradients ---------------------------------------------------------------------------------

# Indices and ranks have none.
_library = torch.library.Library("ordo", "IMPL")
for _name in ("argmedian", "argsort", "argtopk", "rank"):
    _library.impl(_name, torch.library.fallthrough_kernel, "Autograd")


def _keep_median(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(inputs[0], output)


def _median_gradient(ctx: Any, gradient: Any) -> Any:
    """Shares the gradient among the elements that tie with the median, as PyTorch does."""
    x, median = ctx.saved_tensors
    ties = torch.where(median.isnan(), x.isnan(), x == median)
    return torch.where(ties, gradient / ties.sum(), 0)


torch.library.register_autograd("ordo::median", _median_gradient, setup_context=_keep_median)


def _keep_cumsum(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    ctx.dim, ctx.dtype = inputs[1], inputs[0].dtype


def _cumsum_gradient(ctx: Any, gradient: Any) -> Any:
    if gradient.dim():
        gradient = _ops.cumsum(gradient.flip(ctx.dim), ctx.dim).flip(ctx.dim)
    return gradient.to(ctx.dtype), None


torch.library.register_autograd("ordo::cumsum", _cumsum_gradient, setup_context=_keep_cumsum)


def _keep_quantile(ctx: Any, inputs: Any, keyword_only_inputs: Any, output: Any) -> None:
    x, q, ctx.dim, ctx.keepdim = inputs
    ctx.interpolation = keyword_only_inputs["interpolation"]
    ctx.is_list = isinstance(q, torch.Tensor)
    ctx.save_for_backward(x, q if ctx.is_list else torch.tensor(q, dtype=torch.float64))


def _neighbours(place: Any, interpolation: str) -> tuple[Any, Any, Any]:
    """Returns the places of the two elements next to a quantile and the weight of the second."""
    if interpolation == "nearest":
        place = place.round()
    below, above = place.floor(), place.ceil()
    weight = place - below
    if interpolation == "midpoint":
        weight = torch.where(below < above, 0.5, 0.0)
    elif interpolation in ("lower", "higher"):
        weight = torch.full_like(weight, interpolation == "higher")
    return below.long(), above.long(), weight


def _quantile_gradient(ctx: Any, gradient: Any) -> Any:
    """Gives the gradient to the two elements next to the quantile, or to the last NaN of a row."""
    x, q = ctx.saved_tensors
    flat = ctx.dim is None or x.dim() == 0
    rows = x.reshape(-1) if flat else x.movedim(ctx.dim, -1)
    if flat:
        gradient = gradient.reshape(q.numel())
    else:
        gradient = gradient.movedim(0, -1) if q.dim() else gradient.unsqueeze(-1)
        if ctx.keepdim:
            gradient = gradient.squeeze(ctx.dim % x.dim())
    last = rows.shape[-1] - 1
    place = (q.reshape(-1).to(x.device, torch.float64) * last).expand(gradient.shape)
    place = torch.where(rows.isnan().any(-1, keepdim=True), float(last), place)
    order = _ops.argsort(rows)
    result = torch.zeros_like(rows)
    below, above, weight = _neighbours(place, ctx.interpolation)
    weight = weight.to(gradient.dtype)
    for index, part in ((below, gradient * (1 - weight)), (above, gradient * weight)):
        result = result.scatter_add(-1, order.gather(-1, index), part)
    result = result.reshape(x.shape) if flat else result.movedim(-1, ctx.dim)
    return result, None, None, None


for _name in ("ordo::quantile", "ordo::quantile.scalar"):
    torch.library.register_autograd(_name, _quantile_gradient, setup_context=_keep_quantile)
