"""Machines from Slurm's description of the network: topology.conf and topology.yaml."""
