"""The first call in a new process, where compiled code is on the disk: it compiles nothing, nor prepares to."""

import pytest

from tests.scripts import run


@pytest.mark.smoke
def test_a_first_call_loads_one_kernel_and_no_module(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    hits, misses, modules, compiled = run(["-m", "tests.algorithms.rolling.first_call"], cache)
    assert (hits, misses) == (0, 1)
    assert "numba.np.linalg" in modules, "what compiling imports is called otherwise now: look for it below"
    assert run(["-m", "tests.algorithms.rolling.first_call"], cache) == [1, 0, [], compiled]


def test_code_that_counts_references_or_hashes_is_loaded_too(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONHASHSEED": "1"}
    answers = [True, [3, 2, 1]]
    assert run(["-m", "tests.algorithms.late_symbols"], cache) == [0, answers]
    assert run(["-m", "tests.algorithms.late_symbols"], cache) == [2, answers]
