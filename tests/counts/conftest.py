"""Make the modules beside the tests, and those of the contract tests, importable, whatever pytest's import mode."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "contract")]
