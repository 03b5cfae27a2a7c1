"""MPI programs of our own, compiled on first use with the compiler of the user's MPI."""
