"""Slurm: the files of its topology plugins."""

from __future__ import annotations

from rankwise.network.sources.parts import Reader
from rankwise.network.sources.slurm import read as slurm

READERS = (Reader("slurm", slurm.is_topology, slurm.read_topology),)
WORDS = "Slurm's topology.conf or .yaml"
