"""Shows where an MPI program's communication goes, explains why it waits, and makes it cheaper."""
