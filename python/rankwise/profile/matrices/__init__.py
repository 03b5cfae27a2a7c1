"""Matrices of messages in the formats of other tools, read as profiles that know nothing else."""
