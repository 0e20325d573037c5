"""Code that different processes have compiled, in one process: each driver calls its own functions."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from algorithms import kernel
from tests import HUNG

pytestmark = [
    pytest.mark.smoke,
    pytest.mark.skipif(kernel.PLAIN, reason="nothing is compiled"),
]

ROOT = Path(__file__).parents[2]

STEPS = 80
"""Enough that LLVM leaves a call as a call: what is inlined has no name."""

MODULE = """
from algorithms.kernel import driver, kernel

{functions}

@driver
def first(x):
    return one(x) - one(x + 1)

@driver
def second(x):
    return two(x) - two(x + 1)
"""

FUNCTION = """
@kernel(inline=False)
def _(x):
{body}
    return x

{name} = _
"""


def function(name, factor):
    body = "\n".join(f"    x = x * {factor} + (x >> {step % 7 + 1})" for step in range(STEPS))
    return FUNCTION.format(name=name, body=body)


def answers(folder, calls):
    """What a new process answers, whose code is kept in a folder."""
    given = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", f"import functions as f; print({calls})"]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=given, timeout=HUNG).stdout.strip()


def test_functions_of_one_name_from_two_processes_are_not_mixed_up(tmp_path):
    """Numba's own numbers are equal here: each process compiles one driver first of all."""
    source = MODULE.format(functions=function("one", 3) + function("two", 5))
    (tmp_path / "functions.py").write_text(source)
    alone = [answers(tmp_path, f"f.{name}(7)") for name in ("first", "second")]
    assert alone[0] != alone[1]
    assert answers(tmp_path, "f.first(7), f.second(7)") == " ".join(alone)
    assert answers(tmp_path, "f.second(7), f.first(7)") == " ".join(reversed(alone))
    assert len(list((tmp_path / "cache").rglob("*.nbi"))) == 2  # all were read from there


def test_a_fork_counts_on_by_itself():
    from numba.core.bytecode import FunctionIdentity

    read_end, write_end = os.pipe()
    if (child := os.fork()) == 0:
        os.write(write_end, str(next(FunctionIdentity._unique_ids)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert int(os.read(read_end, 100)) != next(FunctionIdentity._unique_ids)
