"""Fuzzing: every parser for some minutes, guided by what its input reaches, every program for millions of steps, and
the tests that draw their examples at random, with more of them.

    python -m tests.fuzz                                       everything: some hours, and `pip install atheris`
    python -m tests.fuzz csv saved_state --minutes 1
    python -m tests.fuzz windows sliding --steps 100000 --seed 7
    python -m tests.fuzz properties --times 10                 the tests with Hypothesis, ten times the examples

Input of a parser that reached what no other did is kept in tests/fuzz/corpus, and the tests read it again. Input that
fails is there as failing-*; of a program the seed is said, of a test the example. The exit
code is 1 if anything failed.
"""

import argparse
import importlib.util
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.parsers import PARSERS
from tests.fuzz.programs import PROGRAMS

CORPUS = Path(__file__).parent / "corpus"

GUIDED = [sys.executable, "-m", "tests.fuzz.guided"]

OPTIONS = ["-max_len=4096", "-rss_limit_mb=4096", "-timeout=600"]
"""Of libFuzzer: bytes of an input, memory, and seconds for a single one."""

PROPERTIES = "properties"
"""The name of the tests with Hypothesis."""

EVERY = 10.0
"""Seconds between two lines about a program."""


def parsed(name: str, minutes: float) -> bool:
    """Look for input that reaches more, and add it to what is kept. Whether nothing failed."""
    kept = CORPUS / name
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as new, tempfile.TemporaryDirectory() as beside:
        for number, seed in enumerate(PARSERS[name].seeds()):
            Path(new, f"seed-{number}").write_bytes(seed)
        again = Path(beside, "again")
        again.write_text(f'#!/bin/sh\nexec {shlex.join([*GUIDED, name])} "$@"\n')
        again.chmod(0o755)
        options = [*OPTIONS, f"-artifact_prefix={kept}/failing-"]
        search = [*GUIDED, name, f"-max_total_time={60 * minutes:.0f}", *options, new, str(kept)]
        good = subprocess.run(search, check=False).returncode == 0
        merge = [*GUIDED, name, "-merge=1", *options, str(kept), new]
        subprocess.run(merge, check=False, env={**os.environ, "FUZZ_AGAIN": str(again)}, stderr=subprocess.DEVNULL)
    print(f"{name}: {minutes:g} minutes, {'nothing failed' if good else 'failed: see ' + str(kept)}", flush=True)
    return good


def done(name: str, steps: int, seed: int) -> bool:
    """Go through programs until so many steps are done. Whether all agreed with their oracles."""
    begun = told = time.monotonic()
    count = 0
    try:
        for more in PROGRAMS[name](seed):
            count += more
            now = time.monotonic()
            if count >= steps or now - told > EVERY:
                told = now
                print(f"{name}: {count:,} of {steps:,} steps, {now - begun:.0f} s", flush=True)
            if count >= steps:
                return True
    except AssertionError as error:
        print(f"{name}: failed after {count:,} steps: {error}", flush=True)
    return False


def tried(times: int) -> bool:
    """Run the tests with Hypothesis on this many times their examples. Whether all passed."""
    tests = [sys.executable, "-m", "pytest", "-q", "-m", "hypothesis", "-n", "auto", "tests"]
    return subprocess.run(tests, check=False, env={**os.environ, "EXAMPLES": str(times)}).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").splitlines()[0])
    every = [*PARSERS, *PROGRAMS, PROPERTIES]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(every)}; all if none is given")
    parser.add_argument("--minutes", type=float, default=10, help="of each parser (default: 10)")
    parser.add_argument("--steps", type=int, default=10**7, help="of each program (default: 10,000,000)")
    parser.add_argument("--times", type=int, default=20, help="the examples of tests with Hypothesis (default: 20)")
    parser.add_argument(
        "--seed", type=int, default=int(time.time()), help="of the programs (default: another each time)"
    )
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in every:
            parser.error(f"there is no {name!r}; there are {', '.join(every)}")
    chosen = arguments.names or every
    if not set(chosen).isdisjoint(PARSERS) and importlib.util.find_spec("atheris") is None:
        parser.error("Atheris, which guides the search, is not installed: pip install -r requirements-fuzz.txt")
    print(f"seed {arguments.seed}", flush=True)
    good = []
    for name in chosen:
        if name == PROPERTIES:
            good.append(tried(arguments.times))
        elif name in PARSERS:
            good.append(parsed(name, arguments.minutes))
        else:
            good.append(done(name, arguments.steps, arguments.seed))
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
