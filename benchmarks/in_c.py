"""Compiled kernels against the same loops written by hand in C: python -m benchmarks.in_c

Compiles windows.c with the C compiler of this machine at -O3 -march=native, checks that both sum up the same answers,
and times them in turn, so that a drift of the machine falls on both. Prints for each window the median nanoseconds a
round of both, and the median, least and greatest of the ratios taken pair by pair.
"""

import ctypes
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from algorithms import operators
from algorithms.kernel import slots
from algorithms.windows.contract import card
from experiments.harness.measuring import drivers

WINDOWS = ("two_stacks_lite", "two_stacks", "daba", "daba_lite", "soe")
SIZES = (1 << 10, 1 << 20)
ROUNDS, PAIRS = 1_000_000, 15


def library(folder: str) -> ctypes.CDLL:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        sys.exit("there is no C compiler (cc, gcc or clang) on the PATH")
    compiled = Path(folder) / "windows.so"
    source = Path(__file__).with_name("windows.c")
    subprocess.run([compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", compiled, source], check=True)
    return ctypes.CDLL(str(compiled))


def timed(run, *arguments) -> tuple[float, int]:
    start = time.perf_counter_ns()
    total = run(*arguments)
    return (time.perf_counter_ns() - start) / ROUNDS, total


def compare(c: ctypes.CDLL, name: str, n: int) -> str:
    values = slots(101, np.int64)
    values[:] = np.arange(1, 102)
    table = values.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
    w = card(name).new(operators.make("sum", "int64"), n + 2)
    drivers.insert_run(w, 0, n, 0, values, 101)
    filled, rounds, discard = (getattr(c, f"{name}_{function}") for function in ("filled", "rounds", "discard"))
    filled.restype, rounds.restype, discard.restype = ctypes.c_void_p, ctypes.c_int64, None
    theirs = ctypes.c_void_p(filled(ctypes.c_int64(n), table, ctypes.c_int64(101)))
    drivers.rounds(w, n, 0, n, values, 101)
    pairs = []
    for pair in range(PAIRS):
        first = n + pair * ROUNDS
        ours, ours_total = timed(drivers.rounds, w, first, ROUNDS, first, values, 101)
        by_hand, total = timed(rounds, theirs, *map(ctypes.c_int64, (first, ROUNDS, first)), table, ctypes.c_int64(101))
        if total != ours_total:
            sys.exit(f"{name}, n = {n}: the kernel sums up {ours_total}, C {total}")
        pairs.append((ours, by_hand))
    discard(theirs)
    ratios = sorted(ours / by_hand for ours, by_hand in pairs)
    kernel_ns, c_ns = (statistics.median(column) for column in zip(*pairs, strict=True))
    middle = statistics.median(ratios)
    return f"{name:16} {n:>8}  {kernel_ns:8.2f} {c_ns:8.2f}   {middle:5.2f}  ({ratios[0]:.2f} to {ratios[-1]:.2f})"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        c = library(folder)
        print("window                  n  kernel ns     C ns   ratio  (least to greatest)")
        for name in WINDOWS:
            for n in SIZES:
                print(compare(c, name, n), flush=True)


if __name__ == "__main__":
    main()
