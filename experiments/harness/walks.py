"""A reader's own sequence of operations, played step by step: which windows can be shown, and how a script is read.

A script is steps with semicolons between them: insert TIME VALUE; evict; evict_at TIME. For a technique of slicing it
begins with the windows that are asked for, each window RANGE SLIDE in records.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from algorithms import operators
from algorithms.windows.contract import ANY_ORDER, Card
from experiments.harness.measurement import modules
from experiments.harness.settings import SettingsError, listed
from safeguards.wrong_input import unknown

MOST_STEPS = 60
"""More would not be read step by step."""

FORMS = {
    "insert": ("insert TIME VALUE", 2),
    "evict": ("evict", 0),
    "evict_at": ("evict_at TIME", 1),
    "window": ("window RANGE SLIDE", 2),
}
"""Each operation as it is written, and how many words follow it."""

NUMBERS = ("max", "sum")
"""Operators for a window that cannot work with concat, in the order in which they are tried."""

Step = list[Any]
Play = Callable[[str, Mapping[str, int], Any, Sequence[Step]], list[dict[str, Any]]]
"""(algorithm, parameters, operator, steps) -> the facts of one or several rows of a figure's family."""


class Walk(NamedTuple):
    """How a group of algorithms is shown: the family of figures, the algorithms by name, and what plays a script."""

    family: str
    algorithms: Callable[[], Mapping[str, Any]]
    play: Play


_WALKS: list[Walk] = []


def walk(family: str, algorithms: Callable[[], Mapping[str, Any]]) -> Callable[[Play], Play]:
    """Declare a function as what plays scripts on these algorithms, for figures of that family."""

    def declare(play: Play) -> Play:
        _WALKS.append(Walk(family, algorithms, play))
        return play

    return declare


def walked(algorithm: Any, script: Any, chosen: Any) -> tuple[str, list[dict[str, Any]]]:
    """The family and the facts of a script on an algorithm, a name or {name, parameters...}.

    `chosen` is the setting operators, one at most. By default it is concat where the window can work with it, so
    that aggregates show what they are of; then max or sum. A tree has min_arity 2, unless another is given. Raises
    SettingsError, which names the step that is wrong and says what would be right.
    """
    name, parameters = _named(algorithm)
    found = {each: entry for entry in _all() for each in entry.algorithms()}
    if name not in found:
        raise SettingsError(unknown("algorithm of action=walk", name, sorted(found)))
    card = found[name].algorithms()[name]
    if not isinstance(card, Card):
        operator = _operator(None, chosen, ("concat",))
        return found[name].family, found[name].play(name, parameters, operator, _of_records(script))
    if "min_arity" in card.parameters:
        parameters = {"min_arity": 2, **parameters}
    try:
        parameters = card.complete(parameters)
    except ValueError as error:
        raise SettingsError(f"algorithm: {error}") from None
    operator = _operator(card, chosen, ("concat", *NUMBERS))
    return found[name].family, found[name].play(name, parameters, operator, _of_window(script, card, operator))


def _all() -> list[Walk]:
    for module in modules():
        importlib.import_module(module)
    return _WALKS


def _named(algorithm: Any) -> tuple[str, dict[str, int]]:
    if isinstance(algorithm, str):
        return algorithm, {}
    if isinstance(algorithm, Mapping) and "name" in algorithm:
        return str(algorithm["name"]), {key: value for key, value in algorithm.items() if key != "name"}
    known = ", ".join(sorted(each for entry in _all() for each in entry.algorithms()))
    raise SettingsError(f"algorithm is {algorithm!r}; action=walk needs one, such as algorithm=fiba, of {known}")


def _operator(card: Card | None, chosen: Any, usual: Sequence[str]) -> Any:
    names = usual if chosen is None else listed("operators", chosen)
    if chosen is not None and len(names) > 1:
        raise SettingsError(f"operators is {chosen!r}; a walk has one, such as operators={names[0]}")
    try:
        made = [operators.make(name, "int64") for name in names]
    except ValueError as error:
        raise SettingsError(f"operators: {error}") from None
    fitting = [op for op in made if not (card and card.refusal(op))]
    if not fitting:
        raise SettingsError(f"operators: {card.refusal(made[0]) if card else ''}")
    return fitting[0]


