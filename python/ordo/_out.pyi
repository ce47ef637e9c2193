"""The functions with `out`, for type checkers: the result has the type of `out` if it is given."""

from typing import Any, TypeVar, overload

from . import _lib

_Out = TypeVar("_Out")

@overload
def sort(
    a: Any, axis: int | None = ..., kind: _lib.SortKind | None = ..., order: None = ..., *,
    stable: bool | None = ..., descending: bool = ..., algorithm: _lib.Algorithm = ...,
    radius: int = ..., out: None = ..., by: Any = ...,
) -> Any: ...  # fmt: skip
@overload
def sort(
    a: Any, axis: int | None = ..., kind: _lib.SortKind | None = ..., order: None = ..., *,
    stable: bool | None = ..., descending: bool = ..., algorithm: _lib.Algorithm = ...,
    radius: int = ..., out: _Out, by: Any = ...,
) -> _Out: ...  # fmt: skip
@overload
def argsort(
    a: Any, axis: int | None = ..., kind: _lib.SortKind | None = ..., order: None = ..., *,
    stable: bool | None = ..., descending: bool = ..., algorithm: _lib.Algorithm = ...,
    radius: int = ..., dtype: Any = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def argsort(
    a: Any, axis: int | None = ..., kind: _lib.SortKind | None = ..., order: None = ..., *,
    stable: bool | None = ..., descending: bool = ..., algorithm: _lib.Algorithm = ...,
    radius: int = ..., dtype: Any = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def partition(
    a: Any, kth: Any, axis: int | None = ..., kind: _lib.SelectKind = ..., order: None = ..., *,
    descending: bool = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def partition(
    a: Any, kth: Any, axis: int | None = ..., kind: _lib.SelectKind = ..., order: None = ..., *,
    descending: bool = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def argpartition(
    a: Any, kth: Any, axis: int | None = ..., kind: _lib.SelectKind = ..., order: None = ..., *,
    descending: bool = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def argpartition(
    a: Any, kth: Any, axis: int | None = ..., kind: _lib.SelectKind = ..., order: None = ..., *,
    descending: bool = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def rankdata(
    a: Any, method: _lib.Ties = ..., *, axis: int | None = ...,
    nan_policy: _lib.NanPolicy | None = ..., descending: bool = ..., dtype: Any = ...,
    algorithm: _lib.Algorithm = ..., weights: Any = ..., pct: bool = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def rankdata(
    a: Any, method: _lib.Ties = ..., *, axis: int | None = ...,
    nan_policy: _lib.NanPolicy | None = ..., descending: bool = ..., dtype: Any = ...,
    algorithm: _lib.Algorithm = ..., weights: Any = ..., pct: bool = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def rank(
    a: Any, method: _lib.Ties = ..., *, axis: int | None = ...,
    nan_policy: _lib.NanPolicy | None = ..., descending: bool = ..., dtype: Any = ...,
    algorithm: _lib.Algorithm = ..., weights: Any = ..., pct: bool = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def rank(
    a: Any, method: _lib.Ties = ..., *, axis: int | None = ...,
    nan_policy: _lib.NanPolicy | None = ..., descending: bool = ..., dtype: Any = ...,
    algorithm: _lib.Algorithm = ..., weights: Any = ..., pct: bool = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def rank_sorted(
    a: Any, method: _lib.Ties = ..., *, axis: int | None = ..., descending: bool = ...,
    dtype: Any = ..., algorithm: _lib.Algorithm = ..., check: bool = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def rank_sorted(
    a: Any, method: _lib.Ties = ..., *, axis: int | None = ..., descending: bool = ...,
    dtype: Any = ..., algorithm: _lib.Algorithm = ..., check: bool = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def cumsum(
    a: Any, axis: int | None = ..., dtype: Any = ..., out: None = ..., *, exclusive: bool = ...,
    algorithm: _lib.Algorithm = ...,
) -> Any: ...  # fmt: skip
@overload
def cumsum(
    a: Any, axis: int | None = ..., dtype: Any = ..., *, out: _Out, exclusive: bool = ...,
    algorithm: _lib.Algorithm = ...,
) -> _Out: ...  # fmt: skip
@overload
def cumsum(
    a: Any, axis: int | None, dtype: Any, out: _Out, *, exclusive: bool = ...,
    algorithm: _lib.Algorithm = ...,
) -> _Out: ...  # fmt: skip
@overload
def cumprod(
    a: Any, axis: int | None = ..., dtype: Any = ..., out: None = ..., *, exclusive: bool = ...,
) -> Any: ...  # fmt: skip
@overload
def cumprod(
    a: Any, axis: int | None = ..., dtype: Any = ..., *, out: _Out, exclusive: bool = ...,
) -> _Out: ...  # fmt: skip
@overload
def cumprod(
    a: Any, axis: int | None, dtype: Any, out: _Out, *, exclusive: bool = ...,
) -> _Out: ...  # fmt: skip
@overload
def cummax(a: Any, axis: int | None = ..., out: None = ...) -> Any: ...
@overload
def cummax(a: Any, axis: int | None = ..., *, out: _Out) -> _Out: ...
@overload
def cummax(a: Any, axis: int | None, out: _Out) -> _Out: ...
@overload
def cummin(a: Any, axis: int | None = ..., out: None = ...) -> Any: ...
@overload
def cummin(a: Any, axis: int | None = ..., *, out: _Out) -> _Out: ...
@overload
def cummin(a: Any, axis: int | None, out: _Out) -> _Out: ...
@overload
def scan_bits(
    flags: Any, n: int | None = ..., *, exclusive: bool = ..., dtype: Any = ...,
    algorithm: _lib.Algorithm = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def scan_bits(
    flags: Any, n: int | None = ..., *, exclusive: bool = ..., dtype: Any = ...,
    algorithm: _lib.Algorithm = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def median(
    a: Any, axis: int | tuple | None = ..., out: None = ..., overwrite_input: bool = ...,
    keepdims: bool = ..., *, weights: Any = ..., nan_policy: _lib.NanPolicy | None = ...,
    algorithm: _lib.Algorithm = ..., sub_array: int = ...,
) -> Any: ...  # fmt: skip
@overload
def median(
    a: Any, axis: int | tuple | None = ..., *, out: _Out, overwrite_input: bool = ...,
    keepdims: bool = ..., weights: Any = ..., nan_policy: _lib.NanPolicy | None = ...,
    algorithm: _lib.Algorithm = ..., sub_array: int = ...,
) -> _Out: ...  # fmt: skip
@overload
def median(
    a: Any, axis: int | tuple | None, out: _Out, overwrite_input: bool = ..., keepdims: bool = ...,
    *, weights: Any = ..., nan_policy: _lib.NanPolicy | None = ..., algorithm: _lib.Algorithm = ...,
    sub_array: int = ...,
) -> _Out: ...  # fmt: skip
@overload
def quantile(
    a: Any, q: Any, axis: int | tuple | None = ..., out: None = ..., overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., *, weights: Any = ...,
    nan_policy: _lib.NanPolicy | None = ..., algorithm: _lib.Algorithm = ..., sub_array: int = ...,
) -> Any: ...  # fmt: skip
@overload
def quantile(
    a: Any, q: Any, axis: int | tuple | None = ..., *, out: _Out, overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., weights: Any = ...,
    nan_policy: _lib.NanPolicy | None = ..., algorithm: _lib.Algorithm = ..., sub_array: int = ...,
) -> _Out: ...  # fmt: skip
@overload
def quantile(
    a: Any, q: Any, axis: int | tuple | None, out: _Out, overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., *, weights: Any = ...,
    nan_policy: _lib.NanPolicy | None = ..., algorithm: _lib.Algorithm = ..., sub_array: int = ...,
) -> _Out: ...  # fmt: skip
@overload
def percentile(
    a: Any, q: Any, axis: int | tuple | None = ..., out: None = ..., overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., *, weights: Any = ...,
    nan_policy: _lib.NanPolicy | None = ..., algorithm: _lib.Algorithm = ..., sub_array: int = ...,
) -> Any: ...  # fmt: skip
@overload
def percentile(
    a: Any, q: Any, axis: int | tuple | None = ..., *, out: _Out, overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., weights: Any = ...,
    nan_policy: _lib.NanPolicy | None = ..., algorithm: _lib.Algorithm = ..., sub_array: int = ...,
) -> _Out: ...  # fmt: skip
@overload
def percentile(
    a: Any, q: Any, axis: int | tuple | None, out: _Out, overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., *, weights: Any = ...,
    nan_policy: _lib.NanPolicy | None = ..., algorithm: _lib.Algorithm = ..., sub_array: int = ...,
) -> _Out: ...  # fmt: skip
@overload
def nanmedian(
    a: Any, axis: int | tuple | None = ..., out: None = ..., overwrite_input: bool = ...,
    keepdims: bool = ..., *, weights: Any = ...,
) -> Any: ...  # fmt: skip
@overload
def nanmedian(
    a: Any, axis: int | tuple | None = ..., *, out: _Out, overwrite_input: bool = ...,
    keepdims: bool = ..., weights: Any = ...,
) -> _Out: ...  # fmt: skip
@overload
def nanmedian(
    a: Any, axis: int | tuple | None, out: _Out, overwrite_input: bool = ..., keepdims: bool = ...,
    *, weights: Any = ...,
) -> _Out: ...  # fmt: skip
@overload
def nanquantile(
    a: Any, q: Any, axis: int | tuple | None = ..., out: None = ..., overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., *, weights: Any = ...,
) -> Any: ...  # fmt: skip
@overload
def nanquantile(
    a: Any, q: Any, axis: int | tuple | None = ..., *, out: _Out, overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., weights: Any = ...,
) -> _Out: ...  # fmt: skip
@overload
def nanquantile(
    a: Any, q: Any, axis: int | tuple | None, out: _Out, overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., *, weights: Any = ...,
) -> _Out: ...  # fmt: skip
@overload
def nanpercentile(
    a: Any, q: Any, axis: int | tuple | None = ..., out: None = ..., overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., *, weights: Any = ...,
) -> Any: ...  # fmt: skip
@overload
def nanpercentile(
    a: Any, q: Any, axis: int | tuple | None = ..., *, out: _Out, overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., weights: Any = ...,
) -> _Out: ...  # fmt: skip
@overload
def nanpercentile(
    a: Any, q: Any, axis: int | tuple | None, out: _Out, overwrite_input: bool = ...,
    method: _lib.Method = ..., keepdims: bool = ..., *, weights: Any = ...,
) -> _Out: ...  # fmt: skip
@overload
def select(
    a: Any, k: Any, axis: int | tuple | None = ..., *, descending: bool = ...,
    algorithm: _lib.Algorithm = ..., sub_array: int = ..., out: None = ..., keepdims: bool = ...,
) -> Any: ...  # fmt: skip
@overload
def select(
    a: Any, k: Any, axis: int | tuple | None = ..., *, descending: bool = ...,
    algorithm: _lib.Algorithm = ..., sub_array: int = ..., out: _Out, keepdims: bool = ...,
) -> _Out: ...  # fmt: skip
@overload
def argtopk(
    a: Any, k: int, axis: int | None = ..., *, largest: bool = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def argtopk(a: Any, k: int, axis: int | None = ..., *, largest: bool = ..., out: _Out) -> _Out: ...
@overload
def lexsort(
    keys: Any, axis: int = ..., *,
    descending: Any = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def lexsort(
    keys: Any, axis: int = ..., *,
    descending: Any = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def lexrank(
    keys: Any, method: _lib.Ties = ..., *,
    descending: Any = ..., dtype: Any = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def lexrank(
    keys: Any, method: _lib.Ties = ..., *,
    descending: Any = ..., dtype: Any = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def group_argsort(
    groups: Any, a: Any = ..., *,
    descending: bool = ..., dropna: bool = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def group_argsort(
    groups: Any, a: Any = ..., *,
    descending: bool = ..., dropna: bool = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def group_rank(
    groups: Any, a: Any, method: _lib.Ties = ..., *,
    descending: bool = ..., dropna: bool = ..., dtype: Any = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def group_rank(
    groups: Any, a: Any, method: _lib.Ties = ..., *,
    descending: bool = ..., dropna: bool = ..., dtype: Any = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def moving_median(
    a: Any, window: Any, min_periods: int | None = ..., axis: int | None = ..., *,
    center: bool = ..., nan_policy: _lib.NanPolicy = ...,
    groups: Any = ..., times: Any = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def moving_median(
    a: Any, window: Any, min_periods: int | None = ..., axis: int | None = ..., *,
    center: bool = ..., nan_policy: _lib.NanPolicy = ...,
    groups: Any = ..., times: Any = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def moving_min(
    a: Any, window: Any, min_periods: int | None = ..., axis: int | None = ..., *,
    center: bool = ..., nan_policy: _lib.NanPolicy = ...,
    groups: Any = ..., times: Any = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def moving_min(
    a: Any, window: Any, min_periods: int | None = ..., axis: int | None = ..., *,
    center: bool = ..., nan_policy: _lib.NanPolicy = ...,
    groups: Any = ..., times: Any = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def moving_max(
    a: Any, window: Any, min_periods: int | None = ..., axis: int | None = ..., *,
    center: bool = ..., nan_policy: _lib.NanPolicy = ...,
    groups: Any = ..., times: Any = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def moving_max(
    a: Any, window: Any, min_periods: int | None = ..., axis: int | None = ..., *,
    center: bool = ..., nan_policy: _lib.NanPolicy = ...,
    groups: Any = ..., times: Any = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def moving_quantile(
    a: Any, window: Any, q: float, min_periods: int | None = ..., axis: int | None = ..., *,
    method: _lib.Method = ..., center: bool = ..., nan_policy: _lib.NanPolicy = ...,
    groups: Any = ..., times: Any = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def moving_quantile(
    a: Any, window: Any, q: float, min_periods: int | None = ..., axis: int | None = ..., *,
    method: _lib.Method = ..., center: bool = ..., nan_policy: _lib.NanPolicy = ...,
    groups: Any = ..., times: Any = ..., out: _Out,
) -> _Out: ...  # fmt: skip
@overload
def moving_rank(
    a: Any, window: Any, min_periods: int | None = ..., axis: int | None = ..., *,
    method: _lib.Ties = ..., descending: bool = ..., center: bool = ...,
    nan_policy: _lib.NanPolicy = ...,
    groups: Any = ..., times: Any = ..., out: None = ...,
) -> Any: ...  # fmt: skip
@overload
def moving_rank(
    a: Any, window: Any, min_periods: int | None = ..., axis: int | None = ..., *,
    method: _lib.Ties = ..., descending: bool = ..., center: bool = ...,
    nan_policy: _lib.NanPolicy = ...,
    groups: Any = ..., times: Any = ..., out: _Out,
) -> _Out: ...  # fmt: skip
