"""The configuration group workload/parameters: for each workload, the defaults of its dataclass.

Hydra imports this at every start, wherever it composes: it imports nothing heavy.
"""

from hydra.core.config_store import ConfigStore

from experiments.harness.cli import help_text

for name in help_text.names("workload"):
    node = help_text.parameters(name).defaults
    ConfigStore.instance().store(group="workload/parameters", name=name, node=node, provider="workloads")
