"""Slots and the on-disk cache, in processes of their own: other modes, and a second process."""

import shutil

import pytest

from tests.scripts import CHECKED, PLAIN, ROOT, run

pytestmark = pytest.mark.smoke

WHERE = "import json, numba, algorithms.kernel as k; print(json.dumps([k.sources_hash(), numba.config.CACHE_DIR]))"


@pytest.mark.parametrize("mode", [PLAIN, CHECKED], ids=["plain", "checked"])
def test_an_index_outside_the_slots_names_them(mode):
    given = run(["-m", "tests.algorithms.windows.out_of_range"], mode)
    assert given["inside"] == [None] * 7
    assert all(message and message.startswith("numbers: index") for message in given["outside"][:8])
    assert all(message and message.startswith("records: index") for message in given["outside"][8:])


@pytest.mark.slow
def test_a_second_process_finds_compiled_drivers_in_the_cache(tmp_path):
    """What the first one compiled the second one loads, and that is much faster."""
    command = ["-m", "tests.algorithms.windows.cache_use"]
    first = run(command, {"NUMBA_CACHE_DIR": str(tmp_path)})
    second = run(command, {"NUMBA_CACHE_DIR": str(tmp_path)})
    assert (first["hits"], second["misses"]) == (0, 0)
    assert first["misses"] == second["hits"] > 0
    assert second["seconds"] < first["seconds"] / 2
    assert second["answer"] == first["answer"]


@pytest.fixture
def copy(tmp_path):
    """Another checkout of what compiled code is made from."""
    for package in ("algorithms", "safeguards"):
        shutil.copytree(ROOT / package, tmp_path / "copy" / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "copy"


@pytest.mark.slow
def test_another_checkout_of_these_sources_finds_the_drivers_of_the_package_in_the_cache(tmp_path, copy):
    rolled = "import json; from algorithms import rolling; print(json.dumps(list(rolling([3.0, 1.0, 2.0], 2, 'max'))))"

    def compiled() -> dict[str, int]:
        """Files of machine code with their times of writing."""
        return {str(path): path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.nbc")}

    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first = run(["-c", rolled], environment)
    made = compiled()
    assert made and all("/algorithms-rolling/" in path for path in made)
    assert run(["-c", rolled], environment, root=copy) == first
    assert compiled() == made


def test_the_cache_moves_when_any_source_of_the_package_changes(tmp_path, copy):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def place() -> tuple[str, str]:
        return tuple(run(["-c", WHERE], environment, root=copy))

    before = place()
    assert place() == before
    assert before[1] == str(tmp_path / "cache" / before[0])
    source = copy / "algorithms" / "operators" / "ends.py"
    source.write_text(source.read_text() + "\n# changed\n")
    after = place()
    assert after[0] != before[0]
    assert after[1] != before[1]


def test_checked_mode_has_a_cache_of_its_own(tmp_path):
    environment = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert run(["-c", WHERE], environment)[1] != run(["-c", WHERE], {**environment, **CHECKED})[1]
