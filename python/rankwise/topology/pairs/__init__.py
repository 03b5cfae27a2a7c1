"""Single pairs, ranks and nodes: beside their level, and beside another measurement."""
