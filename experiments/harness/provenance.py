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

ROOT = Path(__file__).resolve().parents[2]
CODE = ("*.py", "*.properties", "conf", "requirements.lock")
"""The files that decide a measurement; traces and record sets in the checkout are not among them."""

EDITS = Path(__file__).with_name("alike.json")
"""The edits that measure alike."""

PACKAGES = ("safeguards", "algorithms", "workloads", "experiments", "streaming")
VERSIONED = ("numpy", "numba", "llvmlite", "pyarrow", "pandas", "pyspark")


@functools.cache
def imports() -> Any:
    """Which module imports which, anywhere in its source. To import a module of a package is not to import the package:
    its __init__.py counts only for modules that take something from it."""
    import grimp  # a worker that only measures does without

    return grimp.build_graph(*PACKAGES, cache_dir=None)


def sources(modules: Iterable[str]) -> list[str]:
    """These modules of the project and all that they import, directly or not, sorted."""
    known = [module for module in modules if module in imports().modules]
    return sorted({*known, *(imported for module in known for imported in imports().find_upstream_modules(module))})


def source_of(module: str) -> bytes:
    """The source of a module; empty for a folder without one."""
    path = ROOT.joinpath(*module.split("."))
    return b"".join(file.read_bytes() for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file())


@functools.cache
def code_hash(*modules: str) -> str:
    """Sixteen hexadecimal digits over the sources of these modules and all that they import, wherever these lie.

    Rows of other code are measured anew. Kernels that run as plain Python, or with every index tested, are other code.
    An edit that measures alike (see `alike`) leaves the hash as it was.
    """
    content = hashlib.sha256(f"plain={kernel.PLAIN} checked={kernel.CHECKED}".encode())
    for source_hash in sorted(bytes.fromhex(source_hash_of(module)) for module in sources(modules)):
        content.update(source_hash)
    return content.hexdigest()[:16]


def source_hash_of(module: str) -> str:
    """The SHA-256 of the source of a module; of the one before, if the edit since then measures alike."""
    now = hashlib.sha256(source_of(module)).hexdigest()
    edit = edits().get(module, {})
    return edit["before"] if edit.get("now") == now else now


@functools.cache
def edits() -> dict[str, dict[str, str]]:
    """The edits that measure alike, by module: the SHA-256 of the source before and now, and why."""
    return json.loads(EDITS.read_text(encoding="utf-8"))


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def version_of(package: str) -> str:
    """The installed version of a package; empty where it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


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
