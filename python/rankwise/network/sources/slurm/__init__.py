"""Fabrics from what Slurm knows: which switches, or blocks, the nodes are at. All else is modelled."""
