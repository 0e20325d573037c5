"""The launcher that Hydra finds, and its settings. Hydra imports this at every start: it imports nothing heavy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.utils import JobReturn
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig


@dataclass
class SparkLauncherConf:
    """Settings of hydra/launcher=spark, each of them hydra.launcher.NAME on the command line."""

    _target_: str = "hydra_plugins.spark_launcher.launcher.SparkLauncher"

    master: str = "local[1]"
    """Where Spark is: local[...], spark://host:7077, yarn, k8s://..., or sc://host:15002 of a Spark Connect server."""

    n_jobs: int = -1
    """How many jobs run at once; -1: one on each machine of the workers, so that none disturbs another."""

    cores_per_job: int = 1
    """Cores of each job (spark.task.cpus)."""

    timeout: float | None = None
    """Seconds after which a job is stopped and fails. Cells have a timeout of their own: profile.timeout."""

    retries: int = 1
    """How often a job is started again when its worker is lost."""

    archive: str | None = None
    """A packed environment (.tar.gz with bin/python) for workers that do not have these packages."""

    environment: Any = None
    """Environment variables of the workers."""

    options: Any = None
    """Spark settings, such as {spark.executor.memory: 4g}. (Typed as a mapping it would take no names with dots.)"""


ConfigStore.instance().store(group="hydra/launcher", name="spark", node=SparkLauncherConf, provider="spark_launcher")


class SparkLauncher(Launcher):
    """Runs the jobs of a multirun on Spark. Keywords: the fields of SparkLauncherConf."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.config: DictConfig | None = None
        self.task_function: TaskFunction | None = None
        self.hydra_context: HydraContext | None = None

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Keep what Hydra passes to a launcher."""
        self.config, self.task_function, self.hydra_context = config, task_function, hydra_context

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run the jobs and return the outcome of each, in their order. See _launch.launch."""
        from hydra_plugins.spark_launcher import _launch

        return _launch.launch(self, job_overrides, initial_job_idx)
