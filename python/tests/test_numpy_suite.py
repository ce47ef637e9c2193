"""Runs the tests of NumPy and SciPy on the functions of ordo, by ``numpy_suite``.

A case may fail only for one of the reasons below. ``COUNTED`` says for some releases how many cases
must pass; for other releases a share of the cases must pass.
"""

from __future__ import annotations

import re

import numpy as np
import numpy_suite
import pytest

# Reasons for expected failures: patterns for "name of the case: exception".
REASONS = {
    "elements of other kinds": [
        r"the elements have dtype (complex\d+|float128|\[|\|V|object|datetime64|timedelta64)",
        r"the elements are objects \(",
        r"sort one field of a structured array",
        r"q has dtype object",
        r"\[(g|F|D|G|m8\[\w+\])-.*\].*: .*DID NOT WARN",
        r"test_allnans\[(0d|2d)-g-.*\].*: .*DID NOT WARN",
    ],
    "weighted quantiles: float64 of integers, more methods, NaN without weights, no objects": [
        r"test_linear_interpolation\[inverted_cdf-True-20-\w-float64-.*\]: .*AssertionError",
        r"test_percentile_out\[percentile1-True\]: .*Cannot cast",
        r"test_quantile_weights_raises_unsupported_methods.*: .*DID NOT RAISE",
        r"test_inf_zeroes_err\[f8-weights2\]: .*DID NOT RAISE",
        r"weights have dtype object",
    ],
    "the results of subclasses and masked arrays are plain arrays, or refused": [
        r"test_subclass2?\b.*: .*AssertionError",
        r"test_unique_subclass.*: .*AssertionError",
        r"the array is masked",
    ],
    "one warning, where NumPy gives one for each row, or two for a row": [
        r"test_allnans\[([efd]|m8\[\w+\])-[01]\]: .*AssertionError",
        r"TestMedian::test_empty: .*AssertionError",
    ],
    "the same exception with other words": [r"Regex pattern did not match"],
    "samples of several dimensions, or in one array": [
        r"spearmanr\(\) missing 1 required positional argument: 'b'",
        r"[abxy] has \d dimensions; expected 1",
    ],
    "SciPy's own classes: of warnings, of results, of methods": [
        r"DID NOT WARN. No warnings of type \(<class 'scipy",
        r"TestMannWhitneyU::test_basic.*: .*dtypes do not match",
        r"method is PermutationMethod",
        r"test_gh19692_smaller_table",
    ],
    "a truth value that is none is taken as one": [r"test_input_validation.*: .*DID NOT RAISE"],
}

# The number of cases that pass, by module and release.
COUNTED = {
    ("numpy._core.tests.test_multiarray", "2.4"): 12410,
    ("numpy.lib.tests.test_arraysetops", "2.4"): 31,
    ("numpy.lib.tests.test_function_base", "2.4"): 616,
    ("numpy.lib.tests.test_nanfunctions", "2.4"): 65,
    ("scipy.stats.tests.test_hypotests", "1.17"): 60,
    ("scipy.stats.tests.test_rank", "1.17"): 73,
    ("scipy.stats.tests.test_stats", "1.17"): 37,
}
# The share of cases that must pass for other releases. NumPy 1.26 has 0.976, SciPy 1.13 0.84, and
# SciPy 1.18, which returns ranks as floats, 0.61.
SHARES = {"numpy": 0.95, "scipy": 0.6}


def is_expected(case: str, why: str) -> bool:
    return any(re.search(p, f"{case}: {why}") for group in REASONS.values() for p in group)


@pytest.mark.parametrize("package", ["numpy", "scipy"])
def test_suite_of(package):
    release = ".".join(pytest.importorskip(package).__version__.split(".")[:2])
    modules = numpy_suite.installed(package)
    if not modules:
        pytest.skip(f"{package} is installed without its tests")
    passed = cases = 0
    for module, outcomes in numpy_suite.run(modules).items():
        count = sum(outcome == "passed" for outcome in outcomes.values())
        cases += sum(outcome != "skipped" for outcome in outcomes.values())
        passed += count
        print(f"{module}: {count} of {len(outcomes)} cases passed")
        if (module, release) in COUNTED:
            unexpected = {
                case: outcome
                for case, outcome in outcomes.items()
                if outcome.startswith("failed") and not is_expected(case, outcome)
            }
            assert unexpected == {}
            assert count >= COUNTED[module, release], module
    assert passed >= SHARES[package] * cases


def test_the_suite_calls_ordo():
    """`attribute` returns ordo's functions: they raise an error that NumPy does not raise."""
    numpy_suite.fill()
    assert numpy_suite.attribute(np, "sort") is not np.sort
    with pytest.raises(TypeError, match="complex"):
        numpy_suite.attribute(np.array([1j, 0j]), "sort")()
    assert numpy_suite.attribute(np, "zeros") is np.zeros
    a = np.array([3, 1, 2])
    assert numpy_suite.attribute(a, "sort")() is None
    assert a.tolist() == [1, 2, 3]
