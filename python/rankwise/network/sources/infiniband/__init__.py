"""Fabrics of InfiniBand: what ibdiagnet, OpenSM and infiniband-diags write."""
