"""The job of a batch system that a process belongs to.

The library asks the same variables: src/runtime/launcher.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping

JOB_VARIABLES = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "COBALT_JOBID", "FLUX_JOB_ID")
"""That have its id: the first that is set counts."""

RESTART_VARIABLES = {"SLURM_JOB_ID": "SLURM_RESTART_COUNT"}
"""By the variable with the id: how often the job has been requeued. A requeued job has the same ids again."""


def batch_job(environment: Mapping[str, str]) -> str:
    """Return its id; '' = the process is in none."""
    return next((environment[name] for name in JOB_VARIABLES if environment.get(name)), "")
