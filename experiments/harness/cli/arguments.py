"""The words of a command before Hydra reads them: what is meant as a setting and is not one is told in a line."""

import re

from experiments.harness.cli import help_text
from experiments.harness.settings import ACTIONS
from safeguards.wrong_input import nearest

SCRIPT = "script="


def quoted(argument: str) -> str:
    """The argument as Hydra reads it: a script is text with semicolons, which Hydra takes within quotes only."""
    text = argument.removeprefix(SCRIPT)
    if text == argument or text in ("", "null") or text[:1] in ("'", '"'):
        return argument
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'{SCRIPT}"{escaped}"'


FLAGS_WITH_VALUES = {
    *("--cfg", "-c", "--package", "-p", "--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd"),
    *("--experimental-rerun", "--info", "-i"),
}
"""Flags of Hydra that take the next argument."""

PLAIN_FLAGS = {"--help", "-h", "--hydra-help", "--version", "--resolve", "--run", "-r", "--multirun", "-m"}
"""Flags of Hydra that take no value."""

RERUN = "experimental-rerun"
"""The flag of Hydra that --experiment, like every other beginning of it, would be taken for."""


def no_setting(arguments: list[str]) -> str:
    """The message for the first argument that is meant as a setting and is not one, such as --experiment NAME, or NAME
    alone. Empty if none is recognised here; Hydra checks all arguments again.
    """
    for place, text in enumerate(arguments):
        if text in PLAIN_FLAGS or (place and arguments[place - 1] in FLAGS_WITH_VALUES):
            continue
        if "=" in text and not text.partition("=")[0].partition("@")[0].strip("+~ "):
            return f"cannot read {text!r}; settings are name=value, such as window=1024 or distances=[0,16]"
        if problem := _no_choice(text):
            return problem
        value = next((argument for argument in arguments[place + 1 :] if argument != "="), "")
        setting = _as_setting(text, "" if value.startswith("-") or "=" in value else value)
        if setting:
            return f"cannot read {text!r}; settings are name=value: did you mean {setting}?"
    return ""


def _no_choice(text: str) -> str:
    """The message for a group's choice that is no name, such as a list, of which Hydra takes the last. Else empty."""
    group, _, value = text.partition("=")
    if not re.match(r"[\[{\d-]", value) or group.lstrip("+") not in help_text.groups():
        return ""
    return f"{group} is {value}; it must be one name, such as {group}={help_text.names(group.lstrip('+'))[0]}"


def _as_setting(text: str, following: str) -> str:
    """The setting that an argument was meant as, with its own or the `following` value; empty if none is near."""
    name, equals, value = text.lstrip("-").partition("=")
    plain = name.partition(".")[0]
    dashed = text.startswith("-")
    if (equals and not dashed) or text.startswith("~") or name == RERUN:
        return ""
    known = help_text.settings()
    if dashed and name and RERUN.startswith(name):
        name = plain = "experiment"
    elif dashed and plain not in known:
        name = plain = next(iter(nearest(plain, known, 0.8)), "")
    if plain in known:
        return f"{name}={_chosen(plain, value or following) or '...'}"
    return "" if dashed else _choice(text)


def _chosen(group: str, value: str) -> str:
    """The group's choice that is nearest to the value; the value itself if none is near."""
    choices = help_text.names(group) if group in help_text.groups() else []
    return next(iter(nearest(value, choices, 0.6)), value)


def _choice(text: str) -> str:
    """The setting with the choice nearest to a text, of all groups and the actions; empty if none is near."""
    groups = ("experiment", *help_text.GROUPS)
    choices = {name: group for group in reversed(groups) for name in help_text.names(group)}
    choices = {**dict.fromkeys(ACTIONS, "action"), **choices}
    near = nearest(text, choices, 0.6)
    return f"{choices[near[0]]}={near[0]}" if near else ""
