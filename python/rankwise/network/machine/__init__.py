"""A fabric as what lies between the nodes of a machine.json, by which ranks are placed."""
