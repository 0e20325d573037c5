"""Whether the Java of this machine can run Spark."""

import os
import re
import shutil
import subprocess

LEAST = 17
REMEDY = f"install Java {LEAST} or newer, or run with executor=inline, which needs none"


def problem() -> str:
    """Why Spark cannot run with the Java of this machine, in one sentence; empty if it can.

    Spark takes the Java of JAVA_HOME where that is set, and the first on the PATH where it is not.
    """
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")
    if java is None:
        where = f"JAVA_HOME={home} has no bin/java" if home else "there is no java on the PATH"
        return f"executor=spark needs Java, and {where}: {REMEDY}"
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"executor=spark needs Java, and {java} does not start ({error}): {REMEDY}"
    version = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    if said.returncode:
        return f"executor=spark needs Java, and {java} -version ends with code {said.returncode}: {REMEDY}"
    if version and int(version[1]) < LEAST:
        return f"executor=spark needs Java {LEAST} or newer, and {java} is Java {version[1]}: {REMEDY}"
    return ""
