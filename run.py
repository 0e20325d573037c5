"""Regenerate a figure of the papers: measure what is missing, draw, judge.

    python run.py experiment=fiba_ooo
    python run.py -m experiment=fiba_ooo window=1024,16384
    python run.py --help
"""

import os
import re
import sys

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException, MissingConfigException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # errors come to main(), which says them in one line

FIGURES = "results/figures"
WRONG_INPUT = (ValueError, OSError, RuntimeError, ModuleNotFoundError, HydraException, OmegaConfBaseException)
problems = []


def run(config: dict, variant: str) -> None:
    """One experiment; `variant` tells its figure from those of other settings."""
    from experiments import engine, progress
    from plots import draw, terminal

    outcome = engine.run(config, progress.watch)
    figure = outcome.figure
    paths = draw({**figure, "name": figure["name"] + variant}, outcome.rows, FIGURES, config, outcome.row_files)
    terminal.show(outcome.rows, outcome.verdicts, paths, outcome.measured, outcome.kept)
    if outcome.failed:
        problems.append(config["name"])


@hydra.main(config_path="conf", config_name="config", version_base="1.3")
def regenerate(config: DictConfig) -> None:
    given = [text for text in HydraConfig.get().overrides.task if not re.match(r"(experiment|results|force)\b", text)]
    variant = "".join("-" + re.sub(r"[^A-Za-z0-9.]+", "_", text) for text in given)
    run(OmegaConf.to_container(config, resolve=True), variant)


def main() -> int:
    try:
        regenerate()
    except KeyboardInterrupt:
        print("interrupted; what was measured is kept, and the same command goes on from there", file=sys.stderr)
        return 130
    except WRONG_INPUT as error:
        from experiments.settings import nearest

        if isinstance(error, MissingConfigException) and error.missing_cfg_file and error.options:
            group, _, name = error.missing_cfg_file.partition("/")
            error = nearest(group, name, error.options)
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
