"""What is made by MPI, by its type in the profile: its name, and what frees it."""

from __future__ import annotations

THINGS = {"communicator": "communicators", "window": "windows"}
FREEING = {"communicator": ("MPI_Comm_free", "MPI_Comm_disconnect"), "window": ("MPI_Win_free",)}