# ------------------------------------------------------------------------------------------------------------- scripts


def _steps(script: Any, known: Sequence[str]) -> list[tuple[str, Step]]:
    """Each step as it was written, for messages, and as words."""
    forms = "; ".join(FORMS[name][0] for name in known)
    if not isinstance(script, str) or not script.strip(" ;\n"):
        raise SettingsError(f"script is {script!r}; it must be steps, such as script='insert 1 a; insert 2 b; evict'")
    written = [text.split() for text in script.replace("\n", ";").split(";") if text.strip()]
    if len(written) > MOST_STEPS:
        raise SettingsError(f"script has {len(written)} steps; a walk has {MOST_STEPS} at most")
    steps = []
    for number, words in enumerate(written, 1):
        where = f"script, step {number}, {' '.join(words)!r}"
        if words[0] not in known:
            raise SettingsError(f"{where}: {unknown('operation', words[0], known)}; steps are {forms}")
        form, wanted = FORMS[words[0]]
        if len(words) - 1 != wanted:
            raise SettingsError(f"{where}: it must be {form}")
        steps.append((where, list(words)))
    return steps


def _number(where: str, name: str, text: str, least: int | None = None) -> int:
    try:
        value = int(text)
    except ValueError:
        raise SettingsError(f"{where}: {name} is {text!r}; it must be a whole number") from None
    if not -(2**63) < value < 2**63:
        raise SettingsError(f"{where}: {name} is {text}; it must fit in 64 bits")
    if least is not None and value < least:
        raise SettingsError(f"{where}: {name} is {value}; it must be at least {least}")
    return value


def _of_window(script: Any, card: Card, operator: Any) -> list[Step]:
    """The steps of a script for a window, each of which can be done when its turn comes."""
    known = [name for name in ("insert", "evict", "evict_at") if name in card.operations]
    steps, times = [], list[int]()
    for where, (name, *given) in _steps(script, known):
        if name == "insert":
            time = _number(where, "TIME", given[0])
            if times and time < times[-1] and card.order != ANY_ORDER:
                raise SettingsError(
                    f"{where}: {card.name} is in order, and {times[-1]} has come; TIME must not be less"
                )
            if not (card.order == ANY_ORDER and time in times):
                times.append(time)
            steps.append([name, time, _value(where, operator, given[1])])
        elif not times:
            raise SettingsError(f"{where}: the window is empty; it must come after an insert that has not left")
        elif name == "evict":
            times.sort()
            del times[0]
            steps.append([name])
        else:
            time = _number(where, "TIME", given[0])
            if time not in times:
                raise SettingsError(f"{where}: nothing has that time; there are {', '.join(map(str, sorted(times)))}")
            times.remove(time)
            steps.append([name, time])
        times.sort()
    return steps


def _value(where: str, operator: Any, text: str) -> Any:
    if operator.takes != "int64" or operator.name == "concat":
        given: Any = text
    else:
        given = _number(where, "VALUE", text)
    try:
        from algorithms.operators.monoid import encode

        encode(operator, given)
    except (ValueError, TypeError) as error:
        raise SettingsError(f"{where}: VALUE: {error}") from None
    return given


def _of_records(script: Any) -> list[Step]:
    """The steps of a script for slicing: first the windows that are asked for, then records in order."""
    steps = []
    for where, (name, *given) in _steps(script, ("window", "insert")):
        if name == "window":
            if steps and steps[-1][0] == "insert":
                raise SettingsError(f"{where}: windows come before the first insert")
            steps.append([name, *(_number(where, text, word, 1) for text, word in zip(("RANGE", "SLIDE"), given))])
            continue
        time, before = _number(where, "TIME", given[0]), steps[-1][1] if steps and steps[-1][0] == "insert" else None
        if not steps:
            raise SettingsError(f"{where}: a script for slicing begins with its windows, such as window 4 2")
        if before is not None and time < before:
            raise SettingsError(f"{where}: records come in order, and {before} has come; TIME must not be less")
        if len(given[1]) != 1:
            raise SettingsError(f"{where}: VALUE is {given[1]!r}; it must be one letter")
        steps.append([name, time, given[1]])
    if steps[-1][0] == "window":
        raise SettingsError("script has windows and no insert; records are to come after them")
    return steps
