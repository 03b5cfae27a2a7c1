"""Rankwise's own MPI programs, compiled on first use with the compiler of the user's MPI."""
