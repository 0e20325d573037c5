"""A process in plain Python that has imported the project, and forks for each program and test that runs there.

To import the project takes longer than most of these programs: half a second of processor time, and pytest's own start
twice that, some 140 times. As a program it listens on the Unix socket that it is given, until its standard input ends.
"""

import atexit
import contextlib
import functools
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any, NamedTuple

PLAIN = {"NUMBA_DISABLE_JIT": "1"}


class Done(NamedTuple):
    """How a program ended; None is the code of one that was killed."""

    returncode: int | None
    stdout: str
    stderr: str


def run(module: str, arguments: list[str], environment: dict[str, str], timeout: float) -> Done:
    """Run a module as `python -m` does, in plain Python. Raises TimeoutError."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout)
        connection.connect(_address())
        connection.sendall(json.dumps([module, arguments, {**environment, **PLAIN}]).encode() + b"\n")
        with connection.makefile("rb") as file:
            said = file.read()
    return Done(*json.loads(said)) if said else Done(None, "", "the process was killed")


@functools.cache
def _address() -> str:
    """The socket of this process's server, which is started now."""
    folder = tempfile.TemporaryDirectory()
    address = str(Path(folder.name, "socket"))
    environment = {**os.environ, **PLAIN}
    server = subprocess.Popen(
        [sys.executable, "-m", __name__, address],
        cwd=Path(__file__).parents[1],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin and server.stdout
    server.stdout.readline()  # it listens
    server.stdout.close()
    atexit.register(_end, server, folder)
    return address


def _end(server: subprocess.Popen, folder: tempfile.TemporaryDirectory) -> None:
    if server.stdin:
        server.stdin.close()
    server.wait()
    folder.cleanup()


def serve(address: str) -> None:
    """Fork for each connection, until standard input ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who forks need not wait
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(16)
        print("listening", flush=True)
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    listener.close()
                    answer(connection)


def answer(connection: socket.socket) -> None:
    """In the process of its own: run what is asked for, say how it ended, and end."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code = 1
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        with connection.makefile("rb") as file:
            module, arguments, environment = json.loads(file.readline())
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        try:
            code = _run(module, arguments, environment)
        except BaseException:
            traceback.print_exc()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(ValueError, OSError):
                stream.flush()
        texts = [Path(f"/proc/self/fd/{one.fileno()}").read_text(errors="replace") for one in (out, err)]
        connection.sendall(json.dumps([code, *texts]).encode())
    os._exit(0)


def _run(module: str, arguments: list[str], environment: dict[str, str]) -> int:
    """The exit code of the module, run with these arguments and environment variables."""
    os.environ.clear()
    os.environ.update(environment)
    sys.argv[1:] = arguments
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        return _code(ended.code)
    return 0


def _code(given: Any) -> int:
    """The exit code that an argument of sys.exit stands for."""
    if given is None or isinstance(given, int):
        return int(given or 0)
    print(given, file=sys.stderr)
    return 1


if __name__ == "__main__":
    import hypothesis.stateful  # noqa: F401
    import pytest  # noqa: F401

    import algorithms  # noqa: F401

    serve(sys.argv[1])
