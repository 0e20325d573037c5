"""Texts for users: the page of --help, the experiments, and the catalogue of windows and operators as tables."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from experiments.harness.settings import nothing_missing, whole_number, whole_numbers

ROOT = Path(__file__).resolve().parents[3]
CONF = ROOT / "conf"

PAGE = """\
Sliding-window aggregation: regenerate the figures of five papers, and check their claims.

  python run.py experiment=NAME [setting=value ...]     measure what is missing, draw, judge

Experiments
{experiments}
  all                 every experiment{left_out}, one after the other
  make_workload       no measurement: make the record set of workload=... as Parquet files, on all cores

Settings
{settings}

Settings of workload={workload}, such as workload.folder=...; for another workload: --help workload=NAME
{parameters}

Other actions
  action=catalogue    the windows and operators, with their laws and costs; measures nothing
  action=report       one web page of every figure drawn so far, with the verdicts; measures nothing.
                      runs=[results/other_machine]: with the verdicts of other runs beside
  action=compare      verdicts (and times) of several runs: action=compare runs=[results/published,results/figures]
  action=walk         a window step by step: action=walk algorithm=fiba script='insert 3 a; insert 1 b; evict'
  action=workload     measure how far out of order the workload is: python run.py action=workload workload=flights
  action=make         the same as experiment=make_workload

Examples
  python run.py experiment=fiba_ooo profile=smoke executor=inline
  python run.py experiment=fiba_ooo workload=flights operators=[sum]
  python run.py experiment=fiba_ooo workload=file workload.path=trips.csv workload.time=pickup
  python run.py experiment=fiba_ooo 'algorithms=[recalc,{{name: fiba, min_arity: 16}}]' window=4096
  python run.py experiment=make_workload workload=debs12 workload.records=33000000
  python run.py -m experiment=fiba_ooo window=1024,16384       one run for each value
  python run.py -m experiment='glob(fiba_*)' window='range(1024,4096,1024)'
  python run.py -m hydra/launcher=spark hydra.launcher.master=spark://host:7077 experiment=fiba_fifo window=1024,4096

