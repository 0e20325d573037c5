"""Regenerate a figure of the papers: measure what is missing, draw, judge. What there is: python run.py --help"""

import sys

import experiments.harness.cli.this_python  # noqa: F401 (says so where it lacks what follows)

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig, OmegaConf

from experiments.harness.cli import command_line, help_text

OmegaConf.register_new_resolver("page", help_text.page, replace=True)
OmegaConf.register_new_resolver("scratch", command_line.scratch, replace=True)
codes, runs = [], []


def measure(config: dict, variant: str, stored: bool) -> int:
    """One experiment: run what is missing, or if `stored` nothing; draw, judge. `variant` tells its figures apart."""
    from experiments.harness import progress, remote_runs
    from plots import joining, terminal

    runs.append(outcome := remote_runs.outcome_of(config, variant, stored))
    drawn = terminal.drawn([outcome], config["figure_folder"], progress.display)
    published = joining.with_joined(*drawn, runs, config["figure_folder"])
    return terminal.show(outcome, published)


def report(folder: str, others: list[str]) -> int:
    """One web page of every figure in the folder, drawn again from the stored rows, with the verdicts of all runs."""
    from experiments.harness import outcome, progress
    from plots import terminal

    return terminal.report_written(outcome.by_name(folder), folder, outcome.runs_in(others), progress.display)


def compare(folders: list[str], folder: str) -> int:
    """One page with the verdicts of several runs side by side, from the rows and figures in their folders."""
    from experiments.harness import outcome
    from plots import agreement

    return agreement.show(outcome.runs_in(folders), f"{folder}/agreement.md")


def walk(algorithm: object, script: object, operators: list[str] | None, folder: str) -> int:
    """A script step by step on a window: in the terminal, as a figure, and as a page that steps."""
    from experiments.harness import walks
    from plots import walking

    return walking.show(algorithm, script, *walks.walked(algorithm, script, operators), folder)


def composed(name: str, overrides: list[str]) -> dict:
    return OmegaConf.to_container(hydra.compose("config", [*overrides, f"experiment={name}"]), resolve=True)


@hydra.main(config_path=str(help_text.CONF), config_name="config", version_base="1.3")
def regenerate(config: DictConfig) -> None:
    settings, given, before = OmegaConf.to_container(config, resolve=True), HydraConfig.get().overrides.task, len(runs)
    ended = command_line.each(settings, list(given), composed, (measure, report, compare, walk), runs)
    codes.extend(code for _, code, _ in ended)
    if runs[before:] and len(ended) > 1:
        from plots.terminal import show_all

        show_all(ended, runs[before:])


if __name__ == "__main__":
    sys.exit(command_line.main(regenerate, codes, runs))
