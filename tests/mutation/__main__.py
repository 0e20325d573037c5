"""Mutation testing: small mistakes, one at a time, in a module; the tests that reach each should notice.

    python -m tests.mutation                                     all modules of targets.yaml: more than an hour
    python -m tests.mutation judgement fitting
    python -m tests.mutation algorithms/windows/in_order --jobs 1
    python -m tests.mutation algorithms/rolling --sample 40      40 changes of each module, always the same ones

Lists what no test notices, but for what left.yaml knows as equivalent or gives a reason to leave; the exit code is 1 if
there is any. Kernels run as plain Python. Nothing is written: a mistake is made in memory, in a forked process that has
imported the module and collected the tests already, so that one costs what the tests cost that notice it. Functions get
the code of the changed source, in place; so whoever has imported one has the changed one. A process that takes twenty
times the processor time of its tests is stopped, and has noticed by that: how busy the machine is does not matter.
"""

import argparse
import ast
import copy
import gc
import importlib
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import IO, NamedTuple, NoReturn

os.environ["NUMBA_DISABLE_JIT"] = "1"  # before anything imports Numba

import pytest
import yaml

from tests import HUNG
from tests.mutation.changes import FUNCTIONS, MODULE, Change, changes

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
TARGETS = Path(os.environ.get("MUTATION_TARGETS", HERE / "targets.yaml"))
LEFT = HERE / "left.yaml"

AT_LEAST, TIMES = 10, 20
"""Seconds of processor time that a process may take, and how many times that of its tests where these are slower."""

MEMORY = 8 << 30

NOTING = "_called_in_a_test"
"""The function that notes calls, among the module's own names."""

OWN = ("algorithms", "experiments", "plots", "results", "safeguards", "streaming", "workloads")

KINDS = EQUIVALENT, KEPT = ("equivalent", "left")

UNNOTICED, NOTICED, UNCHANGED = 0, 1, 3
"""Exit codes of a process: no test failed, one did, no function that is there has the changed code."""


class Reaching(NamedTuple):
    """A test: the processor time that it took, and the first lines of the functions of the module that it called."""

    item: pytest.Item
    seconds: float
    lines: frozenset[int]


def targets() -> dict[str, list[str]]:
    """The tests of each module, from which those that reach a change are run."""
    return yaml.safe_load(TARGETS.read_text(encoding="utf-8"))


def known(module: str) -> dict[tuple[str, str], str]:
    """What nothing notices, by (function, change): "equivalent", nothing could; or "left", with a reason."""
    entries = yaml.safe_load(LEFT.read_text(encoding="utf-8")).get(module, [])
    return {(entry["in"], entry["change"]): next(name for name in KINDS if name in entry) for entry in entries}


# ---------------------------------------------------------------------------------------------------- making a mistake


def _codes(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from _codes(inner)


def _change_code(tree: ast.Module, path: Path, functions: list[FunctionType]) -> bool:
    """Give functions the code of the same place in the tree. Whether any got another one."""
    there = {(code.co_qualname, code.co_firstlineno): code for code in _codes(compile(tree, str(path), "exec"))}
    changed = False
    for function in functions:
        old = function.__code__
        new = there.get((old.co_qualname, old.co_firstlineno), old)
        if new != old:
            function.__code__ = new
            changed = True
    return changed


def _noting(tree: ast.Module) -> ast.Module:
    """The module with functions that note their first line whenever they are called."""
    noting = copy.deepcopy(tree)
    for node in ast.walk(noting):
        if isinstance(node, FUNCTIONS):
            call = ast.parse(f"{NOTING}({node.lineno})").body[0]
            node.body.insert(0, call)
    return noting


def _change_constants(statement: ast.Assign, module: ModuleType) -> bool:
    """Compute the constants of a statement anew, also where they were imported."""
    names = [node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)]
    before, fresh = dict(vars(module)), dict(vars(module))
    exec(compile(ast.Module([statement], []), str(module.__file__), "exec"), fresh)
    for other in list(sys.modules.values()):
        for name in names:
            if vars(other).get(name, other) is before[name]:
                setattr(other, name, fresh[name])
    return True


