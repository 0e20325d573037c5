"""A computer's memory in use, read once a second, on which the MTA paper measures (experiment 3), and controls.

The paper's 62,208,000 readings (720 days) are not published: these are synthetic, of a machine of 16 GiB, and what is
assumed is listed in `generator`. What `python -m workloads.memory_usage.recorder` records of this machine says how
likely equal and rising readings are.
"""
