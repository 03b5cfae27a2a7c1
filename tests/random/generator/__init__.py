"""Random valid MPI programs from a seed."""
