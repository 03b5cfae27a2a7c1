"""Whether an installation works on all nodes of an allocation, as `rankwise doctor nodes` asks."""
