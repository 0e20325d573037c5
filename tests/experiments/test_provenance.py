"""Where a number came from: the sources of the code hash, in an own copy of the project."""

import hashlib
import json
import shutil
import subprocess
import sys

import pytest

from experiments.harness import alike, measurement, provenance

FIBA = ("algorithms.windows.out_of_order.fiba", "experiments.harness.measuring.rounds")
PAIRS = [
    # what a cell consists of, a module that is edited, whether that makes its rows stale
    (FIBA, "algorithms.kernel", True),
    (FIBA, "algorithms.kernel.memory", True),
    (FIBA, "algorithms.windows.out_of_order.tree", True),
    (FIBA, "experiments.harness.measuring.drivers", True),
    (FIBA, "experiments.harness.measuring.rig", True),
    ((*FIBA, "workloads.distance.parameters"), "workloads.distance.generator", True),
    (FIBA, "workloads.distance.parameters", False),
    (FIBA, "safeguards.wrong_input", True),
    (FIBA, "algorithms", False),
    (FIBA, "algorithms.windows.in_order.recalc", False),
    (FIBA, "algorithms.windows.facade", False),
    (FIBA, "algorithms.streams.compressed.settings", False),
    (FIBA, "experiments.fiba.ooo", False),
    (FIBA, "experiments.harness.judgement", False),
    (FIBA, "experiments.harness.engine", False),
    (FIBA, "experiments.harness.cli.command_line", False),
    (FIBA, "experiments.mta.measuring.arrivals", False),
    (("experiments.peers.measuring.reference",), "experiments.harness.measuring.rounds", True),
    (("experiments.peers.measuring.reference",), "experiments.peers.reference", False),
    (("experiments.harness.measuring.single_rounds",), "experiments.harness.judgement", False),
    (("experiments.mta.measuring.analytics",), "experiments.mta.measuring.arrivals", True),
    (("experiments.mta.measuring.analytics",), "experiments.mta.analytics", False),
    (("experiments.cutty.measuring.slicing",), "algorithms.streams.shared.aggregate", True),
    (("experiments.cutty.measuring.slicing",), "experiments.cutty.periodic", False),
    (("experiments.cutty.measuring.slicing",), "algorithms.streams.compressed.settings", False),
    (("experiments.cutty.measuring.slicing",), "experiments.cutty.measuring.counts", False),
    (("experiments.mta.measuring.constant_size",), "experiments.harness.measuring.rig", True),
    (("experiments.mta.measuring.constant_size",), "experiments.harness.measuring.drivers", False),
    (("experiments.compressed_windows.measuring.compressing",), "algorithms.streams.compressed.settings", True),
    (("experiments.compressed_windows.measuring.compressing",), "experiments.compressed_windows.judging", False),
]

EDIT = """
import json, sys
from experiments.harness import provenance

for modules, edited, _ in json.loads(sys.argv[1]):
    before = provenance.code_hash(*modules)
    path = provenance.ROOT.joinpath(*edited.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    source = path.read_text()
    path.write_text(source + "\\n")
    provenance.code_hash.cache_clear()
    print(provenance.code_hash(*modules) != before)
    path.write_text(source)
    provenance.code_hash.cache_clear()
    assert provenance.code_hash(*modules) == before
"""


def printed(folder, code, *arguments, **changes):
    asked = [sys.executable, "-c", code, *arguments]
    return subprocess.run(asked, cwd=folder, env=changes, capture_output=True, text=True, check=True).stdout