# ---------------------------------------------------------------------------------------------- processes with mistakes


class Mutation:
    """A plugin of pytest: instead of running the tests once, it runs those that reach each change of a module."""

    def __init__(self, module: str, jobs: int, sample: int | None = None):
        self.name, self.path, self.jobs, self.sample = module, ROOT / module, jobs, sample
        self.tree = ast.parse(self.path.read_text(encoding="utf-8"))
        self.failed = ""
        self.good = True
        """Whether the tests pass without a mistake, and all that they do not notice is known."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        from hypothesis import Phase, settings  # no sooner: pytest wants to be there first

        usual = settings.get_profile("busy")
        phases = (Phase.explicit, Phase.generate)  # nobody reads the smallest example
        settings.register_profile("mutation", usual, derandomize=True, database=None, phases=phases)
        settings.load_profile("mutation")
        self.module = importlib.import_module(self.name.removesuffix(".py").replace("/", "."))

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """What other processes run, changes do not reach; what is slow counts if it is fit for plain Python."""
        items[:] = [item for item in items if not _left_out(item)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = f"{report.nodeid}\n{report.longreprtext[-2000:]}"

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        session.config._tmp_path_factory.getbasetemp()  # one for all processes: each would clean up after the others
        begun = time.monotonic()
        if (tests := self._without_mistakes(session.items)) is not None:
            self._report(self._unnoticed(tests), time.monotonic() - begun)
        return True

    def _functions(self) -> list[FunctionType]:
        """Those of the module that are there, whoever has them."""
        path, functions = str(self.path), (each for each in gc.get_objects() if isinstance(each, FunctionType))
        return [function for function in functions if function.__code__.co_filename == path]

    def _run(self, items: list[pytest.Item]) -> Iterator[pytest.Item]:
        """Run tests, up to the first that fails."""
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            yield item
            if self.failed:
                return

    def _without_mistakes(self, items: list[pytest.Item]) -> list[Reaching] | None:
        """All tests with what they reach, None if one fails."""
        with tempfile.TemporaryFile("w+") as answer:
            if not (child := os.fork()):
                self._observe(items, answer)
            os.waitpid(child, 0)
            answer.seek(0)
            failed, found, loaded = json.loads(answer.read() or '["the process ended", [], []]')
        if failed:
            print(f"{self.name}: a test fails without a mistake: {failed}", flush=True)
            self.good = False
            return None
        for name in loaded:  # what tests import would be imported anew for every mistake
            if name.partition(".")[0] in OWN:
                importlib.import_module(name)
        return [Reaching(item, seconds, frozenset(lines)) for item, (seconds, lines) in zip(items, found, strict=True)]

    def _observe(self, items: list[pytest.Item], answer: IO[str]) -> NoReturn:
        lines = set[int]()
        vars(self.module)[NOTING] = lines.add
        _change_code(_noting(self.tree), self.path, self._functions())
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        found, before = [], time.process_time()
        for _ in self._run(items):
            found.append([time.process_time() - before, sorted(lines)])
            lines.clear()
            before = time.process_time()
        json.dump([self.failed, found, list(sys.modules)], answer)
        answer.flush()
        os._exit(0)

    def _unnoticed(self, tests: list[Reaching]) -> list[Change]:
        """The changes that no test notices; those that are not known are printed."""
        running: dict[int, Change] = {}
        found = []
        self.all, why = drawn(changes(self.tree), self.sample), known(self.name)

        def await_one() -> None:
            child, status = os.wait()
            change = running.pop(child)
            if os.waitstatus_to_exitcode(status) in (UNNOTICED, UNCHANGED):
                found.append(change)
                if (change.function, change.text) not in why:
                    print(f"  {self.name}:{change.line} in {change.function}: {change.text}", flush=True)

        for change in self.all:
            if len(running) == self.jobs:
                await_one()
            if not (child := os.fork()):
                self._try(change, tests)
            running[child] = change
        while running:
            await_one()
        return found

    def _try(self, change: Change, tests: list[Reaching]) -> NoReturn:
        """Make the mistake in this process, and run the tests that reach it, the quickest first."""
        everywhere = change.function == MODULE
        reaching = [test for test in tests if everywhere or any(change.first <= n <= change.last for n in test.lines)]
        reaching.sort(key=lambda test: test.seconds)
        seconds = int(max(AT_LEAST, TIMES * sum(test.seconds for test in reaching)))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(HUNG)  # for one that waits for ever, and takes no processor time
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        change.make()
        if everywhere:
            statement = next(each for each in self.tree.body if each.lineno == change.first)
            made = _change_constants(statement, self.module)
        else:
            made = _change_code(self.tree, self.path, self._functions())
        if not made:
            os._exit(UNCHANGED)
        for _ in self._run([test.item for test in reaching]):
            pass
        os._exit(NOTICED if self.failed else UNNOTICED)

    def _report(self, unnoticed: list[Change], seconds: float) -> None:
        why = known(self.name)
        kinds = Counter(why.get((change.function, change.text), "") for change in unnoticed)
        possible = len(self.all) - kinds[EQUIVALENT]
        noticed = len(self.all) - len(unnoticed)
        share = f"{noticed} of {possible}{' drawn' if self.sample else ''} noticed ({noticed / max(possible, 1):.1%})"
        rest = f"{kinds[EQUIVALENT]} more are equivalent, {kinds[KEPT]} left, {kinds['']} not known"
        print(f"{self.name}: {share}, {rest}; {seconds:.0f} s", flush=True)
        self.good = not kinds[""]
        tried = {(change.function, change.text) for change in self.all}
        for function, text in why.keys() & tried - {(change.function, change.text) for change in unnoticed}:
            print(f"  {self.name} in {function}: {text} is noticed by now: left.yaml need not have it", flush=True)


def _left_out(item: pytest.Item) -> bool:
    slow, plain, script = map(item.get_closest_marker, ("slow", "plain", "script"))
    return bool(script or (slow and not plain))


def drawn(found: list[Change], number: int | None) -> list[Change]:
    """So many of the changes in their order, the same ones whenever they are drawn; all of them without a number."""
    chosen = range(len(found)) if number is None else random.Random(1).sample(range(len(found)), len(found))[:number]
    return [found[place] for place in sorted(chosen)]


def mutated(module: str, tests: list[str], jobs: int, sample: int | None = None) -> bool:
    """Try all changes of a module, or some, in a process of its own. Whether all that is not noticed is known."""
    if not (child := os.fork()):
        plugin = Mutation(module, jobs, sample)
        options = ["-s", "-p", "no:terminal", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
        code = pytest.main([*options, *tests], plugins=[plugin])
        os._exit(0 if code == 0 and plugin.good else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="modules, by name or path, or folders; all without one"
    )
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="mistakes at a time (default: processors)"
    )
    parser.add_argument("--sample", type=int, metavar="N", help="so many mistakes in each module (default: all)")
    arguments = parser.parse_args()
    every = targets()
    for name in arguments.names:
        if not any(_names(name, module) for module in every):
            parser.error(f"no module is {name!r}; there are {', '.join(every)}")
    chosen = [module for module in every if not arguments.names or any(_names(n, module) for n in arguments.names)]
    good = [mutated(module, every[module], arguments.jobs, arguments.sample) for module in chosen]
    return 0 if all(good) else 1


def _names(name: str, module: str) -> bool:
    return name.rstrip("/") in (module, Path(module).stem) or module.startswith(f"{name.rstrip('/')}/")


if __name__ == "__main__":
    sys.exit(main())
