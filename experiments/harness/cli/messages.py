"""Errors of a command in a line or two, and its exit code. Those of Hydra, which only run.py imports, by attributes."""

import os
import re
import sys

from experiments.harness.cli import help_text
from safeguards.secrets import without_secrets
from safeguards.wrong_input import unknown

WRONG_INPUT = (ValueError, OSError, RuntimeError, ImportError)
"""Errors that wrong input raises, besides those of Hydra and OmegaConf. Anything else is a bug."""


def reported(error: Exception) -> int:
    """Print what is wrong with the input, and return the exit code. Raises a bug of this project again.

    An error that no input caused, such as the loss of a worker, has an exit code of its own.

    With TRACEBACK=1 in the environment every error is raised.
    """
    of_hydra = type(error).__module__.partition(".")[0] in ("hydra", "omegaconf", "yaml")
    if os.environ.get("TRACEBACK") or not (of_hydra or isinstance(error, WRONG_INPUT)):
        raise error
    print(f"error: {without_secrets(explained(error))}", file=sys.stderr)
    return getattr(error, "exit_code", 2)


def explained(error: BaseException) -> str:
    """The error in a line or two; for an unknown name, with the nearest known ones.

    Hydra's errors are known by their attributes: only run.py imports it.
    """
    if choices := getattr(error, "options", None):
        group, _, name = error.missing_cfg_file.rpartition("/")
        return unknown(group, name, choices)
    if hasattr(error, "override"):
        name, equals, value = error.override.partition("=")
        if equals and re.fullmatch(r"[^\[{(]+[\[{(].*[\]})]", value):
            return f"cannot read {error.override!r}; text with brackets needs quotes of its own: \"{name}='{value}'\""
        return f"cannot read {error.override!r}; settings are name=value, such as window=1024 or distances=[0,16]"
    cause = error.__cause__
    if getattr(cause, "full_key", None) and "not in struct" in str(cause):
        return _unknown_key(cause)
    if "Cannot merge DictConfig with ListConfig" in str(cause):
        name, _, value = str(error).splitlines()[0].rpartition(" override ")[2].partition("=")
        return f"{name} is {value}; it must be a list: {name}=[{value}]"
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2]) or type(error).__name__


def _unknown_key(error: BaseException) -> str:
    """The message for an unknown setting; the error has its key, and the node of the configuration that lacks it."""
    prefix = error.full_key.rpartition(".")[0]
    known = {*map(str, error.parent_node or ()), *([] if prefix else help_text.groups())} - {"hydra"}
    if not known:
        return f"{prefix} has one value, and no settings of its own: give {prefix}=..., not {error.full_key}=..."
    return unknown("setting", error.full_key, [f"{prefix}.{key}" if prefix else key for key in sorted(known)])
