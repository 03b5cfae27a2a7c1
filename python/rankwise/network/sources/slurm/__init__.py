"""Fabrics from Slurm's knowledge of the switches, or blocks, of nodes. Everything else is modelled."""
