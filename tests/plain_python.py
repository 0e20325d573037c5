"""Tests marked `plain` run in plain Python, for compiling their many windows and operators would take most of the time.

They are tests like all others, by name, with -k and -m. The first of a file that is to run has all of the file's run by
a process with NUMBA_DISABLE_JIT=1, and each says what came of it there. Where that is set already, as for a debugger,
they run here.
"""

import json
import os
import tempfile

import pytest

from tests import HUNG, plain_server

IMPORTED = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
"""The process has Hypothesis before pytest comes; nothing in it asks for its asserts to be rewritten."""

HERE = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"
OUTCOMES = "PLAIN_PYTHON_OUTCOMES"
"""The file to which the other process writes what came of its tests, a line of JSON each."""

_outcomes = pytest.StashKey[dict]()


class FailedThereError(Exception):
    """The message is what the other process said."""


class There(pytest.Item):
    """A test that another process runs."""

    def __init__(self, test, **made):
        super().__init__(**made)
        self.own_markers, self.reportinfo = test.own_markers, test.reportinfo
        self.keywords.update(test.keywords)

    def runtest(self):
        known = self.session.stash.setdefault(_outcomes, {})
        if self.nodeid not in known:
            tests = [i.nodeid for i in self.session.items if isinstance(i, There) and i.path == self.path]
            known.update(run(tests, self.config.rootpath))
        outcome, said = known[self.nodeid]
        if outcome == "skipped":
            pytest.skip(said)
        if outcome == "failed":
            raise FailedThereError(said)

    def repr_failure(self, excinfo):
        return str(excinfo.value) if excinfo.errisinstance(FailedThereError) else super().repr_failure(excinfo)


def run(tests, root):
    """(outcome, what was said) of each test. One that the process did not come to has failed."""
    with tempfile.NamedTemporaryFile("r") as file:
        arguments = [f"--rootdir={root}", "-W", IMPORTED, *tests]
        done = plain_server.run("pytest", arguments, {**os.environ, OUTCOMES: file.name}, HUNG)
        known = {}
        for test, *came in map(json.loads, file):
            if known.get(test, came)[0] != "failed":
                known[test] = came
    return (
        dict.fromkeys(
            tests, ("failed", f"it ended with code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        )
        | known
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    if not HERE:
        plain = (item.get_closest_marker("plain") is not None for item in items)
        items[:] = [There.from_parent(i.parent, name=i.name, test=i) if away else i for i, away in zip(items, plain)]


def pytest_runtest_logreport(report):
    """In the other process: note what came of a test, which is what came of its call or, if there was none, of more."""
    if (path := os.environ.get(OUTCOMES)) and (report.when == "call" or not report.passed):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
        said = why if report.skipped else "\n".join([why, *map("\n".join, report.sections)])
        with open(path, "a") as file:
            print(json.dumps([report.nodeid, report.outcome, said]), file=file)
