"""spearmanr and mannwhitneyu against SciPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordo

stats = pytest.importorskip("scipy.stats", reason="needs SciPy to compare with")
ALTERNATIVES = ["two-sided", "less", "greater"]


def close(result, expected):
    np.testing.assert_allclose(result.statistic, expected.statistic, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(result.pvalue, expected.pvalue, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(n=st.integers(3, 200), ties=st.integers(2, 300), seed=st.integers(0, 99))
def test_spearman(alternative, n, ties, seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, ties, n)
    y = x * rng.integers(-1, 2) + rng.integers(0, ties, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = stats.spearmanr(x, y, alternative=alternative)
    close(ordo.spearmanr(x, y, alternative=alternative), expected)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("method", ["auto", "exact", "asymptotic"])
@pytest.mark.parametrize("continuity", [True, False])
@given(
    m=st.integers(1, 30), n=st.integers(1, 30), ties=st.integers(2, 400), seed=st.integers(0, 99)
)
def test_mann_whitney(alternative, method, continuity, m, n, ties, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, ties, m).astype(float), rng.integers(0, ties, n).astype(float)
    if method == "exact":
        x, y = x + rng.random(m), y + rng.random(n)
    named = {"use_continuity": continuity, "alternative": alternative, "method": method}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = stats.mannwhitneyu(x, y, **named)
    close(ordo.mannwhitneyu(x, y, **named), expected)


def test_nan_policies():
    x, y = [1.0, 2.0, np.nan, 4.0, 5.0], [2.0, 1.0, 3.0, 5.0, 4.0]
    assert np.isnan(ordo.spearmanr(x, y).statistic)
    close(ordo.spearmanr(x, y, nan_policy="omit"), stats.spearmanr([1, 2, 4, 5], [2, 1, 5, 4]))
    close(ordo.mannwhitneyu(x, y, nan_policy="omit"), stats.mannwhitneyu([1, 2, 4, 5], y))
    for test in (ordo.spearmanr, ordo.mannwhitneyu):
        with pytest.raises(ValueError, match="nan"):
            test(x, y, nan_policy="raise")


def test_constant_and_perfect():
    assert np.isnan(ordo.spearmanr([1, 1, 1], [1, 2, 3]).statistic)
    close(ordo.spearmanr(range(9), range(9)), stats.spearmanr(range(9), range(9)))
