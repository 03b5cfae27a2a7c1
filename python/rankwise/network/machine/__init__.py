"""A fabric as the network of a machine.json, for placing ranks."""
