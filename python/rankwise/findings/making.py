"""Objects that MPI creates, by their type in the profile: their name, and the calls that free them."""

from __future__ import annotations

THINGS = {"communicator": "communicators", "window": "windows"}
FREEING = {"communicator": ("MPI_Comm_free", "MPI_Comm_disconnect"), "window": ("MPI_Win_free",)}
