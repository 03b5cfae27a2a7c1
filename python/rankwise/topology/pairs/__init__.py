"""Pairs, ranks and nodes, compared with their level and with another measurement."""
