"""Messages between ranks: matrices, pairs, sizes, and how many stay on a node."""
