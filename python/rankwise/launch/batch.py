"""The job of a batch system that a process belongs to.

The library asks the same variables: src/runtime/launcher.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping

JOB_VARIABLES = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "COBALT_JOBID", "FLUX_JOB_ID")
"""That have its id: the first that is set counts."""


def batch_job(environment: Mapping[str, str]) -> str:
    """Return its id; '' = the process is in none."""
    return next((environment[name] for name in JOB_VARIABLES if environment.get(name)), "")
