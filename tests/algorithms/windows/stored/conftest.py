"""Say what Redis is tested with."""

import shutil


def pytest_terminal_summary(terminalreporter):
    if shutil.which("redis-server") is None:
        terminalreporter.write_line(
            "windows/stored: no redis-server on the PATH, so Redis was tested with wire_server.py only; "
            "apt install redis-server tests it with the real one as well"
        )