def hash_in(folder, **changes):
    return printed(
        folder, f"from experiments.harness import provenance; print(provenance.code_hash(*{FIBA}))", **changes
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    for package in (*provenance.PACKAGES, "results"):
        ignored = shutil.ignore_patterns("__pycache__", "data", "published")
        shutil.copytree(provenance.ROOT / package, folder / package, ignore=ignored)
    return folder


def test_the_sources_are_those_that_the_code_consists_of():
    modules = set(provenance.sources(FIBA))
    assert {
        "algorithms.kernel",
        "algorithms.windows.contract",
        "experiments.harness.measuring.drivers",
        "experiments.harness.measuring.rounds",
    } <= modules
    assert (
        not {
            "algorithms.windows.in_order.recalc",
            "run",
            "experiments.harness.engine",
            "experiments.harness.progress",
        }
        & modules
    )


def test_this_edit_changes_the_hash_and_that_edit_leaves_it_alone(copy):
    changed = printed(copy, EDIT, json.dumps(PAIRS)).split()
    assert list(zip(PAIRS, changed, strict=True)) == [(pair, str(pair[2])) for pair in PAIRS]


def test_the_hash_does_not_depend_on_where_the_project_lies(copy):
    assert hash_in(copy) == hash_in(provenance.ROOT)


def test_no_measurement_takes_anything_from_the_face_of_algorithms():
    """What it offers there are all algorithms: any edit of any would make the rows stale."""
    for module in measurement.modules("measuring"):
        assert "algorithms" not in provenance.sources([module]), module


def test_plain_and_checked_kernels_are_other_code():
    hashes = {
        hash_in(provenance.ROOT),
        hash_in(provenance.ROOT, NUMBA_DISABLE_JIT="1"),
        hash_in(provenance.ROOT, SLOTS_CHECKED="1"),
    }
    assert len(hashes) == 3


def test_rows_from_before_an_edit_that_measures_alike_count(monkeypatch):
    edited, source_of = FIBA[0], provenance.source_of
    sources = {"before": source_of(edited), "now": b"a check", "later": b"another kernel"}
    digests = {name: hashlib.sha256(source).hexdigest() for name, source in sources.items()}
    entry = {"before": digests["before"], "now": digests["now"], "why": "a check"}
    monkeypatch.setattr(provenance, "edits", lambda: {edited: entry})
    found = {}
    for name, source in sources.items():
        own = {edited: source}
        monkeypatch.setattr(provenance, "source_of", lambda module, own=own: own.get(module) or source_of(module))
        found[name] = provenance.code_hash.__wrapped__(*FIBA)
    assert found["before"] == found["now"] != found["later"]


@pytest.mark.parametrize("module", provenance.edits())
def test_every_edit_that_measures_alike_is_of_the_source_as_it_is(module):
    before, now, why = (provenance.edits()[module][name] for name in ("before", "now", "why"))
    assert provenance.source_hash_of(module) == before != now, "look at it, then: python -m experiments.harness.alike"
    assert len(why) > 20


def test_an_edit_keeps_the_first_source_and_all_reasons(tmp_path, monkeypatch):
    listed, committed = tmp_path / "alike.json", {}
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    monkeypatch.setattr(provenance, "EDITS", listed)
    monkeypatch.setattr(provenance, "edits", lambda: json.loads(listed.read_bytes()))
    monkeypatch.setattr(alike, "_committed", committed.__getitem__)
    monkeypatch.setattr(provenance, "source_of", lambda module: b"third")
    listed.write_bytes(b"{}")
    committed |= {"alike.json": b"{}", "a/b.py": b"third"}
    with pytest.raises(ValueError, match=r"a/b.py is as it was"):
        alike.add("none", ["a.b"])
    committed["a/b.py"] = b"first"
    for why in ("one", "said again"):
        alike.add(why, ["a.b"])
    first, now = (hashlib.sha256(source).hexdigest() for source in (b"first", b"third"))
    assert json.loads(listed.read_bytes()) == {"a.b": {"before": first, "now": now, "why": "said again"}}
    committed |= {"alike.json": json.dumps({"a.b": {"before": "0", "now": "1", "why": "one"}}).encode()}
    alike.add("another", ["a.b"])
    assert json.loads(listed.read_bytes()) == {"a.b": {"before": "0", "now": now, "why": "one; another"}}