python is that of the environment which make venv makes: .venv/bin/python, or after source .venv/bin/activate.
A run that was stopped continues where it was: what is stored is not measured again, unless force=true.
Exit code: 0 done, 1 something failed or disagrees, 2 a setting is wrong, 130 stopped by Ctrl-C.
conf/ and workloads/*/parameters.py have every setting with a comment; --cfg job shows the settings of a run,
--hydra-help the flags of Hydra.
"""

GROUPS = {
    "profile": "how large and how long",
    "workload": "the stream that windows are measured on",
    "executor": "where measurements run",
}


def names(group: str) -> list[str]:
    """The possible values of a group of settings, sorted."""
    return sorted(path.stem for path in (CONF / group).glob("*.yaml"))


def groups() -> list[str]:
    """The groups of settings."""
    return sorted(path.name for path in CONF.iterdir() if path.is_dir())


def settings() -> list[str]:
    """The names of all settings and groups, without the settings within a group."""
    plain = (CONF / "config.yaml").read_text(encoding="utf-8").splitlines()
    named = [line.partition(":")[0] for line in plain if "#" in line]
    return [*groups(), *(name for name in named if name.isidentifier())]


def _file(group: str, name: str) -> str:
    """The text of a value's file."""
    return (CONF / group / f"{name}.yaml").read_text(encoding="utf-8")


def about(group: str, name: str) -> str:
    """One line about a value of a group: the first sentence of its file's comment."""
    lines = _file(group, name).splitlines()
    comment = next((line for line in lines if line.startswith("# ") and not line.startswith("# @")), "# ")
    return comment[2:].split(". ")[0].strip()


class Parameters(NamedTuple):
    """The meanings of a workload's parameters, and the defaults of those that have one."""

    meanings: str
    defaults: dict[str, Any]


def parameters(workload: str) -> Parameters:
    """The parameters in the dataclass of a workload. Its source is parsed, because importing it takes a second.

    Raises OSError if there is no such file, and ValueError for a default that is not a literal.
    """
    path = ROOT / "workloads" / workload / "parameters.py"
    classes = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)]
    chosen = next(node for node in classes if any(getattr(member, "name", "") == "trace" for member in node.body))
    fields = [node for node in chosen.body if isinstance(node, ast.AnnAssign) and node.value]
    try:
        return Parameters(ast.get_docstring(chosen), {node.target.id: ast.literal_eval(node.value) for node in fields})
    except ValueError as error:
        raise ValueError(f"{path}: a default must be a number, a text, True, False or None; {error}") from error


def measured() -> list[str]:
    """The values of `experiment=` without `all`, which means many, and `make_workload`, which measures nothing."""
    return [name for name in names("experiment") if name not in ("all", "make_workload")]


def paper(experiment: str) -> str:
    """The paper that an experiment is of, as its file says. Read as text: to compose all takes ten seconds."""
    found = re.search(r"""^paper: *["']?(\w+)""", _file("experiment", experiment), re.MULTILINE)
    return found[1] if found else "none"


def experiments() -> str:
    """One line for each experiment."""
    return "\n".join(f"  {name:<19} {about('experiment', name)}" for name in measured())


def left_out() -> str:
    """The experiments that experiment=all runs only if `only` names them, as a part of a sentence."""
    found = re.search(r"^unless_named: \[(.*?)\]", _file("experiment", "all"), re.MULTILINE)
    return f" but {found[1].replace(', ', ' and ')}" if found else ""


def page(workload: str) -> str:
    """The page of --help, with the parameters of one workload."""
    settings = [f"  {group + '=...':<19} {meaning}: {' | '.join(names(group))}" for group, meaning in GROUPS.items()]
    plain = [line for line in (CONF / "config.yaml").read_text(encoding="utf-8").splitlines() if "#" in line]
    for line in plain:
        name, separator, rest = line.partition(":")
        if separator and name.isidentifier():
            value, _, meaning = rest.partition("#")
            settings.append(f"  {f'{name}={value.strip()}':<19} {meaning.strip()}")
    fields = {"workload": workload, "parameters": "\n".join(_lines(parameters(workload)))}
    return PAGE.format(experiments=experiments(), left_out=left_out(), settings="\n".join(settings), **fields)


def _lines(parameters: Parameters) -> Iterator[str]:
    """One or more lines for each parameter: name=default and its meaning."""
    for line in parameters.meanings.splitlines():
        if named := re.fullmatch(r"(\w+)  +(.*)", line):
            name, meaning = named.groups()
            value = "=" + json.dumps(parameters.defaults[name]).strip('"') if name in parameters.defaults else ""
            yield f"  {name + value:<19} {meaning}"
        elif line:
            yield " " * (22 if line.startswith(" ") else 2) + line.strip()


def catalogue(width: int | None = None) -> None:
    """Print the cards of all windows and the laws of all operators."""
    from rich import box
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    from algorithms import operators
    from algorithms.windows.contract import catalogue as cards

    console = Console(width=width)
    about = "what it is, its space and its combines"
    windows = Table("window", "order", Column("law", max_width=12), about, box=box.SIMPLE_HEAD)
    for card in cards().values():
        costs = [f"{operation}: {card.time[operation]}" for operation in card.operations]
        lines = [card.title, card.paper, f"space: {card.space}", *costs]
        lines += [f"rounding: {card.rounding}", ""] if card.rounding else [""]
        windows.add_row(_with_defaults(card), card.order, card.law, Text("\n".join(lines)))
    laws = Table("operator", "laws", "values", "rounding", box=box.SIMPLE_HEAD)
    for name in operators.names():
        op = operators.make(name)
        laws.add_row(name, ", ".join(op.laws) or "associative", op.takes, operators.error_bound(op) or "none")
    console.print(windows)
    console.print(laws)


def workload(config: Mapping[str, Any]) -> None:
    """Print the measured distance distribution of the workload; for the distance protocol, of every requested distance.

    For a workload that imitates real data, also print its documented statistics and those of this stream. Raises the
    errors of the workload.
    """
    from workloads import calibration, distance_report, distance_text, make

    nothing_missing(config)
    settings = config["workload"]
    if settings["name"] == "distance":
        n = 1024 if config["window"] is None else whole_number("window", config["window"], 1)
        distances = config["distances"]
        asked = (0, 1, n // 2, n) if distances is None else whole_numbers("distances", distances, 0)
        traces = [make({**settings, "window": n, "distance": d}) for d in asked]
        facts = []
    else:
        traces, facts = [make(settings)], calibration(settings)
    for trace in traces:
        report = distance_report(trace)
        print(f"{trace.name} {trace.parameters}\n  {distance_text(report)}")
        for name, value in report.items():
            print(f"  {name:<14} {value:,.4g}" if isinstance(value, float) else f"  {name:<14} {value}")
        for line in (f"{trace.skipped} bad records skipped", *trace.notes):
            print(f"  {line}")
    for fact in facts:
        print(f"  {fact}")


def _with_defaults(card: Any) -> str:
    return "\n".join([card.name, *(f"  {name}={parameter.default}" for name, parameter in card.parameters.items())])
