"""Where a number came from: the code, the machine, the versions, the revision."""

import functools
import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from algorithms import kernel
from experiments.harness.cell import digest
from workloads.record_sets.code import imported_names

ROOT = Path(__file__).resolve().parents[2]
CODE = ("*.py", "*.properties", "conf", "requirements.lock")
"""What decides a measurement: traces and record sets that lie about are none of it."""

PACKAGES = ("algorithms", "workloads", "experiments", "streaming")
VERSIONED = ("numpy", "numba", "llvmlite", "pyarrow", "pandas", "pyspark")


def module_file(module: str) -> Path | None:
    """The source of a module of this project; None for a module of another."""
    if module.split(".")[0] not in PACKAGES:
        return None
    path = ROOT.joinpath(*module.split("."))
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def sources(modules: Iterable[str]) -> list[Path]:
    """The files of this project that the modules consist of, imports of imports included, sorted."""
    waiting, seen = [file for module in modules if (file := module_file(module))], set()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += [file for name in imported_names(path) if (file := module_file(name))]
    return sorted(seen)


@functools.cache
def code_hash(*modules: str) -> str:
    """Sixteen hexadecimal digits over the sources that the modules consist of: rows of other code are measured anew.

    Kernels that run as plain Python, or with every index tested, are other code, too.
    """
    content = hashlib.sha256(f"plain={kernel.PLAIN} checked={kernel.CHECKED}".encode())
    for path in sources(modules):
        content.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return content.hexdigest()[:16]


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


@functools.cache
def of_this_process() -> dict[str, str]:
    """Machine and versions, as the row columns machine, machine_facts and versions."""
    facts = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30),
        "system": f"{platform.system()} {platform.release()}",
    }
    versions: dict[str, Any] = {"python": platform.python_version()}
    for package in VERSIONED:
        versions[package] = importlib.metadata.version(package)
    return {"machine": digest(facts)[:8], "machine_facts": json.dumps(facts), "versions": json.dumps(versions)}


@functools.cache
def revision() -> tuple[str, bool]:
    """Revision of the checkout and whether its CODE has changes that are not committed; ("", True) outside one."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "HEAD"), bool(git("status", "--porcelain", "--", *CODE))
    except (OSError, subprocess.CalledProcessError):
        return "", True
