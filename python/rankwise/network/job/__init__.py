"""A job on a fabric: the flows between its ranks, and the ports that they use."""
