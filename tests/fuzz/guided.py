"""A parser under Atheris, which changes input so that it reaches more of the code; the arguments are libFuzzer's.

    python -m tests.fuzz.guided csv -max_total_time=600 FOLDER...

libFuzzer merges folders in processes of its own, which it starts as the program that FUZZ_AGAIN names.
"""

import os
import sys

import atheris

INSTRUMENTED = ["workloads", "safeguards", "streaming", "experiments.harness"]
"""Not algorithms: what is compiled must stay as it was written."""

if __name__ == "__main__":
    with atheris.instrument_imports(include=INSTRUMENTED, enable_loader_override=False):
        from tests.fuzz.parsers import PARSERS

    atheris.Setup([os.environ.get("FUZZ_AGAIN", sys.argv[0]), *sys.argv[2:]], PARSERS[sys.argv[1]].check)
    atheris.Fuzz()
