"""Machines from what Slurm knows of the network: topology.conf and topology.yaml."""
