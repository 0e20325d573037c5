"""Runs the jobs of a multirun as Spark jobs: measured on workers, as many at once as fit, and finished here.

A job is sent with its composed configurations and comes back as rows (see experiments.harness.remote_runs). Then Hydra
runs it here in its own output folder, as its own launcher would: it finds everything measured, draws and judges.
"""

import contextlib
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, NamedTuple

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.utils import JobReturn, configure_log, run_job, setup_globals
from hydra.plugins.launcher import Launcher
from hydra.types import TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict

from experiments.harness import remote_runs, timing_lock
from experiments.harness.cli import choosing
from experiments.harness.executors import ExecutorError, jobs
from experiments.harness.executors import session as sessions
from experiments.harness.settings import SettingsError, executor_settings, real_number, whole_number
from safeguards.secrets import without_secrets

OF_SESSION = ("master", "options", "environment", "archive")

SECONDS = 5
"""Between two looks at how many jobs may run: a cluster provides its workers one after another."""


class Job(NamedTuple):
    """One job of the multirun. `runs` are its configurations, `cells` the ids of the cells that these measure."""

    number: int
    label: str
    config: DictConfig
    runs: list[dict[str, Any]]
    cells: set[str]

    def __str__(self) -> str:
        return f"job {self.number} ({self.label})"


