"""The machine: what it is made of, what communication costs in it, and where ranks are."""
