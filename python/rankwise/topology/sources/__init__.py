"""Machines from other sources: hwloc, Slurm, and a measurement."""
