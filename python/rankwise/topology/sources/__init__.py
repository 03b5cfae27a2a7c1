"""Machines from what others know: hwloc, Slurm, and a measurement."""
