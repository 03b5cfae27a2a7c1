"""The machine: its parts, the costs of communication in it, and the places of ranks."""
