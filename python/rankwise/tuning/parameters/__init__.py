"""Parameters of the MPI library that hold for a whole run, raced over whole runs of the user's program."""
