"""The parameters of the public functions: those of NumPy and SciPy, and the same ones in all."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import ordo

FUNCTIONS = [n for n in ordo.__all__ if inspect.isroutine(inspect.unwrap(getattr(ordo, n)))]
LIKE_NUMPY = (
    "argpartition argsort cumprod cumsum lexsort median nanmedian nanpercentile nanquantile "
    "partition percentile quantile searchsorted sort unique"
).split()
OLD = {"interpolation"}  # parameters that NumPy gives up

# For every function: which of the parameters `out`, `keepdims`, `weights`, `descending` it has.
COMMON = {"out", "keepdims", "weights", "descending"}
HAVE = {
    "out descending": "argpartition argsort group_argsort group_rank lexrank lexsort moving_rank "
    "partition rank_sorted sort",
    "out weights descending": "rank rankdata",
    "out keepdims descending": "select",
    "out keepdims weights": "median nanmedian nanpercentile nanquantile percentile quantile",
    "out": "argtopk cummax cummin cumprod cumsum moving_max moving_median moving_min "
    "moving_quantile scan_bits top_k topk",
    "keepdims descending": "is_sorted radius",
    "weights": "group_median group_quantile",
    "descending": "sort_pairs sort_records",
    "keepdims": "mannwhitneyu",
    "": "bwt config explain generate group_count group_topk lcp patch patched read_fasta "
    "searchsorted show_config spearmanr split_by_flags suffix_array unbwt unique unpatch",
}
# None: 'omit' for objects of pandas and polars, else 'propagate'.
NANS: dict = {
    "mannwhitneyu": "propagate", "spearmanr": "propagate", "median": None, "percentile": None,
    "quantile": None, "rank": None, "rankdata": None,
}  # fmt: skip
GROUPS = {
    "group_argsort": "dropna", "group_count": "dropna", "group_rank": "dropna",
    "group_median": "dropna skipna", "group_quantile": "dropna skipna",
    "group_topk": "dropna skipna",
}  # fmt: skip


def parameters(function) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


def test_every_function_is_listed():
    assert sorted(" ".join(HAVE.values()).split()) == sorted(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_common_parameters(name):
    found = parameters(getattr(ordo, name))
    expected = next(key for key, names in HAVE.items() if name in names.split())
    assert COMMON & found.keys() == set(expected.split())
    for each in ("out", "weights"):
        assert each not in found or found[each].default is None
    for each in ("keepdims", "descending"):
        assert each not in found or found[each].default is False
    for each in ("weights", "descending"):
        assert each not in found or found[each].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("name", LIKE_NUMPY)
def test_parameters_of_numpy(name):
    """Each parameter of NumPy has its name, its place and its default; others are keywords."""
    ours, theirs = parameters(getattr(ordo, name)), parameters(getattr(np, name))
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert [each for each, p in ours.items() if p.kind is positional] == [
        each for each, p in theirs.items() if p.kind is positional and each not in OLD
    ]
    for each, parameter in theirs.items():
        if each in OLD or (name == "lexsort" and each == "keys"):
            continue
        default = parameter.default
        if "no value" in repr(default):
            default = False
        assert ours[each].default == default, each


def test_parameters_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    for name in ("rankdata", "mannwhitneyu", "spearmanr"):
        ours, theirs = parameters(getattr(ordo, name)), parameters(getattr(stats, name))
        for each in ("method", "axis", "nan_policy", "alternative", "use_continuity"):
            if each in theirs:
                if each != "nan_policy":
                    assert ours[each].default == theirs[each].default
                assert ours[each].kind is theirs[each].kind


def test_nans_and_groups():
    for name, default in NANS.items():
        assert parameters(getattr(ordo, name))["nan_policy"].default == default
    for name, flags in GROUPS.items():
        found = parameters(getattr(ordo, name))
        assert {each for each in ("dropna", "skipna") if each in found} == set(flags.split())
        assert all(found[each].default is True for each in flags.split())


def test_keepdims_of_measures():
    a = np.arange(24).reshape(2, 3, 4)[:, ::-1]
    for call in (ordo.is_sorted, ordo.radius):
        for axis in (0, 1, 2, -1, -2):
            found = call(a, axis, keepdims=True)
            assert np.array_equal(found, np.expand_dims(call(a, axis), axis))
        whole = call(a, None, keepdims=True)
        assert whole.shape == (1, 1, 1) and whole.item() == call(a, None)
        assert call([1, 2], keepdims=True).shape == (1,)
    assert ordo.radius(a, 1, sequences=True, keepdims=True)[0].tolist() == [[[2] * 4]] * 2
    assert ordo.is_sorted(np.array([["b", "a"]]), keepdims=True).tolist() == [[False]]


def test_scan_bits_into_an_array():
    out = np.empty(3, np.int64)
    assert ordo.scan_bits([True, False, True], out=out) is out
    assert out.tolist() == [1, 1, 2]
    with pytest.raises(ValueError, match="out has shape"):
        ordo.scan_bits([True], out=out)
