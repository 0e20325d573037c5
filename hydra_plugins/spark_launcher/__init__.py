"""Hydra's multirun on Spark: `python run.py -m hydra/launcher=spark ...` runs each job on a worker."""