def launch(launcher: Launcher, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
    """Run the jobs and return the outcome of each, in their order.

    A job that is lost (its worker dies more than `retries` times, or it takes longer than `timeout`) has the status
    FAILED, and the others go on. Raises SettingsError and ExecutorError before anything is measured.
    """
    setup_globals()
    configure_log(launcher.config.hydra.hydra_logging, launcher.config.hydra.verbose)
    Path(str(launcher.config.hydra.sweep.dir)).mkdir(parents=True, exist_ok=True)
    settings = checked(OmegaConf.to_container(OmegaConf.create(launcher.settings), resolve=True))
    common = set.intersection(*map(set, job_overrides)) if len(job_overrides) > 1 else set()
    all_jobs = [
        _composed(launcher, initial_job_idx + i, overrides, common) for i, overrides in enumerate(job_overrides)
    ]
    returns = {job.number: _finished(launcher, job) for job in all_jobs if not job.cells}
    if to_measure := [job for job in all_jobs if job.cells]:
        with contextlib.closing(_measured(to_measure, settings)) as outcomes:
            for job, outcome in outcomes:
                stored = _stored(job, outcome)
                returns[job.number] = _finished(launcher, job) if stored else _lost(launcher, job, outcome)
    return [returns[job.number] for job in all_jobs]


def checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the launcher. Raises SettingsError."""
    with _launcher_names():
        executor_settings({"name": "spark", **{name: settings[name] for name in OF_SESSION}})
    whole_number("hydra.launcher.cores_per_job", settings["cores_per_job"], 1)
    try:
        if settings["n_jobs"] != -1:
            whole_number("hydra.launcher.n_jobs", settings["n_jobs"], 1)
    except SettingsError as error:
        raise SettingsError(f"{error}, or -1 for one on each machine") from None
    whole_number("hydra.launcher.retries", settings["retries"], 0)
    if settings["timeout"] is not None:
        real_number("hydra.launcher.timeout", settings["timeout"], 0)
    return dict(settings)


def _composed(launcher: Launcher, number: int, overrides: Sequence[str], common: set[str]) -> Job:
    """A job from its overrides. Its label leaves out those that all jobs have in common."""
    config = launcher.hydra_context.config_loader.load_sweep_config(launcher.config, list(overrides))
    with open_dict(config):
        config.hydra.job.id = config.hydra.job.num = number
    HydraConfig.instance().set_config(config)
    own = OmegaConf.masked_copy(config, [name for name in config if name != "hydra"])
    settings = OmegaConf.to_container(own, resolve=True)
    runs = [run for run, _ in choosing.jobs(settings, list(config.hydra.overrides.task), _experiment)]
    label = " ".join(text for text in overrides if text not in common) or "the same as another"
    return Job(number, label, config, runs, set().union(*map(remote_runs.cells, runs)))


def _experiment(name: str, overrides: list[str]) -> dict[str, Any]:
    config = hydra.compose(HydraConfig.get().job.config_name, [*overrides, f"experiment={name}"])
    return OmegaConf.to_container(config, resolve=True)


def _measured(waiting: list[Job], settings: Mapping[str, Any]) -> Iterator[tuple[Job, Future]]:
    """The jobs in the order in which they finish, with their outcomes: arguments of remote_runs.bring, or a LostError.

    No cell is measured by two jobs at once: the second waits for the rows of the first.
    """
    running: dict[Future, Job] = {}
    stop = threading.Event()
    with (
        timing_lock.held(timing_lock.place_of(settings), f"a multirun of {len(waiting)} jobs"),
        _session(settings) as session,
    ):
        master = settings["master"] if sessions.is_connect(session) else session.sparkContext.master
        say(f"{len(waiting)} job{'s'[: len(waiting) - 1]} on {master}")
        pool = ThreadPoolExecutor(len(waiting))
        try:
            while waiting or running:
                for job in list(waiting):
                    free = all(job.cells.isdisjoint(other.cells) for other in running.values())
                    if free and len(running) < _room(session, settings):
                        waiting.remove(job)
                        sent = remote_runs.sent(job.runs, alone=settings["n_jobs"] < 0)
                        running[pool.submit(_on_spark, session, job, sent, settings, stop)] = job
                for done in wait(running, SECONDS if waiting else None, FIRST_COMPLETED).done:
                    yield running.pop(done), done
        finally:
            stop.set()
            if running:  # Ctrl-C, or an error of this project
                jobs.stop_all(session)
            pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def _session(settings: Mapping[str, Any]) -> Iterator[Any]:
    """The session of the jobs. Raises ExecutorError."""
    with _launcher_names():
        slots = {} if settings["cores_per_job"] == 1 else {"spark.task.cpus": settings["cores_per_job"]}
        options = {**slots, **(settings["options"] or {})}
        session, started_here = sessions.start({**settings, "options": options})
    try:
        yield session
    finally:
        if started_here:
            session.stop()


def _room(session: Any, settings: Mapping[str, Any]) -> int:
    """How many jobs may run at once. This can grow."""
    return settings["n_jobs"] if settings["n_jobs"] > 0 else jobs.machines_of(session)


def _on_spark(session: Any, job: Job, sent: dict, settings: Mapping[str, Any], stop: threading.Event) -> tuple:
    """Measure a job, again if its worker is lost. Raises LostError."""
    attempt = 0
    while True:
        attempt += 1
        try:
            answer = jobs.call(session, remote_runs.measured, sent, settings["timeout"], str(job))
        except jobs.LateError as error:
            raise jobs.LateError(f"{error} (hydra.launcher.timeout)") from None
        except jobs.LostError as error:
            if attempt > settings["retries"] or stop.is_set():
                raise
            say(f"{job}: {error}; once more")
        else:
            return answer.value, attempt + answer.attempt - 1


def _stored(job: Job, outcome: Future) -> bool:
    """Store the rows of a job and return whether it came back."""
    try:
        remote_runs.bring(job.runs, *outcome.result())
        return True
    except jobs.LostError as error:
        say(f"{job}: {error}")
        return False


def _lost(launcher: Launcher, job: Job, outcome: Future) -> JobReturn:
    """The return of a job that did not come back: failed, with the reason."""

    def fail(config: DictConfig) -> None:
        raise outcome.exception()

    return _finished(launcher, job, fail)


def _finished(launcher: Launcher, job: Job, task_function: TaskFunction | None = None) -> JobReturn:
    """Run the job here, where nothing is left to be measured."""
    job_return = run_job(
        hydra_context=launcher.hydra_context,
        task_function=task_function or launcher.task_function,
        config=job.config,
        job_dir_key="hydra.sweep.dir",
        job_subdir_key="hydra.sweep.subdir",
    )
    configure_log(launcher.config.hydra.hydra_logging, launcher.config.hydra.verbose)
    return job_return


@contextlib.contextmanager
def _launcher_names() -> Iterator[None]:
    """Makes errors about settings of the executor name the settings of the launcher."""
    try:
        yield
    except (SettingsError, ExecutorError) as error:
        text = str(error).replace("executor=spark", "hydra/launcher=spark").replace("executor.", "hydra.launcher.")
        raise type(error)(text) from error


def say(text: str) -> None:
    """Tell the user how far the jobs are."""
    print(without_secrets(text), file=sys.stderr, flush=True)
