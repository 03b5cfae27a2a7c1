"""Launchers known by name only: they hand on their own environment, as far as known."""

from __future__ import annotations

from rankwise.launchers.base import Launcher


class Other(Launcher):
    """jsrun and lrun of LSF's CORAL machines, aprun of Cray, mpirun_rsh of MVAPICH, and others."""

    name = "other"
    commands = ("jsrun", "lrun", "aprun", "ibrun", "palsrun", "mpirun_rsh", "poe")


LAUNCHER = Other()
